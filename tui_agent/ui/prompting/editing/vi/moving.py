"""Where commands of vi lead, and what operators take on the way: the motions, with what is remembered between them."""

from __future__ import annotations

from typing import Final

from rich.cells import cell_len

from tui_agent.ui.prompting.editing.offsets import first_column, line_start
from tui_agent.ui.prompting.editing.vi.changes import CASES
from tui_agent.ui.prompting.editing.vi.keys import ViCommand
from tui_agent.ui.prompting.editing.vi.marks import JUMP, Marks
from tui_agent.ui.prompting.editing.vi.motions import FINDS, MOTIONS, Find, find, lines_away, vertical
from tui_agent.ui.prompting.editing.vi.objects import text_object
from tui_agent.ui.prompting.editing.vi.spans import ViSpan, lines, or_lines, taken, without_last_start
from tui_agent.ui.prompting.editing.vi.targets import MotionWalk, Target
from tui_agent.ui.prompting.editing.vi.words import changed_word

__all__ = ["LARGE", "Moves"]

_FAR: Final = 1 << 30  # the column of `$`, in whatever line
_JUMPS: Final = frozenset({"G", "gg", "%", "{", "}", "`", "'"})
LARGE: Final = frozenset({"%", "{", "}", "`"})
"""Motions over which what is deleted counts for more than a line, as in vi of old."""


class Moves:
    """The motions of one text: remembers the last search in a line, the wanted column, and the marks."""

    def __init__(self) -> None:
        self.marks = Marks()
        self._find: Find | None = None
        self._column: int | None = None  # where `j` and `k` would like to be, in cells
        self._was_column: int | None = None

    def begin(self) -> None:
        """Start with a new text."""
        self.marks.clear()
        self._column = None

    def begin_command(self) -> None:
        """Forget the wanted column, unless the command that begins is one that keeps it."""
        self._was_column, self._column = self._column, None

    def keep_column(self) -> None:
        """Remember the wanted column after all: the command that began leaves it alone."""
        self._column = self._was_column

    def knows(self, name: str) -> bool:
        """Whether this is the name of a motion, but for `j` and `k`."""
        return name in MOTIONS or name in FINDS or name in (";", ",", "`", "'")

    def target(
        self, command: ViCommand, text: str, cursor: int, *, is_operated: bool = False, is_visual: bool = False
    ) -> Target | None:
        """Return where a motion leads; None where it leads nowhere."""
        name = command.name
        walk = MotionWalk(text, cursor, command.count, is_operated, is_visual)
        if name in FINDS:
            if len(command.char) != 1:
                return None
            self._find = Find(name, command.char)
            return find(walk, self._find)
        if name in (";", ","):
            if self._find is None:
                return None
            return find(walk, self._find if name == ";" else self._find.turned, is_again=True)
        target = self._marked(name, command.char, text) if name in ("`", "'") else MOTIONS[name](walk)
        if target is not None and name in _JUMPS:
            self.marks.set(JUMP, cursor)
        if name == "$" and not is_operated:
            self._column = _FAR
        return target

    def vertically(self, command: ViCommand, text: str, cursor: int, *, is_visual: bool = False) -> Target | None:
        """Return where `j` or `k` lead, in the column that was wanted first."""
        column = cell_len(text[line_start(text, cursor) : cursor]) if self._was_column is None else self._was_column
        rows = command.times if command.name == "j" else -command.times
        target = vertical(text, cursor, rows, column, may_end=is_visual)
        if target is not None:
            self._column = column
        return target

    def span(self, command: ViCommand, text: str, cursor: int) -> ViSpan | None:
        """Return what an operator takes; None where its motion leads nowhere."""
        name, motion = command.name, command.motion
        if motion in (name, "_"):
            last = lines_away(text, cursor, command.times - 1)
            if last is None:
                return None
            is_one_cased = name in CASES and last == cursor
            return lines(text, cursor, last, min(cursor, first_column(text, cursor)) if is_one_cased else cursor)
        if motion[0] in "ia":
            found = text_object(text, cursor, motion, command.times)
            if found is None:
                return None
            if name == "d":
                return or_lines(text, found)
            return without_last_start(text, found) if motion[1] in "wW" else found
        move = ViCommand(motion, command.count, char=command.char)
        if motion in ("j", "k"):
            moved = self.vertically(move, text, cursor)
            self._column = None
        elif name == "c" and motion in ("w", "W"):
            moved = changed_word(MotionWalk(text, cursor, command.count, is_operated=True), is_big=motion == "W")
        else:
            moved = self.target(move, text, cursor, is_operated=True)
        if moved is None:
            return None
        span = taken(text, cursor, moved)
        return or_lines(text, span) if name == "d" and not span.is_lines else span

    def _marked(self, name: str, mark: str, text: str) -> Target | None:
        at = self.marks.place(mark)
        if at is None:
            return None
        return Target(at) if name == "`" else Target(first_column(text, at), "linewise")
