"""Before a link opens: where it really leads, in full."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar
from urllib.parse import urlsplit

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from tui_agent.text import reveal
from tui_agent.ui.dialogs.dialog import Dialog
from tui_agent.ui.dialogs.dialog_box import DialogBox
from tui_agent.ui.widgets.key_line import KeyLine

__all__ = ["LinkScreen", "can_open"]


def can_open(address: str) -> bool:
    """Whether this is an address that may be handed to a browser: a web page or a mail address, nothing else."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return (parts.scheme in ("http", "https") and bool(parts.hostname)) or (
        parts.scheme == "mailto" and bool(parts.path)
    )


class LinkScreen(Dialog[str | None]):
    """Shows the addresses that a model or a tool wrote, one at a time. Dismissed with the one to open, or None.

    `copy` puts one into the clipboard and tells the user.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "Open"),
        Binding("c", "copy", "Copy"),
        Binding("down,right,n", "other(1)", "Next link"),
        Binding("up,left,p", "other(-1)", "Previous link"),
        Binding("escape,q", "leave", "Leave"),
    ]

    def __init__(self, *addresses: str, copy: Callable[[str], None] | None = None) -> None:
        super().__init__()
        self._addresses = addresses
        self._copy = copy
        self._number = 0

    @property
    def _address(self) -> str:
        return self._addresses[self._number]

    def compose(self) -> ComposeResult:
        with DialogBox():
            with VerticalScroll(id="address", can_focus=False):
                yield Static(id="link", markup=False)
            yield Static(
                "Not a web or mail address: it can be copied, not opened.",
                id="no-link",
                classes="warning",
                markup=False,
            )
            yield KeyLine()

    def on_mount(self) -> None:
        self._show()

    def _show(self) -> None:
        count = len(self._addresses)
        which = f" · {self._number + 1} of {count}" if count > 1 else ""
        self.query_one("#dialog").border_title = Content(f"This link leads to{which}")
        self.query_one("#link", Static).update(_marked(self._address))
        is_open = can_open(self._address)
        self.query_one("#no-link").display = not is_open
        others = "↑↓ others · " if count > 1 else ""
        self.query_one("#keys", Static).update(f"{'enter open · ' if is_open else ''}{others}c copy · esc leave")

    def action_other(self, direction: int) -> None:
        self._number = (self._number + direction) % len(self._addresses)
        self._show()

    def action_open(self) -> None:
        if can_open(self._address):
            self.dismiss(self._address)

    def action_copy(self) -> None:
        (self._copy or self.app.copy_to_clipboard)(self._address)
        self.dismiss(None)

    def action_leave(self) -> None:
        self.dismiss(None)


def _marked(address: str) -> Content:
    """Return the address with its host marked, which is what decides; nothing odd is hidden."""
    try:
        host = urlsplit(address).netloc
    except ValueError:
        host = ""
    before, found, after = address.partition(host) if host else (address, "", "")
    return Content.assemble(reveal(before), (reveal(found), "bold $text-primary"), reveal(after))
