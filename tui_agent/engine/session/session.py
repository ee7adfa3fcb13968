"""One conversation, as a front end drives it: commands, queries, and a way to hear of events.

Subscribe first, then send `Start`: a session that is taken up again publishes its recorded events then, so that a front end
needs no second way of filling itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from tui_agent.boundary import Pending
from tui_agent.bus import Subscription
from tui_agent.commands import Command, Reply
from tui_agent.engine.files.undo_plans import UndoPlans
from tui_agent.engine.recorded_sessions import RecordedSessions
from tui_agent.engine.session.command_handler import CommandHandler
from tui_agent.engine.session.config import SessionConfig, SessionOptions, prepare
from tui_agent.engine.session.graph import SessionGraph
from tui_agent.engine.session.query_handler import QueryHandler
from tui_agent.model.protocol import Models
from tui_agent.queries import Query
from tui_agent.sandbox.find import find_sandbox

__all__ = ["Session", "open_session"]

R = TypeVar("R")
A = TypeVar("A")


class Session:
    """One conversation in one folder, the engine of a front end. Made by `open_session`; send `Close` whatever happens."""

    def __init__(self, opening: SessionConfig, models: Models) -> None:
        self._graph = SessionGraph(opening, models)
        undo_plans = UndoPlans(self._graph.change_history)
        runtime = self._graph.runtime
        recorded = RecordedSessions(
            opening.state,
            runtime.workspace.root,
            current=self._graph.bus.session_id,
            mask=runtime.masker.mask,
            publish=self._graph.bus.publish,
        )
        self._commands = CommandHandler(self._graph, opening, undo_plans, recorded)
        self._queries = QueryHandler(self._graph, undo_plans, recorded)

    def send(self, command: Command[R]) -> Pending[Reply[R]]:
        """Do what a command says; see `boundary.Engine`."""
        return self._commands.handle(command)

    def query(self, query: Query[A]) -> Pending[A]:
        """Answer a query; see `boundary.Engine`."""
        return self._queries.answer(query)

    def subscribe(
        self, name: str, on_ready: Callable[[], None] | None = None, *, is_live_only: bool = False
    ) -> Subscription:
        """Open a queue of events; see `Bus.subscribe`."""
        return self._graph.bus.subscribe(name, on_ready, is_live_only=is_live_only)


async def open_session(options: SessionOptions, models: Models) -> Session:
    """Get everything ready in a thread and return the session, not started yet.

    Raises:
        SessionConfigError: it cannot start as asked.
        JournalError: its record cannot be written, or another window has it open.
    """
    opening = await asyncio.to_thread(prepare, options)
    await asyncio.to_thread(find_sandbox)  # tried out here, so that nothing waits for it later
    return Session(opening, models)
