"""How the app comes by its engine: what makes it, and what may be asked of the user before there is one.

Nothing here imports the engine, so that the first frame need not wait for it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

if TYPE_CHECKING:
    from pathlib import Path

    from textual.screen import Screen

    from tui_agent.boundary import Engine
    from tui_agent.commands import SignIn
    from tui_agent.events import Event
    from tui_agent.queries import SessionState

__all__ = ["Access", "Connect", "Reconnect", "Renew", "StartupPrompter"]

T = TypeVar("T")


class StartupPrompter(Protocol):
    """What may be asked of the user before there is a session: a key, whether a folder is trusted."""

    async def ask(self, screen: Screen[T]) -> T | None:
        """Show a screen and return what it is dismissed with."""
        ...

    def notify_later(self, text: str, *, level: Literal["info", "warning"]) -> None:
        """Say something in the conversation, when there is one."""
        ...

    def preview(self, ending: Iterable[Event]) -> None:
        """Show how the conversation ends that is going to be taken up; what the session publishes takes its place."""
        ...


class Access(Protocol):
    """Where the user gives a key or a server within a session."""

    async def sign_in(self, prompter: StartupPrompter, problem: str = "") -> tuple[SignIn | None, str]:
        """Ask for it, and return the command that takes it, with what else there is to say."""
        ...

    async def sign_out(self) -> str:
        """Forget what was kept, and say what came of it."""
        ...


Connect = Callable[[StartupPrompter], Awaitable["Engine | None"]]
"""Makes the session, heavy imports included, after the first frame; None when the user chose to leave."""

Reconnect = Callable[[StartupPrompter, str, "Path"], Awaitable["Engine | None"]]
"""Makes the session with this id, recorded in this folder, to go on with; None when the user chose not to."""

Renew = Callable[[StartupPrompter, "SessionState", "float | None"], Awaitable["Engine | None"]]
"""Makes a new session as another one stands, in its folder and with its spending limit; None when the user chose to leave."""
