"""Several edits of one text, each made in what the ones before have left; ranges of lines are those of the text as read.

So a draft remembers which parts of the text it began with still stand as they were, and where they are now.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from tui_agent.line_diff import split_lines
from tui_agent.tools.edit.checks import replace_in
from tui_agent.tools.edit.matching import Endings, TextMatch
from tui_agent.tools.file_changes.checks import RefusedChange
from tui_agent.tools.multi_edit.input import OneEdit

__all__ = ["Edited", "edit_text"]


@dataclass(frozen=True, slots=True)
class Edited:
    """A text after its edits: in how many places each was made, and whether any matched by kinds of quotes alone."""

    text: str
    counts: tuple[int, ...]
    is_by_quotes: bool


def edit_text(text: str, edits: Sequence[OneEdit], path: str, *, is_new: bool = False) -> Edited:
    """Make the edits; `path` is named in refusals. The first edit of a file that is to be made is its text.

    Raises:
        RefusedChange: with `no_change`, `not_found`, `not_unique`, `exists`, `bad_range` or `overlap`; it names the edit.
    """
    draft = _Draft(text, has_ranges=any(edit.lines for edit in edits))
    counts: list[int] = []
    for number, edit in enumerate(edits):
        try:
            if number == 0 and is_new:
                draft = _Draft(edit.new_string, has_ranges=False)
                counts.append(1)
            elif is_new and edit.lines:
                raise RefusedChange("bad_range", f"{path} is made by the first edit: it has no lines as read.")
            else:
                counts.append(draft.make(edit, path))
        except RefusedChange as refused:
            which = f"Edit {number + 1} of {len(edits)}: " if len(edits) > 1 else ""
            raise RefusedChange(refused.code, which + refused.message) from refused
    if draft.text == text and not is_new:
        raise RefusedChange("no_change", f"The edits of {path} cancel each other: nothing would change.")
    return Edited(draft.text, tuple(counts), draft.is_by_quotes)


class _Kept(NamedTuple):
    """A part of the first text that stands as it was: its range there, and where it begins now."""

    start: int
    stop: int
    now: int


class _Draft:
    def __init__(self, text: str, *, has_ranges: bool) -> None:
        self.text = text
        self.is_by_quotes = False
        self._first: Final = text
        self._kept = [_Kept(0, len(text), 0)]
        self._has_ranges = has_ranges
        self._starts: list[int] = []
        if has_ranges:
            at = 0
            for line in split_lines(text):
                self._starts.append(at)
                at += len(line)
            self._starts.append(at)

    def make(self, edit: OneEdit, path: str) -> int:
        """Make one edit and return in how many places it changed the text."""
        if edit.lines is not None:
            self._put_lines(*edit.lines, edit.new_string, path)
            return 1
        if not edit.old_string:
            raise RefusedChange(
                "exists", f"{path} exists already; only the first edit of a new file has no old_string."
            )
        if edit.old_string == edit.new_string:
            raise RefusedChange("no_change", "old_string and new_string are the same; nothing would change.")
        done = replace_in(
            self.text,
            edit.old_string,
            edit.new_string,
            every=edit.replace_all,
            path=path,
            has_places=self._has_ranges,
            before=self._first,
        )
        self._move(done.places)
        self.text = done.text
        self.is_by_quotes = self.is_by_quotes or done.is_by_quotes
        return done.count

    def _put_lines(self, first: int, last: int, new: str, path: str) -> None:
        total = len(self._starts) - 1
        shown = f"line {first}" if first == last else f"lines {first}–{last}"
        if last > total:
            is_or_are = "is" if first == last else "are"
            raise RefusedChange(
                "bad_range", f"There {is_or_are} no {shown}: {path} has {total} line{'' if total == 1 else 's'}."
            )
        start, stop = self._starts[first - 1], self._starts[last]
        kept = next((kept for kept in self._kept if kept.start <= start and stop <= kept.stop), None)
        if kept is None:
            raise RefusedChange("overlap", f"An edit before has changed {shown} of {path}; put the two together.")
        old = self._first[start:stop]
        put = self._as_lines(new, old, start)
        if put == old:
            raise RefusedChange("no_change", f"The new text is what {shown} of {path} holds already.")
        at = kept.now + start - kept.start
        self._move([TextMatch(at, at + stop - start, put)])
        self.text = self.text[:at] + put + self.text[at + stop - start :]

    def _as_lines(self, new: str, old: str, at: int) -> str:
        """Give new lines the endings of the text, and the last of them one where the old last one had one."""
        endings = Endings(self._first)
        put = endings.adapt(endings.unify(new), at) if endings.has_any else new
        if put and old.endswith("\n") and not put.endswith("\n"):
            put += "\r\n" if old.endswith("\r\n") else "\n"
        return put

    def _move(self, places: Iterable[TextMatch]) -> None:
        """Take note of what replacing these places, in order and without overlap, leaves of the first text."""
        if not self._has_ranges:
            return
        out: list[_Kept] = []
        rest = list(reversed(self._kept))
        shift = 0
        for start, stop, put in places:
            while rest:
                kept = rest.pop()
                end = kept.now + kept.stop - kept.start
                if kept.now >= stop:
                    rest.append(kept)
                    break
                if kept.now < start:
                    cut = min(end, start)
                    out.append(_Kept(kept.start, kept.start + cut - kept.now, kept.now + shift))
                if end > stop:
                    rest.append(_Kept(kept.stop - (end - stop), kept.stop, stop))
                    break
            shift += len(put) - (stop - start)
        out += [kept._replace(now=kept.now + shift) for kept in reversed(rest)]
        self._kept = out
