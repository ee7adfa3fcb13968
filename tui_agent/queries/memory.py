"""What may be asked of memory files: which the model has, which it may get, and which the user may want to edit."""

from __future__ import annotations

from dataclasses import dataclass

from tui_agent.plain import Plain
from tui_agent.queries.query import Query

__all__ = ["MemoryPlace", "MemoryQuery", "MemoryReport", "MemoryRow"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class MemoryRow(Plain):
    """A memory file that the model has.

    `kind` is whose it is, `importer` the file that imports it, `globs` are those of the files that it is for.
    """

    path: str
    kind: str
    chars: int
    is_cut: bool = False
    importer: str = ""
    globs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MemoryPlace(Plain):
    """A file that instructions or notes can be kept in, and for what; it may not exist."""

    words: str
    path: str
    is_there: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class MemoryReport(Plain):
    """The files in their order, rules that count `later`, what could not be read, and the files to edit."""

    files: tuple[MemoryRow, ...] = ()
    later: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    places: tuple[MemoryPlace, ...] = ()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MemoryQuery(Query[MemoryReport | None]):
    """Which memory files are there? Null in a recording."""
