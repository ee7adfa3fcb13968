"""A tool use's name is looked up once and its input parsed once; a changed input is parsed once more, by the same function."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from scripted_model import calls, reply, says
from session_front import Front, begin, place_apart

from tui_agent.events import PermissionRequested, ToolInputChanged, ToolResultReady
from tui_agent.execution import resolution
from tui_agent.hooks.pre_tool_use import HookAnswer, HookedUse
from tui_agent.permissions.verdict import Decision
from tui_agent.tools.base import ToolInput
from tui_agent.tools.inputs import schema
from tui_agent.tools.registry import ToolPool

DONE = reply(says(0, "ok"))


class Counts:
    """How often a name was looked up in a pool, and an input was parsed, or checked by its model."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.lookups: list[str] = []
        self.parses: list[str] = []
        self.checks: list[str] = []
        get, parse, check = ToolPool.get, schema.parse_input, ToolInput.model_validate.__func__  # type: ignore[attr-defined]

        def counted_get(pool: ToolPool, name: str) -> Any:
            self.lookups.append(name)
            return get(pool, name)

        def counted_parse(tool: Any, raw: object) -> ToolInput:
            self.parses.append(tool.name)
            return parse(tool, raw)

        def counted_check(model: type[ToolInput], *arguments: Any, **options: Any) -> Any:
            self.checks.append(model.__name__)
            return check(model, *arguments, **options)

        monkeypatch.setattr(ToolPool, "get", counted_get)
        monkeypatch.setattr(resolution, "parse_input", counted_parse)
        monkeypatch.setattr(ToolInput, "model_validate", classmethod(counted_check))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return place_apart(tmp_path, monkeypatch)


@pytest.fixture
async def fronts() -> AsyncIterator[list[Front]]:
    opened: list[Front] = []
    yield opened
    for front in opened:
        await front.session.close()


async def counted(place: Path, fronts: list[Front], name: str, raw: dict[str, Any], **options: Any) -> Front:
    use = reply(calls(0, name, raw), stop="tool_use")
    fronts.append(front := await begin(place, use, DONE, **options))
    return front


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("Write", {"file_path": "made", "content": "x\n"}),
        ("write_file", {"path": "made", "content": "x\n"}),
        ("Bash", {"command": "touch made"}),
        ("Think", {"thought": "x"}),
    ],
)
async def test_a_use_that_is_asked_about_is_looked_up_and_parsed_once(
    place: Path, fronts: list[Front], monkeypatch: pytest.MonkeyPatch, name: str, raw: dict[str, Any]
) -> None:
    front = await counted(place, fronts, name, raw)
    counts = Counts(monkeypatch)
    front.session.submit("go")
    if name != "Think":
        (asked,) = await front.until(PermissionRequested)
        front.session.answer(asked.request_id, Decision(behavior="allow"))
    await front.session.wait_idle()
    (result,) = front.of(ToolResultReady)
    assert not result.is_error
    assert (counts.lookups, counts.parses, len(counts.checks)) == ([name], [result.name], 1)


async def test_an_input_that_a_hook_and_then_the_user_changed_is_parsed_once_for_each_change(
    place: Path, fronts: list[Front], monkeypatch: pytest.MonkeyPatch
) -> None:
    front = await counted(place, fronts, "Bash", {"command": "touch one"})

    async def change(use: HookedUse) -> HookAnswer:
        return HookAnswer(input={**use.input, "command": "touch two"})

    front.session.runtime.execution_context.extensions.pre_tool_use = [change]
    counts = Counts(monkeypatch)
    front.session.submit("go")
    (asked,) = await front.until(PermissionRequested)
    assert counts.parses == ["Bash", "Bash"]
    front.session.answer(asked.request_id, Decision(behavior="allow", input={"command": "touch three"}))
    await front.session.wait_idle()
    assert [event.by for event in front.of(ToolInputChanged)] == ["hook", "person"]
    assert [path.name for path in place.iterdir()] == ["three"]
    assert (counts.lookups, counts.parses, len(counts.checks)) == (["Bash"], ["Bash"] * 3, 3)


async def test_a_tool_by_hand_and_a_command_are_looked_up_and_parsed_once(
    place: Path, fronts: list[Front], monkeypatch: pytest.MonkeyPatch
) -> None:
    front = await counted(place, fronts, "Think", {"thought": "x"})
    counts = Counts(monkeypatch)
    front.session.run_tool("Think --thought=x")
    await front.session.wait_idle()
    assert (counts.lookups, counts.parses) == (["Think"], ["Think"])


async def test_a_name_that_means_nothing_is_looked_up_once_and_nothing_is_parsed(
    place: Path, fronts: list[Front], monkeypatch: pytest.MonkeyPatch
) -> None:
    front = await counted(place, fronts, "Thnik", {"thought": "x"})
    counts = Counts(monkeypatch)
    front.session.submit("go")
    await front.session.wait_idle()
    (result,) = front.of(ToolResultReady)
    assert (result.error_kind, "Did you mean Think" in result.content) == ("unknown_tool", True)
    assert (counts.lookups, counts.parses) == (["Thnik"], [])
