"""How a session gets to others, and to another server: what the program's start knows how to do."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from tui_agent.boundary import Engine
    from tui_agent.commands import SignIn
    from tui_agent.queries import SessionState

__all__ = ["Entrance"]


class Entrance(Protocol):
    """How the session gets to others, and to other servers. Each returns None where the user chose not to go on."""

    async def resume(self, session_id: str, cwd: Path) -> Engine | None:
        """Open a recorded session."""
        ...

    async def renew(self, state: SessionState, limit_usd: float | None) -> Engine | None:
        """Open a new session as one stands, with its spending limit."""
        ...

    async def sign_in(self) -> SignIn | None:
        """Ask for a key or a server."""
        ...

    async def sign_out(self) -> str:
        """Forget the key that was kept, and say what came of it."""
        ...
