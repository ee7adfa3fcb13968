"""Which keys the prompt has, kept in the person's own settings."""

from __future__ import annotations

from typing import Literal

__all__ = ["keep"]


def keep(mode: Literal["normal", "vim"]) -> None:
    """Write the mode into the person's own settings.

    Raises:
        ValueError: the file is damaged, and stays as it is.
        OSError: it cannot be written.
    """
    from tui_agent.settings.change import change_file
    from tui_agent.settings.places import user_settings_file

    def change(settings: dict[str, object]) -> bool:
        is_new = settings.get("editorMode", "normal") != mode
        settings["editorMode"] = mode
        return is_new

    change_file(user_settings_file(), change)
