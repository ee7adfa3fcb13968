"""What a command may read outside of the work, where it is let through for what it reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tui_agent.permissions.evaluation import Evaluation
from tui_agent.permissions.shell.isolation import start_of_program
from tui_agent.permissions.shell.path_expansion import places, stands
from tui_agent.permissions.verdict import PerCommand

__all__ = ["readable"]


def readable(evaluation: Evaluation) -> tuple[str, ...] | None:
    """Return what was judged and lies outside of the work, where commands are let through for what they read."""
    view = evaluation.view
    if view is None or evaluation.mode == "bypassPermissions":
        return None
    if isinstance(view.confinement, PerCommand):
        reads: Iterable[str] = _held_reads(view.confinement, evaluation)  # what the others name is theirs alone
    elif view.parts and all(part.by == "rule" for part in view.parts):
        return None  # rules allow it, whatever it reads; one for a part alone gives the others nothing
    else:
        reads = evaluation.touched[1][1]
    paths = [path for path in reads if not evaluation.where.is_work(path)]
    return tuple(dict.fromkeys(face for path in paths for face in evaluation.where.faces(path)))


def _held_reads(confinement: PerCommand, evaluation: Evaluation) -> Iterator[str]:
    """Yield what the parts of a command read that run in sandboxes."""
    starts = {start for start, _ in confinement.confined}
    for part in () if evaluation.analysis is None else evaluation.analysis.parts:
        if start_of_program(part) in starts:
            folders = stands(part.folders, evaluation.where)
            for word in part.judgement.reads:
                yield from places(word, folders, evaluation.where).paths
