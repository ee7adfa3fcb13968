"""A window onto painted blocks: what is in it, which of its lines changed, and whether it follows the end.

What a block looks like is the business of `ui.transcript.block_views`; where it is, of `ui.transcript.layout`; what a user
does in the window, of `Transcript`. No work here is in proportion to the length of the conversation.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from tui_agent.ui.projection.unread import Unread
from tui_agent.ui.textual_patches.scroll_bars import add_scroll_bar
from tui_agent.ui.transcript.layout import TranscriptLayout
from tui_agent.ui.transcript.selection import Place, Selection, cell_range
from tui_agent.ui.widgets.scroll_bar import QuickScrollBar

if TYPE_CHECKING:
    from tui_agent.ui.projection.blocks import ShownBlocks
    from tui_agent.ui.projection.projection import Dirty
    from tui_agent.ui.transcript.layout import Drawn, Mark
    from tui_agent.viewkit.view import Line, Palette

__all__ = ["LEFT", "BlockView"]

LEFT = 2  # cells left of the text: the cursor's bar and a blank
RIGHT = 1
_HERE = Style(reverse=True, bold=True)  # the match that the user is at, among the others


class BlockView(ScrollView):
    """Shows the blocks of a projection, each line painted once. Bring it up to date by `refresh_from`."""

    def __init__(self, palette: Palette, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._layout = TranscriptLayout(palette)
        self._palette = palette
        self._is_following = True
        self._is_adjusting = False
        self._reading: Place = (0, -1)  # what stands at the top of the window while it does not follow the end
        self._unread = Unread()
        self._cursor: int | None = None
        self._selection: Selection | None = None
        self._shown: dict[int, Strip] = {}
        self._own_style: Style | None = None
        self._place_bar: QuickScrollBar | None = None

    # --- what changed --------------------------------------------------------------------------------------------------------

    def refresh_from(self, projection: ShownBlocks, dirty: Dirty) -> None:
        """Show what `dirty` says has changed."""
        layout = self._layout
        if dirty.is_reset or layout.blocks is not projection.blocks:
            self._start_anew(projection)
        elif len(layout.heights) < len(layout.blocks):
            self._unread.count(layout.blocks, len(layout.heights))
            layout.grow()
        elif not dirty.block_ids:
            return
        bottom, _ = layout.heights.find(self._top + self._page)
        for name in dirty.block_ids:
            position = projection.position(name)
            if position is not None:
                layout.change(position)
                self._unread.has_more = self._unread.has_more or position >= bottom
        self._update()

    def _start_anew(self, projection: ShownBlocks) -> None:
        """Show other blocks: those of a conversation that begins, or one of which only the end was there until now."""
        layout = self._layout
        before = layout.blocks
        place = self._reading if not self._is_following and self._reading[0] < len(before) else None
        kept = projection.position(before[place[0]].id) if place is not None else None
        layout.reset(projection.blocks)
        self._selection = self._cursor = None
        self._is_following, self._reading = True, (0, -1)
        if place is not None and kept is not None and self.is_attached:
            self._is_following = False
            self._unread.start(layout.blocks)
            self._reading = (kept, place[1])
            line = layout.line_of(self._reading)
            self._set_height(max(layout.heights.total, line + self._page))
            self._show_place()
            self._scroll_quietly(line)

    def recolour(self, palette: Palette) -> None:
        """Paint in other colours."""
        self._palette = palette
        self._layout.recolour(palette)
        self._own_style = None
        self._shown.clear()
        self.refresh()

    def show_details(self, is_detailed: bool) -> None:
        """Open everything that can be opened, or fold it again."""
        self._layout.show_details(is_detailed)
        self._update()

    def open_changes(self, is_wanted: bool) -> None:
        """Say whether changes to files are open by themselves: not where they stand beside the conversation anyway."""
        self._layout.open_changes(is_wanted)
        self._update()

    @property
    def is_detailed(self) -> bool:
        """Whether everything that can be opened is."""
        return self._layout.is_detailed

    @property
    def is_following(self) -> bool:
        """Whether the window stays at the end as text comes in."""
        return self._is_following

    @property
    def unread(self) -> int:
        """How many messages and tool uses came below since following stopped."""
        return 0 if self._is_following else self._unread.number

    @property
    def has_unread(self) -> bool:
        """Whether something came below since following stopped, be it only more of what was there."""
        return not self._is_following and (self._unread.number > 0 or self._unread.has_more)

    # --- geometry ----------------------------------------------------------------------------------------------------

    @property
    def _page(self) -> int:
        return self.scrollable_content_region.height

    @property
    def _top(self) -> int:
        return round(self.scroll_y)

    def on_resize(self) -> None:
        """Draw for the new size."""
        self._update()

    def _fit_width(self) -> None:
        """Draw for the width there is, with the line being read still at the top."""
        width = max(1, self.scrollable_content_region.width - LEFT - RIGHT)
        layout = self._layout
        if width != layout.width:
            layout.resize(width)
            self._shown.clear()
            if not self._is_following:
                self._scroll_quietly(layout.line_of(self._reading))

    def _update(self) -> None:
        """Make the window exact and paint the lines of it that changed."""
        if not self.is_attached or not self._page:
            return
        if len(self._layout.heights) < len(self._layout.blocks):
            return  # blocks have come that `refresh_from` is about to tell of
        self._fit_width()  # here, not only when told of a size: a window that has none at first may not be told of its first
        before = self._top
        top = self._layout.settle(before, self._page, at_end=self._is_following)
        has_grown = self._set_height(self._layout.heights.total)
        self._scroll_quietly(top)
        if self._top == before:
            if has_grown:
                self._show_place()
            self._paint_changes()

    def _set_height(self, height: int) -> bool:
        """Take a height, without a layout of the whole screen: nothing but the bar depends on it. False if it is the same."""
        size = Size(self.scrollable_content_region.width, height)
        if size == self.virtual_size:
            return False
        self.set_reactive(Widget.virtual_size, size)
        return True

    def _show_place(self) -> None:
        """Tell the scroll bar where the window is."""
        self.vertical_scrollbar.show_place(self.virtual_size.height, self._page, self.scroll_y)

    @property
    def vertical_scrollbar(self) -> QuickScrollBar:
        """The bar beside the text, made when it is first asked for."""
        if self._place_bar is None:
            self._place_bar = QuickScrollBar(thickness=self.scrollbar_size_vertical)
            add_scroll_bar(self, self._place_bar)
        return self._place_bar

    def _scroll_quietly(self, line: int) -> None:
        """Put a line at the top without taking it for the user's wish."""
        if line != self._top:
            self._is_adjusting = True
            self.scroll_target_y = self.scroll_y = line
            self._is_adjusting = False

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Scrolling up stops following the end, reaching it takes that up again."""
        if round(old_value) == round(new_value):
            return
        self._show_place()
        self.refresh(self.scrollable_content_region.size.region)  # without the bar, which has its own
        if self._is_adjusting:
            return
        was_following = self._is_following
        self._is_following = new_value >= self.max_scroll_y and (new_value > old_value or was_following)
        if was_following and not self._is_following:
            self._unread.start(self._layout.blocks)
        self._update()
        self._reading = self._layout.place_of(self._top)

    # --- painting ----------------------------------------------------------------------------------------------------

    def render_lines(self, crop: Region) -> list[Strip]:
        """Paint the lines of the window as they are kept: passes for border, padding and tint cost more than all else."""
        width, page = self.scrollable_content_region.size
        strips = self._lines(crop.line_range, width, page)
        self._shown.update(zip(crop.line_range, strips, strict=True))
        background = self.background_colors[1]
        for colours in self.get_line_filters():
            strips = [strip.apply_filter(colours, background) for strip in strips]
        if crop.column_span != (0, width):
            strips = [strip.crop(*crop.column_span) for strip in strips]
        return strips

    def render_line(self, y: int) -> Strip:
        """Paint one line of the window."""
        return self._lines(range(y, y + 1), *self.scrollable_content_region.size)[0]

    def _paint_changes(self) -> None:
        """Repaint the lines that are not what the screen shows."""
        width, page = self.scrollable_content_region.size
        shown = self._shown.get
        changed = [y for y, strip in enumerate(self._lines(range(page), width, page)) if strip is not shown(y)]
        if changed:
            self.refresh(*(Region(0, y, width, 1) for y in changed))

    def _lines(self, rows: range, width: int, page: int) -> list[Strip]:
        """Paint these lines of the window, block by block."""
        heights = self._layout.heights
        cursor = self._cursor if self.has_focus else None
        position, offset = heights.find(self._top + rows.start)
        strips: list[Strip] = []
        while len(strips) < len(rows) and position < len(heights):
            count = min(heights[position] - offset, len(rows) - len(strips))
            if count > 0:
                strips += self._lines_of(position, range(offset, offset + count), width, is_current=position == cursor)
            position, offset = position + 1, 0
        strips += [self._blank(width)] * (len(rows) - len(strips))
        if page - 1 in rows and self.has_unread:
            strips[page - 1 - rows.start] = self._news_line(width)
        return strips

    def _lines_of(self, position: int, offsets: range, width: int, *, is_current: bool) -> Iterator[Strip]:
        """Yield lines of a block, the empty ones above it counted."""
        layout = self._layout
        gap, drawn = layout.gap(position), layout.draw(position)
        lines = drawn.rendered.lines
        for number in range(offsets.start - gap, offsets.stop - gap):
            if not 0 <= number < len(lines):
                yield self._blank(width)
                continue
            line = lines[number]
            is_gap = number == 0 and not line.segments  # a part's own distance from the one above
            dress = (number, is_current and not is_gap, self._marks(position, drawn, line))
            found = drawn.painted.get(dress)
            if found is not None and found[1].cell_length == width:
                yield found[1]
            else:
                yield drawn.keep(dress, line, self._dress(line, width, dress[1], dress[2]))

    def _marks(self, position: int, drawn: Drawn, line: Line) -> tuple[Mark, ...]:
        """Return which cells of a line are marked, and as what; later marks lie over earlier ones."""
        if self._selection is None:
            return ()
        part = self._selection.part(position, drawn.rendered.length)
        cells = cell_range(line, *part) if part else None
        return ((*cells, "selection"),) if cells else ()

    def _dress(self, line: Line, width: int, is_current: bool, marks: tuple[Mark, ...]) -> Strip:
        """Put margin, cursor, selection and background round a line. This is what a frame spends its time on."""
        base = self._base
        room = max(0, width - LEFT)
        segments = [Segment("▌ ", base + self._palette.accent) if is_current else Segment("  ", base)]
        used = 0
        for text, style, _ in self._marked(line, marks) if marks else line.segments:
            if text:
                segments.append(Segment(text, base + style if style else base))
                used += cell_len(text)
        if used > room:
            return Strip(segments).crop(0, width)
        if used < room:
            segments.append(Segment(" " * (room - used), base))
        return Strip(segments, width)

    def _marked(self, line: Line, marks: tuple[Mark, ...]) -> Strip:
        """Return a line's segments with its marks put over them."""
        strip = Strip(line.segments)
        palette = self._palette
        for start, stop, kind in marks:
            mark = palette.match + _HERE if kind == "here" else getattr(palette, kind)
            chosen = [Segment(text, (style or palette.text) + mark) for text, style, _ in strip.crop(start, stop)]
            strip = Strip([*strip.crop(0, start), *chosen, *strip.crop(stop, strip.cell_length)])
        return strip

    @property
    def _base(self) -> Style:
        """The widget's own style, which takes long to make."""
        if self._own_style is None:
            self._own_style = self.rich_style
        return self._own_style

    def _blank(self, width: int) -> Strip:
        found = self._shown.get(-1)
        if found is None or found.cell_length != width:
            found = self._shown[-1] = Strip.blank(width, self._base)
        return found

    def _news_line(self, width: int) -> Strip:
        label = f" ↓ {f'{self.unread:,} new' if self.unread else 'more'} · End "
        room = max(0, width - len(label) - RIGHT)
        style = self._base
        return Strip(
            [Segment(" " * room, style), Segment(label[: width - room], style + self._palette.waiting)]
        ).adjust_cell_length(width, style)

    def notify_style_update(self) -> None:
        """Forget what was painted in the old style."""
        super().notify_style_update()
        self._own_style = None
        self._shown.clear()
        self._layout.recolour(self._palette)

    def _stop_following(self) -> None:
        if self._is_following:
            self._is_following = False
            self._unread.start(self._layout.blocks)
            self._reading = self._layout.place_of(self._top)
