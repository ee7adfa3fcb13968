"""What a Write says of itself afterwards: how many lines, the first of them, and what was not taken."""

from __future__ import annotations

from typing import Any, Final

from tui_agent.changes import FileChange
from tui_agent.line_diff import split_lines
from tui_agent.tools.file_changes.apply import Applied
from tui_agent.tools.file_changes.reporting import about_links, about_partial, change_data

__all__ = ["report"]

_SHOWN: Final = 30  # lines given back
_LINE_CHARS: Final = 500  # of each


def report(proposal: FileChange, applied: Applied) -> tuple[str, dict[str, Any]]:
    """Return what the model gets, and the structured output. Takes time for large changes; blocks."""
    approved, change = applied.approved, proposal.narrowed(applied.approved)
    lines = split_lines(approved.after)
    count = f"{len(lines):,} line{'' if len(lines) == 1 else 's'}"
    data = change_data(change, applied) | {
        "type": "create" if change.is_new else "update",
        "content": approved.after,
        "numLines": len(lines),
    }
    if applied.record is None:
        said = [f"Nothing was written to {change.path}: no part of the proposal was accepted."]
    elif change.is_new:
        said = [f"Created the new file {change.path} with {count}."]
    else:
        said = [f"The file {change.path} has been written; it has {count} now."]
    said += about_links(applied)
    said += about_partial(proposal, applied)
    if applied.record is None:
        return "\n".join(said), data
    shown = change.to_unified() if approved.is_partial else _head(lines)
    return "\n".join(said) + (f"\n\n{shown}" if shown else ""), data


def _head(lines: list[str]) -> str:
    """Return the first lines, numbered as Read does."""
    out = [f"{number}\t{_cut(line)}" for number, line in enumerate(lines[:_SHOWN], 1)]
    if len(lines) > _SHOWN:
        out.append(f"[… {len(lines) - _SHOWN:,} more line{'' if len(lines) == _SHOWN + 1 else 's'}]")
    return "\n".join(out)


def _cut(line: str) -> str:
    line = line.rstrip("\r\n")
    return line if len(line) <= _LINE_CHARS else f"{line[:_LINE_CHARS]} [… {len(line) - _LINE_CHARS:,} more characters]"
