"""An engine that knows only what a test tells it: what comes of each kind of command, and the answer to each kind of query."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from tui_agent.boundary import Pending
from tui_agent.bus import Bus, Subscription
from tui_agent.commands import Command, Done, Reply, Undo
from tui_agent.engine.files.change_history import ChangeHistory
from tui_agent.engine.files.undo_plans import UndoPlans
from tui_agent.queries import ChangesQuery, ChangesReport, PatchQuery, Query, UndoPlanQuery

__all__ = ["PartialEngine", "over_changes"]


class PartialEngine:
    """`sent` and `asked` list what came, in order. A function that is a coroutine's is answered later, as in a session."""

    def __init__(
        self,
        answers: Mapping[type[Query[Any]], Callable[[Any], Any]] | None = None,
        doers: Mapping[type[Command[Any]], Callable[[Any], Any]] | None = None,
    ) -> None:
        self.answers = dict(answers or {})
        self.doers = dict(doers or {})
        self.bus = Bus("partial")
        self.sent: list[Command[Any]] = []
        self.asked: list[Query[Any]] = []

    def send(self, command: Command[Any]) -> Pending[Reply[Any]]:
        self.sent.append(command)
        do = self.doers.get(type(command))
        done = do(command) if do is not None else None
        if inspect.iscoroutine(done):
            return Pending.running(_replied(done))
        return Pending.of(_reply(done))

    def query(self, query: Query[Any]) -> Pending[Any]:
        self.asked.append(query)
        answer = self.answers.get(type(query))
        found = answer(query) if answer is not None else None
        return Pending.running(found) if inspect.iscoroutine(found) else Pending.of(found)

    def subscribe(
        self, name: str, on_ready: Callable[[], None] | None = None, *, is_live_only: bool = False
    ) -> Subscription:
        return self.bus.subscribe(name, on_ready, is_live_only=is_live_only)


async def _replied(work: Any) -> Reply[Any]:
    return _reply(await work)


def _reply(done: Any) -> Reply[Any]:
    return done if isinstance(done, Reply) else Reply(Done() if done is None else done)


def over_changes(history: ChangeHistory) -> PartialEngine:
    """Return an engine that answers what the session of this history has changed."""
    plans = UndoPlans(history)

    async def changes(_query: ChangesQuery) -> ChangesReport:
        return ChangesReport(tuple(await history.compare()))

    return PartialEngine(
        {
            ChangesQuery: changes,
            UndoPlanQuery: lambda query: plans.plan(query.path),
            PatchQuery: lambda _: history.patch(),
        },
        {Undo: lambda command: plans.carry_out(command.path, command.plan_id)},
    )
