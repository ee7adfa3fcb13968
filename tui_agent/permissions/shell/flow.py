"""What is known behind lists, branches and loops, given what each statement in them leaves, on every path that may be taken.

A statement that no path reaches is gone through all the same: what it would do counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from tui_agent.permissions.shell.arithmetic import NUMBER
from tui_agent.permissions.shell.builtins import Ends
from tui_agent.permissions.shell.spelling import Unclear
from tui_agent.permissions.shell.statements import AndOr, If, Series, Statement
from tui_agent.permissions.shell.values import State, joined

__all__ = ["Left", "Step", "behind_branches", "behind_chain", "behind_loop", "behind_series"]

_MAX_ROUNDS: Final = 4

Step = Callable[[Statement, State], Ends]
"""Goes through one statement, and returns what is known where it succeeds and where it fails."""
Left = Sequence[tuple[str, State]]
"""How a loop was left before its body's end: `break` or `continue`, and what was known there."""


def behind_series(series: Series, state: State, step: Step) -> Ends:
    """Return what is known behind statements that follow each other."""
    ends: Ends = (state, state)
    for item in series.items:
        before = joined(ends)
        ends = step(item, state if before is None else before)
        if before is None:  # it is never reached, and nothing behind it
            ends = (None, None)
    return ends


def behind_chain(node: AndOr, state: State, step: Step) -> Ends:
    """Return what is known behind statements joined by `&&` and `||`."""
    succeeded, failed = step(node.first, state)
    for operator, item in node.rest:
        if operator == "&&":
            ends = step(item, succeeded or state)
            if succeeded is not None:
                succeeded, failed = ends[0], joined((failed, ends[1]))
        else:
            ends = step(item, failed or state)
            if failed is not None:
                succeeded, failed = joined((succeeded, ends[0])), ends[1]
    return succeeded, failed


def behind_branches(node: If, state: State, step: Step) -> Ends:
    """Return what is known behind an `if` with all its branches."""
    ends: list[State | None] = []
    at: State | None = state
    for condition, body in node.branches:
        base = at or state
        succeeded, failed = behind_series(condition, base, step)
        result = behind_series(body, succeeded or base, step)
        if at is not None and succeeded is not None:
            ends.extend(result)
        at = failed if at is not None else None
    if node.otherwise is not None:
        result = behind_series(node.otherwise, at or state, step)
        if at is not None:
            ends.extend(result)
    else:
        ends.append(at)
    after = joined(ends)
    return after, after


def behind_loop(state: State, turn: Callable[[State], tuple[State | None, Left]]) -> State:
    """Go through a loop's body until nothing new is learnt; return the state behind the loop.

    `turn` goes through it once, and returns what is known at its end and where it was left.
    """
    head = state
    for count in range(_MAX_ROUNDS):
        end, left = turn(head)
        after = joined((head, end, *(one for kind, one in left if kind == "continue"))) or head
        if after == head:
            return joined((head, *(one for kind, one in left if kind != "continue"))) or head
        if after.folders != head.folders and count:
            raise Unclear("cd-unknown", "a loop goes from folder to folder")
        head = _widened(head, after) if count else after
    raise Unclear("loop", "it holds a loop that takes too long to follow")


def _widened(head: State, after: State) -> State:
    """Return a state that holds from one turn of a loop to the next: what changes is a number, or unknown."""
    old, new = dict(head.variables), dict(after.variables)
    for name, value in list(new.items()):
        if old.get(name) != value:
            if all(atom.kind == "number" or re.fullmatch(r"-?(?:0|[1-9]\d*)", atom.text) for atom in value):
                new[name] = NUMBER
            else:
                del new[name]
    return replace(after, variables=tuple(sorted(new.items(), key=lambda item: item[0])))
