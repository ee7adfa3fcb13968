"""The status line and the line above the prompt say the same things at the same places, from narrow to very wide."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.color import Color

from tui_agent import events
from tui_agent.ui.projection.projection import Projection
from tui_agent.ui.projection.state import Status
from tui_agent.ui.widgets.activity_line import ActivityLine
from tui_agent.ui.widgets.status_line import StatusLine

WIDTHS = [20, 40, 60, 80, 110, 160, 250]


class Lines(App[None]):
    CSS = "StatusLine { height: 1; }"

    def __init__(self) -> None:
        super().__init__()
        self.theme = "textual-dark"

    def get_css_variables(self) -> dict[str, str]:
        return {
            **super().get_css_variables(),
            "foreground-muted": Color(128, 128, 128).hex,
            "border-blurred": "#444444",
        }

    def compose(self) -> ComposeResult:
        yield StatusLine()


def status(**values: object) -> Status:
    base: dict[str, object] = {
        "model": "claude-sonnet-5-5", "cwd": "/home/dev/src/shop", "branch": "main", "changed_files": 2,
        "context_tokens": 62_000, "context_size": 200_000, "cost_usd": 0.42, "sandbox": "bubblewrap",
    }  # fmt: skip
    return Status(**{**base, **values})  # type: ignore[arg-type]


async def drawn(width: int, *states: Status) -> list[str]:
    app = Lines()
    async with app.run_test(size=(width, 4)) as pilot:
        line = app.query_one(StatusLine)
        found = []
        for state in states:
            line.show(state)
            await pilot.pause()
            found.append(line.render().plain)
        return found


@pytest.mark.parametrize("width", WIDTHS)
async def test_the_line_fits(width: int) -> None:
    for line in await drawn(
        width, status(), status(branch="ветка/名前" * 4, limit_usd=5.0), status(mode="dontAsk", jobs=2)
    ):
        assert cell_len(line) <= width


@pytest.mark.parametrize("width", [60, 80, 110, 160, 250])
async def test_all_that_matters_is_there_from_sixty_columns(width: int) -> None:
    (line,) = await drawn(width, status())
    for part in ("default", "F1 help", "31% ctx · $0.42", "main●2"):
        assert part in line
    assert "sonnet-5-5" in line
    assert ("/shop" in line) == (width >= 80)
    assert ("/home/dev/src/shop" in line) == (width >= 110)
    assert ("claude-" in line) == ("F3 diff" in line) == (width >= 160)


@pytest.mark.parametrize("width", WIDTHS)
async def test_a_turn_that_begins_moves_nothing(width: int) -> None:
    idle, busy = await drawn(width, status(), status(is_busy=True))
    assert idle == busy


@pytest.mark.parametrize("width", [60, 110])
async def test_a_short_text_for_the_moment_is_not_cut(width: int) -> None:
    app = Lines()
    async with app.run_test(size=(width, 2)) as pilot:
        line = app.query_one(StatusLine)
        line.show(status(mode="plan"))
        await pilot.pause()
        line.show_briefly("esc again clears the draft")
        assert "esc again clears the draft" in line.render().plain
        assert line.render().plain.endswith("$0.42")


async def test_the_folder_goes_first_then_the_model_and_the_cost_then_the_branch() -> None:
    folder, cost, branch, least = [(await drawn(width, status()))[0] for width in (112, 44, 30, 18)]
    assert "shop  main●2" in folder
    assert "main●2" in cost
    assert "sonnet" not in cost
    assert "$0.42" in cost
    assert "main●2" in branch
    assert "$" not in branch
    assert least == " default   F1 help"


async def test_nothing_moves_when_the_first_answer_comes() -> None:
    before = status(context_tokens=0, context_size=None, cost_usd=None)
    after = status(context_tokens=2_000, cost_usd=0.02)
    line_before, line_after = await drawn(110, before, after)
    assert "0% ctx · $0.00" in line_before
    assert line_before.index("sonnet") == line_after.index("sonnet")


@pytest.mark.parametrize(
    ("context", "size", "shown"),
    [
        (0, 1_000_000, "· 0% ctx"), (1, 1_000_000, "· <1% ctx"), (8_000, 1_000_000, "· <1% ctx"),
        (10_000, 1_000_000, "· 1% ctx"), (996_000, 1_000_000, "· 100% ctx"), (400, None, "· 400 ctx"),
        (62_000, None, "· 62k ctx"),
    ],
)  # fmt: skip
async def test_a_little_of_the_context_is_neither_nothing_nor_rounded_up(
    context: int, size: int | None, shown: str
) -> None:
    (line,) = await drawn(110, status(context_tokens=context, context_size=size))
    assert shown in line


async def test_what_is_nearly_used_up_is_marked_by_more_than_colour_and_an_unknown_price_is_not_nothing() -> None:
    near, unknown = await drawn(100, status(cost_usd=4.2, limit_usd=5.0), status(cost_usd=None))
    assert "$4.20 of $5.00 !" in near
    (small,) = await drawn(100, status(cost_usd=0.0012, limit_usd=0.002))
    assert "$0.0012 of $0.0020" in small
    assert "$?" in unknown


@pytest.mark.parametrize(
    ("tool", "shown"), [("Bash", "Bash"), ("AskUserQuestion", "Question"), ("mcp__tracker__search", "tracker:search")]
)
async def test_a_tool_has_the_same_name_while_it_is_prepared_and_while_it_runs(tool: str, shown: str) -> None:
    projection = Projection()
    app = Activity()
    async with app.run_test(size=(60, 2)):
        line = app.query_one(ActivityLine)
        before = [events.TurnStarted(turn_id="t"), events.ToolUseStarted(tool_use_id="u", name=tool)]
        after = [
            events.ToolUseCompleted(tool_use_id="u", name=tool, input={}),
            events.ToolStateChanged(tool_use_id="u", from_state="queued", to_state="executing"),
            events.AssistantMessageCompleted(message_id="m", content=[], stop_reason="tool_use"),
        ]
        for some, word in ((before, "preparing"), (after, "running")):
            projection.apply(some)
            line.refresh_from(projection)
            assert f"{word} {shown}  " in line.render().plain


async def test_a_tool_that_began_early_has_run_as_long_here_as_in_its_own_row() -> None:
    class Activity(Lines):
        def compose(self) -> ComposeResult:
            yield ActivityLine(clock=lambda: 9000.0)

    projection = Projection()
    app = Activity()
    async with app.run_test(size=(60, 2)):
        began = events.ToolStateChanged(tool_use_id="u", from_state="queued", to_state="executing")
        written = events.AssistantMessageCompleted(message_id="m", content=[], stop_reason="tool_use")
        projection.apply(
            [
                events.TurnStarted(turn_id="t"),
                events.ToolUseStarted(tool_use_id="u", name="Bash"),
                events.ToolUseCompleted(tool_use_id="u", name="Bash", input={}),
                replace(began, monotonic_ms=2000.0),
                replace(written, monotonic_ms=8000.0),
            ]
        )
        line = app.query_one(ActivityLine)
        line.refresh_from(projection)
        assert "running Bash  7.0s" in line.render().plain


@pytest.mark.parametrize("width", [80, 110])
async def test_that_the_model_does_not_think_has_room_beside_it(width: int) -> None:
    (line,) = await drawn(width, status(is_thinking=False))
    assert "sonnet-5-5 · thinking off · 31% ctx · $0.42" in line
    (line,) = await drawn(width, status())
    assert "thinking" not in line


class Activity(Lines):
    def compose(self) -> ComposeResult:
        yield ActivityLine(clock=lambda: 0.0)


@pytest.mark.parametrize("width", [60, 80, 200])
async def test_what_goes_on_is_said_with_the_key_that_interrupts_it_unless_you_are_asked(width: int) -> None:
    projection, app = Projection(), Activity()
    async with app.run_test(size=(width, 2)):
        line = app.query_one(ActivityLine)
        line.refresh_from(projection)
        assert "esc" not in line.render().plain
        projection.apply([events.TurnStarted(turn_id="t"), events.ToolUseStarted(tool_use_id="u", name="Bash")])
        line.refresh_from(projection)
        assert line.render().plain.endswith(" esc interrupt ─")
        assert cell_len(line.render().plain) == width
        line.name_interrupt(("^g", "interrupt"))
        assert line.render().plain.endswith(" ^g interrupt ─")
        question = {"request_id": "r", "tool_use_id": "u", "name": "Bash", "input": {}, "by": "default", "reason": ""}
        projection.apply([events.PermissionRequested(**question)])
        line.refresh_from(projection)
        assert "interrupt" not in line.render().plain
