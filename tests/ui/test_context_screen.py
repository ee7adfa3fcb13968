"""What fills the context, on the screen: sizes, shares, a bar, and results left out."""

from __future__ import annotations

import pytest
from dialog_app import DialogApp, screen_text
from hypothesis import given
from hypothesis import strategies as st

from tui_agent.queries import ContextPart, ContextReport
from tui_agent.queries.session import PartKind
from tui_agent.ui.screen_text import context_text
from tui_agent.ui.screens.context import ContextScreen

KINDS: tuple[PartKind, ...] = ("system", "tool", "memory", "note", "person", "model", "thinking", "call", "result")
PARTS = (
    ContextPart(kind="system", words="system prompt", tokens=2_000),
    ContextPart(kind="tool", words="Bash", tokens=900),
    ContextPart(kind="tool", words="Read", tokens=700),
    ContextPart(kind="memory", words="/w/CLAUDE.md", tokens=500),
    ContextPart(kind="person", words="look at \x1b[31mit\n please", tokens=10),
    ContextPart(kind="result", words="x = 1", tokens=40_000, tool_use_id="t1", name="Read"),
    ContextPart(kind="result", words="y = 1", tokens=300, tool_use_id="t2", name="Grep", is_short=True),
    ContextPart(kind="model", words="It is long.", tokens=30),
)


class Session:
    """What the screen asks: it looks again, and has a result left out."""

    def __init__(self) -> None:
        self.dropped: list[str] = []
        self.problem = ""

    async def context_report(self) -> ContextReport:
        return ContextReport("m", tuple(part for part in PARTS if part.tool_use_id not in self.dropped))

    async def drop(self, tool_use_id: str) -> str:
        if not self.problem:
            self.dropped.append(tool_use_id)
        return self.problem


def screen_of(session: Session) -> ContextScreen:
    return ContextScreen(
        ContextReport("m", PARTS),
        reported=62_000,
        size=200_000,
        load_report=session.context_report,
        drop=session.drop,
        uses={},
    )


async def test_the_largest_come_first_and_the_order_can_be_that_of_the_conversation() -> None:
    async with DialogApp(screen_of(Session())).run_test(size=(120, 30)) as pilot:
        await pilot.pause()
        text = screen_text(pilot)
        assert "62,000 tokens of 200,000, 31%" in text
        assert "about 44,440 tokens by estimate" in text
        assert text.index("Read x = 1") < text.index("/w/CLAUDE.md") < text.index("look at it please")
        assert "tools 1.6k <1%" in text
        assert "(dropped or trimmed)" in text
        await pilot.press("o")
        await pilot.pause()
        text = screen_text(pilot)
        assert text.index("/w/CLAUDE.md") < text.index("Read x = 1")


async def test_a_result_is_left_out_after_a_yes() -> None:
    session = Session()
    async with DialogApp(screen_of(session)).run_test(size=(120, 30)) as pilot:
        await pilot.pause()
        await pilot.press("d")
        await pilot.pause()
        assert "Drop this result?" in screen_text(pilot)
        await pilot.press("n")
        assert session.dropped == []
        await pilot.press("d", "y")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert session.dropped == ["t1"]
        text = screen_text(pilot)
        assert "dropped: the model no longer gets it" in text
        assert "x = 1" not in text


@pytest.mark.parametrize("down", [1, 3])
async def test_only_results_that_are_there_whole_can_be_left_out(down: int) -> None:
    session = Session()
    async with DialogApp(screen_of(session)).run_test(size=(120, 30)) as pilot:
        await pilot.pause()
        await pilot.press(*["down"] * down, "d")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert "only a whole result" in screen_text(pilot)
    assert session.dropped == []


async def test_why_a_result_cannot_be_left_out_is_said() -> None:
    session = Session()
    session.problem = "It is no longer than the note."
    async with DialogApp(screen_of(session)).run_test(size=(120, 30)) as pilot:
        await pilot.pause()
        await pilot.press("d", "y")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert "It is no longer than the note." in screen_text(pilot)


@pytest.mark.parametrize("size", [(40, 12), (60, 20), (200, 60)])
async def test_it_fits_every_size(size: tuple[int, int]) -> None:
    async with DialogApp(screen_of(Session())).run_test(size=size) as pilot:
        await pilot.pause()
        assert "Read" in screen_text(pilot)


@given(
    st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 300_000)), max_size=30),
    st.none() | st.integers(1, 1_000_000),
    st.integers(1, 250),
)
def test_the_bar_is_as_wide_as_there_is_room_and_never_lies_by_more_than_a_cell(
    parts: list[tuple[PartKind, int]], size: int | None, width: int
) -> None:
    report = ContextReport("m", tuple(ContextPart(kind=kind, words="", tokens=tokens) for kind, tokens in parts))
    bar = context_text.bar(report, size, width).plain
    assert len(bar) == width
    whole = max(size or 0, report.tokens, 1)
    for group in context_text.GROUPS:
        assert abs(bar.count(group.sign) - width * group.tokens(report) / whole) <= 1.0 + 1e-6
    assert all(line.cell_length <= max(width, 45) for line in context_text.legend(report, size, width).split("\n"))


@pytest.mark.parametrize(
    ("number", "words"), [(0, "0"), (999, "999"), (1000, "1.0k"), (9_949, "9.9k"), (62_000, "62k"), (1_200_000, "1.2M")]
)
def test_tokens_in_few_characters(number: int, words: str) -> None:
    assert context_text.tokens(number) == words
