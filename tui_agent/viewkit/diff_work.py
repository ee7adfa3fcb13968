"""What was worked out of a change, kept for the few on the screen, which are redrawn with every decision."""

from __future__ import annotations

from typing import Final

from tui_agent.changes import FileChange
from tui_agent.viewkit.diff_plan import DiffPlan
from tui_agent.viewkit.diff_rows import Opened
from tui_agent.viewkit.diff_source import DiffSource

__all__ = ["Work", "known_work", "work_on"]

_CHANGES: Final = 6  # whose work is kept: those on the screen
_PLANS: Final = 4  # kept of one change


class Work:
    """What is worked out of a change once, however often its decisions are redrawn."""

    def __init__(self, change: FileChange) -> None:
        self.change = change
        self._source = DiffSource(change)
        self._plans: dict[tuple[object, ...], DiffPlan] = {}

    def plan(self, width: int, *, is_split: bool, has_headers: bool, opened: Opened | None) -> DiffPlan:
        """Return where everything stands at a width."""
        key = _key(width, is_split, has_headers, opened)
        found = self._plans.get(key)
        if found is None:
            while len(self._plans) >= _PLANS:
                del self._plans[next(iter(self._plans))]
            found = self._plans[key] = DiffPlan(
                self._source, width, is_split=is_split, has_headers=has_headers, opened=opened
            )
        return found

    def has_plan(self, width: int, *, is_split: bool, has_headers: bool, opened: Opened | None) -> bool:
        """Whether that is worked out already."""
        return _key(width, is_split, has_headers, opened) in self._plans


def _key(width: int, is_split: bool, has_headers: bool, opened: Opened | None) -> tuple[object, ...]:
    return width, is_split, has_headers, None if opened is None else frozenset(opened.items())


_recent: list[Work] = []  # the last one first


def work_on(change: FileChange) -> Work:
    """Return what is known of this very change; comparing changes would read both their texts each time."""
    found = known_work(change)
    if found is None:
        found = Work(change)
        _recent.insert(0, found)
        del _recent[_CHANGES:]
    return found


def known_work(change: FileChange) -> Work | None:
    """Return what is known of this very change, if anything."""
    return next((work for work in _recent if work.change is change), None)
