"""The app's own colours: dark and light, each also in blue and orange, and in the terminal's own sixteen.

Textual's themes can be chosen too. Other programs' names for the same things (`dark`, `light-ansi`, …) are understood, so that
a setting people have goes on working.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any, Final

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from textual.app import App
from textual.color import Color
from textual.theme import Theme

from tui_agent.regular_files import read_regular
from tui_agent.settings.standard_paths import claude_dir, user_settings_file

__all__ = [
    "BY_GROUND",
    "DARK",
    "LIGHT",
    "OWN",
    "SIXTEEN_ON_DARK",
    "SIXTEEN_ON_LIGHT",
    "apply_theme",
    "fitting",
    "is_motion_reduced",
    "keep",
    "kept",
    "resolve",
]  # fmt: skip

_MOST_BYTES: Final = 2 * 1024 * 1024  # of a settings file, as everywhere

DARK: Final = Theme(
    name="tui-agent-dark",
    dark=True,
    background="#101317",
    surface="#161a20",
    panel="#1d232b",
    foreground="#d8dee6",
    primary="#6ea8fe",
    secondary="#93a4bd",
    accent="#e5b567",
    warning="#e5b567",
    error="#f4877c",
    success="#6cc9ae",
    variables={
        "border": "#4a6288",
        "border-blurred": "#2c343f",
        "scrollbar": "#2c343f",
        "scrollbar-background": "#101317",
        "foreground-muted": "#8d97a4",
        "diff-added": "#14beaf",
        "diff-removed": "#f05a32",
    },
)
LIGHT: Final = Theme(
    name="tui-agent-light",
    dark=False,
    background="#fbfaf8",
    surface="#f4f2ee",
    panel="#e9e6e0",
    foreground="#22262b",
    primary="#2458a6",
    secondary="#5a6675",
    accent="#8a5200",
    warning="#8a5200",
    error="#b3301f",
    success="#0b6e66",
    variables={
        "border": "#8aa3c9",
        "border-blurred": "#cfcac1",
        "scrollbar": "#cfcac1",
        "scrollbar-background": "#fbfaf8",
        "foreground-muted": "#5f6771",
        "diff-added": "#00878c",
        "diff-removed": "#dc501e",
    },
)


def _rgb(*colours: str) -> list[tuple[int, int, int]]:
    return [Color.parse(colour).rgb for colour in colours]


def _in_blue_and_orange(theme: Theme, added: str, removed: str, success: str, error: str) -> Theme:
    """Return the theme for those who tell blue from orange best."""
    return Theme(
        name=f"{theme.name}-daltonized",
        dark=theme.dark,
        background=theme.background,
        surface=theme.surface,
        panel=theme.panel,
        foreground=theme.foreground,
        primary=theme.primary,
        secondary=theme.secondary,
        accent=theme.accent,
        warning=theme.warning,
        error=error,
        success=success,
        variables={**theme.variables, "diff-added": added, "diff-removed": removed},
    )


def _in_sixteen(name: str, *, is_dark: bool) -> Theme:
    """Return a theme of the terminal's own colours. Its palest grey is for lines only: in some terminals it is the ground."""
    quiet = "ansi_bright_black" if is_dark else "ansi_white"
    mark = "ansi_yellow" if is_dark else "ansi_magenta"
    return Theme(
        name=name,
        ansi=True,
        dark=is_dark,
        primary="ansi_blue",
        secondary="ansi_cyan",
        accent=mark,
        warning=mark,
        error="ansi_red",
        success="ansi_green",
        foreground="ansi_default",
        background="ansi_default",
        surface="ansi_default",
        panel="ansi_default",
        boost="ansi_default",
        variables={
            "ansi-background": "ansi_black" if is_dark else "ansi_white",
            "ansi-foreground": "ansi_white" if is_dark else "ansi_black",
            "border": "ansi_blue",
            "border-blurred": quiet,
            "block-cursor-foreground": "ansi_black" if is_dark else "ansi_bright_white",
            "block-cursor-background": "ansi_white" if is_dark else "ansi_blue",
            "input-cursor-background": "ansi_white" if is_dark else "ansi_black",
            "input-cursor-foreground": "ansi_black" if is_dark else "ansi_bright_white",
            "input-selection-background": "ansi_blue" if is_dark else "ansi_cyan",
            "input-selection-foreground": "ansi_bright_white" if is_dark else "ansi_black",
            "screen-selection-background": "ansi_blue" if is_dark else "ansi_cyan",
            "screen-selection-foreground": "ansi_bright_white" if is_dark else "ansi_black",
            "scrollbar": quiet,
            "scrollbar-background": "ansi_default",
            "foreground-muted": "ansi_default",
        },
    )


OWN: Final = (
    DARK,
    LIGHT,
    _in_blue_and_orange(DARK, "#3c8cff", "#ff9628", "#7db4ff", "#ffab5c"),
    _in_blue_and_orange(LIGHT, "#1464e6", "#dc6e00", "#1a4fa3", "#944400"),
    _in_sixteen("tui-agent-dark-ansi", is_dark=True),
    _in_sixteen("tui-agent-light-ansi", is_dark=False),
)


BY_GROUND: Final = ("auto", "auto-ansi")
"""The themes that are light or dark as the terminal is."""

# The sixteen colours that programs print in, on our grounds: each but the ground's own can be read there.
SIXTEEN_ON_DARK: Final = TerminalTheme(
    (16, 19, 23),
    (216, 222, 230),
    _rgb("#1d232b", "#f4877c", "#8fce7a", "#e5b567", "#7db0ff", "#d09af0", "#62c9d6", "#c3cad3"),
    _rgb("#8d97a4", "#ff9d92", "#a9e08f", "#f5cf7e", "#9cc4ff", "#e0b3fb", "#86e0ea", "#f4f6f9"),
)
SIXTEEN_ON_LIGHT: Final = TerminalTheme(
    (251, 250, 248),
    (34, 38, 43),
    _rgb("#22262b", "#b3301f", "#2c6b12", "#7d5300", "#2458a6", "#7a2fb5", "#00697a", "#5f6771"),
    _rgb("#454c55", "#a32313", "#245c0c", "#6b4600", "#0550ae", "#6a249f", "#005a69", "#e9e6e0"),
)


def resolve(name: str, *, is_light: bool | None = None, environ: Mapping[str, str] | None = None) -> str:
    """Return the full name of a theme. Those that go by the terminal's ground do so by `COLORFGBG` until that is told."""
    if name in BY_GROUND:
        if is_light is None:
            ground = (os.environ if environ is None else environ).get("COLORFGBG", "").rpartition(";")[2]
            is_light = ground in {"7", "15"}
        return (LIGHT if is_light else DARK).name + name.removeprefix("auto")
    own = f"tui-agent-{name}"
    return own if any(theme.name == own for theme in OWN) else name


def apply_theme(app: App[object], name: str | None) -> None:
    """Give the app these themes, and the one called `name` to begin with; ours, dark, where there is none of that name.

    For an app that does not run yet.
    """
    for theme in OWN:
        app.register_theme(theme)
    # The dark one as what the app always had: a change of theme would parse all style sheets once more before the first frame.
    app.set_reactive(App.theme, DARK.name)
    app.stylesheet.set_variables(app.get_css_variables())
    if name is not None and (full := resolve(name)) in app.available_themes and full != DARK.name:
        app.theme = full


def kept() -> str | None:
    """Return the theme that the user's own settings name, ours or Claude Code's. Read at the start, so as plain JSON."""
    return next((name for settings in _own_settings() if isinstance(name := settings.get("theme"), str)), None)


def is_motion_reduced() -> bool:
    """Whether the user's own settings say that nothing is to turn. Read as `kept` is."""
    said = (settings.get("prefersReducedMotion") for settings in _own_settings())
    return next((value for value in said if isinstance(value, bool)), False)


def _own_settings() -> Iterator[dict[str, Any]]:
    """Yield what the user's own files say, the strongest first."""
    for file in (user_settings_file(), claude_dir() / "settings.json"):
        try:
            settings = json.loads(read_regular(file, _MOST_BYTES, follow_links=True))
        except (OSError, ValueError, RecursionError):
            continue
        if isinstance(settings, dict):
            yield settings


def fitting(name: str | None) -> str | None:
    """Return the theme to be put on where `name` is kept: if none was chosen, light or dark as the terminal's ground is.

    Where there are no more than sixteen colours, it is one of these.
    """
    if name not in (None, "auto"):
        return name
    return "auto-ansi" if Console(force_terminal=True).color_system == "standard" else "auto"


def keep(name: str) -> None:
    """Write the theme into the user's own settings.

    Raises:
        ValueError: the file is damaged, and stays as it is.
        OSError: it cannot be written.
    """
    from tui_agent.settings.change import keep_own

    keep_own("theme", name)
