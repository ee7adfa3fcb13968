"""A Textual widget that paints any view: in dialogs, panes and detail screens. The transcript is its own host."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.events import Click, Resize
from textual.geometry import Offset, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from tui_agent.ui.textual_patches.scroll_bars import resize_quietly, update_scroll_bars
from tui_agent.viewkit.palette import DARK
from tui_agent.viewkit.view import Hit, Line, Rendered, RenderState, View
from tui_agent.viewkit.wrap import cells_to

__all__ = ["ViewWidget"]


class ViewWidget(ScrollView, can_focus=True):
    """Paints a view and scrolls over it. Give it a new view, or the same one changed, by `show`.

    Where its height is `auto` it is as high as the view, up to its `max-height`; with any other height, showing another view
    lays nothing out anew.
    """

    DEFAULT_CSS = """
    ViewWidget {
        height: 1fr;
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        scrollbar-size: 0 1;
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "scroll_up", "Scroll up", show=False),
        Binding("down", "scroll_down", "Scroll down", show=False),
        Binding("pageup", "page_up", "Page up", show=False),
        Binding("pagedown", "page_down", "Page down", show=False),
        Binding("home", "scroll_home", "Top", show=False),
        Binding("end", "scroll_end", "Bottom", show=False),
    ]

    class HitClicked(Message):
        """A place in the view that does something was clicked."""

        def __init__(self, widget: ViewWidget, action: str, argument: str) -> None:
            super().__init__()
            self.widget = widget
            self.action = action
            self.argument = argument

        @property
        def control(self) -> ViewWidget:
            """The widget that was clicked."""
            return self.widget

    def __init__(
        self,
        view: View | None = None,
        state: RenderState | None = None,
        *,
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._view = view
        self._state = state or RenderState(DARK)
        self._rendered = Rendered(())
        self._rendered_width = 0
        self._measured: tuple[int, Rendered] | None = None  # at a width that a layout tried out

    @property
    def view(self) -> View | None:
        """The view that is shown."""
        return self._view

    @property
    def state(self) -> RenderState:
        """The state it is shown in."""
        return self._state

    @property
    def line_count(self) -> int:
        """How many lines it has at the present width."""
        return len(self._rendered.lines)

    @property
    def text(self) -> str:
        """The logical text of what is shown: what copying all of it gives."""
        return self._rendered.text

    def show(self, view: View | None, state: RenderState | None = None) -> None:
        """Show `view` (None: nothing), where the last one stood."""
        self._view, self._measured = view, None
        if state is not None:
            self._state = state
        if self._rendered_width:
            self._draw(self._rendered_width)

    def scroll_to_line(self, line: int, *, margin: int = 2) -> None:
        """Bring a line (0-based) near the top, with some lines above it, unless it is well in sight already."""
        top, height = self.scroll_offset.y, self.size.height
        if not top + margin <= line < top + height - margin:
            self.scroll_to(y=max(0, line - margin), animate=False, force=True)

    def hit_at(self, x: int, y: int) -> Hit | None:
        """Return what a click on this cell of the content (not of the screen) does."""
        return next((hit for hit in self._rendered.hits if hit.line == y and hit.start <= x < hit.stop), None)

    # What Textual calls

    def get_content_width(self, container: Size, viewport: Size) -> int:  # noqa: ARG002 - Textual's
        return container.width

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002 - Textual's
        width -= self.styles.scrollbar_size_vertical  # its place is kept free, shown or not
        if width <= 0 or width == self._rendered_width:
            return len(self._rendered.lines)
        # What is shown stays as it is: a layout tries widths that it does not come to, and then sends no `Resize`.
        return len(self._at(width).lines)

    def render_line(self, y: int) -> Strip:
        line = self.scroll_offset.y + y
        width = self.scrollable_content_region.width
        if self._measured is not None and self._measured[0] == width != self._rendered_width:
            self._rendered_width, self._rendered = self._measured  # painted before `Resize` has come
        lines = self._rendered.lines
        base = self.rich_style
        if line >= len(lines):
            return Strip.blank(width, base)
        segments = _over(base, lines[line].segments)
        selection = self.text_selection
        span = selection.get_span(line) if selection is not None else None
        if span is not None:
            segments = _selected(segments, lines[line], span, self._state.palette.selection)
        return Strip(segments).crop_extend(0, width, base).apply_offsets(0, line)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """Return the selected part of the logical text: no gutters, no wrapping."""
        if not self._rendered.lines:
            return None
        first = 0 if selection.start is None else self._index(selection.start)
        last = len(self._rendered.text) if selection.end is None else self._index(selection.end)
        return self._rendered.text[first:last], "\n"

    def selection_updated(self, selection: Selection | None) -> None:  # noqa: ARG002 - Textual's
        self.refresh()

    def _index(self, offset: Offset) -> int:
        """Return where the painted character at `offset` (its place in its line, and the line) is in the logical text."""
        lines = self._rendered.lines
        if offset.y >= len(lines):
            return len(self._rendered.text)
        line = lines[max(0, offset.y)]
        gutter = cells_to(line.text, 0, line.gutter)
        body = line.text[gutter:].rstrip()
        return line.start + min(max(0, offset.x - gutter), len(body))

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self.refresh()

    def on_resize(self, _event: Resize) -> None:
        width = self.scrollable_content_region.width
        if width and width != self._rendered_width:
            self._draw(width)
        elif self.virtual_size.height != len(self._rendered.lines):
            self._resize(width)

    def on_click(self, event: Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None:
            return
        hit = self.hit_at(offset.x, offset.y + self.scroll_offset.y)
        if hit is not None:
            event.stop()
            self.post_message(self.HitClicked(self, hit.action, hit.argument))

    def _at(self, width: int) -> Rendered:
        if self._measured is None or self._measured[0] != width:
            found = self._view.render(width, self._state) if self._view is not None else Rendered(())
            self._measured = width, found
        return self._measured[1]

    def _draw(self, width: int) -> None:
        self._rendered, self._rendered_width = self._at(width), width
        self._resize(width)
        self.refresh()

    def _resize(self, width: int) -> None:
        size = Size(width, len(self._rendered.lines))
        if size == self.virtual_size:
            return
        if self.styles.is_auto_height:
            self.virtual_size = size
            update_scroll_bars(self, size)  # the height may be the same: then no layout says that less is below
            return
        resize_quietly(self, size)


def _selected(segments: Sequence[Segment], line: Line, span: tuple[int, int], look: Style) -> list[Segment]:
    """Mark the characters of `span` (its end -1: all) that are text and no gutter."""
    first = max(span[0], cells_to(line.text, 0, line.gutter))
    last = len(line.text) if span[1] == -1 else span[1]
    out: list[Segment] = []
    at = 0
    for text, style, _ in segments:
        start, stop = max(0, first - at), max(0, last - at)
        for part, is_marked in ((text[:start], False), (text[start:stop], True), (text[max(start, stop) :], False)):
            if part:
                out.append(Segment(part, (style or Style()) + look if is_marked else style))
        at += len(text)
    return out


def _over(base: Style, segments: Sequence[Segment]) -> list[Segment]:
    """Put segments on the widget's own ground."""
    return [Segment(text, base + style if style else base) for text, style, _ in segments]
