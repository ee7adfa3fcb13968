"""The rule above a pane, which is all the frame it has: its title at the left, what matters beside it at the right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textual.content import Content

__all__ = ["heading"]

_LEAST_RULE: Final = 3
_AROUND: Final = 6  # cells beside title and foot, with a blank on each side


def heading(title: Content, foots: Sequence[Content], width: int) -> Content:
    """Return what stands in a rule `width` cells wide; of `foots`, the longest first, the one that there is room for."""
    for foot in filter(None, foots):
        rest = width - _AROUND - title.cell_length - foot.cell_length
        if rest >= _LEAST_RULE:
            rule = ("─" * (rest - 2), "not bold $border-blurred")
            return Content.assemble(" ", title, " ", rule, " ", foot.stylize("not bold"), " ")
    return Content.assemble(" ", title, " ")
