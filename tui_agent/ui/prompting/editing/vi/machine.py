"""The keys of vi on a text: a machine without a screen. Keys go in with text and cursor, and come out as the text they make.

What it does not do itself it asks for: undoing, walking through the history, searching it. In INSERT only Escape is its own;
whoever holds the text puts in what is typed, and the machine sees by the text what that was when it ends.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from tui_agent.ui.prompting.editing.offsets import line_end, line_start
from tui_agent.ui.prompting.editing.vi import changes
from tui_agent.ui.prompting.editing.vi.changes import CASES, indent_of
from tui_agent.ui.prompting.editing.vi.keys import OPERATORS, NoCommandError, ViCommand, read_keys
from tui_agent.ui.prompting.editing.vi.moving import LARGE, Moves
from tui_agent.ui.prompting.editing.vi.registers import Register, RegisterClipboard, Registers
from tui_agent.ui.prompting.editing.vi.selecting import ViSelection
from tui_agent.ui.prompting.editing.vi.spans import Extent, ViSpan, lines
from tui_agent.ui.prompting.editing.vi.steps import Mode, ViStep
from tui_agent.ui.prompting.editing.vi.typing import ReplaceTyping, Typing

__all__ = ["Vi"]

_SHORT: Final = {
    "x": ("d", "l"), "X": ("d", "h"), "D": ("d", "$"), "C": ("c", "$"), "s": ("c", "l"), "S": ("c", "c"), "Y": ("y", "y"),
}  # fmt: skip
_COUNTED: Final = frozenset("12345678")
_ON_LINES: Final = frozenset("XDCSRY")  # take whole lines, whatever is selected


@dataclass(frozen=True, slots=True)
class _Change:
    """The last command that changed the text, to be done again: what it was, what it was done to, what was then typed."""

    command: ViCommand
    extent: Extent | None = None
    typed: str = ""


class Vi:
    """One text's vi. Begins in INSERT, as a prompt does. Without a `clipboard`, `"+` and `"*` are registers like others."""

    def __init__(self, clipboard: RegisterClipboard | None = None) -> None:
        self._keys: list[str] = []
        self._moves = Moves()
        self._registers = Registers(clipboard)
        self._typing: Typing | ReplaceTyping | None = None
        self._is_inserting = True
        self._selection: ViSelection | None = None
        self._was_selected: tuple[ViSelection, int] | None = None
        self._change: _Change | None = None
        self._is_repeating = False

    @property
    def mode(self) -> Mode:
        """What the keys do now."""
        if self._is_inserting:
            return "INSERT"
        if self.is_overtyping:
            return "REPLACE"
        if self._selection is None:
            return "NORMAL"
        return "V-LINE" if self._selection.is_lines else "VISUAL"

    @property
    def is_pending(self) -> bool:
        """Whether keys were pressed that are not a whole command yet, or something is selected or typed over."""
        return bool(self._keys) or self.is_visual or self.is_overtyping

    @property
    def is_visual(self) -> bool:
        """Whether something is being selected."""
        return self._selection is not None

    @property
    def is_inserting(self) -> bool:
        """Whether what is typed is put into the text by whoever holds it."""
        return self._is_inserting

    @property
    def is_overtyping(self) -> bool:
        """Whether what is typed takes the place of what is there."""
        return isinstance(self._typing, ReplaceTyping)

    @property
    def anchor(self) -> int:
        """Where the selection was begun."""
        return 0 if self._selection is None else self._selection.anchor

    def selected(self, text: str, cursor: int) -> tuple[int, int]:
        """Return what is selected: from, up to and without."""
        span = (self._selection or ViSelection(cursor)).span(text, cursor)
        return span.start, span.stop

    def begin(self) -> None:
        """Start with a new text, in INSERT."""
        self._is_inserting = True
        self._keys.clear()
        self._moves.begin()
        self._typing = self._selection = self._was_selected = None

    def leave_visual(self) -> None:
        """Select nothing any more."""
        self._selection = None
        self._keys.clear()

    def take(self, key: str, text: str, cursor: int) -> ViStep:
        """Take a key: a character, or the name of a key that has none (`escape`, `left`, `ctrl+r`)."""
        cursor = max(0, min(cursor, len(text)))
        self._moves.marks.follow(text)
        step = self._taken(key, text, cursor)
        self._moves.marks.follow(step.text)
        if self._is_inserting or self.is_visual or self.is_overtyping:
            return step
        return replace(step, cursor=_rest(step.text, step.cursor))

    def _taken(self, key: str, text: str, cursor: int) -> ViStep:
        if key == "escape":
            return self._escape(text, cursor)
        if self._is_inserting:
            return ViStep(text, cursor, is_taken=False)
        if isinstance(self._typing, ReplaceTyping):
            return self._typing.take(key, text, cursor)
        cursor = cursor if self.is_visual else _rest(text, cursor)
        self._keys.append(key)
        try:
            command = read_keys(self._keys, is_visual=self.is_visual)
        except NoCommandError:
            is_one = len(self._keys) == 1
            self._keys.clear()
            return ViStep(text, cursor, is_taken=not is_one or len(key) == 1)
        if command is None:
            return ViStep(text, cursor)
        self._keys.clear()
        self._moves.begin_command()
        return self._visually(command, text, cursor) if self.is_visual else self._normally(command, text, cursor)

    def _escape(self, text: str, cursor: int) -> ViStep:
        if self._is_inserting or self.is_overtyping:
            return self._leave_typing(text, cursor)
        is_pending = self.is_pending
        self._end_selecting(cursor)
        self._keys.clear()
        return ViStep(text, cursor, is_taken=is_pending)

    # --- commands ----------------------------------------------------------------------------------------------------

    def _normally(self, command: ViCommand, text: str, cursor: int) -> ViStep:
        if (step := self._anywhere(command, text, cursor)) is not None:
            return step
        match command.name:
            case "u":
                return ViStep(text, cursor, "undo", command.times)
            case ".":
                return self._again(command, text, cursor)
            case "Y" | "y":
                return self._edit(command, text, cursor) or ViStep(text, cursor)
        was, self._change = self._change, _Change(command)
        step = self._edit(command, text, cursor)
        if step is None:
            self._change = was
        return step or ViStep(text, cursor)

    def _anywhere(self, command: ViCommand, text: str, cursor: int) -> ViStep | None:
        """Carry out a command that changes nothing, and is the same whether or not something is selected; else None."""
        name = command.name
        if name in ("j", "k"):
            return self._vertically(command, text, cursor)
        if self._moves.knows(name):
            target = self._moves.target(command, text, cursor, is_visual=self.is_visual)
            return ViStep(text, target.at if target else cursor)
        match name:
            case "ctrl+r":
                return ViStep(text, cursor, "redo", command.times)
            case "/":
                self.leave_visual()
                return ViStep(text, cursor, "search")
            case "m":
                self._moves.marks.set(command.char, cursor)
                self._moves.keep_column()
                return ViStep(text, cursor)
            case "v" | "V":
                self._toggle_visual(cursor, is_lines=name == "V")
                self._moves.keep_column()
                return ViStep(text, cursor)
            case "gv":
                return self._select_again(text, cursor)
        return None

    def _edit(self, command: ViCommand, text: str, cursor: int) -> ViStep | None:
        """Carry out a command on the text at the cursor; None where its motion leads nowhere."""
        name, count = command.name, command.times
        start, end = line_start(text, cursor), line_end(text, cursor)
        match name:
            case "i":
                return self._insert(text, cursor, count)
            case "a":
                return self._insert(text, min(cursor + 1, end), count)
            case "I":
                return self._insert(text, start + len(indent_of(text[start:end])), count)
            case "A":
                return self._insert(text, end, count)
            case "o" | "O":
                return self._open_line(text, cursor, count, is_above=name == "O")
            case "R":
                self._typing = ReplaceTyping(text, cursor, count)
                return ViStep(text, cursor)
            case "p" | "P":
                return changes.put(text, cursor, self._registers.read(command.register), count, is_before=name == "P")
            case "r":
                return changes.replaced(text, cursor, count, "\n" if command.char == "enter" else command.char)
            case "~":
                stop = min(cursor + count, end)
                return replace(changes.cased(text, ViSpan(cursor, stop), name), cursor=stop)
            case "J" | "gJ":
                return (
                    None if end == len(text) else changes.joined(text, cursor, max(1, count - 1), is_plain=name == "gJ")
                )
        if name in _SHORT:
            operator, motion = _SHORT[name]
            command = replace(command, name=operator, motion=motion)
        span = self._moves.span(command, text, cursor)
        return None if span is None else self._operate(command, text, span)

    def _vertically(self, command: ViCommand, text: str, cursor: int) -> ViStep:
        target = self._moves.vertically(command, text, cursor, is_visual=self.is_visual)
        if target is not None:
            return ViStep(text, target.at)
        is_walk = command.times == 1 and not self.is_visual
        return ViStep(text, cursor, ("newer" if command.name == "j" else "older") if is_walk else None)

    def _operate(self, command: ViCommand, text: str, span: ViSpan, times: int = 1) -> ViStep:
        """Do what an operator does to a part of the text."""
        name = command.name
        if name in CASES:
            return changes.cased(text, span, name)
        if name in "<>":
            return changes.shifted(text, span, times if name == ">" else -times)
        register = Register(span.of(text), span.is_lines)
        if name == "y":
            self._registers.yank(register, command.register)
            return ViStep(text, span.rest)
        if register and text:
            self._registers.delete(register, command.register, is_large=command.motion in LARGE)
        if name == "d":
            return changes.deleted(text, span)
        indent = indent_of(span.of(text)) if span.is_lines else ""
        text = text[: span.start] + indent + text[span.stop :]
        return self._insert(text, span.start + len(indent), 1, indent=len(indent))

    # --- typing ------------------------------------------------------------------------------------------------------

    def _insert(self, text: str, cursor: int, count: int, *, in_lines: bool = False, indent: int = 0) -> ViStep:
        self._is_inserting = True
        self._typing = Typing(text, cursor, count, in_lines, indent)
        return ViStep(text, cursor)

    def _open_line(self, text: str, cursor: int, count: int, *, is_above: bool) -> ViStep:
        start, end = line_start(text, cursor), line_end(text, cursor)
        indent = indent_of(text[start:end])
        at = start if is_above else end
        line = indent + "\n" if is_above else "\n" + indent
        text, cursor = text[:at] + line + text[at:], at + len(indent) + (not is_above)
        return self._insert(text, cursor, count, in_lines=True, indent=len(indent))

    def _leave_typing(self, text: str, cursor: int) -> ViStep:
        """Go back to NORMAL, with what was typed as often as it is wanted, and remember it."""
        typing = self._typing
        self._is_inserting = False
        self._typing = None
        if typing is None:  # the text began in INSERT
            return _left_of(ViStep(text, cursor))
        if self._change is not None and not self._is_repeating:
            self._change = replace(self._change, typed=typing.typed(text))
        return _left_of(typing.ended(text, cursor))

    def _again(self, command: ViCommand, text: str, cursor: int) -> ViStep:
        """Do the last change once more, here."""
        if self._change is None:
            return ViStep(text, cursor)
        again = self._change.command
        if command.count:
            again = replace(again, count=command.count)
        if again.register in _COUNTED:  # the one that was deleted before is next
            again = replace(again, register=str(int(again.register) + 1))
        change = self._change = replace(self._change, command=again)
        self._is_repeating = True
        try:
            if change.extent is None:
                step = self._edit(again, text, cursor) or ViStep(text, cursor)
            else:
                span = change.extent.at(text, cursor)
                rows = lines(text, span.start, max(span.start, span.stop - 1), cursor)
                step = self._on_span(again, text, cursor, span, rows)
            return step if self._typing is None else self._type_again(change, step)
        finally:
            self._is_repeating = False

    def _type_again(self, change: _Change, step: ViStep) -> ViStep:
        """Type what was typed into the change that is done again, and end it."""
        text, at, typed = step.text, step.cursor, change.typed
        if self._is_inserting:
            step = ViStep(text[:at] + typed + text[at:], at + len(typed))
        elif len(typed) * change.command.times < changes.LONGEST:
            step = changes.overtyped(text, at, typed * change.command.times)
        return self._leave_typing(step.text, step.cursor)

    # --- selecting ---------------------------------------------------------------------------------------------------

    def _toggle_visual(self, cursor: int, *, is_lines: bool) -> None:
        if self._selection is None:
            self._selection = ViSelection(cursor, is_lines)
        elif self._selection.is_lines == is_lines:
            self._end_selecting(cursor)
        else:
            self._selection = replace(self._selection, is_lines=is_lines)

    def _end_selecting(self, cursor: int) -> None:
        if self._selection is not None:
            self._was_selected = self._selection, cursor
        self._selection = None

    def _select_again(self, text: str, cursor: int) -> ViStep:
        """Select what was selected last."""
        if self._was_selected is None:
            return ViStep(text, cursor)
        was, at = self._was_selected
        self._end_selecting(cursor)
        self._selection = replace(was, anchor=min(was.anchor, len(text)))
        return ViStep(text, min(at, len(text)))

    def _visually(self, command: ViCommand, text: str, cursor: int) -> ViStep:
        """Carry out a command while something is selected."""
        if (step := self._anywhere(command, text, cursor)) is not None:
            return step
        selection = self._selection
        assert selection is not None
        name = command.name
        if name in ("o", "O"):
            self._selection = replace(selection, anchor=cursor)
            return ViStep(text, min(selection.anchor, len(text)))
        if len(name) == 2 and name[0] in "ia":
            self._selection, cursor = selection.widened(text, cursor, name, command.times)
            return ViStep(text, cursor)
        span, rows = selection.span(text, cursor), selection.rows(text, cursor)
        self._end_selecting(cursor)
        if name not in ("y", "Y"):
            self._change = _Change(command, Extent.of(text, span))
        return self._on_span(command, text, cursor, span, rows)

    def _on_span(self, command: ViCommand, text: str, cursor: int, span: ViSpan, rows: ViSpan) -> ViStep:
        """Carry out a command on what is selected, and that is in these rows."""
        name, count = command.name, command.times
        if name in _ON_LINES:
            span = rows
        match name:
            case "r":
                chars = "".join(char if char == "\n" else command.char for char in span.of(text))
                is_char = len(command.char) == 1
                return ViStep(text[: span.start] + chars + text[span.stop :] if is_char else text, span.start)
            case "J" | "gJ":
                return changes.joined(text, span.start, max(1, rows.of(text).count("\n")), is_plain=name == "gJ")
            case "p" | "P":
                return self._put_over(command, text, cursor, span)
        if name == "R":
            command = replace(command, name="c")
        elif name in _SHORT:
            command = replace(command, name=_SHORT[name][0])
        if command.name in ("<", ">"):
            span = rows
        is_operator = command.name in OPERATORS or command.name in CASES
        return self._operate(command, text, span, count) if is_operator else ViStep(text, span.start)

    def _put_over(self, command: ViCommand, text: str, cursor: int, span: ViSpan) -> ViStep:
        """Put a register in the place of what is selected, which `p` keeps instead."""
        register = self._registers.read(command.register)
        if command.name == "p":
            self._registers.delete(Register(span.of(text), span.is_lines))
        return changes.put_over(text, cursor, register, command.times, span)


def _left_of(step: ViStep) -> ViStep:
    """Return a step with the cursor on the character before, as after typing."""
    return replace(step, cursor=max(line_start(step.text, step.cursor), step.cursor - 1))


def _rest(text: str, cursor: int) -> int:
    """Return where a cursor may rest: on a character, unless the line has none."""
    start, end = line_start(text, cursor), line_end(text, cursor)
    return min(cursor, max(start, end - 1))
