"""Who may answer a question besides the user, and which answer counts: the first.

All start together when the question is put. The first answer closes the question: later ones have no effect, and those that
have not answered yet are cancelled.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from tui_agent.hooks.dispatch import end
from tui_agent.hooks.permission_request import PermissionUpdate
from tui_agent.permissions.verdict import Decision

__all__ = ["NOBODY", "AnsweredBy", "ResponderAnswer", "Responders", "Rival", "first_answer"]

AnsweredBy = Literal["person", "rule", "hook", "classifier", "nobody"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponderAnswer:
    """What was decided, and by whom.

    `ends_turn` says that a hook's refusal is to end the turn; `updates` are the changes of permissions that come with its yes.
    """

    decision: Decision
    by: AnsweredBy
    ends_turn: bool = False
    updates: tuple[PermissionUpdate, ...] = ()


NOBODY: Final = ResponderAnswer(decision=Decision(behavior="deny"), by="nobody")

# May answer a question. None leaves it to the others. Must not raise.
Rival = Callable[[], Coroutine[Any, Any, ResponderAnswer | None]]


class Responders:
    """Those who may answer one question. Nothing runs before `first`; `aclose` cancels those that have not answered."""

    def __init__(self, rivals: Sequence[Rival] = ()) -> None:
        self._rivals = rivals
        self._running: list[asyncio.Task[ResponderAnswer | None]] = []

    def __len__(self) -> int:
        return len(self._rivals)

    async def first(self) -> ResponderAnswer | None:
        """Start all and return the first answer; None if none of them answers."""
        self._running = [asyncio.create_task(rival()) for rival in self._rivals]
        waiting = set(self._running)
        while waiting:
            done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for task in self._running:
                if task in done and not task.cancelled() and (answer := task.result()) is not None:
                    return answer
        return None

    async def aclose(self) -> None:
        """Cancel those that have not answered."""
        await end(self._running)


async def first_answer(person: asyncio.Future[ResponderAnswer] | None, rivals: Responders) -> ResponderAnswer:
    """Wait for the user (None: nobody is there) and the rivals; the user wins a tie.

    However it ends, `person` is done afterwards: whoever wants to answer later sees that the question is closed.
    """
    if not rivals:
        return NOBODY if person is None else await person
    racing = asyncio.create_task(rivals.first())
    try:
        if person is None:
            return await racing or NOBODY
        both: set[asyncio.Future[Any]] = {person, racing}
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        if not person.done() and (answer := racing.result()) is not None:
            return answer
        return await person
    finally:
        racing.cancel()
        if person is not None:
            person.cancel()
