"""The app's own colours, dark and light. Textual's others, the terminal's own palette among them, can be chosen too."""

from __future__ import annotations

import json
from typing import Final

from textual.app import App
from textual.theme import Theme

from tui_agent.settings.places import user_settings_file

__all__ = ["DARK", "LIGHT", "keep", "kept", "put_on"]

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
    error="#f0808c",
    success="#84c88f",
    variables={
        "border": "#4a6288",
        "border-blurred": "#2c343f",
        "scrollbar": "#2c343f",
        "scrollbar-background": "#101317",
        "foreground-muted": "#8d97a4",
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
    error="#b3263d",
    success="#23703a",
    variables={
        "border": "#8aa3c9",
        "border-blurred": "#cfcac1",
        "scrollbar": "#cfcac1",
        "scrollbar-background": "#fbfaf8",
        "foreground-muted": "#626a74",
    },
)


def put_on(app: App[object], name: str | None) -> None:
    """Give the app these themes, and the one called `name` to begin with; ours, dark, where there is none of that name.

    For an app that does not run yet.
    """
    app.register_theme(DARK)
    app.register_theme(LIGHT)
    # The dark one as what the app always had: a change of theme would parse all style sheets once more before the first frame.
    app.set_reactive(App.theme, DARK.name)
    app.stylesheet.set_variables(app.get_css_variables())
    if name is not None and name in app.available_themes:
        app.theme = name


def kept() -> str | None:
    """Return the theme that the person's own settings name. Read before the first frame, so as plain JSON."""
    try:
        settings = json.loads(user_settings_file().read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    name = settings.get("theme") if isinstance(settings, dict) else None
    return name if isinstance(name, str) else None


def keep(name: str) -> None:
    """Write the theme into the person's own settings.

    Raises:
        ValueError: the file is damaged, and stays as it is.
        OSError: it cannot be written.
    """
    from tui_agent.settings.change import change_file

    def change(settings: dict[str, object]) -> bool:
        is_new = settings.get("theme") != name
        settings["theme"] = name
        return is_new

    change_file(user_settings_file(), change)
