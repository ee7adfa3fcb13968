"""What reaches beyond the terminal: the clipboard and the browser. Both only ever at the person's wish."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tui_agent.ui.clipboard import clipboard_command, copy_by_program

if TYPE_CHECKING:
    from textual.app import App

__all__ = ["Outside"]


class Outside:
    """Copies and opens for an app. `say` gets a few words on what was done, to be shown for a moment."""

    def __init__(self, app: App[object], say: Callable[[str], None]) -> None:
        self._app = app
        self._say = say

    def copy(self, text: str) -> None:
        """Send text to the clipboard in every way there is."""
        self._app.copy_to_clipboard(text)
        self._app.run_worker(self._tell_program(text), group="clipboard", exclusive=True, exit_on_error=False)

    async def _tell_program(self, text: str) -> None:
        command = clipboard_command()
        is_taken = command is not None and await copy_by_program(text, command)
        lines = text.count("\n") + 1
        what = f"{lines} lines" if lines > 1 else f"{len(text)} characters"
        self._say(f"{what} {'copied' if is_taken else 'sent to the terminal to copy'}")

    def follow(self, address: str) -> None:
        """Show where a link leads; open it only if the person still wants to."""
        from tui_agent.ui.screens.link import LinkScreen

        def decided(is_wanted: bool | None) -> None:
            if is_wanted:
                self._app.open_url(address)

        self._app.push_screen(LinkScreen(address), decided)
