"""Undoing in two steps: a plan that the user is shown, and the plan that they agreed to carried out."""

from __future__ import annotations

import itertools
from typing import Final

from tui_agent.commands import Reply, Undone
from tui_agent.engine.files.change_history import ChangeHistory, PreparedUndo
from tui_agent.queries import UndoPlan

__all__ = ["UndoPlans"]

_MOST_KEPT: Final = 8  # each holds what its file is to become


class UndoPlans:
    """The plans of one session that were shown last, by id."""

    def __init__(self, history: ChangeHistory) -> None:
        self._history = history
        self._shown: dict[str, PreparedUndo] = {}
        self._numbers = itertools.count(1)

    async def plan(self, path: str) -> UndoPlan | None:
        """Return what undoing a file would do now; None where the session has not changed it."""
        found = await self._history.plan(path)
        return self._keep(found) if found is not None else None

    async def carry_out(self, path: str, plan_id: str) -> Reply[Undone]:
        """Do what a plan says. Where that is not known any more, or the file has changed since, say what would be done now."""
        agreed = self._shown.pop(plan_id, None)
        if agreed is None or agreed.path != path:
            plan = await self.plan(path)
            return Reply(Undone(plan)) if plan is not None else Reply(error="The session has not changed this file.")
        left = await self._history.undo(agreed)
        return Reply(Undone(self._keep(left) if left is not None else None))

    def _keep(self, found: PreparedUndo) -> UndoPlan:
        name = f"undo_{next(self._numbers)}"
        while len(self._shown) >= _MOST_KEPT:
            del self._shown[next(iter(self._shown))]
        self._shown[name] = found
        return found.shown(name)
