"""Scroll bars that follow the size of what is scrolled without a layout of the whole screen.

Relies on `Widget._scroll_update` (tells the bars how much there is to scroll), `Widget._refresh_scrollbars` (shows or hides
them), `Widget._vertical_scrollbar` (the bar, once made) and `App._start_widget` (makes a bar hear messages).
"""

from __future__ import annotations

from textual.geometry import Size
from textual.scrollbar import ScrollBar
from textual.widget import Widget

__all__ = ["add_scroll_bar", "resize_quietly", "update_scroll_bars"]


def update_scroll_bars(widget: Widget, size: Size) -> None:
    """Tell a widget's bars that `size` is what it scrolls over."""
    widget._scroll_update(size)


def resize_quietly(widget: Widget, size: Size) -> None:
    """Make `size` what a widget scrolls over. The reactive would lay the screen out anew; only the bars have to know."""
    widget.set_reactive(Widget.virtual_size, size)
    widget._scroll_update(size)
    widget._refresh_scrollbars()


def add_scroll_bar(widget: Widget, bar: ScrollBar) -> None:
    """Give a widget a vertical bar of another kind, as Textual gives it one: hidden at first, and no child of the widget."""
    widget._vertical_scrollbar = bar
    bar.display = False
    widget.app._start_widget(widget, bar)
