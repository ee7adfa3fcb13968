"""A reply as it goes over the wire: the server-sent events of the Messages API, each with the silence before it."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tui_agent.model.demo.markdown import sample_markdown
from tui_agent.model.demo.request_validation import signature
from tui_agent.model.demo.scenario import Pace, ScriptedBlock, ScriptedReply
from tui_agent.model.demo.script import new_tool_use_id
from tui_agent.model.demo.template import expand, expand_all

__all__ = ["SentBlock", "WireFrame", "error_event", "reply_events"]


@dataclass(slots=True)
class SentBlock:
    """What the server said in one block, for whoever looks at the exchange later.

    `stopped_ms` is when the block's end was sent, on the machine's monotonic clock; None if it never was.
    """

    kind: str
    content: str
    tool_use_id: str = ""
    name: str = ""
    stopped_ms: float | None = None


@dataclass(frozen=True, slots=True)
class WireFrame:
    """One event, encoded, to be sent after `delay_s` seconds of silence. `ends` is the block that it closes."""

    data: bytes
    delay_s: float = 0.0
    ends: SentBlock | None = None


def reply_events(
    reply: ScriptedReply, values: Mapping[str, Any], *, model: str, pace: Pace, usage: Mapping[str, int]
) -> Iterator[WireFrame]:
    """Yield the reply's events from `message_start` to `message_stop`.

    `usage` holds the input's token counts; the output's are counted here, at four bytes a token.

    Raises:
        TemplateError: a text cannot be filled in; raised before the first event.
    """
    contents = [_content(block, values) for block in reply.blocks]
    cut_at = next((number for number, block in enumerate(reply.blocks) if block.cut_after is not None), None)
    if cut_at is not None:
        del contents[cut_at + 1 :]
    message: dict[str, Any] = {
        "id": f"msg_{secrets.token_hex(10)}", "type": "message", "role": "assistant", "model": model, "content": [],
        "stop_reason": None, "stop_sequence": None, "usage": {**usage, "output_tokens": 1},
    }  # fmt: skip
    yield WireFrame(_event("message_start", message=message))
    yield WireFrame(_event("ping"))
    for index, (block, sent) in enumerate(zip(reply.blocks, contents, strict=False)):
        yield from _block_events(index, block, sent, block.pace or reply.pace or pace)
    uses_tools = any(sent.kind == "tool_use" for sent in contents)
    natural = "max_tokens" if cut_at is not None else "tool_use" if uses_tools else "end_turn"
    delta = {"stop_reason": reply.stop_reason or natural, "stop_sequence": None}
    written = sum(len(sent.content) for sent in contents)
    yield WireFrame(_event("message_delta", delta=delta, usage={"output_tokens": max(1, written // 4)}))
    yield WireFrame(_event("message_stop"))


def error_event(kind: str, message: str) -> bytes:
    """Return an error in mid-stream."""
    return _event("error", error={"type": kind, "message": message})


def _content(block: ScriptedBlock, values: Mapping[str, Any]) -> SentBlock:
    match block.kind:
        case "text":
            sent = SentBlock("text", expand(block.text, values))
        case "markdown":
            sent = SentBlock("text", sample_markdown(block.markdown_bytes))
        case "thinking":
            sent = SentBlock("thinking", expand(block.text, values))
        case "tool":
            text = block.raw_input
            if text is None:
                text = json.dumps(expand_all(block.input, values), ensure_ascii=False) if block.input else ""
            use_id = new_tool_use_id(block.label) if block.use_id is None else block.use_id
            sent = SentBlock("tool_use", text, use_id, expand(block.tool, values))
    if block.cut_after is not None:
        sent.content = sent.content.encode()[: block.cut_after].decode("utf-8", "ignore")
    return sent


def _block_events(index: int, block: ScriptedBlock, sent: SentBlock, pace: Pace) -> Iterator[WireFrame]:
    head: dict[str, Any] = {"type": "text", "text": ""}
    delta, key = "text_delta", "text"
    if sent.kind == "thinking":
        head = {"type": "thinking", "thinking": "", "signature": ""}
        delta, key = "thinking_delta", "thinking"
    elif sent.kind == "tool_use":
        head = {"type": "tool_use", "id": sent.tool_use_id, "name": sent.name, "input": {}}
        delta, key = "input_json_delta", "partial_json"
    yield WireFrame(_event("content_block_start", index=index, content_block=head), block.pause_ms / 1000)
    for piece in _pieces(sent.content, pace.delta_bytes):
        data = _event("content_block_delta", index=index, delta={"type": delta, key: piece})
        yield WireFrame(data, pace.delay_ms / 1000)
    if sent.kind == "thinking" and block.cut_after is None:
        sign = {"type": "signature_delta", "signature": signature(sent.content)}
        yield WireFrame(_event("content_block_delta", index=index, delta=sign))
    yield WireFrame(_event("content_block_stop", index=index), ends=sent)


def _pieces(text: str, size: int) -> Iterator[str]:
    """Cut into pieces of at most `size` bytes of UTF-8 (a wider character goes alone), none of them through a character."""
    if text.isascii():
        for start in range(0, len(text), size):
            yield text[start : start + size]
        return
    piece, room = "", size
    for character in text:
        width = len(character.encode("utf-8", "surrogatepass"))
        if piece and width > room:
            yield piece
            piece, room = "", size
        piece += character
        room -= width
    if piece:
        yield piece


def _event(kind: str, **fields: object) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields}, separators=(',', ':'))}\n\n".encode()
