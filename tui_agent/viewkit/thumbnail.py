"""A small picture in the terminal: two pixels to a cell, one above the other, as the two colours of a half block."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any, Final

from rich.color import Color
from rich.segment import Segment
from rich.style import Style

from tui_agent.viewkit.view import LinesBuilder, RenderState

__all__ = ["add_thumbnail", "shrunk"]

_MOST_PIXELS: Final = 200 * 200
_UPPER_HALF: Final = "▀"


def add_thumbnail(builder: LinesBuilder, preview: object, width: int, state: RenderState) -> None:
    """Add a picture: `width` and `height` in pixels, and `rgb`, its rows as Base64. Nothing where it does not fit or is broken.

    Nothing, too, where the palette has no colours of its own: a picture in sixteen colours or none shows nothing.
    """
    pixels = _pixels(preview)
    if pixels is None or state.is_ascii or state.palette.text.color is None:
        return
    columns, rows, rgb = pixels
    if columns > width:
        return
    for top in range(0, rows, 2):
        segments: list[Segment] = []
        for column in range(columns):
            upper = _colour(rgb, top * columns + column)
            lower = _colour(rgb, (top + 1) * columns + column) if top + 1 < rows else None
            segments.append(Segment(_UPPER_HALF, Style(color=upper, bgcolor=lower)))
        builder.add(segments, gutter=columns)


def shrunk(preview: object, columns: int, rows: int) -> dict[str, Any] | None:
    """Return a picture with at most so many pixels across and down, every so-manieth one of it; None where it is broken."""
    pixels = _pixels(preview)
    if pixels is None:
        return None
    width, height, rgb = pixels
    step = max(1.0, width / columns, height / rows)
    across, down = max(1, int(width / step)), max(1, int(height / step))
    places = [3 * (int(y * step) * width + int(x * step)) for y in range(down) for x in range(across)]
    data = b"".join(rgb[place : place + 3] for place in places)
    return {"width": across, "height": down, "rgb": b64encode(data).decode("ascii")}


def _pixels(preview: object) -> tuple[int, int, bytes] | None:
    if not isinstance(preview, Mapping):
        return None
    fields: Mapping[str, Any] = preview
    columns, rows, encoded = fields.get("width"), fields.get("height"), fields.get("rgb")
    if not isinstance(columns, int) or not isinstance(rows, int) or not isinstance(encoded, str):
        return None
    if columns < 1 or rows < 1 or columns * rows > _MOST_PIXELS:
        return None
    try:
        rgb = b64decode(encoded)
    except ValueError:
        return None
    return (columns, rows, rgb) if len(rgb) == 3 * columns * rows else None


def _colour(rgb: bytes, pixel: int) -> Color:
    return Color.from_rgb(*rgb[3 * pixel : 3 * pixel + 3])
