"""What the terminal displays: whatever is painted in whatever order, the terminal shows it; and little is written for it."""

from __future__ import annotations

from itertools import pairwise

import pyte
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.strip import Strip

from tui_agent.ui.displayed_rows import DisplayedRows, changed_cells
from tui_agent.ui.textual_patches.compositing import FullUpdate, PatchUpdate, is_unsure

CONSOLE = Console(color_system="truecolor", force_terminal=True)
STYLES = [Style(color="red"), Style(color="blue", bold=True), Style(bgcolor="green")]
SIZE = Size(12, 9)
TEXT_WIDTH = 10  # beside it stands something narrow


def strip(text: str, style: Style = STYLES[0], width: int = TEXT_WIDTH) -> Strip:
    return Strip([Segment(text, style)]).adjust_cell_length(width, STYLES[2])


class Screen:
    """A terminal, and what it has to show: each cell as the strips say."""

    def __init__(self) -> None:
        self.displayed = DisplayedRows(is_unsure)
        self._terminal = pyte.Screen(SIZE.width, SIZE.height)
        self._stream = pyte.Stream(self._terminal)
        self._wanted: list[list[Strip]] = []
        self.written = 0

    def paint_all(self, texts: list[Strip], bars: list[Strip]) -> None:
        self._wanted = [[text, bar] for text, bar in zip(texts, bars, strict=True)]
        self._write(FullUpdate(self._wanted, SIZE.region, self.displayed).render_segments(CONSOLE))

    def paint(self, pieces: list[tuple[int, int, Strip]]) -> None:
        for x, y, new in pieces:
            if x == TEXT_WIDTH:
                self._wanted[y][1] = new
            else:
                old = self._wanted[y][0]
                rest = old.crop(x + new.cell_length)
                self._wanted[y][0] = Strip.join([old.crop(0, x), new, rest]).adjust_cell_length(TEXT_WIDTH)
        self._write(PatchUpdate(pieces, SIZE, self.displayed).render_segments(CONSOLE))

    def _write(self, sequence: str) -> None:
        self.written = len(sequence)
        self._stream.feed(sequence)

    def is_true(self) -> bool:
        fresh = pyte.Screen(SIZE.width, SIZE.height)
        whole = FullUpdate(self._wanted, SIZE.region, DisplayedRows(is_unsure))
        pyte.Stream(fresh).feed(whole.render_segments(CONSOLE))
        rows, wanted = self._terminal.buffer, fresh.buffer
        places = [(y, x) for y in range(SIZE.height) for x in range(SIZE.width)]
        return all(rows[y][x] == wanted[y][x] for y, x in places)


LINES = [
    strip(text, style)
    for text in ("", "one", "one two", "漢字 ok", "a漢b", "ten cells!", "किहि")
    for style in STYLES[:2]
]
TEXTS = st.lists(st.sampled_from(LINES), min_size=SIZE.height, max_size=SIZE.height)
BARS = st.lists(st.sampled_from([strip(sign, width=2) for sign in "#|."]), min_size=SIZE.height, max_size=SIZE.height)


@settings(max_examples=150)
@given(st.data())
def test_the_terminal_shows_what_was_painted(data: st.DataObject) -> None:
    screen = Screen()
    texts, bars = data.draw(TEXTS), data.draw(BARS)
    screen.paint_all(texts, bars)
    for _ in range(data.draw(st.integers(1, 6))):
        match data.draw(st.sampled_from(["scroll", "some", "part", "bar", "all", "forget"])):
            case "scroll":
                top = data.draw(st.integers(0, 3))
                by = data.draw(st.integers(-7, 7))
                page = range(top, data.draw(st.integers(top + 1, SIZE.height)))
                texts = [texts[y + by] if y in page and y + by in page else text for y, text in enumerate(texts)]
                pieces = [(0, y, texts[y]) for y in page]
                if data.draw(st.booleans()):
                    bars = data.draw(BARS)
                    pieces += [(TEXT_WIDTH, y, bar) for y, bar in enumerate(bars)]
                screen.paint(pieces)
            case "some":
                rows = data.draw(st.sets(st.integers(0, SIZE.height - 1)))
                for y in rows:
                    texts[y] = data.draw(st.sampled_from(LINES))
                screen.paint([(0, y, texts[y]) for y in sorted(rows)])
            case "part":  # from a column on that no wide character lies across
                y = data.draw(st.integers(0, SIZE.height - 1))
                texts[y] = strip("abcdefghij")
                screen.paint([(0, y, texts[y])])
                texts[y] = Strip.join([texts[y].crop(0, 4), strip("XYZ", STYLES[1], 6)])
                screen.paint([(4, y, texts[y].crop(4))])
            case "bar":
                bars = data.draw(BARS)
                screen.paint([(TEXT_WIDTH, y, bar) for y, bar in enumerate(bars)])
            case "all":
                texts, bars = data.draw(TEXTS), data.draw(BARS)
                screen.paint_all(texts, bars)
            case _:
                screen.displayed.forget()
        assert screen.is_true()


@given(st.sampled_from(LINES), st.sampled_from(LINES))
def test_only_the_cells_that_differ_are_found(before: Strip, after: Strip) -> None:
    start, end = changed_cells(before, after)
    old, new = cells(before), cells(after)
    assert old[:start] + old[end:] == new[:start] + new[end:]
    assert (start >= end) == (old == new)


def cells(strip: Strip) -> list[tuple[str, Style | None]]:
    return [(character, style) for text, style, _ in strip for character in text for _ in range(cell_len(character))]


def lines(first: int) -> list[Strip]:
    return [ROWS[number] for number in range(first, first + SIZE.height)]


ROWS = [strip(f"line {number}") for number in range(40)]
BAR = [strip("#", width=2)] * SIZE.height


@pytest.mark.parametrize("by", [1, 3, -1, -2])
def test_lines_that_move_are_not_written_again(by: int) -> None:
    screen = Screen()
    screen.paint_all([strip("") for _ in range(SIZE.height)], BAR)
    screen.paint([(0, y, line) for y, line in enumerate(lines(10))])
    screen.paint([(0, y, line) for y, line in enumerate(lines(10 + by))])
    assert screen.is_true()
    assert screen.written < 30 + abs(by) * 90  # of the lines that came into view, text and bar


def test_a_line_that_grows_is_written_from_where_it_grew() -> None:
    screen = Screen()
    screen.paint_all([strip("")] * SIZE.height, BAR)
    written = []
    for before, after in pairwise(["", "a", "a wo", "a word"]):
        screen.paint([(0, 3, strip(before))])
        screen.paint([(0, 3, strip(after))])
        assert screen.is_true()
        written.append(screen.written)
    assert max(written) < 30
    screen.paint([(0, 3, strip("a word"))])
    assert screen.written == 0


def test_nothing_is_moved_beside_something_that_is_not_known() -> None:
    screen = Screen()
    screen.paint_all([strip("") for _ in range(SIZE.height)], BAR)
    screen.paint([(0, y, line) for y, line in enumerate(lines(10))])
    screen.displayed.forget()
    screen.paint([(0, y, line) for y, line in enumerate(lines(10))])
    assert screen.written > SIZE.height * 10
    changes = [(0, y, line) for y, line in enumerate(lines(11))]
    moves, pieces = screen.displayed.show(SIZE, changes)
    assert moves == ""
    assert len(pieces) == SIZE.height


def test_on_a_screen_of_another_size_nothing_is_known() -> None:
    displayed = DisplayedRows(is_unsure)
    pieces = [(0, y, line) for y, line in enumerate(lines(0))]
    assert displayed.show(SIZE, pieces)[1] == pieces
    assert displayed.show(SIZE, pieces)[1] == []
    assert displayed.show(Size(12, 20), pieces)[1] == pieces
