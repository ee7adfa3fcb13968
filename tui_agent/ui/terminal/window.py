"""How large the window is now, asked of the terminal itself."""

from __future__ import annotations

import os
import sys

from textual.geometry import Size

__all__ = ["window_size"]


def window_size() -> Size | None:
    """Return the size in cells of the terminal that is drawn to; None where it is none, or does not say."""
    if sys.__stderr__ is None:
        return None
    try:
        size = Size(*os.get_terminal_size(sys.__stderr__.fileno()))
    except OSError:
        return None
    return size or None
