"""A vertical scroll bar that costs next to nothing: it has five kinds of rows, and repaints those that became another kind.

Textual's own is rendered whole, row by row, whenever its numbers change; beside text that streams that is half of all painting.
"""

from __future__ import annotations

from math import ceil

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.strip import Strip

__all__ = ["QuickScrollBar"]


class QuickScrollBar(ScrollBar):
    """A scroll bar that is told where the window is by `show_place` alone."""

    def __init__(self, *, thickness: int) -> None:
        super().__init__(vertical=True, name="vertical", thickness=thickness)
        self._rows: list[Segment] = []
        self._thumb = (-1, -1, -1)  # as it was painted
        self._base: Style | None = None
        self._strips: dict[Segment, Strip] = {}  # of the rows as they were painted last

    def show_place(self, height: int, page: int, top: float) -> None:
        """Show that of `height` lines there are `page` in the window, the first of them `top`."""
        self.set_reactive(ScrollBar.window_virtual_size, height)
        self.set_reactive(ScrollBar.window_size, page)
        self.set_reactive(ScrollBar.position, top)
        if self._thumb_now() == self._thumb:
            return
        before, after = self._rows, self._segments()
        if len(before) != len(after):
            self.refresh()
            return
        changed = [y for y, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
        if changed:
            self.refresh(Region(0, changed[0], self.size.width, changed[-1] - changed[0] + 1))

    def render_lines(self, crop: Region) -> list[Strip]:
        """Paint rows of the bar."""
        rows = self._rows = self._segments()
        self._thumb = self._thumb_now()
        if self._base is None:
            self._base = self.rich_style  # which takes long to make
        known, self._strips = self._strips, {}
        for row in set(rows):
            strip = known.get(row)
            self._strips[row] = (
                Strip([Segment(row.text, self._base + row.style)], self.thickness) if strip is None else strip
            )
        strips = self._strips
        background = self.background_colors[1]
        for colours in self.get_line_filters():
            strips = {row: strip.apply_filter(colours, background) for row, strip in strips.items()}
        return [strips[row].crop(*crop.column_span) for row in rows[crop.y : crop.bottom]]

    def notify_style_update(self) -> None:
        """Forget the old style."""
        super().notify_style_update()
        self._base = None
        self._strips.clear()

    def _thumb_now(self) -> tuple[int, int, int]:
        """Return the height of the bar, and where the thumb begins and ends, in parts of rows that can be told apart."""
        size, parts = self.size.height, len(ScrollBarRender.VERTICAL_BARS)
        if not 0 < self.window_size < self.window_virtual_size or not size:
            return size, 0, 0
        length = max(1, self.window_size * size / self.window_virtual_size)
        start = (size - length) * self.position / (self.window_virtual_size - self.window_size)
        return size, int(start * parts), ceil(length * parts)

    def _segments(self) -> list[Segment]:
        """Return the bar's rows from top to bottom."""
        bar = self.render()
        assert isinstance(bar, ScrollBarRender)
        style = bar.style if isinstance(bar.style, Style) else Style.parse(bar.style)
        assert style.bgcolor is not None
        assert style.color is not None
        return list(
            self.renderer.render_bar(
                size=self.size.height,
                virtual_size=bar.virtual_size,
                window_size=bar.window_size,
                position=bar.position,
                thickness=self.thickness,
                back_color=style.bgcolor,
                bar_color=style.color,
            ).segments
        )
