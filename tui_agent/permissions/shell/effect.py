"""What a command text does to its surroundings, in one word: for whoever decides what may run beside it."""

from __future__ import annotations

from typing import Final, Literal

from tui_agent.permissions.shell.analysis import Part, analyse

__all__ = ["effect_of"]

_MOVERS: Final = frozenset({"cd", "pushd", "popd"})


def effect_of(command: str) -> Literal["reads", "moves", "changes"]:
    """Return `looks` for a command known to only read, `moves` if it also changes the shell's folder, else `changes`.

    Depends on the text alone; the analysis behind it is cached.
    """
    analysis = analyse(command)
    if analysis.doubts or not analysis.parts:
        return "changes"
    return "moves" if any(map(_may_move, analysis.parts)) else "reads"


def _may_move(part: Part) -> bool:
    """Whether one of the words could be a `cd`, whatever stands before it (`command cd`, `builtin cd`)."""
    return bool(part.folder) or any(not _MOVERS.isdisjoint((word.value, word.raw)) for word in part.words)
