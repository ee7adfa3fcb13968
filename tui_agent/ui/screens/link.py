"""Before a link opens: where it really leads, in full."""

from __future__ import annotations

from typing import ClassVar
from urllib.parse import urlsplit

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from tui_agent.text import reveal
from tui_agent.ui.screens.dialog import Dialog

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


class LinkScreen(Dialog[bool]):
    """Shows an address that a model or a tool wrote. Dismissed with whether it is to be opened."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "Open"),
        Binding("c", "copy", "Copy"),
        Binding("escape,q", "leave", "Leave"),
    ]

    def __init__(self, address: str) -> None:
        super().__init__()
        self._address = address

    def compose(self) -> ComposeResult:
        is_open = can_open(self._address)
        with Vertical(id="dialog"):
            with VerticalScroll(id="address", can_focus=False):
                yield Static(_marked(self._address))
            if not is_open:
                yield Static(
                    "Not a web or mail address: it can be copied, not opened.", classes="warning", markup=False
                )
            yield Static(("enter open · " if is_open else "") + "c copy · esc leave", id="keys", markup=False)

    def on_mount(self) -> None:
        self.query_one("#dialog").border_title = Content("This link leads to")

    def action_open(self) -> None:
        if can_open(self._address):
            self.dismiss(True)

    def action_copy(self) -> None:
        self.app.copy_to_clipboard(self._address)
        self.dismiss(False)

    def action_leave(self) -> None:
        self.dismiss(False)


def _marked(address: str) -> Content:
    """Return the address with its host marked, which is what decides; nothing odd is hidden."""
    try:
        host = urlsplit(address).netloc
    except ValueError:
        host = ""
    before, found, after = address.partition(host) if host else (address, "", "")
    return Content.assemble(reveal(before), (reveal(found), "bold $text-primary"), reveal(after))
