"""The keys of vi on a text: a machine without a screen. Keys go in with text and cursor, and come out as the text they make.

What it does not do itself it wishes for: undoing, walking through the history, searching it. In INSERT only Escape is its own;
whoever holds the text puts in what is typed, and the machine sees by the text what that was when it ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from tui_agent.ui.prompting.editing.places import first_column, line_end, line_start
from tui_agent.ui.prompting.editing.vi_keys import OPERATORS, Command, NoCommandError, read_keys
from tui_agent.ui.prompting.editing.vi_motions import FINDS, MOTIONS, Find, Target, change_word, find, vertical
from tui_agent.ui.prompting.editing.vi_objects import text_object

__all__ = ["Mode", "Step", "Vi", "Wish"]

Mode = Literal["INSERT", "NORMAL", "VISUAL", "V-LINE"]
Wish = Literal["undo", "redo", "older", "newer", "search"]
_INDENT: Final = "  "
_FAR: Final = 1 << 30  # the column of `$`, in whatever line
_LONGEST: Final = 1_000_000  # characters that a count may make


@dataclass(frozen=True, slots=True)
class Step:
    """What a key led to. `is_taken` is False where it means nothing here and may mean something elsewhere."""

    text: str
    cursor: int
    wish: Wish | None = None
    is_taken: bool = True


@dataclass(frozen=True, slots=True)
class _Register:
    text: str = ""
    is_lines: bool = False


@dataclass(frozen=True, slots=True)
class _Span:
    """What an operator takes: from, up to and without; whole lines without the newline behind the last.

    `origin` is where the cursor goes if nothing is taken away; None: the start.
    """

    start: int
    stop: int
    is_lines: bool = False
    origin: int | None = None


@dataclass(frozen=True, slots=True)
class _Change:
    """The last command that changed the text, to be done again: what it was, what it was done to, what was then typed."""

    command: Command
    extent: tuple[int, int] | None = None  # newlines and characters that were selected
    is_lines: bool = False
    typed: str = ""


@dataclass(frozen=True, slots=True)
class _Typing:
    """The text and the cursor as they were when INSERT began, how often what is typed is wanted, and whether in own lines."""

    text: str
    cursor: int
    count: int = 1
    in_lines: bool = False


class Vi:
    """One text's vi. Begins in INSERT, as a prompt does."""

    def __init__(self) -> None:
        self.mode: Mode = "INSERT"
        self._keys: list[str] = []
        self._register = _Register()
        self._find: Find | None = None
        self._column: int | None = None  # where `j` and `k` would like to be
        self._anchor = 0
        self._is_to_end = False  # what is selected goes to the end of its last line, newline included
        self._change: _Change | None = None
        self._typing: _Typing | None = None
        self._is_repeating = False

    @property
    def is_pending(self) -> bool:
        """Whether keys were pressed that are not a whole command yet, or something is selected."""
        return bool(self._keys) or self.is_visual

    @property
    def is_visual(self) -> bool:
        """Whether something is being selected."""
        return self.mode in ("VISUAL", "V-LINE")

    @property
    def is_inserting(self) -> bool:
        """Whether what is typed is text."""
        return self.mode == "INSERT"

    @property
    def anchor(self) -> int:
        """Where the selection was begun."""
        return self._anchor

    def begin(self) -> None:
        """Start with a new text, in INSERT."""
        self.mode = "INSERT"
        self._keys.clear()
        self._typing = self._column = None

    def leave_visual(self) -> None:
        """Select nothing any more."""
        if self.is_visual:
            self.mode = "NORMAL"
        self._keys.clear()

    def take(self, key: str, text: str, cursor: int) -> Step:
        """Take a key: a character, or the name of a key that has none (`escape`, `left`, `ctrl+r`)."""
        cursor = max(0, min(cursor, len(text)))
        if self.is_inserting:
            return self._leave_insert(text, cursor) if key == "escape" else Step(text, cursor, is_taken=False)
        if key == "escape":
            is_pending = self.is_pending
            self.leave_visual()
            return Step(text, _rest(text, cursor), is_taken=is_pending)
        cursor = cursor if self.is_visual else _rest(text, cursor)
        self._keys.append(key)
        try:
            command = read_keys(self._keys, is_visual=self.is_visual)
        except NoCommandError:
            is_one = len(self._keys) == 1
            self._keys.clear()
            return Step(text, cursor, is_taken=not is_one or len(key) == 1)
        if command is None:
            return Step(text, cursor)
        self._keys.clear()
        column, self._column = self._column, None
        self._is_to_end = column == _FAR
        step = self._run(command, text, cursor, column)
        rests = not self.is_inserting and not self.is_visual
        return Step(step.text, _rest(step.text, step.cursor), step.wish) if rests else step

    # --- commands ----------------------------------------------------------------------------------------------------

    def _run(self, command: Command, text: str, cursor: int, column: int | None) -> Step:
        name, count = command.name, max(1, command.count)
        if name in ("j", "k"):
            return self._vertically(text, cursor, count if name == "j" else -count, column)
        if name in MOTIONS or name in FINDS or name in (";", ","):
            target = self._target(command, name, text, cursor, is_operated=False)
            if name == "$":
                self._column = _FAR
            return Step(text, target.at if target else cursor)
        match name:
            case "u" if not self.is_visual:
                return Step(text, cursor, "undo")
            case "ctrl+r":
                return Step(text, cursor, "redo")
            case "/":
                self.leave_visual()
                return Step(text, cursor, "search")
            case ".":
                return self._again(command.count, text, cursor)
            case "v" | "V":
                self._toggle_visual("VISUAL" if name == "v" else "V-LINE", cursor)
                return Step(text, cursor)
        if self.is_visual:
            return self._visually(command, text, cursor)
        if name == "y":
            return self._operate(command, text, cursor)
        if not self._is_repeating:
            self._change = _Change(command)
        return self._edit(command, text, cursor)

    def _edit(self, command: Command, text: str, cursor: int) -> Step:
        """Carry out a command that changes the text."""
        name, count = command.name, max(1, command.count)
        start, end = line_start(text, cursor), line_end(text, cursor)
        match name:
            case "i":
                return self._insert(text, cursor, count)
            case "a":
                return self._insert(text, min(cursor + 1, end), count)
            case "I":
                blanks = len(text[start:end]) - len(text[start:end].lstrip())
                return self._insert(text, start + blanks, count)
            case "A":
                return self._insert(text, end, count)
            case "o" | "O":
                return self._open_line(text, cursor, count, is_above=name == "O")
            case "p" | "P":
                return self._put(text, cursor, count, is_before=name == "P")
            case "r":
                return _replaced(text, cursor, count, "\n" if command.char == "enter" else command.char)
            case "~":
                stop = min(cursor + count, end)
                return Step(text[:cursor] + text[cursor:stop].swapcase() + text[stop:], stop)
            case "J":
                return _joined(text, cursor, max(1, count - 1))
            case "Y":
                return self._operate(Command("y", command.count, "y"), text, cursor)
        short = {"x": "dl", "X": "dh", "D": "d$", "C": "c$", "s": "cl", "S": "cc"}.get(name)
        if short:
            return self._operate(Command(short[0], command.count, short[1]), text, cursor)
        return self._operate(command, text, cursor) if name in OPERATORS else Step(text, cursor)

    def _target(self, command: Command, name: str, text: str, cursor: int, *, is_operated: bool) -> Target | None:
        count = max(1, command.count)
        if name in FINDS:
            self._find = Find(name, command.char)
            return find(text, cursor, count, self._find) if len(command.char) == 1 else None
        if name in (";", ","):
            if self._find is None:
                return None
            wanted = self._find if name == ";" else self._find.turned
            return find(text, cursor, count, wanted, is_again=True)
        return MOTIONS[name](text, cursor, command.count if name == "G" else count, is_operated)

    def _vertically(self, text: str, cursor: int, rows: int, column: int | None) -> Step:
        column = cursor - line_start(text, cursor) if column is None else column
        target = vertical(text, cursor, rows, column)
        if target is None:
            is_walk = abs(rows) == 1 and not self.is_visual
            return Step(text, cursor, ("newer" if rows > 0 else "older") if is_walk else None)
        self._column = column
        return Step(text, target.at)

    # --- operators ---------------------------------------------------------------------------------------------------

    def _operate(self, command: Command, text: str, cursor: int) -> Step:
        span = self._span(command, text, cursor)
        return Step(text, cursor) if span is None else self._apply(command.name, text, span)

    def _span(self, command: Command, text: str, cursor: int) -> _Span | None:
        """Return what an operator takes, by its motion."""
        name, motion, count = command.name, command.motion, max(1, command.count)
        if motion == name:
            last = vertical(text, cursor, count - 1, 0)
            return None if last is None else _lines(text, cursor, last.at, cursor)
        if motion in ("j", "k"):
            rows, column = count if motion == "j" else -count, cursor - line_start(text, cursor)
            other = vertical(text, cursor, rows, column)
            return None if other is None else _lines(text, cursor, other.at, min(cursor, other.at))
        if motion[0] in "ia":
            found = text_object(text, cursor, motion[1], count, is_around=motion[0] == "a")
            return None if found is None else _alone(text, _Span(*found[0], is_lines=found[1]), name)
        if name == "c" and motion in ("w", "W"):
            moved = change_word(motion)(text, cursor, count, True)
        else:
            moved = self._target(
                Command(motion, command.count, char=command.char), motion, text, cursor, is_operated=True
            )
        if moved is None:
            return _Span(cursor, cursor) if name == "c" and motion in "wW$hl" else None
        return _taken(text, cursor, moved, name)

    def _apply(self, name: str, text: str, span: _Span) -> Step:
        """Do what an operator does to a part of the text."""
        start, stop = span.start, span.stop
        if name in "<>":
            return _shifted(text, start, stop, 1 if name == ">" else -1)
        self._register = _Register(text[start:stop], span.is_lines)
        if name == "y":
            return Step(text, start if span.origin is None else span.origin)
        if name == "c":
            indent = (
                text[start:stop][: len(text[start:stop]) - len(text[start:stop].lstrip(" \t"))] if span.is_lines else ""
            )
            return self._insert(text[:start] + indent + text[stop:], start + len(indent), 1)
        if not span.is_lines:
            return Step(text[:start] + text[stop:], start)
        text = text[:start] + text[stop + 1 :] if stop < len(text) else text[: max(0, start - 1)]
        return Step(text, first_column(text, min(start, len(text))))

    # --- inserting ---------------------------------------------------------------------------------------------------

    def _insert(self, text: str, cursor: int, count: int, *, in_lines: bool = False) -> Step:
        self.mode = "INSERT"
        self._typing = _Typing(text, cursor, count, in_lines)
        return Step(text, cursor)

    def _open_line(self, text: str, cursor: int, count: int, *, is_above: bool) -> Step:
        start, end = line_start(text, cursor), line_end(text, cursor)
        line = text[start:end]
        indent = line[: len(line) - len(line.lstrip(" \t"))]
        if is_above:
            return self._insert(text[:start] + indent + "\n" + text[start:], start + len(indent), count, in_lines=True)
        return self._insert(text[:end] + "\n" + indent + text[end:], end + 1 + len(indent), count, in_lines=True)

    def _leave_insert(self, text: str, cursor: int) -> Step:
        typing, self._typing = self._typing, None
        self.mode = "NORMAL"
        if typing is not None:
            before, behind = typing.text[: typing.cursor], typing.text[typing.cursor :]
            is_plain = len(text) >= len(typing.text) and text.startswith(before) and text.endswith(behind)
            typed = text[len(before) : len(text) - len(behind)] if is_plain else ""
            if typed and typing.count > 1 and len(typed) * typing.count < _LONGEST:
                more = ("\n" if typing.in_lines else "").join(["", *[typed] * (typing.count - 1)])
                more = more if typing.in_lines else typed * (typing.count - 1)
                at = len(before) + len(typed)
                text, cursor = text[:at] + more + text[at:], at + len(more)
            if self._change is not None and not self._is_repeating:
                self._change = _Change(self._change.command, self._change.extent, self._change.is_lines, typed)
        return Step(text, max(line_start(text, cursor), cursor - 1))

    def _put(self, text: str, cursor: int, count: int, *, is_before: bool) -> Step:
        text_put, is_lines = self._register.text, self._register.is_lines
        if (not text_put and not is_lines) or len(text_put) * count > _LONGEST:
            return Step(text, cursor)
        if is_lines:
            lines = "\n".join([text_put] * count)
            start, end = line_start(text, cursor), line_end(text, cursor)
            if is_before:
                text = text[:start] + lines + "\n" + text[start:]
                return Step(text, first_column(text, start))
            text = text[:end] + "\n" + lines + text[end:]
            return Step(text, first_column(text, end + 1))
        at = cursor if is_before else min(cursor + 1, line_end(text, cursor))
        put = text_put * count
        return Step(text[:at] + put + text[at:], at if "\n" in put else at + len(put) - 1)

    def _again(self, count: int, text: str, cursor: int) -> Step:
        """Do the last change once more, here."""
        change = self._change
        if change is None:
            return Step(text, cursor)
        command = change.command
        if count:
            command = Command(command.name, count, command.motion, command.char)
            self._change = _Change(command, change.extent, change.is_lines, change.typed)
        self._is_repeating = True
        try:
            if change.extent is None:
                step = self._edit(command, text, cursor)
            else:
                span = _extent(text, cursor, change)
                self.mode = "V-LINE" if change.is_lines else "VISUAL"
                step = self._on_span(command, text, cursor, span)
            if self.is_inserting:
                at = step.cursor
                step = self._leave_insert(step.text[:at] + change.typed + step.text[at:], at + len(change.typed))
        finally:
            self._is_repeating = False
        return step

    # --- selecting ---------------------------------------------------------------------------------------------------

    def _toggle_visual(self, mode: Literal["VISUAL", "V-LINE"], cursor: int) -> None:
        if self.mode == mode:
            self.mode = "NORMAL"
            return
        if not self.is_visual:
            self._anchor = cursor
        self.mode = mode

    def selected(self, text: str, cursor: int) -> tuple[int, int]:
        """Return what is selected: from, up to and without."""
        first, last = sorted((min(self._anchor, len(text)), min(cursor, len(text))))
        if self.mode == "V-LINE":
            return line_start(text, first), line_end(text, last)
        stop = min(last + 1, len(text))
        return first, stop + 1 if self._is_to_end and text[stop : stop + 1] == "\n" else stop

    def _visually(self, command: Command, text: str, cursor: int) -> Step:
        name = command.name
        if name == "o":
            self._anchor, cursor = cursor, min(self._anchor, len(text))
            return Step(text, cursor)
        if name[0] in "ia" and len(name) == 2:
            found = text_object(text, cursor, name[1], max(1, command.count), is_around=name[0] == "a")
            if found is not None and found[0][1] > found[0][0]:
                self._anchor, cursor = found[0][0], found[0][1] - 1
                self.mode = "V-LINE" if found[1] else "VISUAL"
            return Step(text, cursor)
        is_lines = self.mode == "V-LINE"
        start, stop = self.selected(text, cursor)
        if name not in "yY" and not self._is_repeating:
            chosen = text[start:stop]
            self._change = _Change(command, (chosen.count("\n"), len(chosen) - chosen.rfind("\n") - 1), is_lines)
        return self._on_span(command, text, cursor, _Span(start, stop, is_lines))

    def _on_span(self, command: Command, text: str, cursor: int, span: _Span) -> Step:
        """Carry out a command on what is selected, which ends the selecting."""
        name, count, chosen = command.name, max(1, command.count), text[span.start : span.stop]
        self.mode = "NORMAL"
        if name in "XDCSRY":  # take whole lines, whatever is selected
            span = _Span(line_start(text, span.start), line_end(text, max(span.start, span.stop - 1)), is_lines=True)
        match name:
            case "x" | "X" | "D":
                return self._apply("d", text, span)
            case "s" | "S" | "C":
                return self._apply("c", text, span)
            case "Y" | "y":
                return self._apply("y", text, span)
            case "<" | ">":
                return _shifted(text, span.start, span.stop, count if name == ">" else -count)
            case "~" | "u" | "U":
                other = {"~": chosen.swapcase, "u": chosen.lower, "U": chosen.upper}[name]()
                return Step(text[: span.start] + other + text[span.stop :], span.start)
            case "r":
                other = "".join(char if char == "\n" else command.char for char in chosen)
                return Step(text[: span.start] + other + text[span.stop :], span.start)
            case "J":
                return _joined(text, span.start, max(1, chosen.count("\n")))
            case "p" | "P":
                return self._put_over(text, cursor, span, count, keeps=name == "P")
        return self._apply(name, text, span) if name in OPERATORS else Step(text, cursor)

    def _put_over(self, text: str, cursor: int, span: _Span, count: int, *, keeps: bool) -> Step:
        put = self._register
        chosen = _Register(text[span.start : span.stop], span.is_lines)
        body = ("\n" if put.is_lines else "").join([put.text] * count)
        if len(body) > _LONGEST:
            return Step(text, cursor)
        before, behind = text[: span.start], text[span.stop :]
        if put.is_lines and not span.is_lines:
            before, behind = before + "\n", "\n" + behind
        self._register = put if keeps else chosen
        text = before + body + behind
        if put.is_lines:
            return Step(text, first_column(text, len(before)))
        return Step(text, len(before) + (0 if "\n" in body else max(0, len(body) - 1)))


# --- parts of texts --------------------------------------------------------------------------------------------------


def _rest(text: str, cursor: int) -> int:
    """Return where a cursor may rest: on a character, unless the line has none."""
    start, end = line_start(text, cursor), line_end(text, cursor)
    return min(cursor, max(start, end - 1))


def _lines(text: str, first: int, second: int, origin: int | None = None) -> _Span:
    low, high = sorted((first, second))
    return _Span(line_start(text, low), line_end(text, high), is_lines=True, origin=origin)


def _taken(text: str, cursor: int, target: Target, operator: str) -> _Span:
    """Return what an operator takes between the cursor and where a motion leads."""
    start, stop = sorted((cursor, target.at))
    if target.reach == "linewise":
        return _lines(text, start, stop, start)
    if target.reach == "inclusive":
        stop = min(stop + 1, len(text))
    elif stop > start and line_start(text, stop) == stop and line_start(text, start) != stop:
        # A motion that ends before the first character of a line leaves that line alone.
        stop -= 1
        if not text[line_start(text, start) : start].strip():
            return _lines(text, start, stop, start)
    if operator in "<>":
        return _lines(text, start, max(start, stop - 1), start)
    return _alone(text, _Span(start, stop), operator)


def _alone(text: str, span: _Span, operator: str) -> _Span:
    """Take the lines as a whole where some are to be deleted of which nothing but blanks would be left."""
    start, stop = span.start, span.stop
    rest = text[line_start(text, start) : start] + text[stop : line_end(text, stop)]
    is_whole = operator == "d" and "\n" in text[start:stop] and not rest.strip()
    return _lines(text, start, stop) if is_whole else span


def _shifted(text: str, start: int, stop: int, by: int) -> Step:
    first, last = line_start(text, start), line_end(text, stop)
    lines = text[first:last].split("\n")
    if by > 0:
        lines = [_INDENT * by + line if line else line for line in lines]
    else:
        lines = [line[min(len(line) - len(line.lstrip(" ")), len(_INDENT) * -by) :] for line in lines]
    text = text[:first] + "\n".join(lines) + text[last:]
    return Step(text, first_column(text, first))


def _replaced(text: str, cursor: int, count: int, char: str) -> Step:
    if cursor + count > line_end(text, cursor) or len(char) != 1:
        return Step(text, cursor)
    if char == "\n":
        return Step(text[:cursor] + "\n" + text[cursor + count :], cursor + 1)
    return Step(text[:cursor] + char * count + text[cursor + count :], cursor + count - 1)


def _joined(text: str, cursor: int, count: int) -> Step:
    for _ in range(count):
        end = line_end(text, cursor)
        if end == len(text):
            break
        below = text[end + 1 : line_end(text, end + 1)]
        rest = below.lstrip(" \t")
        gap = (
            " "
            if rest and not rest.startswith(")") and end > line_start(text, cursor) and text[end - 1] not in " \t"
            else ""
        )
        text = text[:end] + gap + rest + text[end + 1 + len(below) :]
        cursor = end if gap or rest else max(line_start(text, end), end - 1)
    return Step(text, cursor)


def _extent(text: str, cursor: int, change: _Change) -> _Span:
    """Return as much of the text, from the cursor on, as was selected when the change was made."""
    assert change.extent is not None
    newlines, chars = change.extent
    last = cursor
    for _ in range(newlines):
        end = line_end(text, last)
        if end == len(text):
            break
        last = end + 1
    if change.is_lines:
        return _lines(text, cursor, last)
    return _Span(cursor, min(last + chars, line_end(text, last)))
