"""The user's own file of bindings, in their editor: made first where there is none, with every key as it is bound anyway."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from tui_agent.settings.keybindings.load import template
from tui_agent.ui.terminal.editor import EditorError, open_outside

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from textual.app import App

__all__ = ["edit_keybindings"]


class NotifyUser(Protocol):
    """Tells the user what went wrong, and what helps."""

    def __call__(self, text: str, hint: str = "") -> None:
        """Show it in the conversation."""


async def edit_keybindings(app: App[object], files: Sequence[Path], notify: NotifyUser) -> bool:
    """Open the last of the files, the user's own; whether it was saved."""
    if not files:
        notify("Key bindings are not available here.")
        return False
    file = files[-1]
    try:
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(template(), encoding="utf-8")
    except OSError as error:
        notify(f"{file} cannot be made: {error.strerror or error}")
        return False
    try:
        await open_outside(app, file)
    except EditorError as error:
        notify(str(error), f"The file is {file}.")
        return False
    return True
