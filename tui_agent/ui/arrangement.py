"""Which panes stand where: by the width of the window, and by the layout that the user has chosen. Pure; knows no widget."""

from __future__ import annotations

from typing import Final, Literal, get_args

__all__ = ["LAYOUTS", "Arrangement", "Layout", "arrangement", "keep_layout", "next_layout", "work_columns"]

Layout = Literal["auto", "side", "strip", "alone"]
# side: tools and diff in a column at the right · strip: tools between conversation and prompt, other panes at the right by key
# one: the conversation alone, other panes over it by key
Arrangement = Literal["side", "strip", "one"]

LAYOUTS: Final[dict[Layout, str]] = {
    "auto": "automatic",
    "side": "side by side",
    "strip": "tools in a strip",
    "alone": "conversation alone",
}
_WIDE: Final = 150  # columns from which the panes stand beside the conversation by themselves
_MIDDLE: Final = 100  # columns from which there is room for a strip, or for a pane that was asked for
_STRIP: Final = 60  # columns that a strip needs which was asked for
_LEAST_CONVERSATION: Final = 104  # cells, with margins and scroll bar, in a wide window
_MOST_WORK: Final = 101  # cells: from a hundred on a diff stands in two columns


def arrangement(width: int, layout: Layout) -> Arrangement:
    """Return what stands where in a window of this width."""
    if layout == "alone":
        return "one"
    if layout == "strip":
        return "strip" if width >= _STRIP else "one"
    if width < _MIDDLE:
        return "one"
    return "side" if layout == "side" or width >= _WIDE else "strip"


def work_columns(width: int) -> int:
    """Return how wide the right column is, its rule included."""
    if width < _WIDE:
        return round(width * 0.45)
    return min(round(width * 0.42), width - _LEAST_CONVERSATION, _MOST_WORK)


def next_layout(layout: Layout) -> Layout:
    """Return the layout that follows, after the last the first."""
    order: tuple[Layout, ...] = get_args(Layout)
    return order[(order.index(layout) + 1) % len(order)]


def keep_layout(layout: Layout) -> None:
    """Write the layout into the user's own settings.

    Raises:
        ValueError: the file is damaged, and stays as it is.
        OSError: it cannot be written.
    """
    from tui_agent.settings.change import keep_own

    keep_own("layout", layout)
