"""What an edit says of itself afterwards: to the model in words and a diff, to programs as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tui_agent.changes import FileChange
from tui_agent.tools.edit.input import EditInput
from tui_agent.tools.file_changes.apply import Applied
from tui_agent.tools.file_changes.reporting import about_links, about_partial, change_data

__all__ = ["QUOTES_NOTE", "EditOutput", "report"]

QUOTES_NOTE = (
    "Note: old_string matched only with curly and straight quotes taken as equal; the file's own kind was kept."
)


@dataclass(frozen=True, slots=True)
class EditOutput:
    """An edit that was carried out: what the model gets, and the structured output that hooks and scripts read."""

    text: str
    data: dict[str, Any]


def report(input: EditInput, proposal: FileChange, applied: Applied, *, count: int, is_by_quotes: bool) -> EditOutput:
    """Say what came of an edit. `count` is in how many places it matched. Takes time for large changes; blocks."""
    approved, change = applied.approved, proposal.narrowed(applied.approved)
    if applied.record is None:
        lines = [f"Nothing was written to {change.path}: no part of the proposal was accepted."]
    elif change.is_new:
        lines = [f"Created the new file {change.path}."]
    elif count > 1 and not approved.is_partial:
        lines = [f"The file {change.path} has been updated in {count} places."]
    else:
        lines = [f"The file {change.path} has been updated."]
    if is_by_quotes:
        lines.append(QUOTES_NOTE)
    lines += about_links(applied)
    lines += about_partial(proposal, applied)
    diff = change.to_unified() if applied.record is not None else ""
    data = change_data(change, applied) | {
        "oldString": input.old_string,
        "newString": input.new_string,
        "replaceAll": input.replace_all,
        "matches": count,
        "quotesNormalized": is_by_quotes,
    }
    return EditOutput("\n".join(lines) + (f"\n\n{diff}" if diff else ""), data)
