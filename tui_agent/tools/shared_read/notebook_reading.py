"""Showing a notebook to the model: some of its cells or one of them, and what is to be remembered of having seen them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from tui_agent.media import Media
from tui_agent.tools.file_state import FileRecord
from tui_agent.tools.files import TextFile
from tui_agent.tools.resolved_path import ResolvedPath
from tui_agent.tools.shared_read.cached_files import load_cached
from tui_agent.tools.shared_read.content_cache import ContentCache
from tui_agent.tools.shared_read.notebook_cells import MOST_PICTURES, OUTPUT_CHARS, ShownCells, show_cells
from tui_agent.tools.shared_read.notebooks import Cell, Notebook, find_cell, parse_notebook

__all__ = ["NotebookPage", "NotebookRequest", "read_notebook", "record_of"]

_HEAD_ROOM: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class NotebookRequest:
    """Which cells: the one of `cell_id`; or those from number `offset` (1-based) on, `limit` of them or as many as fit."""

    cell_id: str | None = None
    offset: int = 1
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class NotebookPage:
    """Cells of a notebook as one result shows them."""

    path: str
    notebook: Notebook
    shown: ShownCells
    is_single: bool = False

    @property
    def media(self) -> Media:
        """The pictures among the outputs."""
        return self.shown.media

    def content(self) -> str | list[dict[str, Any]]:
        """Return what the model gets."""
        total = len(self.notebook.cells)
        major, minor = self.notebook.version
        count = "1 cell" if total == 1 else f"{total} cells"
        head = f"A notebook of {count}, in {self.notebook.language}, format {major}.{minor}."
        if total and not self.notebook.has_ids:
            head += " Its cells have no ids; they are named by their places."
        shown = self.shown
        notice = ""
        if total and not shown.count:
            notice = f"(it has {count}; cell {shown.first + 1} is past its end)"
        elif not self.is_single and shown.count < total:
            first, last = shown.first + 1, shown.first + shown.count
            rest = f" Read on with offset={last + 1}." if last < total else ""
            notice = f"[PARTIAL view: cells {first}–{last} of {total}.{rest}]"
        return shown.content(head, notice)

    def data(self) -> dict[str, Any]:
        """Return what programs get."""
        major, minor = self.notebook.version
        file = {
            "filePath": self.path,
            "cells": self.shown.data,
            "language": self.notebook.language,
            "format": f"{major}.{minor}",
            "totalCells": len(self.notebook.cells),
        }
        return {"type": "notebook", "file": file}


def read_notebook(
    path: ResolvedPath, wish: NotebookRequest, budget: int, cache: ContentCache, *, most_pictures: int
) -> tuple[NotebookPage, FileRecord]:
    """Return cells of a notebook, and what is to be remembered of it. One cell alone shows its outputs as far as they fit.

    Raises:
        FileProblem: it cannot be read as text.
        NotebookProblem: it is no notebook, or has no such cell.
    """
    file = load_cached(path, cache)
    notebook = parse_notebook(file.text)
    is_single = wish.cell_id is not None
    cells: Sequence[Cell]
    if wish.cell_id is not None:
        cells = (find_cell(notebook, wish.cell_id),)
    else:
        start = wish.offset - 1
        cells = notebook.cells[start : start + wish.limit if wish.limit else None]
    room = budget - _HEAD_ROOM
    shown = show_cells(
        notebook,
        cells,
        room,
        output_chars=room if is_single else OUTPUT_CHARS,
        most_pictures=min(MOST_PICTURES, most_pictures),
    )
    if not cells:
        shown.first = wish.offset - 1
    return NotebookPage(path.path, notebook, shown, is_single), record_of(path.path, file, notebook, shown)


def record_of(path: str, file: TextFile, notebook: Notebook, shown: ShownCells) -> FileRecord:
    """Return what is to be remembered: which cells were seen, of which content."""
    total = len(notebook.cells)
    return FileRecord(
        path=path,
        real=file.real,
        hash=file.hash,
        mtime_ns=file.mtime_ns,
        size=file.size,
        is_partial=shown.count < total or shown.is_cut,
        seen=((shown.first, shown.first + shown.count),) if shown.count and not shown.is_cut else (),
        total_lines=total,
    )
