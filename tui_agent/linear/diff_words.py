"""A change to a file in lines of text: which lines go and come, and which words of them differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from tui_agent.line_diff import word_spans
from tui_agent.text import reveal
from tui_agent.viewkit.tool_text import count, one_line, relative_path

if TYPE_CHECKING:
    from tui_agent.changes import FileChange
    from tui_agent.hunks import Hunk
    from tui_agent.line_diff import Span

__all__ = ["change_summary", "hunk_lines", "hunk_place", "question_words"]

_MOST_WORDS: Final = 6  # pairs of lines of which the words that differ are told
_CONTEXT: Final = 2


def change_summary(change: FileChange, base: str = "") -> str:
    """Return a change in short: `shop/refund.py: 2 hunks, 3 lines added, 1 line removed`."""
    path = one_line(relative_path(change.path, base))
    if change.is_new:
        return f"{path}: a new file, {count(change.added, 'line')}"
    parts = [count(len(change.hunks), "hunk")]
    parts += [
        f"{count(number, 'line')} {word}"
        for number, word in ((change.added, "added"), (change.removed, "removed"))
        if number
    ]
    return f"{path}: {', '.join(parts)}"


def question_words(changes: tuple[FileChange, ...], base: str = "") -> str:
    """Return the title of a question about changes."""
    if len(changes) == 1:
        verb = "Create" if changes[0].is_new else "Edit"
        return f"{verb} {one_line(relative_path(changes[0].path, base))}?"
    return f"Change {count(len(changes), 'file')}?"


def hunk_place(hunk: Hunk) -> str:
    """Return which lines of the file a hunk is about: `at line 12`, `at lines 12 to 14`."""
    first = hunk.before_start + 1
    last = hunk.before_start + len(hunk.removed)
    if not hunk.removed:
        return f"after line {hunk.before_start}" if hunk.before_start else "at the beginning"
    return f"at line {first}" if last <= first else f"at lines {first} to {last}"


def hunk_lines(hunk: Hunk, *, has_context: bool = True) -> Iterator[str]:
    """Yield a hunk's lines, each with what becomes of it and its number; nothing odd in them is hidden."""
    lead = hunk.lead[-_CONTEXT:] if has_context else ()
    for number, text in enumerate(lead, hunk.before_start - len(lead) + 1):
        yield f"  kept {number}: {_shown(text)}"
    old, new = hunk.before_start, hunk.after_start
    for line in hunk.lines:
        match line.kind:
            case "-":
                old += 1
                yield f"- removed {old}: {_shown(line.text)}"
            case "+":
                new += 1
                yield f"+ added {new}: {_shown(line.text)}"
            case _:
                old, new = old + 1, new + 1
                yield f"  kept {old}: {_shown(line.text)}"
    trail = hunk.trail[:_CONTEXT] if has_context else ()
    for number, text in enumerate(trail, old + 1):
        yield f"  kept {number}: {_shown(text)}"
    yield from _word_lines(hunk)


def _word_lines(hunk: Hunk) -> Iterator[str]:
    """Yield which words differ between a line that goes and the one that comes in its place, where they are alike."""
    if len(hunk.removed) != len(hunk.added) or len(hunk.removed) > _MOST_WORDS:
        return
    for number, (old, new) in enumerate(zip(hunk.removed, hunk.added, strict=True), hunk.before_start + 1):
        old, new = old.rstrip("\r\n"), new.rstrip("\r\n")
        gone, come = word_spans(old, new)
        if gone == ((0, len(old)),) and come == ((0, len(new)),):
            continue
        removed, added = _cut(old, gone), _cut(new, come)
        if removed and added:
            yield f"  words of line {number}: {removed} becomes {added}"
        elif added or removed:
            yield f"  words of line {number}: {added or removed} {'added' if added else 'removed'}"


def _cut(text: str, spans: tuple[Span, ...]) -> str:
    return ", ".join(f"“{reveal(text[start:stop])}”" for start, stop in spans if text[start:stop].strip())


def _shown(text: str) -> str:
    return reveal(text.rstrip("\r\n")) or "(empty)"
