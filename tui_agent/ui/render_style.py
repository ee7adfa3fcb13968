"""How views are to be drawn under the app's theme just now."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from tui_agent.viewkit.palette import palette_from_theme
from tui_agent.viewkit.view import Palette, RenderState

if TYPE_CHECKING:
    from textual.app import App

__all__ = ["muted", "render_state"]


def render_state(app: App[object]) -> RenderState:
    """Return the state for views outside the transcript; equal, and cheap to get, until the theme changes."""
    theme = app.current_theme
    return _state(
        theme.name, tuple(sorted(app.theme_variables.items())), theme.dark, app.native_ansi_color, app.no_color
    )


def muted(app: App[object]) -> str:
    """Return the style of words that step back; where the colours are the terminal's own, a paler one is not to be had."""
    return "dim" if app.native_ansi_color else "$foreground-muted"


@lru_cache(maxsize=8)
def _state(
    name: str, variables: tuple[tuple[str, str], ...], is_dark: bool, is_ansi: bool, is_monochrome: bool
) -> RenderState:
    palette: Palette = palette_from_theme(
        dict(variables), name=name, is_dark=is_dark, is_ansi=is_ansi, is_monochrome=is_monochrome
    )
    return RenderState(palette)
