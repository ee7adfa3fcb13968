"""Which keys the prompt has, kept in the user's own settings."""

from __future__ import annotations

from typing import Literal

__all__ = ["keep"]


def keep(mode: Literal["normal", "vim"]) -> None:
    """Write the mode into the user's own settings.

    Raises:
        ValueError: the file is damaged, and stays as it is.
        OSError: it cannot be written.
    """
    from tui_agent.settings.change import keep_own

    keep_own("editorMode", mode)
