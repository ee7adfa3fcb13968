"""Deferred tools through a whole session: known by name, looked up or called, carried from then on, and after --continue."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from scripted_model import calls, reply, says
from session_front import Front, begin, place_apart
from tool_folders import ToolFolders

from tui_agent.events import (
    HistoryCleared,
    ToolInputChanged,
    ToolProgressed,
    ToolResultReady,
    ToolsActivated,
    TurnFinished,
)
from tui_agent.model.protocol import ModelRequest


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folders = ToolFolders(tmp_path, monkeypatch)
    folders.add("NoteTaker", is_deferred=True, hint="memo", aliases=("note_down",), prompt="Note sparingly.")
    return place_apart(tmp_path, monkeypatch)


def carried(request: ModelRequest) -> list[str]:
    return [tool["name"] for tool in request.tools]


def results(front: Front) -> list[Any]:
    return front.of(ToolResultReady)


async def say(front: Front, text: str = "go") -> list[ModelRequest]:
    front.session.submit(text)
    await front.session.wait_idle()
    return front.model.requests


SEARCH = reply(calls(0, "ToolSearch", {"query": "memo"}), stop="tool_use")
NOTE = reply(calls(0, "NoteTaker", {"note": "milk"}, "toolu_note"), stop="tool_use")
DONE = reply(says(0, "ok"))


async def test_only_the_name_is_sent_until_the_tool_is_looked_up(place: Path, fronts: list[Front]) -> None:
    fronts.append(front := await begin(place, SEARCH, NOTE, DONE))
    first, second, third = await say(front)
    assert "NoteTaker" in first.system[0]["text"]
    assert "Note sparingly." not in first.system[0]["text"]
    assert "NoteTaker" not in carried(first)
    assert carried(second) == carried(third) == [*carried(first), "NoteTaker"]
    assert [event.names for event in front.of(ToolsActivated)] == [("NoteTaker",)]
    assert [event.is_error for event in results(front)] == [False, False]
    assert '"name": "NoteTaker"' in results(front)[0].content
    assert "Note sparingly." in results(front)[0].content
    assert json.dumps(first.system) == json.dumps(third.system)
    assert json.dumps(third.tools).startswith(json.dumps(first.tools)[:-1])


@pytest.mark.parametrize("name", ["NoteTaker", "note_down", "NoteTakerTool"])
async def test_a_call_without_the_schema_works_and_loads_it(place: Path, fronts: list[Front], name: str) -> None:
    fronts.append(front := await begin(place, reply(calls(0, name, {"note": "x"}), stop="tool_use"), DONE))
    first, second = await say(front)
    assert [event.content for event in results(front)] == ["NoteTaker noted x"]
    assert carried(second) == [*carried(first), "NoteTaker"]
    assert [event.name for event in front.of(ToolInputChanged)] == ([] if name == "NoteTaker" else ["NoteTaker"])


async def test_a_wrong_call_without_the_schema_loads_it_too_so_that_the_next_can_be_right(
    place: Path, fronts: list[Front]
) -> None:
    fronts.append(front := await begin(place, reply(calls(0, "NoteTaker", {"text": "x"}), stop="tool_use"), DONE))
    _, second = await say(front)
    assert results(front)[0].is_error
    assert "NoteTaker" in carried(second)


async def test_what_was_loaded_is_there_when_the_session_goes_on(place: Path, fronts: list[Front]) -> None:
    think = reply(calls(0, "Think", {"thought": "x"}, "toolu_t"), stop="tool_use")
    front = await begin(place, think, SEARCH, DONE)
    last = (await say(front))[-1]
    await front.session.close()
    fronts.append(again := await begin(place, DONE, is_continued=True))
    (request,) = await say(again)
    assert carried(request) == carried(last)
    assert carried(request)[-2:] == ["Think", "NoteTaker"]
    assert len(again.of(ToolsActivated)) == 2


async def test_a_new_conversation_begins_without(place: Path, fronts: list[Front]) -> None:
    front = await begin(place, SEARCH, DONE, DONE)
    await say(front)
    front.session.clear()
    assert len(front.of(HistoryCleared)) == 1
    assert "NoteTaker" not in carried((await say(front))[-1])
    await front.session.close()
    fronts.append(again := await begin(place, DONE, is_continued=True))
    assert "NoteTaker" not in carried((await say(again))[-1])


@pytest.mark.parametrize(
    "options",
    [
        {"settings": '{"env": {"ENABLE_TOOL_SEARCH": "false"}}'},
        {"disallowed": ("ToolSearch",)},
        {"settings": '{"permissions": {"deny": ["ToolSearch"]}}'},
    ],
    ids=str,
)
async def test_without_the_search_everything_is_sent_from_the_start(
    place: Path, fronts: list[Front], options: dict[str, Any]
) -> None:
    fronts.append(front := await begin(place, DONE, **options))
    (request,) = await say(front)
    assert {"NoteTaker", "Think"} <= set(carried(request))
    assert "ToolSearch" not in carried(request)
    assert "Tools to look up" not in request.system[0]["text"]
    assert "Note sparingly." in request.system[0]["text"]
    marked = [tool["name"] for tool in request.tools if "cache_control" in tool]
    assert marked == [carried(request)[-1]]


async def test_simple_mode_sends_three_tools_and_names_no_others(place: Path, fronts: list[Front]) -> None:
    fronts.append(front := await begin(place, DONE, is_simple=True))
    (request,) = await say(front)
    assert carried(request) == ["Bash", "Edit", "Read"]
    assert "Tools to look up" not in request.system[0]["text"]


async def test_a_gated_tool_is_unknown_without_its_feature(place: Path, fronts: list[Front]) -> None:
    sleep = reply(calls(0, "Sleep", {"seconds": 0.01}), stop="tool_use")
    fronts.append(front := await begin(place, sleep, DONE))
    first, _ = await say(front)
    assert results(front)[0].error_kind == "unknown_tool"
    assert "Sleep" not in first.system[0]["text"]
    for way in ({"features": ("kairos",)}, {"settings": '{"features": ["proactive"]}'}):
        fronts.append(front := await begin(place, sleep, DONE, **way))
        first, _ = await say(front)
        assert "Sleep" in first.system[0]["text"]
        assert not results(front)[0].is_error


async def test_a_sleeping_turn_wakes_when_the_person_writes_and_may_sleep_again(
    place: Path, fronts: list[Front]
) -> None:
    def sleep(seconds: float, name: str) -> list[Any]:
        return reply(calls(0, "Sleep", {"seconds": seconds}, name), stop="tool_use")

    fronts.append(
        front := await begin(place, sleep(3000, "toolu_a"), sleep(0.01, "toolu_b"), DONE, features=("kairos",))
    )
    front.session.submit("wait for the build")
    await front.until(ToolProgressed)
    front.session.submit("it is done")
    await front.session.wait_idle()
    assert [event.data["wokenByPerson"] for event in results(front)] == [True, False]
    assert "it is done" in str(front.model.requests[1].messages)


async def test_an_interrupt_ends_a_sleep_at_once(place: Path, fronts: list[Front]) -> None:
    sleep = reply(calls(0, "Sleep", {"seconds": 3000}), stop="tool_use")
    fronts.append(front := await begin(place, sleep, features=("proactive",)))
    front.session.submit("wait")
    await front.until(ToolProgressed)
    front.session.interrupt()
    await front.session.wait_idle()
    assert [event.error_kind for event in results(front)] == ["aborted"]
    assert [event.outcome for event in front.of(TurnFinished)] == ["interrupted"]


async def test_tools_describe_themselves_with_the_session_in_view(place: Path, fronts: list[Front]) -> None:
    fronts.append(front := await begin(place, DONE, DONE, mode="plan", features=("kairos",), model="claude-opus-5"))
    await say(front)
    seen = front.session.runtime.tools.context
    assert (seen.model, seen.mode, seen.is_interactive) == ("claude-opus-5", "plan", True)
    assert seen.tool_names == front.session.runtime.pool.names
    assert seen.features == {"kairos"}
    front.session.set_model("claude-haiku-5")
    front.session.set_mode("default")
    await say(front)
    seen = front.session.runtime.tools.context
    assert (seen.model, seen.mode) == ("claude-haiku-5", "plan")


async def test_an_unknown_feature_in_settings_is_named_and_the_session_starts(place: Path, fronts: list[Front]) -> None:
    fronts.append(front := await begin(place, settings='{"features": ["proactve"]}'))
    assert any("proactve" in problem and "proactive" in problem for problem in front.session.runtime.problems)
    assert front.session.runtime.settings.values.features == ()
