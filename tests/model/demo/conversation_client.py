"""A client of the embedded server that a test can hold in its hands: plain HTTP, events as they come."""

from __future__ import annotations

import http.client
import json
from dataclasses import dataclass, field
from typing import Any

from tui_agent.model.demo.scenario_file import parse_scenario
from tui_agent.model.demo.thread import ServerThread, start_in_thread

HEADERS = {"x-api-key": "key", "anthropic-version": "2023-06-01", "content-type": "application/json"}


@dataclass
class Got:
    """An answer: its status, the events of a stream (also of a broken one), or the error."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)
    events: list[dict[str, Any]] = field(default_factory=list)
    error: dict[str, Any] = field(default_factory=dict)
    is_broken: bool = False

    @property
    def message(self) -> str:
        return str(self.error.get("message", ""))

    @property
    def stop_reason(self) -> str | None:
        return next((event["delta"]["stop_reason"] for event in self.events if event["type"] == "message_delta"), None)

    @property
    def content(self) -> list[dict[str, Any]]:
        """The blocks, put together from their deltas as a client does."""
        blocks: list[dict[str, Any]] = []
        arguments: dict[int, str] = {}
        for event in self.events:
            if event["type"] == "content_block_start":
                blocks.append(dict(event["content_block"]))
            elif event["type"] == "content_block_delta":
                delta = event["delta"]
                match delta["type"]:
                    case "text_delta":
                        blocks[event["index"]]["text"] += delta["text"]
                    case "thinking_delta":
                        blocks[event["index"]]["thinking"] += delta["thinking"]
                    case "signature_delta":
                        blocks[event["index"]]["signature"] = delta["signature"]
                    case "input_json_delta":
                        arguments[event["index"]] = arguments.get(event["index"], "") + delta["partial_json"]
        for index, text in arguments.items():
            blocks[index]["input"] = json.loads(text)
        return blocks

    @property
    def text(self) -> str:
        return "".join(block["text"] for block in self.content if block["type"] == "text")


def scenario_of(*replies: dict[str, Any], **more: Any) -> Any:
    return parse_scenario({"title": "test", "reply": list(replies), **more}, "test")


def serve(*replies: dict[str, Any], **more: Any) -> ServerThread:
    return start_in_thread(scenario_of(*replies, **more), pace=0)


def user(*blocks: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
    return {"role": "user", "content": content}


def assistant(*blocks: Any) -> dict[str, Any]:
    return {**user(*blocks), "role": "assistant"}


def result_of(use: dict[str, Any], text: str, *, is_error: bool = False) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": use["id"], "content": text}
    return {**block, "is_error": True} if is_error else block


def request_of(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"model": "m", "max_tokens": 4000, "stream": True, "messages": list(messages), **more}


def post(
    url: str, body: Any, headers: dict[str, str] | None = None, path: str = "/v1/messages", method: str = "POST"
) -> Got:
    """Send one request and read all of the answer, whole or broken."""
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=20)
    try:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        connection.request(method, path, raw, HEADERS if headers is None else headers)
        answer = connection.getresponse()
        got = Got(answer.status, {name.lower(): value for name, value in answer.getheaders()})
        pieces = []
        try:
            while piece := answer.read1():
                pieces.append(piece)
        except (http.client.HTTPException, ConnectionError):
            got.is_broken = True
    finally:
        connection.close()
    text = b"".join(pieces).decode()
    if got.headers["content-type"].startswith("application/json"):
        got.error = json.loads(text)["error"]
        return got
    for frame in text.split("\n\n"):
        if frame.startswith("event: "):
            name, _, data = frame.removeprefix("event: ").partition("\ndata: ")
            event = json.loads(data)
            assert event["type"] == name
            got.events.append(event)
    return got
