"""Painting what changed: the terminal shows what painting everything anew would give, and no cell is painted twice."""

from __future__ import annotations

import asyncio
import random
import unicodedata
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pyte
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import Segment
from screen_text import until
from textual import events
from textual._compositor import LayoutUpdate
from textual.app import App
from textual.geometry import Region
from textual.scrollbar import ScrollBar
from textual.strip import Strip
from textual.widget import Widget
from transcript_stage import PARAGRAPHS, Stage, stage

from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.displayed_rows import DisplayedRows
from tui_agent.ui.textual_patches import screen as paced_screen
from tui_agent.ui.textual_patches.compositing import FullUpdate, PatchUpdate, disjoint, is_unsure, without
from tui_agent.ui.widgets.activity_line import ActivityLine
from tui_agent.ui.widgets.scroll_bar import QuickScrollBar

REGIONS = st.builds(Region, st.integers(0, 9), st.integers(0, 9), st.integers(0, 6), st.integers(0, 6))
Cells = list[tuple[str, Any]]


def cells_of(region: Region) -> set[tuple[int, int]]:
    return {(x, y) for x in range(region.x, region.right) for y in range(region.y, region.bottom)}


@given(st.lists(REGIONS, max_size=12))
def test_each_changed_cell_is_painted_once(regions: list[Region]) -> None:
    painted = Counter(cell for region in disjoint(regions) for cell in cells_of(region))
    assert set(painted) == set().union(*map(cells_of, regions))
    assert set(painted.values()) <= {1}


@given(REGIONS, REGIONS)
def test_a_region_without_a_hole_is_the_rest_of_it(region: Region, other: Region) -> None:
    hole = region.intersection(other)
    rest = without(region, hole)
    assert set().union(*map(cells_of, rest)) == cells_of(region) - cells_of(hole)
    assert sum(part.area for part in rest) == len(cells_of(region) - cells_of(hole))


def cells(strip: Strip) -> Cells:
    """Return a line as one entry a cell; both halves of a wide character are entries."""
    found: Cells = []
    for text, style, _ in strip:
        for character in text:
            width = Segment(character).cell_length
            found += [(character, style)] * width
    return found


class Glass:
    """A terminal: keeps what the app displays, update by update."""

    def __init__(self, app: App[Any], monkeypatch: pytest.MonkeyPatch) -> None:
        self.app = app
        self.rows: list[Cells] = [cells(strip) for strip in app.screen._compositor.render_strips()]
        self.patches: list[tuple[int, int, Strip]] = []
        monkeypatch.setattr(app, "_display", self._display)

    def _display(self, _screen: object, update: object) -> None:
        if isinstance(update, LayoutUpdate):
            self.rows = [[cell for strip in row for cell in cells(strip)] for row in update.strips]
        elif isinstance(update, PatchUpdate):
            width, height = self.app.size
            self.rows = [
                (row + [("?", None)] * width)[:width] for row in [*self.rows, *([] for _ in range(height))][:height]
            ]
            self.patches += update.patches
            for x, y, strip in update.patches:
                new = cells(strip)
                self.rows[y][x : x + len(new)] = new

    def is_true(self) -> bool:
        """Whether it shows what painting everything anew would give."""
        return self.rows == [cells(strip) for strip in self.app.screen._compositor.render_strips()]


async def do_something(on: Stage, chance: random.Random, number: int) -> None:
    """Do one of the things that change a part of the screen."""
    match chance.randrange(8):
        case 0 | 1:
            on.engine.reply(
                f"\n\nparagraph *{number}* 漢字 {'word ' * chance.randrange(40)}", block_id="b", is_whole=False
            )
        case 2:
            on.engine.reply(f"\n\n```python\nx = {number}\n```\n", block_id=f"b{number}")
        case 3:
            await on.pilot.press(*chance.sample("abc漢", 2), chance.choice(["backspace", "shift+enter"]))
        case 4:
            await on.pilot.press(chance.choice(["pageup", "pagedown", "ctrl+end", "tab", "escape"]))
        case 5:
            await on.pilot.press(chance.choice(["f2", "f3", "ctrl+o"]))
        case 6:
            await on.pilot.resize_terminal(*chance.choice([(80, 24), (100, 30), (130, 30)]))
        case _:
            await on.pilot.hover(offset=(chance.randrange(60), chance.randrange(20)))


@pytest.mark.usefixtures("painted")
@pytest.mark.parametrize("seed", range(4))
async def test_the_terminal_shows_what_painting_everything_anew_would_give(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(seed)
    async with stage((130, 30)) as on:
        glass = Glass(on.pilot.app, monkeypatch)
        on.engine.reply(PARAGRAPHS)
        await until(on.pilot, glass.is_true)
        for number in range(12):
            await do_something(on, chance, number)
            await until(on.pilot, glass.is_true)
        assert glass.patches


class Terminal:
    """A terminal that is sent what the app writes: `sent` characters. `moves` counts how often it moved lines by itself."""

    def __init__(self, app: App[Any], monkeypatch: pytest.MonkeyPatch) -> None:
        self._app = app
        self.sent = self.moves = 0
        self._fit()
        self._write(app.screen._compositor.render_update(full=True))
        monkeypatch.setattr(app, "_display", self._display)

    def _fit(self) -> None:
        self._screen = pyte.Screen(*self._app.size)
        self._stream = pyte.Stream(self._screen)

    def _display(self, _screen: object, update: object) -> None:
        if (self._screen.columns, self._screen.lines) != self._app.size:
            self._fit()  # empty, as a terminal may be that was made larger
        if update is not None:
            self._write(update)

    def _write(self, update: object) -> None:
        assert isinstance(update, LayoutUpdate | PatchUpdate)
        sequence = update.render_segments(self._app.console)
        self.sent += len(sequence)
        self.moves += "\x1b[r" in sequence
        self._stream.feed(sequence)

    def is_true(self) -> bool:
        """Whether it shows what painting everything anew would give."""
        strips = [[strip] for strip in self._app.screen._compositor.render_strips()]
        whole = FullUpdate(strips, self._app.screen.region, DisplayedRows(is_unsure))
        fresh = pyte.Screen(*self._app.size)
        pyte.Stream(fresh).feed(whole.render_segments(self._app.console))
        shown, wanted = self._screen.buffer, fresh.buffer
        return all(
            shown[y][x] == wanted[y][x] for y in range(self._app.size.height) for x in range(self._app.size.width)
        )


@pytest.mark.usefixtures("painted")
@pytest.mark.parametrize("seed", range(4))
async def test_what_is_written_makes_the_terminal_show_it(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(100 + seed)
    async with stage((100, 30)) as on:
        on.engine.reply(PARAGRAPHS)
        await on.shows("paragraph 59")
        terminal = Terminal(on.pilot.app, monkeypatch)
        for number in range(12):
            await do_something(on, chance, number)
            await until(on.pilot, lambda: not on.pilot.app.screen._dirty_widgets and terminal.is_true())
        assert terminal.moves


@pytest.mark.usefixtures("painted")
async def test_a_reply_that_streams_writes_what_is_new_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also while the conversation scrolls: the lines that were there are moved by the terminal."""
    async with stage((120, 40)) as on:
        on.engine.reply(PARAGRAPHS)
        await on.shows("paragraph 59")
        app = on.pilot.app
        assert isinstance(app, TuiAgentApp)
        terminal = Terminal(app, monkeypatch)
        text = "".join(f"word{number:03} and *others* of it, " for number in range(60))
        pieces = [text[at : at + 60] for at in range(0, len(text), 60)]
        terminal.sent = 0
        for piece in pieces:
            on.engine.reply(piece, block_id="b", is_whole=False)
            await until(on.pilot, lambda: not app.is_behind and not app.screen._dirty_widgets)
        await until(on.pilot, terminal.is_true)
        assert terminal.moves > 5
        assert terminal.sent < 600 * len(pieces)  # a page is some 4,000


class OtherCells:
    """A terminal that gives a cell to each vowel sign of Hindi and Tamil. Rich gives them none."""

    def __init__(self, app: App[Any], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("pyte.screens.wcwidth", _cells_of_old)
        width, height = app.size
        self._screen = pyte.Screen(width, height)
        self._stream = pyte.Stream(self._screen)
        self._app = app
        monkeypatch.setattr(app, "_display", self._display)
        self.paint_all()

    def _display(self, _screen: object, update: object) -> None:
        assert isinstance(update, LayoutUpdate | PatchUpdate)
        self._stream.feed(update.render_segments(self._app.console))

    def paint_all(self) -> None:
        """Have everything painted anew."""
        self._display(self._app.screen, self._app.screen._compositor.render_update(full=True))

    def is_right_from(self, column: int) -> bool:
        """Whether what stands from a column on is what should be there; from the first, lines of unsure text are let be."""
        rows = self._screen.buffer
        for y, strip in enumerate(self._app.screen._compositor.render_strips()):
            wanted = [text for text, _ in cells(strip)][column:]
            shown = [rows[y][x].data for x in range(column, self._screen.columns)]
            if shown != wanted and not (column == 0 and is_unsure(strip)):
                return False
        return True


def _cells_of_old(character: str) -> int:
    return 1 if unicodedata.category(character) == "Mc" else cell_len(character)


@pytest.mark.usefixtures("painted")
async def test_text_that_a_terminal_counts_otherwise_moves_nothing_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    async with stage((130, 30)) as on:
        terminal = OtherCells(on.pilot.app, monkeypatch)
        beside = on.transcript.region.right

        def is_right() -> bool:
            return not on.pilot.app.screen._dirty_widgets and terminal.is_right_from(beside)

        for number in range(4):  # each line is twice as long to the terminal
            on.engine.reply("किहिलि " * 20 + f"{number} ", block_id="b", is_whole=False)
            await on.shows(f" {number}")
            await until(on.pilot, is_right)
        terminal.paint_all()
        assert is_right()


@pytest.mark.usefixtures("painted")
async def test_text_that_is_longer_to_a_terminal_than_its_line_goes_on_in_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with stage((60, 20)) as on:
        terminal = OtherCells(on.pilot.app, monkeypatch)
        on.engine.reply("பெரிய வாக்கியம் " * 20 + "\n\nwhat stands below", block_id="b", is_whole=False)
        await on.shows("what stands below")
        await until(on.pilot, lambda: not on.pilot.app.screen._dirty_widgets and terminal.is_right_from(0))
        terminal.paint_all()
        assert terminal.is_right_from(0)


@pytest.mark.usefixtures("painted")
async def test_of_lines_far_from_each_other_nothing_between_is_painted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with stage((130, 30)) as on:
        on.engine.reply("one two", block_id="b", is_whole=False)
        await on.shows("one two")
        glass = Glass(on.pilot.app, monkeypatch)
        row = next(y for y, line in enumerate(on.text.split("\n")) if "one two" in line)
        line = Region(0, row, on.transcript.size.width - 1, 1)
        activity = on.pilot.app.screen.query_one(ActivityLine)
        fewest = 999
        for _ in range(9):  # the first ones may come together with what was still to be painted of the start
            glass.patches.clear()
            on.transcript.refresh(line)
            activity.refresh()  # far below it, in the same frame
            await until(on.pilot, lambda: any("one two" in strip.text for _, _, strip in glass.patches))
            fewest = min(fewest, len(glass.patches))
        assert fewest < 4


@pytest.mark.usefixtures("painted")
@pytest.mark.parametrize("seed", range(3))
async def test_the_scroll_bar_looks_as_textuals_own(seed: int) -> None:
    chance = random.Random(seed)
    async with stage((80, 24)) as on:
        on.engine.reply(PARAGRAPHS)
        await on.shows("paragraph 59")
        bar = on.transcript.vertical_scrollbar
        assert isinstance(bar, QuickScrollBar)
        for _ in range(20):
            page = bar.size.height
            height = page + chance.randrange(10 ** chance.randrange(1, 6))
            bar.show_place(height, page, chance.uniform(0, height - page))
            bar.mouse_over = chance.random() < 0.5
            whole = Region(0, 0, bar.size.width, page)
            part = Region(0, chance.randrange(page), bar.size.width, 1)
            bar._styles_cache.clear()
            bar._render_cache = bar._render_cache._replace(lines=[])
            bar._dirty_regions.add(whole)
            own = [cells(strip) for strip in ScrollBar.render_lines(bar, whole)]
            assert [cells(strip) for strip in bar.render_lines(whole)] == own
            assert [cells(strip) for strip in bar.render_lines(part)] == own[part.y : part.bottom]


@pytest.mark.usefixtures("painted")
@pytest.mark.parametrize("theme", ["nord", "textual-light", "ansi-dark"])
async def test_the_activity_line_looks_as_textual_would_paint_it(theme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with stage((80, 24)) as on:
        on.pilot.app.theme = theme
        line, seen = on.pilot.app.screen.query_one(ActivityLine), set[str]()
        monkeypatch.setattr(line, "_clock", lambda: 0.0)
        monkeypatch.setattr(line, "_tick", lambda: None)
        for text in ("", "one two"):
            if text:
                on.engine.reply(text, block_id="b", is_whole=False)
                await on.shows(text)
            line.refresh()
            whole = Region(0, 0, *line.size)
            line._styles_cache.clear()
            line._render_cache = line._render_cache._replace(lines=[])
            line._dirty_regions.add(whole)
            (own,) = Widget.render_lines(line, whole)
            (painted,) = line.render_lines(whole)
            assert cells(painted) == [
                (character, style and style.clear_meta_and_links()) for character, style in cells(own)
            ]
            seen.add(painted.text)
        assert len(seen) == 2


@pytest.mark.usefixtures("painted")
async def test_only_rows_of_the_bar_that_changed_are_painted(monkeypatch: pytest.MonkeyPatch) -> None:
    async with stage((80, 24)) as on:
        on.engine.reply(PARAGRAPHS)
        await on.shows("paragraph 59")
        bar = on.transcript.vertical_scrollbar
        page = bar.size.height
        bar.show_place(100 * page, page, 0)
        bar.render_lines(Region(0, 0, 1, page))
        asked: list[tuple[Region, ...]] = []
        monkeypatch.setattr(bar, "refresh", lambda *regions, **_: asked.append(regions))
        bar.show_place(100 * page, page, 0.1)
        bar.show_place(100 * page + 1, page, 0)
        assert asked == []
        bar.show_place(100 * page, page, 50)
        (region,) = asked[-1]
        assert region.y == 0
        assert 0 < region.height <= 2


@asynccontextmanager
async def without_ticks(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[TuiAgentApp, Glass]]:
    """Yield an app at rest whose screen is painted by no tick, and what its terminal shows. A pilot that waits would paint."""
    async with stage((80, 24)) as on:
        app = on.pilot.app
        assert isinstance(app, TuiAgentApp)
        await until(on.pilot, lambda: not app.screen._dirty_widgets)
        glass = Glass(app, monkeypatch)
        monkeypatch.setattr(app.screen._update_timer, "_callback", lambda: None)
        monkeypatch.setattr(paced_screen, "_AT_ONCE_S", 60.0)  # however slow this machine is
        async with asyncio.timeout(20):
            yield app, glass


@pytest.mark.usefixtures("painted")
async def test_the_echo_of_a_key_does_not_wait_for_the_next_tick(monkeypatch: pytest.MonkeyPatch) -> None:
    async with without_ticks(monkeypatch) as (app, glass):
        app.post_message(events.Key("Ж", "Ж"))
        while not any("Ж" in strip.text for _, _, strip in glass.patches):
            await asyncio.sleep(0.001)
