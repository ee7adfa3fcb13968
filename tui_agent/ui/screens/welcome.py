"""The first run, without a key: three ways on. And signing in later, when a key is refused or by `/login`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import ClassVar, Final
from urllib.parse import urlsplit

from textual import events, on, work
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

__all__ = ["Refusal", "UseDemo", "UseEndpoint", "UseKey", "WelcomeChoice", "WelcomeScreen"]


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


@dataclass(frozen=True, slots=True)
class Refusal:
    """What is wrong with a key or an address; no words: nothing. One that is not final may be because of the network."""

    words: str = ""
    is_final: bool = False


_LEAD: Final = "A coding agent for the terminal. It needs a model to talk to."


class WelcomeScreen(Dialog[WelcomeChoice | None]):
    """Dismissed with the way on, or with None when the user leaves. `find` gives the addresses of local servers.

    `check` tries a key or an address, and says what is wrong with it; what is entered a second time is taken all the same where
    it was not refused. Within a session (`is_within`) there is no demo to go to, and leaving goes back there.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,shift+tab", "move(-1)", "Up", show=False),
        Binding("down,tab", "move(1)", "Down", show=False),
        Binding("1", "way('key')", "Enter a key", show=False),
        Binding("2", "way('endpoint')", "Enter a server", show=False),
        Binding("3", "way('demo')", "Start the demo", show=False),
        Binding("f2", "keep", "Keep the key or not"),
        Binding("enter", "take", "Go on"),
        Binding("escape", "leave", "Leave"),
    ]

    keep: var[bool] = var(True, init=False)

    def __init__(
        self,
        *,
        problem: str = "",
        can_keep: bool = True,
        is_within: bool = False,
        check: Callable[[UseKey | UseEndpoint], Awaitable[Refusal]] | None = None,
        find: Callable[[], Awaitable[list[str]]] = find_servers,
    ) -> None:
        super().__init__()
        self._problem = problem
        self._can_keep = can_keep
        self.set_reactive(WelcomeScreen.keep, can_keep)
        self._find = find
        self._is_within = is_within
        self._check = check
        self._unsure: WelcomeChoice | None = None  # what could not be checked, and may be used all the same
        self._found = ""  # the address that was filled in

    def compose(self) -> ComposeResult:
        with DialogBox():
            lead = "The session goes on with another key or server." if self._is_within else _LEAD
            yield Static(lead, classes="lead", markup=False)
            if self._problem:
                yield Static(self._problem, classes="warning", markup=False)
            yield Static("1  An Anthropic key", classes="way", markup=False)
            yield _WayField(id="key", placeholder="sk-ant-…", password=True)
            yield Static(id="keep")
            yield Static("2  A server that speaks the Messages API", classes="way", markup=False)
            yield _WayField(id="endpoint", placeholder="http://127.0.0.1:4000")
            yield Static("looking for servers on this machine…", id="found", markup=False)
            if not self._is_within:
                yield Static("3  The demo: no key, no network", classes="way", markup=False)
                yield Demo("Start the demo", id="demo", markup=False)
            yield Static(id="wrong", classes="warning", markup=False)
            yield KeyLine(f"↑↓ choose · enter continue · esc {'back' if self._is_within else 'quit'}")

    def on_mount(self) -> None:
        self.query_one("#dialog").border_title = Content("Sign in" if self._is_within else "Welcome to tui-agent")
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
            endpoint.value = self._found = found[0]

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
        stops = [*self.query("#key, #endpoint, #demo")]
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
                    self._take(UseKey(key, self.keep and self._can_keep))
            case "endpoint":
                url = self.query_one("#endpoint", Field).value.strip().rstrip("/")
                if _is_address(url):
                    self._take(UseEndpoint(url))
                else:
                    self._refuse("An address begins with http:// or https:// and names a host.")
            case "demo":
                self.dismiss(UseDemo())

    def is_digit_free(self, field: Field) -> bool:
        """Whether a digit chooses a way: it cannot be the beginning of what is to be written."""
        return field.value in ("", self._found)

    def action_way(self, name: str) -> None:
        """Go to a way on; the demo starts at once."""
        if name == "demo" and self._is_within:
            return
        self.set_focus(self.query_one(f"#{name}"))
        if name == "demo":
            self.action_take()

    @work(exit_on_error=False, exclusive=True, group="checking")
    async def _take(self, choice: UseKey | UseEndpoint) -> None:
        """Leave with a way on that works, or say what is wrong with it."""
        if self._check is not None and choice != self._unsure:
            self._refuse("checking…")
            refusal = await self._check(choice)
            if refusal.words:
                self._unsure = None if refusal.is_final else choice
                self._refuse(
                    refusal.words if refusal.is_final else f"{refusal.words} Enter again uses it all the same."
                )
                return
        self.dismiss(choice)

    def _refuse(self, words: str) -> None:
        wrong = self.query_one("#wrong", Static)
        wrong.update(words)
        wrong.display = True

    def action_leave(self) -> None:
        self.dismiss(None)


class _WayField(Field):
    """A field in which a digit chooses another way, as long as nothing is written there."""

    _WAYS: ClassVar = {"1": "key", "2": "endpoint", "3": "demo"}

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Whether a key is written: a digit that chooses a way is not."""
        is_way = key in self._WAYS and isinstance(self.screen, WelcomeScreen) and self.screen.is_digit_free(self)
        return not is_way and super().check_consume_key(key, character)

    def on_key(self, event: events.Key) -> None:
        if event.is_printable and not self.check_consume_key(event.key, event.character):
            event.stop()
            event.prevent_default()
            self.screen.action_way(self._WAYS[event.key])  # type: ignore[attr-defined]


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
