"""What an edit says of itself afterwards: to the model in words and a diff, to programs as data."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from tui_agent.changes import ApprovedChange, FileChange
from tui_agent.tools.edit.input import EditInput

__all__ = ["EditOutput", "result_text", "structured_patch", "to_data"]

_ORIGINAL_CHARS: Final = 50_000  # a longer original file is left out of the data; it would burden every journal
_HEADER: Final = re.compile(r"@@ -(\d+),(\d+) \+(\d+),(\d+) @@")


@dataclass(frozen=True, slots=True)
class EditOutput:
    """An edit that was carried out. `change` is what was really written, `proposal` what the tool had proposed."""

    input: EditInput
    approved: ApprovedChange
    proposal: FileChange
    change: FileChange
    count: int
    is_by_quotes: bool


def result_text(output: EditOutput) -> str:
    """Return what the model gets."""
    approved, change = output.approved, output.change
    if change.is_new:
        lines = [f"Made the new file {change.path}."]
    elif not change.hunks:
        lines = [f"Nothing was written to {change.path}: no part of the proposal was taken."]
    elif output.count > 1 and not approved.is_partial:
        lines = [f"The file {change.path} has been updated in {output.count} places."]
    else:
        lines = [f"The file {change.path} has been updated."]
    if output.is_by_quotes:
        lines.append(
            "Note: old_string matched only with curly and straight quotes taken as equal; the file's own kind was kept."
        )
    if approved.is_edited:
        lines.append("The person changed your proposal before it was written. The diff below is what the file got.")
    elif approved.refused:
        lines += _partial(output)
    diff = change.to_unified()
    return "\n".join(lines) + (f"\n\n{diff}" if diff else "")


def _partial(output: EditOutput) -> list[str]:
    hunks, approved = output.proposal.hunks, output.approved
    taken = ", ".join(str(number + 1) for number in approved.accepted) or "none"
    refused = ", ".join(str(number + 1) for number in approved.refused)
    head = (
        f"The person took only a part of your proposal: of its {len(hunks)} hunks, taken: {taken}; refused: {refused}. "
        "Refused ones are not in the file; do not make them again without being asked to:"
    )
    lines = [head]
    for number in approved.refused:
        hunk = hunks[number]
        lines.append(f"Refused hunk {number + 1}, at line {hunk.before_start + 1}:")
        lines += [line.kind + line.text.rstrip("\r\n") for line in hunk.lines]
    return lines


def to_data(output: EditOutput) -> dict[str, Any]:
    """Return the structured output, as hooks and scripts read it."""
    change, approved = output.change, output.approved
    before, after = change.before or "", approved.after
    return {
        "filePath": change.path,
        "oldString": output.input.old_string,
        "newString": output.input.new_string,
        "replaceAll": output.input.replace_all,
        "originalFile": change.before if change.before is None or len(before) <= _ORIGINAL_CHARS else None,
        "structuredPatch": structured_patch(change),
        "userModified": approved.is_partial,
        "acceptedHunks": list(approved.accepted),
        "refusedHunks": list(approved.refused),
        "matches": output.count,
        "quotesNormalized": output.is_by_quotes,
        "lengthBefore": len(before),
        "lengthAfter": len(after),
    }


def structured_patch(change: FileChange) -> list[dict[str, Any]]:
    """Return the unified diff as data: one object for each `@@` section."""
    sections: list[dict[str, Any]] = []
    for line in change.to_unified().split("\n")[:-1]:
        header = _HEADER.match(line)
        if header:
            old_start, old_lines, new_start, new_lines = map(int, header.groups())
            sections.append(
                {
                    "oldStart": old_start,
                    "oldLines": old_lines,
                    "newStart": new_start,
                    "newLines": new_lines,
                    "lines": [],
                }
            )
        else:
            sections[-1]["lines"].append(line)
    return sections
