"""Whether every word on a screen can be read: the contrast of each run of cells with its own ground, as it is painted."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from frames import screen_strips
from rich.style import Style
from textual.app import App
from textual.color import Color
from textual.geometry import Region
from textual.screen import ModalScreen
from textual.strip import Strip

from tui_agent.viewkit.palette import contrast

__all__ = ["LEAST", "faint_words"]

LEAST = 4.5  # what WCAG 2 asks of text


def faint_words(app: App[Any], least: float = LEAST, strips: list[Strip] | None = None) -> list[str]:
    """Return what is painted with less contrast than `least`, each with its place and colours.

    `strips` are the lines of the screen, where they have been drawn already.

    Lines, bars and blocks are no text. What lies behind a dialog is dimmed on purpose, so of a dialog's screen only the
    dialog counts. Colours that are the terminal's own cannot be judged.
    """
    regions = _text_regions(app)
    found: list[str] = []
    for y, strip in enumerate(screen_strips(app) if strips is None else strips):
        x = 0
        for text, style, _ in strip:
            word = text.strip()
            if style is not None and any(map(str.isalnum, word)) and any(region.contains(x, y) for region in regions):
                ratio = _ratio(style)
                if ratio is not None and ratio < least:
                    found.append(f"{word[:30]!r} at {x},{y}: {ratio:.2f} ({style})")
            x += len(text)
    return found


def _text_regions(app: App[Any]) -> list[Region]:
    screen = app.screen
    if not isinstance(screen, ModalScreen):
        return [screen.region]
    return [widget.region for widget in screen.children]


@lru_cache(maxsize=4096)
def _ratio(style: Style) -> float | None:
    front, back = style.color, style.bgcolor
    if front is None or back is None or front.triplet is None or back.triplet is None:
        return None
    text, ground = Color(*front.triplet), Color(*back.triplet)
    if style.reverse:
        text, ground = ground, text
    if style.dim:
        text = text.blend(ground, 0.5, 1.0)
    return contrast(text, ground)
