"""From one session to another in the running app. What cannot be opened leaves the session that is open as it was."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from tui_agent.commands import Close, Interrupt
from tui_agent.queries import IdleQuery
from tui_agent.ui.engine import StartupPrompter

if TYPE_CHECKING:
    from tui_agent.boundary import Engine
    from tui_agent.drafts import Draft
    from tui_agent.ui.engine import Reconnect
    from tui_agent.ui.notice_level import Level

__all__ = ["SwitchingApp", "switch"]


class SwitchingApp(StartupPrompter, Protocol):
    """As much of an app as is needed to go from one session to another."""

    @property
    def engine(self) -> Engine | None:
        """The engine of the session that is shown."""
        ...

    @property
    def is_busy(self) -> bool:
        """Whether a turn is running."""
        ...

    def notify_user(self, text: str, hint: str = "", *, level: Level = "warning") -> None:
        """Tell the user something."""
        ...

    def give_back(self, *messages: Draft) -> None:
        """Put messages that were not sent into the prompt."""
        ...

    def change_to(self, engine: Engine) -> None:
        """Show another session in the place of this one."""
        ...


async def switch(app: SwitchingApp, reconnect: Reconnect | None, session_id: str, cwd: Path) -> None:
    """Open the recorded session, close the one that is open, and show the new one. Call from a worker.

    Where a turn runs, the user is asked first, and it is interrupted before anything else: two sessions never work at once.
    """
    if reconnect is None:
        app.notify_user("Sessions cannot be resumed here.")
        return
    before = app.engine
    if before is not None and app.is_busy:
        from tui_agent.ui.dialogs.confirm import Confirm

        about = "The running turn will be interrupted. Resume it later with /resume."
        if not await app.ask(Confirm("A turn is running", about, yes="Interrupt and switch", no="Stay here")):
            return
        reply = await before.send(Interrupt())
        if reply.ok is not None and reply.ok.unsent is not None:
            app.give_back(reply.ok.unsent)
        await before.query(IdleQuery())
    try:
        engine = await reconnect(app, session_id, cwd)
    except Exception as error:  # noqa: BLE001 - whatever it is, the user is told, in the session that still is there
        app.notify_user(f"The session cannot be resumed: {error}", level="error")
        return
    if engine is None:
        return
    if before is not None:
        await before.send(Close())
    app.change_to(engine)
