"""What a NotebookEdit says of itself afterwards: to the model in words, to programs as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from tui_agent.changes import FileChange
from tui_agent.tools.file_changes.apply import Applied
from tui_agent.tools.file_changes.reporting import about_links, about_partial, change_data
from tui_agent.tools.notebook_edit.editing import CellEdit

__all__ = ["NotebookEditOutput", "report"]

_SOURCE_CHARS: Final = 50_000  # of a longer old source only the beginning is in the data


@dataclass(frozen=True, slots=True)
class NotebookEditOutput:
    """An edit that was carried out: the text for the model, and the data."""

    text: str
    data: dict[str, Any]


def report(edit: CellEdit, proposal: FileChange, applied: Applied, new_source: str) -> NotebookEditOutput:
    """Return what there is to say. Compares texts where a user changed the proposal; blocks."""
    change = proposal.narrowed(applied.approved)
    if not change.hunks:
        lines = [f"Nothing was written to {change.path}: no part of the proposal was accepted."]
    else:
        lines = [f"{_said(edit)} in {change.path}."]
        if edit.note:
            lines.append(edit.note)
    lines += about_links(applied)
    if partial := about_partial(proposal, applied):
        lines += partial
        lines += ["", change.to_unified()] if change.hunks else []
    old = edit.old.source if edit.old else ""
    common = change_data(change, applied)
    if sum(len(line.text) for hunk in change.hunks for line in hunk.lines) > _SOURCE_CHARS:
        common["structuredPatch"] = []  # pictures among the outputs: the change itself is in the record already
    data = {
        **common,
        "notebook_path": change.path,
        "cell_id": edit.cell_id,
        "cell_number": edit.number,
        "cell_type": edit.kind,
        "language": edit.notebook.language if edit.kind == "code" else edit.kind,
        "edit_mode": edit.mode,
        "old_source": old[:_SOURCE_CHARS],
        "new_source": "" if edit.mode == "delete" else new_source[:_SOURCE_CHARS],
    }
    return NotebookEditOutput("\n".join(lines).rstrip("\n"), data)


def _said(edit: CellEdit) -> str:
    what = f"the {edit.kind} cell {edit.cell_id}"
    match edit.mode:
        case "insert":
            return f"Inserted {what} at place {edit.number}"
        case "delete":
            return f"Deleted {what}"
        case _ if edit.old is not None and edit.old.kind != edit.kind:
            return f"Replaced the source of cell {edit.cell_id}, and made it a {edit.kind} cell,"
        case _:
            return f"Replaced the source of {what}"
