"""The rule above a pane, which is all the frame it has: its title at the left, what matters beside it at the right."""

from __future__ import annotations

from typing import Final

from textual.content import Content

__all__ = ["heading"]

_AROUND: Final = 6  # cells beside title and foot, with a blank on each side


def heading(title: Content, foot: Content, width: int) -> Content:
    """Return what stands in a rule `width` cells wide; `foot` only where there is room for both."""
    rest = width - _AROUND - title.cell_length - foot.cell_length
    if not foot or rest < 3:
        return Content.assemble(" ", title, " ")
    return Content.assemble(
        " ", title, " ", ("─" * (rest - 2), "not bold $border-blurred"), " ", foot.stylize("not bold"), " "
    )
