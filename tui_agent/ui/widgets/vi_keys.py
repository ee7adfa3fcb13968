"""The keys of vi in the prompt: between a text area, which has text, cursor and what can be undone, and the machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from textual import events
from textual.widgets.text_area import Selection

from tui_agent.ui.prompting.editing.offsets import alike, first_column, line_start, location_of
from tui_agent.ui.prompting.editing.vi import Mode, Vi, ViRequest, ViStep

if TYPE_CHECKING:
    from tui_agent.ui.widgets.key_handler import KeyHandler
    from tui_agent.ui.widgets.offset_text_area import OffsetTextArea

__all__ = ["ViKeys"]

_TOGETHER_S: Final = 1.0  # within which keys that stand for others have to come
_NAMED: Final = frozenset({"escape", "left", "right", "up", "down", "home", "end", "delete", "backspace", "ctrl+r"})
_HISTORY_KEYS: Final = {"older": "up", "newer": "down", "search": "ctrl+r"}
_TYPING: Final = frozenset({"INSERT", "REPLACE"})  # what is typed until Escape is undone as one


class _Copied:
    """What was copied in the app, as a register."""

    def __init__(self, area: OffsetTextArea) -> None:
        self._area = area

    def read(self) -> str:
        return self._area.app.clipboard

    def write(self, text: str) -> None:
        self._area.app.copy_to_clipboard(text)


class ViKeys:
    """Takes the keys of one text area. `remaps` are keys typed in INSERT and what they stand for: `<Esc>`, or text."""

    def __init__(self, area: OffsetTextArea, remaps: Mapping[str, str]) -> None:
        self.remaps = dict(remaps)
        self._area = area
        self._machine = Vi(_Copied(area))
        self._at = 0  # the cursor while something is selected, where the area has its own
        self._shown: Selection | None = None
        self._marks: list[tuple[int, int]] = []  # how much could be undone before each change, and the cursor
        self._undone: list[int] = []  # and before each undoing
        self._typed = ""
        self._typed_s = 0.0
        self._is_taken = False

    @property
    def mode(self) -> Mode:
        """The mode the machine is in."""
        return self._machine.mode

    def begin(self) -> None:
        """Start with an empty text, in INSERT."""
        self._machine.begin()
        self._marks.clear()
        self._undone.clear()
        self._shown = None

    def take(self, event: events.Key, holder: KeyHandler) -> bool:
        """Take a key; False when it is not one of vi's."""
        is_insert = self.mode == "INSERT"
        if is_insert and event.key != "escape":
            return self._stands_for_other(event, holder)
        key = event.character if event.is_printable and event.character else event.key
        if not is_insert and not self._machine.is_pending and not self._area.text and key == "?":
            return holder.take_key("question_mark")
        if len(key) > 1 and key not in _NAMED and not (key == "enter" and self._machine.is_pending):
            return False
        if key == "escape" and self.mode in _TYPING:
            holder.close_list()
        self._press(key, holder)
        return self._is_taken

    def _press(self, key: str, holder: KeyHandler) -> None:
        area, machine, before = self._area, self._machine, self.mode
        is_selection_ours = self._shown is not None and area.selection == self._shown
        if machine.is_visual and not is_selection_ours:
            machine.leave_visual()  # the mouse or a key of another kind has selected something else
        text, at = area.text, self._at if machine.is_visual else area.at
        depth = len(area.history.undo_stack)
        step = machine.take(key, text, at)
        self._is_taken = step.is_taken
        if before not in _TYPING and (step.text != text or machine.mode in _TYPING):
            self._marks.append((depth, at))
            self._undone.clear()
        if before == "INSERT" and machine.mode != "INSERT" and step.text == text:
            area.history.checkpoint()
        self._show(step)
        if machine.mode == "INSERT" and before != "INSERT":
            area.history.checkpoint()
        if step.request is not None:
            self._fulfil(step.request, step.times, holder)
        if machine.mode != before:
            holder.show_mark()

    def _show(self, step: ViStep) -> None:
        area, machine = self._area, self._machine
        if step.text != area.text:
            area.rewrite(step.text, step.cursor)
        self._at = step.cursor
        start = stop = step.cursor
        if machine.is_visual:
            first, last = machine.selected(step.text, step.cursor)
            is_forward = machine.anchor <= step.cursor
            start = first if is_forward else last
            # The cell of the cursor is drawn as selected anyway; behind a line's end it would be off the text.
            stop = step.cursor if is_forward and machine.mode == "VISUAL" else last if is_forward else first
        area.selection = Selection(location_of(step.text, start), location_of(step.text, stop))
        area.record_cursor_width()
        self._shown = area.selection if machine.is_visual else None

    def _fulfil(self, request: ViRequest, times: int, holder: KeyHandler) -> None:
        if request in _HISTORY_KEYS:
            key = _HISTORY_KEYS[request]
            if not holder.take_key(key):
                self._area.action_cursor_up() if key == "up" else self._area.action_cursor_down()
            return
        area = self._area
        for _ in range(times):
            text, at = area.text, area.at
            cursor = self._undo() if request == "undo" else self._redo()
            if area.text == text:
                break
            first = alike(text, area.text)
            first += first == len(text) and area.text[first : first + 1] == "\n"  # whole lines came back at the end
            is_here = line_start(area.text, cursor) == line_start(area.text, first)
            at = cursor if is_here else first_column(area.text, first)
        self._show(self._machine.take("escape", area.text, at))

    def _undo(self) -> int:
        """Undo a change, and return where the cursor was before it."""
        area, stack = self._area, self._area.history
        depth = len(stack.undo_stack)
        while self._marks and self._marks[-1][0] >= depth:
            self._marks.pop()
        floor, cursor = self._marks.pop() if self._marks else (depth - 1, -1)
        if depth:
            self._undone.append(depth)
        while len(stack.undo_stack) > max(0, floor):
            area.undo()
        return min(map(area.offset_at, area.selection)) if cursor < 0 else cursor

    def _redo(self) -> int:
        """Do again what was undone, and return where the cursor was before."""
        area, stack = self._area, self._area.history
        depth = len(stack.undo_stack)
        goal = self._undone.pop() if self._undone else depth + 1
        if stack.redo_stack:
            self._marks.append((depth, area.at))
        cursor = area.at
        while len(stack.undo_stack) < goal and stack.redo_stack:
            area.redo()
        return cursor

    def _stands_for_other(self, event: events.Key, holder: KeyHandler) -> bool:
        """Whether a key typed in INSERT ends a row of keys that stands for something else, which is then done."""
        if not self.remaps or not event.is_printable or not event.character:
            self._typed = ""
            return False
        area, char = self._area, event.character
        typed = (
            self._typed
            if event.time - self._typed_s <= _TOGETHER_S and area.text[: area.at].endswith(self._typed)
            else ""
        )
        rows = [(typed + char)[start:] for start in range(len(typed) + 1)]
        self._typed_s = event.time
        for row in rows:
            if (meaning := self.remaps.get(row)) is not None:
                self._typed = ""
                at = area.at - len(row) + 1
                text = area.text[:at] + area.text[area.at :]
                is_escape = meaning.lower() in ("<esc>", "<escape>")
                area.rewrite(
                    text if is_escape else text[:at] + meaning + text[at:], at + (0 if is_escape else len(meaning))
                )
                if is_escape:
                    self._press("escape", holder)
                return True
        self._typed = next((row for row in rows if any(keys.startswith(row) for keys in self.remaps)), "")
        return False
