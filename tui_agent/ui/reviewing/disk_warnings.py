"""Warnings about files that changed on disk while their changes are reviewed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from tui_agent.viewkit.tool_text import display_path

__all__ = ["disk_words"]

_MOST_NAMES: Final = 3
# How one file stands, and how several do; `{}` is their names.
_STANDINGS: Final = {
    "changed": ("{} changed on disk since it was read", "{} changed on disk since they were read"),
    "gone": ("{} was deleted on disk", "{} were deleted on disk"),
    "made": ("{} was to be created and now exists", "{} were to be created and now exist"),
}


def disk_words(standings: Mapping[str, str], base: str) -> str:
    """Return what became of the files; paths are shown relative to `base`, the order is that of `standings`."""
    parts: list[str] = []
    for standing, (one, several) in _STANDINGS.items():
        names = [display_path(path, base) for path, how in standings.items() if how == standing]
        if names:
            parts.append((one if len(names) == 1 else several).format(_joined(names)))
    return "; ".join(parts)


def _joined(names: Sequence[str]) -> str:
    shown = list(names[:_MOST_NAMES])
    if len(names) > _MOST_NAMES:
        shown.append(f"{len(names) - _MOST_NAMES} more")
    return " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))
