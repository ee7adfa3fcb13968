"""What reaches beyond the terminal: the clipboard and the browser. Both only ever at the user's wish."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tui_agent.clipboard_program import clipboard_command, copy_by_program
from tui_agent.ui.terminal.clipboard import copied_words, passed_through
from tui_agent.ui.textual_patches.app import write_to_terminal

if TYPE_CHECKING:
    from textual.app import App

__all__ = ["SystemOpen"]


class SystemOpen:
    """Copies and opens for an app. `notify` gets a few words on what was done, to be shown for a moment."""

    def __init__(self, app: App[object], notify: Callable[[str], None]) -> None:
        self._app = app
        self._notify = notify

    def copy(self, text: str, what: str = "") -> None:
        """Send text to the clipboard in every way there is. `what` names it: `Markdown`."""
        self._app.copy_to_clipboard(text)
        wrapped = passed_through(text)
        if wrapped:
            write_to_terminal(self._app, wrapped)
        self._app.run_worker(self._tell_program(text, what), group="clipboard", exclusive=True, exit_on_error=False)

    async def _tell_program(self, text: str, what: str) -> None:
        command = clipboard_command()
        is_taken = command is not None and await copy_by_program(text, command)
        self._notify(copied_words(text, what, is_taken=is_taken))

    def follow(self, *addresses: str) -> None:
        """Show where links lead, one after the other; open one only if the user still wants to."""
        from tui_agent.ui.screens.link import LinkScreen

        def decided(address: str | None) -> None:
            if address:
                self._app.open_url(address)

        self._app.push_screen(LinkScreen(*addresses, copy=self.copy), decided)
