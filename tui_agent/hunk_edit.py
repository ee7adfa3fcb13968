"""A proposal with one hunk rewritten by the user: the hunks keep their numbers, so that what was decided stays true."""

from __future__ import annotations

from dataclasses import replace

from tui_agent.changes import FileChange
from tui_agent.hunks import DiffLine
from tui_agent.line_diff import split_lines

__all__ = ["added_text", "with_added_text"]


def added_text(change: FileChange, number: int) -> str:
    r"""Return the lines that hunk `number` adds, as text for an editor: `\n` between lines, none after the last."""
    text = "".join(change.hunks[number].added).replace("\r\n", "\n")
    return text.removesuffix("\n")


def with_added_text(change: FileChange, number: int, text: str) -> FileChange:
    """Return the change with `text` in the place of what hunk `number` adds; empty text adds no line.

    Line endings follow the hunk's own; the last line ends as it did.

    Raises:
        ValueError: the change came from a journal and has no texts.
    """
    hunk = change.hunks[number]
    own = hunk.added or hunk.removed or tuple(split_lines(change.before or "\n"))[:1]
    ending = "\r\n" if own[0].endswith("\r\n") else "\n"
    has_last_ending = own[-1].endswith("\n")
    added = [line.removesuffix("\n") + ending for line in split_lines(text)]
    if added and not has_last_ending:
        added[-1] = added[-1].removesuffix(ending)
    removed = [DiffLine("-", line) for line in hunk.removed]
    edited = replace(hunk, lines=(*removed, *(DiffLine("+", line) for line in added)))
    shift = len(added) - len(hunk.added)
    hunks = (
        *change.hunks[:number],
        edited,
        *(replace(later, after_start=later.after_start + shift) for later in change.hunks[number + 1 :]),
    )
    selectable = replace(change, hunks=hunks)
    return replace(selectable, after=selectable.select(range(len(hunks))))
