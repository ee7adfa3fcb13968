"""From one session to another in the running app, recorded or new. What cannot be opened leaves the open one as it was."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from tui_agent.commands import Clear, Close, Interrupt
from tui_agent.queries import IdleQuery
from tui_agent.renewal import settle
from tui_agent.ui.engine import StartupPrompter

if TYPE_CHECKING:
    from tui_agent.boundary import Engine
    from tui_agent.drafts import Draft
    from tui_agent.ui.engine import Reconnect, Renew
    from tui_agent.ui.notice_level import Level

__all__ = ["SwitchingApp", "begin_anew", "switch"]


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

    @property
    def job_count(self) -> int:
        """How many commands run in the background."""
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

        about = "This interrupts the running turn. /resume brings this session back."
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


async def begin_anew(app: SwitchingApp, renew: Renew | None, title: str) -> None:
    """Close the session that is open, which keeps all its words and gets this title, and show a new one in the same folder.

    A running turn is ended first, and what waited to be sent goes back into the prompt. Where no session can be made (a
    replay), the conversation starts afresh within this one. Call from a worker.
    """
    before = app.engine
    if before is None:
        return
    if renew is None:
        before.send(Clear())
        return
    if app.job_count and not await _may_stop_jobs(app):
        return
    settled = await settle(before, title)
    app.give_back(*settled.unsent)
    if settled.problem:
        app.notify_user(f"The session keeps its name: {settled.problem}")
    try:
        engine = await renew(app, settled.state, settled.limit_usd)
    except Exception as error:  # noqa: BLE001 - whatever it is, the user is told, in the session that still is there
        app.notify_user(f"A new session cannot start: {error}", level="error")
        return
    if engine is None:
        return
    await before.send(Close("clear"))
    app.change_to(engine)


async def _may_stop_jobs(app: SwitchingApp) -> bool:
    from tui_agent.ui.dialogs.confirm import Confirm

    jobs = "A background job runs" if app.job_count == 1 else f"{app.job_count} background jobs run"
    about = "A new session begins; what runs in the background of this one will be stopped."
    is_wanted: bool | None = await app.ask(Confirm(jobs, about, yes="Stop and begin", no="Stay here"))
    return is_wanted is True
