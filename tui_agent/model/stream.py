"""From the Messages API's stream events to the facts of `protocol.py`: fragments are kept in lists, each block read once.

Only what a block needs to be sent back whole is interpreted; fields and block types this version does not know stay as they
came. Knows no network and no SDK.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final, NoReturn

from tui_agent.model.errors import from_error_body
from tui_agent.model.protocol import (
    BlockDelta,
    BlockFinished,
    BlockKind,
    BlockStarted,
    ModelError,
    ReplyFinished,
    ReplyStarted,
    StreamItem,
    Usage,
)
from tui_agent.text import sound_json

__all__ = ["StreamReader"]

_KINDS: Final[dict[str, BlockKind]] = {
    "text": "text",
    "thinking": "thinking",
    "redacted_thinking": "redacted_thinking",
    "tool_use": "tool_use",
}
# Which field of a delta holds its fragment.
_FRAGMENTS: Final = {
    "text_delta": "text",
    "thinking_delta": "thinking",
    "signature_delta": "signature",
    "input_json_delta": "partial_json",
}
_USAGE: Final = {
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "cache_read_input_tokens": "cache_read_tokens",
    "cache_creation_input_tokens": "cache_write_tokens",
}


class _Block:
    """A block under way: how it began, and its fragments by field."""

    __slots__ = ("citations", "fragments", "kind", "start")

    def __init__(self, start: dict[str, Any]) -> None:
        self.start = start
        self.kind: BlockKind = _KINDS.get(str(start.get("type")), "other")
        self.fragments: dict[str, list[str]] = {}
        self.citations: list[Any] = []

    def add(self, field: str, fragment: str) -> None:
        self.fragments.setdefault(field, []).append(fragment)

    def joined(self, field: str) -> str:
        return "".join(self.fragments.get(field, ()))


class StreamReader:
    """Reads one reply. Give it each event's data in order; `is_finished` is True once the reply is over."""

    def __init__(self) -> None:
        self._blocks: dict[int, _Block] = {}
        self._usage: dict[str, int] = {}
        self._stop_reason = ""
        self._detail = ""
        self.has_started = False
        self.is_finished = False

    def feed(self, data: str) -> Iterator[StreamItem]:
        """Yield what the event with this JSON text says.

        Raises:
            ModelError: it is an error event, not JSON, or does not fit what came before.
        """
        event = _load_event(data)
        try:
            yield from self._read(event)
        except (KeyError, TypeError, AttributeError, IndexError) as error:
            raise _broken(f"an event of type {event.get('type')!r} lacks a part") from error

    def _read(self, event: dict[str, Any]) -> Iterator[StreamItem]:
        match event.get("type"):
            case "content_block_delta":
                yield from self._delta(event["index"], event["delta"])
            case "content_block_start":
                yield from self._start(event["index"], event["content_block"])
            case "content_block_stop":
                block = self._blocks.pop(event["index"])
                yield _finish(event["index"], block)
            case "message_start":
                self.has_started = True
                self._count(event["message"].get("usage"))
                yield ReplyStarted(str(event["message"].get("id") or ""))
            case "message_delta":
                delta = event["delta"]
                self._stop_reason = delta.get("stop_reason") or self._stop_reason
                details = delta.get("stop_details")
                if isinstance(details, dict):
                    self._detail = str(details.get("explanation") or details.get("category") or "")
                self._count(event.get("usage"))
            case "message_stop":
                self.is_finished = True
                yield ReplyFinished(self._stop_reason or "end_turn", Usage(**self._usage), self._detail)
            case "error":
                raise from_error_body(event)
            case _:
                return  # a ping, or an event of a newer API that nothing here depends on

    def _start(self, index: int, start: dict[str, Any]) -> Iterator[StreamItem]:
        block = self._blocks[index] = _Block(start)
        yield BlockStarted(index, block.kind, str(start.get("id") or ""), str(start.get("name") or ""))
        first = start.get(block.kind) if block.kind in ("text", "thinking") else None
        if first:
            block.add(block.kind, first)
            yield BlockDelta(index, first)

    def _delta(self, index: int, delta: dict[str, Any]) -> Iterator[StreamItem]:
        block = self._blocks[index]
        field = _FRAGMENTS.get(delta["type"])
        if field is None:
            if delta["type"] == "citations_delta":
                block.citations.append(delta["citation"])
            return
        fragment = delta[field]
        if not isinstance(fragment, str):
            raise TypeError(field)
        if fragment:
            block.add(field, fragment)
            if field != "signature" and block.kind != "other":
                yield BlockDelta(index, fragment)

    def _count(self, usage: object) -> None:
        """Take the counts an event gives; later ones are totals so far, not additions."""
        if isinstance(usage, dict):
            for key, name in _USAGE.items():
                value = usage.get(key)
                if isinstance(value, int):
                    self._usage[name] = value


def _finish(index: int, block: _Block) -> BlockFinished:
    content = {key: value for key, value in block.start.items() if value is not None}
    match block.kind:
        case "tool_use":
            return _finish_tool_use(index, content, block.joined("partial_json"))
        case "text":
            content["text"] = block.joined("text")
            if block.citations:
                content["citations"] = [*content.get("citations", ()), *block.citations]
        case "thinking":
            content["thinking"] = block.joined("thinking")
            content["signature"] = block.joined("signature") or content.get("signature", "")
        case "other" if arguments := block.joined("partial_json"):
            return _finish_tool_use(index, content, arguments)
        case _:
            pass  # complete as it began
    return BlockFinished(index, content)


def _finish_tool_use(index: int, content: dict[str, Any], arguments: str) -> BlockFinished:
    if not arguments.strip():
        given = content.get("input") or {}
        if not isinstance(given, dict):
            return BlockFinished(index, None, problem=_no_object(given))
        content["input"] = given
        # Arguments that came whole with the block's start are certain; none at all may only be none yet.
        return BlockFinished(index, content, is_certain=bool(content["input"]))
    try:
        parsed = _loads(arguments)
    except ValueError as error:
        return BlockFinished(index, None, problem=f"the arguments are not whole JSON: {error}")
    except RecursionError:
        return BlockFinished(index, None, problem="the arguments are nested too deeply")
    if not isinstance(parsed, dict):
        return BlockFinished(index, None, problem=_no_object(parsed))
    content["input"] = parsed
    return BlockFinished(index, content)


def _no_object(value: object) -> str:
    kinds = {type(None): "null", bool: "a boolean", str: "a string", list: "an array"}
    return f"the arguments are {kinds.get(type(value), 'a number')}, not a JSON object"


def _load_event(data: str) -> dict[str, Any]:
    try:
        event = _loads(data)
    except (ValueError, RecursionError) as error:
        raise _broken("an event is not JSON") from error
    if not isinstance(event, dict):
        raise _broken("an event is not a JSON object")
    return event


def _loads(text: str) -> Any:  # noqa: ANN401 - JSON is any value
    r"""Parse JSON strictly: no NaN, and no half of a surrogate pair (`\ud800`), which no later request could carry."""
    value = _STRICT.decode(text)
    return sound_json(value) if "\\ud" in text or "\\uD" in text else value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_STRICT: Final = json.JSONDecoder(parse_constant=_refuse_constant)  # making one takes longer than reading a delta


def _broken(what: str) -> ModelError:
    return ModelError(
        "protocol",
        f"The reply cannot be read: {what}.",
        hint="Check ANTHROPIC_BASE_URL; a proxy may have changed the stream.",
        is_retryable=True,
    )
