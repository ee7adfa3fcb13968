"""Tools of servers that come and go while a session runs: what requests, the model, uses under way and front ends get of it."""

from __future__ import annotations

import asyncio
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from scripted_model import Script, calls, reply, says
from session_front import Front, begin

from tui_agent.events import ToolPoolChanged, ToolResultReady, ToolStageStarted
from tui_agent.model.protocol import ModelRequest
from tui_agent.tools.mcp_tool import McpAnswer, McpHints, McpTool

DONE = reply(says(0, "ok"))
LOG, FIND, SHOW = "mcp__git__log", "mcp__git__find", "mcp__git__show"


class Server:
    """Tools of a server that answers when it is let."""

    def __init__(self) -> None:
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.asked: list[str] = []

    def tool(self, name: str, *, is_upfront: bool = False, server: str = "git") -> McpTool:
        return McpTool(
            server=server,
            tool=name,
            description=f"Does {name}.",
            schema={"type": "object", "properties": {"text": {"type": "string"}}},
            call_server=self.call,
            hints=McpHints(is_read_only=True, is_always_loaded=is_upfront),
        )

    async def call(self, tool: str, _input: dict[str, Any], _told: object) -> McpAnswer:
        self.asked.append(tool)
        await self.may_answer.wait()
        return McpAnswer(content=({"type": "text", "text": f"{tool} answered"},))


def use(name: str, use_id: str = "toolu_1") -> Script:
    return reply(calls(0, name, {"text": "x"}, use_id), stop="tool_use")


async def say(front: Front, text: str = "go") -> ModelRequest:
    front.session.submit(text)
    await front.session.wait_idle()
    return front.model.requests[-1]


def carried(request: ModelRequest) -> list[str]:
    return [tool["name"] for tool in request.tools]


def up_to_breakpoint(request: ModelRequest) -> bytes:
    """The bytes of a request's tool list up to the end of the tool that carries the cache mark."""
    last = max(place for place, tool in enumerate(request.tools) if "cache_control" in tool)
    return json.dumps(request.tools[: last + 1])[:-1].encode()


def text_of(messages: list[dict[str, Any]]) -> str:
    return json.dumps([
        {**message, "content": [{k: v for k, v in block.items() if k != "cache_control"} for block in message["content"]]}
        for message in messages
    ])  # fmt: skip


@pytest.fixture
def allow() -> dict[str, Any]:
    return {"allowed": ("mcp__git",)}


async def test_what_a_prompt_cache_holds_stays_the_same_whatever_comes_and_goes(
    place: Path, fronts: list[Front], allow: dict[str, Any]
) -> None:
    fronts.append(front := await begin(place, DONE, DONE, use(LOG), DONE, DONE, DONE, **allow))
    tools, server = front.session.runtime.tools, Server()
    first = await say(front)
    tools.set_source("git", [server.tool("log"), server.tool("find")])
    added = await say(front)
    called = await say(front)  # which activates it
    tools.set_source(
        "git", [server.tool("show", is_upfront=True), server.tool("log"), server.tool("about", is_upfront=True)]
    )
    upfront = await say(front)
    tools.remove_source("git")
    removed = await say(front)
    requests = [first, added, called, upfront, removed]
    assert len({up_to_breakpoint(request) for request in requests}) == 1
    assert len({json.dumps(request.system) for request in requests}) == 1
    assert [len(carried(request)) - len(carried(first)) for request in requests] == [0, 0, 1, 3, 0]
    assert carried(called)[-1:] == [LOG]
    assert carried(upfront)[-3:] == ["mcp__git__about", SHOW, LOG]  # by name, and then what was activated
    for earlier, later in pairwise(requests):
        assert text_of(later.messages).startswith(text_of(earlier.messages)[:-1])


async def test_the_model_is_told_with_the_next_message_and_a_new_conversation_lists_what_there_is(
    place: Path, fronts: list[Front]
) -> None:
    fronts.append(front := await begin(place, DONE, DONE, DONE, DONE))
    tools, server = front.session.runtime.tools, Server()
    tools.set_source("git", [server.tool("log")])
    first = await say(front)
    assert LOG in first.system[0]["text"]  # it was there before the conversation began
    assert LOG not in json.dumps(first.messages)
    tools.set_source("git", [server.tool("find"), server.tool("show")])
    tools.set_source("brief", [server.tool("gone", server="brief")])
    tools.remove_source("brief")
    told = json.dumps((await say(front)).messages[-1])
    assert f"ToolSearch loads them: {FIND}, {SHOW}." in told
    assert f"no longer available: {LOG}." in told
    assert "brief" not in told
    assert "ToolSearch loads them" not in json.dumps((await say(front)).messages[-1])
    front.session.clear()
    anew = await say(front)
    assert FIND in anew.system[0]["text"]
    assert LOG not in anew.system[0]["text"]
    assert "no longer available" not in json.dumps(anew.messages)


async def test_a_use_under_way_ends_with_the_tool_it_found_and_the_next_one_is_unknown(
    place: Path, fronts: list[Front], allow: dict[str, Any]
) -> None:
    fronts.append(front := await begin(place, use(LOG), use(LOG, "toolu_2"), DONE, **allow))
    tools, server = front.session.runtime.tools, Server()
    server.may_answer.clear()
    tools.set_source("git", [server.tool("log"), server.tool("logs")])
    front.session.submit("go")
    while not any(event.stage == "call" for event in front.of(ToolStageStarted)):
        await front.subscription.wait()
    tools.set_source("git", [server.tool("logs")])
    server.may_answer.set()
    await front.session.wait_idle()
    ended, unknown = front.of(ToolResultReady)
    assert (ended.is_error, ended.content) == (False, [{"type": "text", "text": "log answered"}])
    assert (unknown.error_kind, unknown.name) == ("unknown_tool", LOG)
    assert "Did you mean mcp__git__logs" in unknown.content
    assert server.asked == ["log"]
    # The model hears of it between the two requests, not only when the user writes again.
    assert f"no longer available: {LOG}" in json.dumps(front.model.requests[1].messages[-1])


async def test_front_ends_hear_what_came_and_went_and_see_it(place: Path, fronts: list[Front]) -> None:
    fronts.append(front := await begin(place))
    tools, server = front.session.runtime.tools, Server()
    tools.set_source("git", [server.tool("log"), server.tool("find")])
    assert {LOG, FIND} <= {name for name, _ in front.session.tool_names}
    tools.set_source("git", [server.tool("log"), server.tool("show")])
    tools.set_source("git", [server.tool("log"), server.tool("show")])
    tools.remove_source("git")
    tools.remove_source("git")
    assert [(event.added, event.removed) for event in front.of(ToolPoolChanged)] == [
        ((FIND, LOG), ()),
        ((SHOW,), (FIND,)),
        ((), (LOG, SHOW)),
    ]
    assert not any(name.startswith("mcp__") for name, _ in front.session.tool_names)


async def test_a_tool_that_was_loaded_is_loaded_again_when_its_server_returns(
    place: Path, fronts: list[Front], allow: dict[str, Any]
) -> None:
    front = await begin(place, use(LOG), DONE, DONE, DONE, **allow)
    tools, server = front.session.runtime.tools, Server()
    tools.set_source("git", [server.tool("log")])
    loaded = await say(front)
    tools.remove_source("git")
    assert LOG not in carried(await say(front))
    tools.set_source("git", [server.tool("log")])
    assert carried(await say(front)) == carried(loaded)
    await front.session.close()
    fronts.append(again := await begin(place, DONE, DONE, is_continued=True, **allow))
    assert LOG not in carried(await say(again))  # its server is not there yet
    again.session.runtime.tools.set_source("git", [server.tool("log")])
    assert carried(await say(again)) == carried(loaded)


@pytest.mark.parametrize(
    ("options", "is_there"),
    [
        ({"disallowed": ("mcp__git",)}, False),
        ({"disallowed": ("mcp__git__log",)}, False),
        ({"is_simple": True}, False),
        ({"disallowed": ("ToolSearch",)}, True),
    ],
    ids=str,
)
async def test_a_server_that_comes_late_is_held_to_what_the_run_may_use(
    place: Path, fronts: list[Front], options: dict[str, Any], is_there: bool
) -> None:
    fronts.append(front := await begin(place, DONE, **options))
    front.session.runtime.tools.set_source("git", [Server().tool("log")])
    request = await say(front)
    assert (LOG in front.session.runtime.pool.names, LOG in carried(request)) == (is_there, is_there)
    assert bool(front.of(ToolPoolChanged)) == is_there


async def test_of_two_servers_with_one_name_the_first_counts_until_it_goes(place: Path, fronts: list[Front]) -> None:
    fronts.append(front := await begin(place))
    tools, server = front.session.runtime.tools, Server()
    one, two = server.tool("log"), server.tool("log")
    tools.set_source("one", [one])
    tools.set_source("two", [two])
    assert tools.get(LOG) is one
    tools.remove_source("one")
    assert tools.get(LOG) is two
