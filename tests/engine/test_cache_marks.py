from __future__ import annotations

import asyncio
import copy
import json
from typing import Any

import pytest

from tui_agent.engine.conversation.cache_marks import mark
from tui_agent.model.protocol import ModelError, ModelRequest
from tui_agent.model.providers.anthropic import AnthropicModel
from tui_agent.tools.loading import LoadedTools
from tui_agent.tools.mcp_tool import McpAnswer, McpHints, McpTool
from tui_agent.tools.registry import ToolPool


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def request(messages: list[dict[str, Any]], tools: int = 3) -> ModelRequest:
    return ModelRequest(
        model="m",
        system=[text("general"), text("here")],
        messages=messages,
        tools=[{"name": f"T{number}", "description": "d", "input_schema": {}} for number in range(tools)],
        max_tokens=1,
    )


USER = {"role": "user", "content": [text("context"), text("hello")]}
REPLY = {"role": "assistant", "content": [text("hi"), {"type": "tool_use", "id": "t", "name": "T0", "input": {}}]}
RESULT = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "x"}]}


def marks(value: object) -> int:
    return json.dumps(value).count("cache_control")


def unmarked(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: unmarked(item) for key, item in value.items() if key != "cache_control"}
    return [unmarked(item) for item in value] if isinstance(value, list) else value


def test_marks_stand_on_the_last_tool_the_systems_end_and_the_last_two_user_messages() -> None:
    marked = mark(request([USER, REPLY, RESULT]))
    assert ["cache_control" in tool for tool in marked.tools] == [False, False, True]
    assert ["cache_control" in block for block in marked.system] == [False, True]
    assert "cache_control" in marked.messages[0]["content"][-1]
    assert "cache_control" in marked.messages[2]["content"][-1]
    assert marks([marked.tools, marked.system, marked.messages]) == 4


def test_a_long_conversation_has_no_more_marks() -> None:
    marked = mark(request([USER, REPLY, RESULT] + [REPLY, RESULT] * 20))
    assert marks([marked.tools, marked.system, marked.messages]) == 4
    assert marks(marked.messages[:-3]) == 0


def test_tools_added_behind_the_built_in_ones_leave_the_bytes_up_to_the_mark_as_they_were() -> None:
    before = json.dumps(mark(request([USER]), builtin_tools=3).tools)
    after = json.dumps(mark(request([USER], tools=5), builtin_tools=3).tools)
    assert after.startswith(before.removesuffix("]"))


async def body_of(request: ModelRequest) -> bytes:
    """Return the bytes that the real client sends."""
    bodies: list[bytes] = []

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = int(head.partition("content-length:")[2].split("\r\n")[0])
        bodies.append(await reader.readexactly(length))
        writer.write(b"HTTP/1.1 400 X\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(refuse, "127.0.0.1", 0)
    model = AnthropicModel(api_key="k", base_url=f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
    async with server:
        with pytest.raises(ModelError) as caught:
            [item async for item in model.stream(request)]
        await model.close()
    assert caught.value.status == 400
    (body,) = bodies
    return body


def tool_bytes(body: bytes) -> tuple[bytes, bytes]:
    """Return the bytes of the tool list up to the end of its first mark, and those behind."""
    tools = body[body.index(b'"tools":[') :]
    head, mark_bytes, rest = tools.partition(b'"cache_control":{"type":"ephemeral"}')
    assert mark_bytes
    return head + mark_bytes, rest


async def nothing(_tool: str, _input: dict[str, Any], _told: object) -> McpAnswer:
    return McpAnswer()


def mcp(name: str, *, is_always_loaded: bool) -> McpTool:
    schema = {"type": "object", "properties": {name: {"type": "string"}}}
    hints = McpHints(is_always_loaded=is_always_loaded)
    return McpTool(server="s", tool=name, description="d", schema=schema, call_server=nothing, hints=hints)


def request_of(tools: LoadedTools) -> ModelRequest:
    made = ModelRequest(
        model="claude-sonnet-5-5", system=[text("x")], messages=[USER], tools=tools.schemas(), max_tokens=9
    )
    return mark(made, builtin_tools=tools.core_count)


async def test_a_tool_of_a_server_or_an_activated_one_leaves_the_bytes_up_to_the_mark_as_they_were() -> None:
    alone = LoadedTools(ToolPool.build())
    plain = await body_of(request_of(alone))
    head, rest = tool_bytes(plain)
    last = alone.pool.core[-1].name
    assert head.rindex(f'"name":"{last}"'.encode()) > head.rindex(b'"name":"Read"')
    assert b'"name":' not in rest

    served = LoadedTools(ToolPool.build(mcp=[mcp("aaa", is_always_loaded=True), mcp("bbb", is_always_loaded=False)]))
    beside = await body_of(request_of(served))
    assert tool_bytes(beside)[0] == head
    assert b"mcp__s__aaa" in tool_bytes(beside)[1]
    assert b"mcp__s__bbb" not in beside

    served.activate(["mcp__s__bbb", "Think"])
    after = await body_of(request_of(served))
    assert tool_bytes(after)[0] == head
    behind = tool_bytes(after)[1]
    places = [behind.index(name) for name in (b"mcp__s__aaa", b"mcp__s__bbb", b'"Think"')]
    assert places == sorted(places)


def test_apart_from_the_marks_a_request_only_grows_at_its_end() -> None:
    first = mark(request([USER]))
    second = mark(request([USER, REPLY, RESULT]))
    assert unmarked(second.messages)[:1] == unmarked(first.messages)
    assert (second.system, second.tools) == (first.system, first.tools)


def test_what_was_given_is_not_changed() -> None:
    given = request([USER, REPLY, RESULT])
    before = copy.deepcopy(given)
    mark(given)
    assert given == before


def test_thinking_and_empty_texts_are_passed_over_and_plain_strings_become_blocks() -> None:
    odd = {"role": "user", "content": [text("words"), text("")]}
    marked = mark(request([{"role": "user", "content": "plain"}, REPLY, odd]))
    assert marked.messages[0]["content"] == [{**text("plain"), "cache_control": {"type": "ephemeral"}}]
    assert "cache_control" in marked.messages[2]["content"][0]


def test_a_request_with_nothing_to_mark_stays_as_it_is() -> None:
    bare = ModelRequest(model="m", system=[], messages=[], tools=[], max_tokens=1)
    assert mark(bare) == bare
