"""The plan dialog, driven as a user would; and what leads to it and from it in the app."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from dialog_app import Clock, DialogApp, FakeQueue, readable, screen_text
from fake_engine import FakeEngine
from textual.widgets import Input

from tui_agent.events import PermissionRequested
from tui_agent.permissions.verdict import Decision
from tui_agent.queries import PlanOffer
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.dialogs.input_grace import InputGrace
from tui_agent.ui.screens.plan import PlanScreen
from tui_agent.ui.terminal.editor import EditorError

PLAN = "# Refunds\n\n" + "".join(f"{number}. step number {number}\n" for number in range(1, 60))
ALLOWED = {"edits": Decision(behavior="allow", mode="acceptEdits"), "each": Decision(behavior="allow", mode="default")}


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine()


@pytest.fixture
def dialog(
    asked: Callable[..., PermissionRequested], queue: FakeQueue, grace: InputGrace, engine: FakeEngine
) -> Callable[..., DialogApp]:
    def make(text: str = PLAN, **offered: Any) -> DialogApp:
        values: dict[str, Any] = {"file": "/h/plans/x.md", "modes": ("acceptEdits", "default"), "before": "default"}
        offer = engine.offer = PlanOffer(text=text, **(values | offered))
        request = asked(name="ExitPlanMode", input={}, offers=())
        return DialogApp(PlanScreen(request, offer, engine, queue, grace=grace))

    return make


@pytest.mark.parametrize(
    ("keys", "decision"),
    [
        (["1"], ALLOWED["edits"]),
        (["enter"], ALLOWED["edits"]),
        (["2"], ALLOWED["each"]),
        (["down", "enter"], ALLOWED["each"]),
        (["escape"], Decision(behavior="deny")),
        (["3", "t", "a", "x", "enter"], Decision(behavior="deny", message="tax")),
        (["3", "enter"], Decision(behavior="deny")),
        (["up", "enter", "escape", "up", "enter"], ALLOWED["each"]),
        (["9", "4", "1"], ALLOWED["edits"]),
        (["w", "t", "a", "x", "enter"], replace(ALLOWED["edits"], message="tax")),
        (["down", "w", "t", "enter"], replace(ALLOWED["each"], message="t")),
        (["w", "escape", "down", "down", "w", "t", "enter"], Decision(behavior="deny", message="t")),
    ],
)
async def test_each_way_to_answer(
    dialog: Callable[..., DialogApp], queue: FakeQueue, clock: Clock, keys: list[str], decision: Decision
) -> None:
    async with dialog().run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press(*keys)
        assert queue.decision == decision


async def test_the_answers_take_no_more_room_than_they_need(dialog: Callable[..., DialogApp], clock: Clock) -> None:
    app = dialog()
    async with app.run_test(size=(80, 24)) as pilot:
        await readable(pilot, clock)
        assert app.screen.query_one("#choices").size.height == 3


@pytest.mark.parametrize("size", [(80, 24), (60, 20), (60, 40), (36, 24)])
async def test_the_box_is_as_high_as_what_is_in_it(
    dialog: Callable[..., DialogApp], clock: Clock, size: tuple[int, int]
) -> None:
    room = {80: 69, 60: 51, 36: 29}[size[0]] - (size[1] > 30)  # within the frame, the place of the scroll bar included
    app = dialog("# Refunds\n\n1. tax", file="/" + "x" * (room - len("/ · 3 lines")))
    async with app.run_test(size=size) as pilot:
        await readable(pilot, clock)
        box, keys = app.screen.query_one("#dialog"), app.screen.query_one("#keys")
        answers = app.screen.query_one("#choices")
        assert app.screen.query_one("#about").size.height == 2
        assert keys.region.y - answers.region.bottom == 1
        assert box.region.bottom - box.gutter.bottom == keys.region.bottom
        assert box.max_scroll_y == app.screen.query_one("#body").max_scroll_y == 0


async def test_the_foot_says_what_keys_do_while_words_are_written(
    dialog: Callable[..., DialogApp], clock: Clock
) -> None:
    app = dialog()
    async with app.run_test() as pilot:
        await readable(pilot, clock)
        keys = app.screen.query_one("#keys")
        usual = str(keys.render())
        assert "esc no" in usual
        assert "w yes, with words" in usual
        await pilot.press("w")
        assert str(keys.render()) == "enter yes, with these words  esc back"
        await pilot.press("escape")
        await pilot.press("3")
        assert str(keys.render()) == "enter no, with these words  esc back"
        await pilot.press("escape")
        assert "w no, with words" in str(keys.render())


async def test_keys_typed_just_before_it_opened_answer_nothing(
    dialog: Callable[..., DialogApp], queue: FakeQueue, clock: Clock
) -> None:
    async with dialog().run_test() as pilot:
        await pilot.pause()
        await pilot.press("1", "enter", "3", "escape", "ctrl+g")
        await pilot.click(".choice")
        assert not queue.answers
        await readable(pilot, clock)
        await pilot.press("1")
        assert queue.decision == ALLOWED["edits"]


async def test_bypassing_is_offered_where_it_may_be_and_marked_where_it_was_on(
    dialog: Callable[..., DialogApp], queue: FakeQueue, clock: Clock
) -> None:
    modes = ("acceptEdits", "default", "bypassPermissions")
    app = dialog(modes=modes, before="bypassPermissions")
    async with app.run_test() as pilot:
        await readable(pilot, clock)
        assert "❯ 3  Yes, and bypass permissions" in screen_text(pilot)
        await pilot.press("enter")
        assert queue.decision == Decision(behavior="allow", mode="bypassPermissions")


@pytest.mark.parametrize("size", [(80, 24), (60, 20), (44, 12), (30, 8)])
async def test_all_of_the_plan_can_be_read_and_every_answer_seen(
    dialog: Callable[..., DialogApp], clock: Clock, size: tuple[int, int]
) -> None:
    async with dialog().run_test(size=size) as pilot:
        await readable(pilot, clock)
        assert "Refunds" in screen_text(pilot)
        seen = ""
        for _ in range(3):
            seen += screen_text(pilot)
            await pilot.press("down")
            await pilot.pause()
        assert "1  Yes" in seen
        assert "2  Yes" in seen
        assert "3  No" in seen
        await pilot.press("end")
        await pilot.pause()
        assert "step number 59" in screen_text(pilot)
        await pilot.press("home")
        await pilot.pause()
        assert "Refunds" in screen_text(pilot)


async def test_what_is_in_a_plan_is_text(dialog: Callable[..., DialogApp], clock: Clock) -> None:
    hostile = "[bold red]x[/] \x1b[31mred\x1b[0m \x07 \u202eabc [@click=app.quit]y[/]\n\n<script>z</script>"
    async with dialog(hostile, file="/h/[b]odd[/].md").run_test() as pilot:
        await readable(pilot, clock)
        shown = screen_text(pilot)
        assert "[bold red]x[/]" in shown
        assert "/h/[b]odd[/].md" in shown
        assert "\x1b" not in shown
        assert "\u202e" not in shown


async def test_the_plan_is_edited_in_its_own_file_and_shown_as_saved(
    dialog: Callable[..., DialogApp],
    engine: FakeEngine,
    clock: Clock,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = tmp_path / "plan.md"
    file.write_text("# Old\n")

    async def edit(_app: object, path: Path, line: int = 0) -> None:
        path.write_text("# New\n\nwith a test\n")
        engine.offer = PlanOffer(
            text=path.read_text(), file=str(path), modes=("acceptEdits", "default"), before="default"
        )

    monkeypatch.setattr("tui_agent.ui.terminal.editor.open_outside", edit)
    async with dialog("# Old\n", file=str(file)).run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("ctrl+g")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert ("plan_edited",) in engine.asked
        assert "with a test" in screen_text(pilot)
        assert "Old" not in screen_text(pilot)


async def test_that_the_editor_failed_is_said_until_another_answer_is_chosen(
    dialog: Callable[..., DialogApp], clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def edit(_app: object, _path: Path, _line: int = 0) -> None:
        raise EditorError("vi is not there")

    monkeypatch.setattr("tui_agent.ui.terminal.editor.open_outside", edit)
    async with dialog().run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("ctrl+g")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert "vi is not there" in screen_text(pilot)
        await pilot.press("down")
        assert "vi is not there" not in screen_text(pilot)
        assert "enter select" in screen_text(pilot)


@pytest.mark.parametrize("text", ["", " \n\n"])
async def test_that_a_plan_is_empty_is_said(dialog: Callable[..., DialogApp], clock: Clock, text: str) -> None:
    async with dialog(text).run_test() as pilot:
        await readable(pilot, clock)
        assert "it is empty" in screen_text(pilot)
        assert "1 line" not in screen_text(pilot)


async def test_shift_tab_goes_to_the_next_mode_and_never_out_of_a_field(engine: FakeEngine) -> None:
    async def connect(_prompter: object) -> FakeEngine:
        return engine

    app = TuiAgentApp(connect)  # type: ignore[arg-type]
    async with app.run_test() as pilot:
        while app.engine is None:
            await pilot.pause(0.01)
        engine.begin()
        engine.offer = PlanOffer(text=PLAN, file="/h/x.md", modes=("acceptEdits", "default"), before="default")
        use = engine.call("ExitPlanMode", {})
        engine.say(
            PermissionRequested(
                request_id="r", tool_use_id=use, name="ExitPlanMode", input={}, by="tool", reason="it waits"
            )
        )
        while not (isinstance(app.screen, PlanScreen) and app.screen.grace.is_open):
            await pilot.pause(0.02)
        await pilot.press("shift+tab")
        assert engine.mode == "acceptEdits"
        await pilot.press("3")
        assert isinstance(app.focused, Input)
        await pilot.press("shift+tab")
        assert engine.mode == "acceptEdits"
        await pilot.press("n", "o", "enter")
        assert ("answer", "r", Decision(behavior="deny", message="no")) in engine.asked


async def test_the_mode_stands_at_the_prompt_and_below(engine: FakeEngine) -> None:
    async def connect(_prompter: object) -> FakeEngine:
        return engine

    app = TuiAgentApp(connect)  # type: ignore[arg-type]
    async with app.run_test(size=(80, 24)) as pilot:
        while app.engine is None:
            await pilot.pause(0.01)
        shown = {}
        for mode in ("plan", "acceptEdits", "bypassPermissions", "dontAsk", "default"):
            engine.set_mode(mode)  # type: ignore[arg-type]
            while app.projection.status.mode != mode:
                await pilot.pause(0.01)
            await pilot.pause()
            shown[mode] = screen_text(pilot)
        assert "plan ❯" in shown["plan"]
        assert "⏸ plan mode on" in shown["plan"]
        assert "⏵⏵ accept edits on" in shown["acceptEdits"]
        assert "⏵⏵ bypass permissions on" in shown["bypassPermissions"]
        assert "bypass ❯" in shown["bypassPermissions"]
        assert "don't ask on" in shown["dontAsk"]
        assert "plan" not in shown["default"]


async def test_commands_for_plan_mode_and_for_secrets(engine: FakeEngine) -> None:
    async def connect(_prompter: object) -> FakeEngine:
        return engine

    app = TuiAgentApp(connect)  # type: ignore[arg-type]
    async with app.run_test(size=(100, 30)) as pilot:
        while app.engine is None:
            await pilot.pause(0.01)
        app._command_runner.run("plan", "mend the refunds")
        assert engine.mode == "plan"
        assert ("submit", "mend the refunds") in engine.asked
        app._command_runner.run("secrets", "off")
        while not app.projection.status.shows_secrets:
            await pilot.pause(0.01)
        await pilot.pause()
        assert "secrets shown" in screen_text(pilot)
        app._command_runner.run("secrets", "status")
        app._command_runner.run("secrets", "maybe")
        app._command_runner.run("secrets", "on")
        while app.projection.status.shows_secrets:
            await pilot.pause(0.01)
        await pilot.pause()
        assert "secrets shown" not in screen_text(pilot)
        assert "GITHUB_TOKEN" in screen_text(pilot)
        assert "not maybe" in screen_text(pilot)


@pytest.mark.parametrize(
    ("is_masking", "names", "said"),
    [
        (True, ("NPM_TOKEN",), "are hidden. That is keys of known kinds, and the values of NPM_TOKEN."),
        (True, (), "are hidden. That is keys of known kinds. /secrets off shows them."),
        (False, ("NPM_TOKEN",), "are shown. /secrets on hides keys of known kinds, and the values of NPM_TOKEN."),
        (False, (), "are shown. /secrets on hides keys of known kinds."),
    ],
)
async def test_the_state_of_secrets_is_said_in_whole_sentences(
    engine: FakeEngine, is_masking: bool, names: tuple[str, ...], said: str
) -> None:
    async def connect(_prompter: object) -> FakeEngine:
        return engine

    engine.is_masking, engine.secret_names = is_masking, names
    app = TuiAgentApp(connect)  # type: ignore[arg-type]
    async with app.run_test(size=(100, 30)) as pilot:
        while app.engine is None:
            await pilot.pause(0.01)
        app._command_runner.run("secrets", "")
        async with asyncio.timeout(20):
            while f"Secrets in tool output {said}" not in " ".join(screen_text(pilot).split()):
                await pilot.pause(0.01)
