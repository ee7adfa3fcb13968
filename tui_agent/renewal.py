"""`/clear`, for every front end: a session is brought to rest before a new one takes its place. It keeps all its words.

A front end calls `settle`, opens the next session (`engine.opening.options_after_clear` says with which options), and then
closes this one with `Close("clear")`. Where the next cannot be opened, this one goes on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tui_agent.commands import Interrupt, RenameSession, TakeBack
from tui_agent.queries import CostQuery, IdleQuery, StateQuery

if TYPE_CHECKING:
    from tui_agent.boundary import Engine
    from tui_agent.drafts import Draft
    from tui_agent.queries import SessionState

__all__ = ["Settled", "settle"]


@dataclass(frozen=True, slots=True)
class Settled:
    """A session in which nothing runs any more, and how it stands.

    `unsent` are the messages that were not sent; `problem` says why the session did not get its title.
    """

    state: SessionState
    limit_usd: float | None
    unsent: tuple[Draft, ...] = ()
    problem: str = ""


async def settle(engine: Engine, title: str = "") -> Settled:
    """End what runs in a session, take back what waits, and give it a title."""
    unsent: list[Draft] = []
    while (taken := (await engine.send(TakeBack())).ok) is not None and taken.drafts:
        unsent += taken.drafts
    reply = await engine.send(Interrupt())
    if reply.ok is not None and reply.ok.unsent is not None:
        unsent.append(reply.ok.unsent)
    await engine.query(IdleQuery())
    problem = (await engine.send(RenameSession(title))).error if title else ""
    state = await engine.query(StateQuery())
    return Settled(state, (await engine.query(CostQuery())).limit_usd, tuple(unsent), problem or "")
