"""The first run, without a key: three ways on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import ClassVar
from urllib.parse import urlsplit

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.reactive import var
from textual.widgets import Input, Static

from tui_agent.ui.dialogs.dialog import Dialog
from tui_agent.ui.dialogs.dialog_box import DialogBox
from tui_agent.ui.local_servers import find_servers
from tui_agent.ui.transcript.clickable import clickable
from tui_agent.ui.widgets.field import Field
from tui_agent.ui.widgets.key_line import KeyLine

__all__ = ["UseDemo", "UseEndpoint", "UseKey", "WelcomeChoice", "WelcomeScreen"]


@dataclass(frozen=True, slots=True)
class UseKey:
    """Use this key; `keep` puts it into the system's keyring, else it is forgotten when the program ends."""

    key: str
    keep: bool

    def __repr__(self) -> str:
        return f"UseKey(key='…', keep={self.keep})"  # reprs end up in logs


@dataclass(frozen=True, slots=True)
class UseEndpoint:
    """Use the server at this address, with no key."""

    url: str


@dataclass(frozen=True, slots=True)
class UseDemo:
    """Use the server that comes with the program, in a scratch project."""


WelcomeChoice = UseKey | UseEndpoint | UseDemo


class WelcomeScreen(Dialog[WelcomeChoice | None]):
    """Dismissed with the way on, or with None when the user leaves. `find` gives the addresses of local servers."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,shift+tab", "move(-1)", "Up", show=False),
        Binding("down,tab", "move(1)", "Down", show=False),
        Binding("f2", "keep", "Keep the key or not"),
        Binding("enter", "take", "Go on"),
        Binding("escape", "leave", "Leave"),
    ]

    keep: var[bool] = var(True, init=False)

    def __init__(
        self, *, problem: str = "", can_keep: bool = True, find: Callable[[], Awaitable[list[str]]] = find_servers
    ) -> None:
        super().__init__()
        self._problem = problem
        self._can_keep = can_keep
        self.set_reactive(WelcomeScreen.keep, can_keep)
        self._find = find

    def compose(self) -> ComposeResult:
        with DialogBox():
            yield Static("A coding agent for the terminal. It needs a model to talk to.", classes="lead", markup=False)
            if self._problem:
                yield Static(self._problem, classes="warning", markup=False)
            yield Static("1  An Anthropic key", classes="way", markup=False)
            yield Field(id="key", placeholder="sk-ant-…", password=True)
            yield Static(id="keep")
            yield Static("2  A server that speaks the Messages API", classes="way", markup=False)
            yield Field(id="endpoint", placeholder="http://127.0.0.1:4000")
            yield Static("looking for servers on this machine…", id="found", markup=False)
            yield Static("3  The demo: no key, no network", classes="way", markup=False)
            yield Demo("Start the demo", id="demo", markup=False)
            yield Static(id="wrong", classes="warning", markup=False)
            yield KeyLine("↑↓ choose · enter continue · esc quit")

    def on_mount(self) -> None:
        self.query_one("#dialog").border_title = Content("Welcome to tui-agent")
        self.query_one("#wrong").display = False
        self.set_focus(self.query_one("#key"))
        self.watch_keep()
        self._find_servers()

    @work(exit_on_error=False)
    async def _find_servers(self) -> None:
        found = await self._find()
        row = self.query_one("#found", Static)
        if not found:
            row.update("none found on this machine")
            return
        links = (clickable(Content.styled(url, "underline"), "screen.fill", url) for url in found)
        row.update(Content.assemble("found: ", Content("  ").join(links)))
        endpoint = self.query_one("#endpoint", Field)
        if not endpoint.value:
            endpoint.placeholder = found[0]
            endpoint.value = found[0]

    def watch_keep(self) -> None:
        box = self.query_one("#keep", Static)
        if not self._can_keep:
            box.update(Content("kept for this run only: this system has no keyring"))
            return
        words = "kept in the system keyring" if self.keep else "kept for this run only"
        box.update(clickable(f"{words} · F2 changes that", "screen.keep"))

    def action_keep(self) -> None:
        if self._can_keep:
            self.keep = not self.keep

    def action_fill(self, url: str) -> None:
        self.query_one("#endpoint", Field).value = url
        self.set_focus(self.query_one("#endpoint"))

    def action_move(self, step: int) -> None:
        stops = [self.query_one(selector) for selector in ("#key", "#endpoint", "#demo")]
        focused = self.focused
        at = stops.index(focused) if focused in stops else 0
        self.set_focus(stops[(at + step) % len(stops)])  # at once: the next key may be waiting already

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_take()

    def action_take(self) -> None:
        """Go on the way that has the focus, if what it needs is there."""
        match self.focused.id if self.focused is not None else None:
            case "key":
                key = self.query_one("#key", Field).value.strip()
                if not key or any(character.isspace() for character in key):
                    self._refuse("A key has no spaces; this one is empty or has some.")
                elif not (key.isascii() and key.isprintable()):
                    self._refuse("A key has only ASCII letters, digits and punctuation; this one has others.")
                else:
                    self.dismiss(UseKey(key, self.keep and self._can_keep))
            case "endpoint":
                url = self.query_one("#endpoint", Field).value.strip().rstrip("/")
                if _is_address(url):
                    self.dismiss(UseEndpoint(url))
                else:
                    self._refuse("An address begins with http:// or https:// and names a host.")
            case "demo":
                self.dismiss(UseDemo())

    def _refuse(self, words: str) -> None:
        wrong = self.query_one("#wrong", Static)
        wrong.update(words)
        wrong.display = True

    def action_leave(self) -> None:
        self.dismiss(None)


class Demo(Static, can_focus=True):
    """The row that starts the demo."""

    ALLOW_SELECT = False

    def on_click(self) -> None:
        if isinstance(self.screen, WelcomeScreen):
            self.screen.set_focus(self)
            self.screen.action_take()


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)
