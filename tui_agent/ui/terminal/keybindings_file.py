"""The user's own file of bindings, in their editor: made first where there is none, with every key as it is bound anyway."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui_agent.settings.keybindings.load import template
from tui_agent.ui.terminal.editor import EditorError, open_outside

if TYPE_CHECKING:
    from tui_agent.ui.app import TuiAgentApp

__all__ = ["edit_keybindings"]


async def edit_keybindings(app: TuiAgentApp) -> None:
    """Open the file, and take in what was saved."""
    files = app.keyboard.rebinding.files
    if not files:
        app.tell("Keys cannot be bound here.")
        return
    file = files[-1]
    try:
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(template(), encoding="utf-8")
    except OSError as error:
        app.tell(f"{file} cannot be made: {error.strerror or error}")
        return
    try:
        await open_outside(app, file)
    except EditorError as error:
        app.tell(str(error), f"The file is {file}.")
        return
    app.look_at_keys()
