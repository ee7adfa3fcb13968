"""EnterPlanMode and ExitPlanMode on a plan of their own, and the desk behind them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tui_agent.engine.gate.permission_mode import PermissionMode
from tui_agent.engine.gate.plan_mode import PlanMode, plan_file
from tui_agent.permissions.modes import Mode
from tui_agent.tools.base import Ask, Deny, Invalid, Result, Tool, ToolContext, Valid
from tui_agent.tools.enter_plan_mode.tool import EnterPlanModeInput, EnterPlanModeTool
from tui_agent.tools.exit_plan_mode.tool import ExitPlanModeInput, ExitPlanModeTool
from tui_agent.tools.file_state import FileState
from tui_agent.tools.services import Services
from tui_agent.tools.workspace import Workspace

EXIT, ENTER = ExitPlanModeTool(), EnterPlanModeTool()


class World:
    """A mode, a plan desk, and the context of a call."""

    def __init__(self, folder: Path, *, mode: Mode = "plan", is_attended: bool = True) -> None:
        self.mode = PermissionMode(mode, publish=lambda _event: None, may_start_bypassing=mode == "bypassPermissions")
        self.broker = PlanMode(
            folder / "plans" / "p.md",
            mode=self.mode,
            tools=lambda: ("Write", "ExitPlanMode"),
            is_attended=is_attended,
        )
        self.ctx = ToolContext(
            workspace=Workspace(folder),
            files=FileState(),
            is_interactive=is_attended,
            services=Services(plan=self.broker),
        )


async def plan_of(tool: Tool[Any, Any, Any], input: Any, ctx: ToolContext) -> Any:
    validity = await tool.validate(input, ctx)
    assert isinstance(validity, Valid)
    return validity.plan


async def outcome(tool: Tool[Any, Any, Any], input: Any, plan: Any, ctx: ToolContext) -> Any:
    results = [item async for item in tool.call(input, plan, ctx) if isinstance(item, Result)]
    (result,) = results
    return result.output


async def code(tool: Tool[Any, Any, Any], input: Any, ctx: ToolContext) -> str:
    validity = await tool.validate(input, ctx)
    return validity.code if isinstance(validity, Invalid) else ""


async def test_a_plan_needs_a_file_with_something_in_it(tmp_path: Path) -> None:
    world = World(tmp_path)
    assert await code(EXIT, ExitPlanModeInput(), world.ctx) == "no_plan"
    world.broker.write("  \n")
    assert await code(EXIT, ExitPlanModeInput(), world.ctx) == "no_plan"
    world.broker.write("# Plan")
    assert await code(EXIT, ExitPlanModeInput(), world.ctx) == ""
    assert (world.broker.file.stat().st_mode & 0o777, world.broker.file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    world.mode.change("default")
    assert await code(EXIT, ExitPlanModeInput(), world.ctx) == "not_in_plan"
    assert (
        await code(EXIT, ExitPlanModeInput(), ToolContext(workspace=Workspace(tmp_path), files=FileState()))
        == "not_in_plan"
    )


async def test_a_file_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.broker.file.mkdir(parents=True)
    for input in (ExitPlanModeInput(), ExitPlanModeInput(plan="# Plan")):
        validity = await EXIT.validate(input, world.ctx)
        assert isinstance(validity, Invalid)
        assert (validity.code, str(world.broker.file) in validity.message) == ("bad_file", True)
    assert [path.name for path in world.broker.file.parent.iterdir()] == ["p.md"]


async def test_a_plan_that_comes_with_the_call_goes_to_the_file(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.broker.write("# Old")
    input = ExitPlanModeInput(plan="# New")
    plan = await plan_of(EXIT, input, world.ctx)
    assert world.broker.offer().text == world.broker.file.read_text() == "# New"
    approved = await outcome(EXIT, input, plan, world.ctx)
    assert (approved.plan, approved.mode, approved.is_changed) == ("# New", "default", False)


async def test_a_choice_counts_for_the_question_it_was_made_for(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.broker.write("# Plan")
    await EXIT.validate(ExitPlanModeInput(), world.ctx)
    world.broker.choose("acceptEdits")
    plan = await plan_of(EXIT, ExitPlanModeInput(), world.ctx)  # asked again: the first was interrupted
    assert (await outcome(EXIT, ExitPlanModeInput(), plan, world.ctx)).mode == "default"
    world.mode.change("plan")
    plan = await plan_of(EXIT, ExitPlanModeInput(), world.ctx)
    world.broker.choose("bypassPermissions")  # not allowed here
    assert (await outcome(EXIT, ExitPlanModeInput(), plan, world.ctx)).mode == "default"


async def test_it_always_asks_and_never_offers_a_rule(tmp_path: Path) -> None:
    for is_attended in (True, False):
        opinion = await EXIT.check_permissions(ExitPlanModeInput(), World(tmp_path, is_attended=is_attended).ctx)
        assert isinstance(opinion, Ask)
        assert not opinion.suggestions


@pytest.mark.parametrize("before", ["default", "acceptEdits", "bypassPermissions"])
async def test_into_plan_mode_and_back_to_where_it_was(tmp_path: Path, before: Mode) -> None:
    world = World(tmp_path, mode=before)
    entering = await plan_of(ENTER, EnterPlanModeInput(), world.ctx)
    assert await ENTER.check_permissions(EnterPlanModeInput(), world.ctx) is None
    entered = await outcome(ENTER, EnterPlanModeInput(), entering, world.ctx)
    assert world.mode.now == "plan"
    assert ENTER.to_data(entered) == {"mode": "plan", "filePath": str(world.broker.file)}
    assert "ExitPlanMode" in ENTER.to_result(entered)
    assert await code(ENTER, EnterPlanModeInput(), world.ctx) == "in_plan"
    world.broker.write("# Plan")
    plan = await plan_of(EXIT, ExitPlanModeInput(), world.ctx)
    assert (await outcome(EXIT, ExitPlanModeInput(), plan, world.ctx)).mode == before == world.mode.now


async def test_nobody_there_no_plan_mode(tmp_path: Path) -> None:
    world = World(tmp_path, mode="default", is_attended=False)
    assert isinstance(await ENTER.check_permissions(EnterPlanModeInput(), world.ctx), Deny)
    assert "give the whole plan as your final answer" in world.broker.note


def test_where_plans_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/h")
    places = {
        None: tmp_path / "plans/x.md",
        "p": Path("/w/p/x.md"),
        "~/p": Path("/h/p/x.md"),
        "/p/../q": Path("/q/x.md"),
    }
    for setting, expected in places.items():
        assert plan_file(setting, state=tmp_path, project_root=Path("/w"), name="x") == expected
