"""A folder seen for the first time: what it asks for that does not count until a person trusts it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from tui_agent.text import reveal
from tui_agent.ui.clickable import clickable
from tui_agent.ui.screens.dialog import Dialog
from tui_agent.ui.screens.guard import Guard

__all__ = ["TrustScreen"]


class TrustScreen(Dialog[bool]):
    """Dismissed with whether the folder is trusted. Without trust the session goes on, and `held_back` stays without effect.

    `held_back` are the settings in question, a line each, as written in the folder's files.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("1,y", "choose(True)", "Trust"),
        Binding("2,n,escape", "choose(False)", "Go on without"),
        Binding("up,down", "move", "Other answer", show=False),
        Binding("enter", "take", "Take", show=False),
    ]

    def __init__(self, folder: str, held_back: Sequence[str], *, guard: Guard | None = None) -> None:
        super().__init__()
        self._folder = folder
        self._held_back = tuple(held_back)
        self._guard = guard or Guard()
        self._is_trusting = False  # what Enter takes: the safe answer, until the person moves

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog"):
            yield Static(Content.assemble((reveal(self._folder), "bold")), id="folder")
            if self._held_back:
                yield Static("Its own settings want this. None of it counts until you trust the folder:", markup=False)
                with VerticalScroll(id="held", can_focus=False):
                    yield Static(Content("\n").join(Content(f"• {reveal(line)}") for line in self._held_back))
            yield Static("Rules that forbid or ask count either way.", classes="muted", markup=False)
            yield Static(id="yes", classes="choice")
            yield Static(id="no", classes="choice")
            yield Static("↑↓ or digits choose · enter · esc go on without", id="keys", markup=False)

    def on_mount(self) -> None:
        self.query_one("#dialog").border_title = Content("Do you trust this folder?")
        self._show()
        self.call_after_refresh(self._guard.restart)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return self._guard.is_open and super().check_action(action, parameters)

    def _show(self) -> None:
        rows = (("#yes", "1  Yes, I trust it", True), ("#no", "2  No, go on without its settings", False))
        for selector, words, is_yes in rows:
            row = self.query_one(selector, Static)
            is_chosen = is_yes == self._is_trusting
            row.set_class(is_chosen, "-chosen")
            row.update(clickable(("❯ " if is_chosen else "  ") + words, "screen.choose", is_yes))

    def action_move(self) -> None:
        self._is_trusting = not self._is_trusting
        self._show()

    def action_take(self) -> None:
        self.dismiss(self._is_trusting)

    def action_choose(self, is_trusted: bool) -> None:
        self.dismiss(is_trusted)
