"""What tools that change files say of it afterwards: to the model in words and a diff, to programs as data."""

from __future__ import annotations

import re
from typing import Any, Final

from tui_agent.changes import FileChange
from tui_agent.tools.file_changes.apply import Applied

__all__ = ["about_links", "about_partial", "change_data", "structured_patch"]

_ORIGINAL_CHARS: Final = 50_000  # a longer original file is left out of the data; it would burden every journal
_HEADER: Final = re.compile(r"@@ -(\d+),(\d+) \+(\d+),(\d+) @@")


def about_partial(proposal: FileChange, applied: Applied) -> list[str]:
    """Return the lines that tell the model what of its proposal was not taken as it stood; none when all was."""
    approved = applied.approved
    lines = []
    if approved.is_edited:
        lines.append("The user changed your proposal before it was written. The diff below is what the file got.")
    if not approved.refused:
        return lines
    hunks = proposal.hunks
    taken = ", ".join(str(number + 1) for number in approved.accepted) or "none"
    refused = ", ".join(str(number + 1) for number in approved.refused)
    lines.append(
        f"The user accepted only part of your proposal. Of its {len(hunks)} hunks, accepted: {taken}; refused: {refused}. "
        "Refused hunks are not in the file; do not propose them again unless asked:"
    )
    for number in approved.refused:
        hunk = hunks[number]
        lines.append(f"Refused hunk {number + 1}, at line {hunk.before_start + 1}:")
        lines += [line.kind + line.text.rstrip("\r\n") for line in hunk.lines]
    return lines


def about_links(applied: Applied) -> list[str]:
    """Return what there is to say of a file's other names."""
    if not applied.other_links:
        return []
    names = (
        "another name (a hard link)" if applied.other_links == 1 else f"{applied.other_links} other names (hard links)"
    )
    return [
        f"Note: the file has {names} on this disk, which still lead{'s' * (applied.other_links == 1)} to the old content."
    ]


def change_data(change: FileChange, applied: Applied) -> dict[str, Any]:
    """Return what is the same in the structured output of all of them; `change` is what was really written."""
    approved, before = applied.approved, change.before
    return {
        "filePath": change.path,
        "originalFile": before if before is None or len(before) <= _ORIGINAL_CHARS else None,
        "structuredPatch": structured_patch(change),
        "userModified": approved.is_partial,
        "acceptedHunks": list(approved.accepted),
        "refusedHunks": list(approved.refused),
        "lengthBefore": len(before or ""),
        "lengthAfter": len(approved.after),
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
