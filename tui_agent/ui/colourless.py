"""Drawing without any colour, as `NO_COLOR` asks: bold, underline and reverse are all that is sent.

What stands out by its ground alone (a cursor, a selection, the entry that is chosen) is drawn in reverse instead.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from rich.color import Color as RichColor
from rich.color import ColorType
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

__all__ = ["Colourless"]

_STANDS_OUT: Final = 0.25  # of all brightness: how far a ground is from the one around it
_REVERSED: Final = Style(reverse=True)


class Colourless(LineFilter):
    """Takes all colours out of what is painted."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments without colours."""
        ground = background.brightness
        return [
            Segment(text, None if style is None else _without_colour(style, ground), control)
            for text, style, control in segments
        ]


@lru_cache(4096)
def _without_colour(style: Style, ground: float) -> Style:
    plain = style.without_color
    return plain + _REVERSED if not style.reverse and _stands_out(style.bgcolor, ground) else plain


def _stands_out(colour: RichColor | None, ground: float) -> bool:
    if colour is None or colour.is_default:
        return False
    if colour.type in (ColorType.STANDARD, ColorType.EIGHT_BIT):
        return True  # the terminal's own, which nothing but a cursor or a selection has for a ground
    return abs(Color.from_rich_color(colour).brightness - ground) >= _STANDS_OUT
