"""The session as commands see it: what they may use of it, without knowing how it runs."""

from __future__ import annotations

from collections.abc import Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from tui_agent.boundary import Engine
    from tui_agent.linear.asker import Asker
    from tui_agent.linear.reporter import Reporter

__all__ = ["Front"]


class Front(Protocol):
    """A session at the prompt."""

    engine: Engine
    reporter: Reporter
    asker: Asker
    session_id: str

    def start_dialog(self, work: Coroutine[Any, Any, None]) -> None:
        """Let something have what is typed until it is done."""
        ...

    def leave(self, code: int) -> None:
        """End the session in order, and the program with this code."""
        ...

    async def begin_anew(self, title: str) -> None:
        """End this session, which gets this title and can be resumed, and begin a new one in the same folder."""
        ...

    async def sign_in(self) -> None:
        """Take another key, or another server."""
        ...

    async def sign_out(self) -> None:
        """Remove the key from the system's keyring."""
        ...

    async def switch(self, session_id: str, cwd: Path) -> None:
        """Go on with a recorded session in the place of this one."""
        ...
