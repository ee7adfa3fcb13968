"""What a MultiEdit says of itself afterwards: file by file what was written, and what was not taken."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tui_agent.changes import FileChange
from tui_agent.tools.edit.report import QUOTES_NOTE
from tui_agent.tools.file_changes.apply import Applied
from tui_agent.tools.file_changes.reporting import about_links, about_partial, change_data
from tui_agent.tools.multi_edit.input import FileEdits, MultiEditInput
from tui_agent.tools.multi_edit.prepare import PreparedMultiEdit

__all__ = ["report"]


def report(
    input: MultiEditInput,
    prepared: Sequence[PreparedMultiEdit],
    proposals: Sequence[FileChange],
    applied: Sequence[Applied],
) -> tuple[str, dict[str, Any]]:
    """Return what the model gets, and the structured output. Takes time for large changes; blocks."""
    texts: list[str] = []
    files: list[dict[str, Any]] = []
    for edits, made, proposal, one in zip(input.edits, prepared, proposals, applied, strict=True):
        change = proposal.narrowed(one.approved)
        texts.append(_text(edits, made, proposal, change, one))
        files.append(
            change_data(change, one)
            | {
                "edits": [edit.model_dump(exclude_unset=True) for edit in edits.edits],
                "matches": list(made.edited.counts),
                "quotesNormalized": made.edited.is_by_quotes,
            }
        )
    if len(files) == 1:
        return texts[0], files[0] | {"files": files}
    written = sum(one.record is not None for one in applied)
    which = f"All {written}" if written == len(files) else f"{written} of {len(files)}"
    head = f"{which} files have been written."
    data = {
        "filePath": proposals[0].path,
        "userModified": any(one.approved.is_partial for one in applied),
        "files": files,
    }
    return "\n\n".join([head, *texts]), data


def _text(edits: FileEdits, made: PreparedMultiEdit, proposal: FileChange, change: FileChange, applied: Applied) -> str:
    count = len(edits.edits)
    by = f"{count} edits" if count != 1 else "1 edit"
    if applied.record is None:
        lines = [f"Nothing was written to {change.path}: no part of the proposal was accepted."]
    elif change.is_new:
        lines = [f"Created the new file {change.path}."]
    elif applied.approved.is_partial:
        lines = [f"The file {change.path} has been updated."]
    else:
        lines = [f"The file {change.path} has been updated by {by}."]
    if made.edited.is_by_quotes:
        lines.append(QUOTES_NOTE)
    lines += about_links(applied)
    lines += about_partial(proposal, applied)
    diff = change.to_unified() if applied.record is not None else ""
    return "\n".join(lines) + (f"\n\n{diff}".rstrip("\n") if diff else "")
