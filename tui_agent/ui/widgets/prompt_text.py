"""The text of the prompt: an editor with the keys of readline, or of vi. What else a key means, its holder says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, ClassVar, Final, Literal

from textual import events
from textual.actions import parse
from textual.binding import Binding, BindingType
from textual.geometry import Offset
from textual.message import Message
from textual.widgets.text_area import Edit

from tui_agent.emoji_sequences import emoji_around
from tui_agent.ui.prompting.editing.kill_ring import KillRing
from tui_agent.ui.prompting.editing.offsets import line_end, line_start, location_of, offset_of, word_left, word_right
from tui_agent.ui.terminal.keys import pressed_after_escape
from tui_agent.ui.textual_patches.bindings import bindings_of
from tui_agent.ui.widgets.offset_text_area import OffsetTextArea

if TYPE_CHECKING:
    from rich.text import Text
    from textual.widgets.text_area import EditResult

    from tui_agent.ui.prompting.editing.vi import Mode
    from tui_agent.ui.widgets.key_handler import KeyHandler
    from tui_agent.ui.widgets.vi_keys import ViKeys

__all__ = ["PromptText"]

_UNDONE_STEPS: Final = 1000
_UNDO_KEYS: Final = frozenset({"ctrl+underscore", "ctrl+slash", "ctrl+minus"})
_REDO_KEYS: Final = frozenset({"ctrl+shift+z", "shift+super+z", "alt+underscore", "alt+minus"})


class PromptText(OffsetTextArea):
    """The text itself. What a key means beyond editing is asked of its holder first.

    What is cut goes into a ring, from which it is put back. Cuts one after the other are one text; there is nothing between two
    when text and cursor are as the first left them.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "app.stop_or_leave", show=False),
        Binding("pageup", "screen.page(-1)", show=False),
        Binding("pagedown", "screen.page(1)", show=False),
    ]

    class EndWanted(Message):
        """End was pressed where the text ends already: it is the conversation's that is meant."""

    def __init__(self, holder: KeyHandler) -> None:
        super().__init__(
            "",
            soft_wrap=True,
            show_line_numbers=False,
            compact=True,
            tab_behavior="focus",
            highlight_cursor_line=False,
            max_checkpoints=_UNDONE_STEPS,
            id="prompt-text",
        )
        self.cursor_blink = False
        self.kills = KillRing()
        self._holder = holder
        self._vi: ViKeys | None = None
        self._remaps: Mapping[str, str] = {}
        self._prefix = ""  # a key of two that was pressed
        self._cut: tuple[str, int] | None = None  # text and cursor right after a cut
        self._put: tuple[str, int, int] | None = None  # text right after putting back, and from where to where that is
        self._doers: Final[Mapping[str, Callable[[], object]]] = {
            "ctrl+u": self._cut_line_left,
            "ctrl+k": self._cut_line_right,
            "ctrl+w": self._cut_blank_word_left,
            "alt+backspace": self._cut_word_left,
            "ctrl+backspace": self._cut_word_left,
            "alt+d": self._cut_word_right,
            "alt+delete": self._cut_word_right,
            "ctrl+delete": self._cut_word_right,
            "ctrl+y": self._put_back,
            "alt+y": self._put_older,
            "alt+b": lambda: self.go_to(word_left(self.text, self.at)),
            "alt+left": lambda: self.go_to(word_left(self.text, self.at)),
            "alt+f": lambda: self.go_to(word_right(self.text, self.at)),
            "alt+right": lambda: self.go_to(word_right(self.text, self.at)),
            "alt+u": lambda: self._change_word(str.upper),
            "alt+l": lambda: self._change_word(str.lower),
            "alt+c": lambda: self._change_word(str.capitalize),
            "end": self._go_to_the_end,
            "ctrl+home": lambda: self.go_to(0),
            "ctrl+end": lambda: self.go_to(len(self.text)),
            "alt+less_than_sign": lambda: self.go_to(0),
            "alt+greater_than_sign": lambda: self.go_to(len(self.text)),
            "ctrl+shift+home": lambda: self.go_to(0, is_selecting=True),
            "ctrl+shift+end": lambda: self.go_to(len(self.text), is_selecting=True),
            **dict.fromkeys(_UNDO_KEYS, self.undo),
            **dict.fromkeys(_REDO_KEYS, self.redo),
        }

    # --- keys --------------------------------------------------------------------------------------------------------

    async def on_key(self, event: events.Key) -> None:
        await self._holder.settle(event.key)
        later = pressed_after_escape(event) if self._vi is not None else None
        if later is not None:  # Escape and a key of vi, so fast that they came as one
            self.press(events.Key("escape", None))
            is_taken = self.press(later)
        else:
            is_taken = self.press(event)
        if is_taken or event.key.startswith("alt+"):  # whose character is not meant to be written
            event.stop()
            event.prevent_default()

    def press(self, event: events.Key) -> bool:
        """Do what a key means; False when it is to be written, or means something elsewhere."""
        if self._holder.pass_on(event):
            return True
        key = event.key
        prefix, self._prefix = self._prefix, ""
        if prefix and key == "ctrl+e":
            return self._holder.take_key("ctrl+g")
        if self._vi is not None and self._vi.take(event, self._holder):
            return True
        if self._holder.take_key(key):
            return True
        if key == "ctrl+x":
            self._take_prefix_or_cut()
        elif (do := self._doers.get(key)) is not None:
            do()
        else:
            return self._do_bound(key)
        return True

    def _do_bound(self, key: str) -> bool:
        """Do at once what a key is bound to here: the keys after it would else be taken before it."""
        for binding in bindings_of(self, key):
            namespace, name, arguments = parse(binding.action)
            if not namespace:
                getattr(self, f"action_{name}")(*arguments)
                return True
        return False

    @property
    def key_context(self) -> str:
        """The context of the bindings that count here now."""
        return "Autocomplete" if self._holder.is_completing else "Chat"

    def type(self, character: str) -> None:
        """Take a character that was typed while something else had the focus."""
        self.give(events.Key(character, character))

    def give(self, event: events.Key) -> None:
        """Take a key that was pressed while something else had the focus."""
        if not self.press(event) and event.is_printable and event.character:
            self.write(event.character)

    def write(self, text: str) -> None:
        """Write text where the cursor is, whatever the keys of its characters do."""
        self.replace(text, *self.selection, maintain_selection_offset=False)

    def new_line(self) -> None:
        """Begin a line, as far indented as the one the cursor is in."""
        text, at = self.text, self.selected_range()[0]
        line = text[line_start(text, at) : at]
        indent = line[: len(line) - len(line.lstrip(" \t"))]
        self.replace("\n" + indent, *self.selection, maintain_selection_offset=False)
        self.scroll_cursor_visible()

    async def on_paste(self, event: events.Paste) -> None:
        # The base class would insert what came as it came.
        event.stop()
        event.prevent_default()
        await self._holder.take_paste(event.text)

    def edit(self, edit: Edit) -> EditResult:
        """Change the text: all changes come by here. What takes a part of an emoji away takes all of it."""
        if edit.from_location != edit.to_location:
            begin, end = sorted((edit.from_location, edit.to_location))
            wider = self._emoji_edge(begin, 0), self._emoji_edge(end, 1)
            if wider != (begin, end):
                edit = Edit(edit.text, *wider, edit.maintain_selection_offset)
        if not self._holder.has_chips:
            return super().edit(edit)
        text = self.text
        first, second = sorted((offset_of(text, edit.from_location), offset_of(text, edit.to_location)))
        start, stop = self._holder.widen(first, second, edit.text)
        if (start, stop) != (first, second):
            places = location_of(text, start), location_of(text, stop)
            edit = Edit(edit.text, *places, edit.maintain_selection_offset)
        return super().edit(edit)

    def _emoji_edge(self, place: tuple[int, int], side: int) -> tuple[int, int]:
        """Return a place, or, where it lies within an emoji, that one's beginning (0) or end (1)."""
        row, column = place
        around = emoji_around(self.document.get_line(row), column)
        return (row, around[side]) if around is not None else place

    def scroll_cursor_visible(self, center: bool = False, animate: bool = False) -> Offset:
        """Scroll to the cursor; not in the midst of undoing, when it stands where there is no line any more."""
        if self.cursor_location[0] >= self.document.line_count:
            return Offset()
        return super().scroll_cursor_visible(center, animate)

    def get_line(self, line_index: int) -> Text:
        """Return a line as it is painted."""
        line = super().get_line(line_index)
        self._holder.paint(line)
        return line

    def _take_prefix_or_cut(self) -> None:
        if self.selected_text:
            self._cut_range(*self.selected_range())
            self.app.copy_to_clipboard(self.kills.newest)
        else:
            self._prefix = "ctrl+x"

    # --- vi ----------------------------------------------------------------------------------------------------------

    def use_vi(self, is_on: bool, remaps: Mapping[str, str] | None = None) -> None:
        """Edit with the keys of vi, or without. `remaps` are keys in INSERT that stand for others, as settings write them."""
        remaps = remaps or {}
        if is_on != (self._vi is not None) or remaps != self._remaps:
            from tui_agent.ui.widgets.vi_keys import ViKeys  # few use it

            self._remaps = remaps
            self._vi = ViKeys(self, remaps) if is_on else None
            self._holder.show_mark()

    @property
    def remaps(self) -> Mapping[str, str]:
        """Keys typed in INSERT and what they stand for."""
        return self._remaps

    @property
    def vi_mode(self) -> Mode | Literal[""]:
        """The mode of vi; empty where its keys are not used."""
        return "" if self._vi is None else self._vi.mode

    # --- the text as a whole -----------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Empty it for good: nothing of it comes back by undoing."""
        self.load_text("")
        if self._vi is not None:
            self._vi.begin()

    def show(self, text: str) -> None:
        """Put another text in the place of this one, the cursor at its end; undoing brings this one back."""
        self.rewrite(text, len(text))

    @property
    def is_on_first_row(self) -> bool:
        """Whether nothing, wrapped rows included, is above the cursor."""
        return self.navigator.is_first_wrapped_line(self.cursor_location)

    @property
    def is_on_last_row(self) -> bool:
        """Whether nothing, wrapped rows included, is below the cursor."""
        return self.navigator.is_last_wrapped_line(self.cursor_location)

    @property
    def is_longer_than_its_room(self) -> bool:
        """Whether only a part of the text is seen."""
        return self.wrapped_document.height > self.size.height > 0

    def page(self, direction: int) -> None:
        """Go a page up or down in the text."""
        if direction < 0:
            self.action_cursor_page_up()
        else:
            self.action_cursor_page_down()

    def _go_to_the_end(self) -> None:
        """Go to the line's end; where there is no further to go, to the conversation's."""
        if self.at == len(self.text):
            self.post_message(self.EndWanted())
        self.action_cursor_line_end()

    # --- cutting and putting back ------------------------------------------------------------------------------------

    def _cut_range(self, start: int, stop: int, joins: Literal["before", "after"] | None = None) -> None:
        text, at = self.text, self.at
        if start >= stop:
            return
        start, stop = self._holder.widen(start, stop, "")
        is_going_on = joins is not None and self._cut == (text, at)
        self.kills.add(text[start:stop], joins=joins if is_going_on else None)
        self.history.checkpoint()
        self.replace("", location_of(text, start), location_of(text, stop), maintain_selection_offset=False)
        self.history.checkpoint()
        self._cut = (self.text, start)

    def _cut_line_left(self) -> None:
        """Cut what is left of the cursor, at a line's beginning go on to the line above. The mark of a shell stays longest."""
        text, at = self.text, self.at
        start = line_start(text, at)
        if start == 0 and at > 1 and text.startswith("!"):
            start = 1
        self._cut_range(start if start < at else at - 1 if at else 0, at, "before")

    def _cut_line_right(self) -> None:
        text, at = self.text, self.at
        end = line_end(text, at)
        self._cut_range(at, end if end > at else min(at + 1, len(text)), "after")

    def _cut_blank_word_left(self) -> None:
        if self.selected_text:
            self._cut_range(*self.selected_range())
        else:
            self._cut_range(word_left(self.text, self.at, is_big=True), self.at, "before")

    def _cut_word_left(self) -> None:
        self._cut_range(word_left(self.text, self.at), self.at, "before")

    def _cut_word_right(self) -> None:
        self._cut_range(self.at, word_right(self.text, self.at), "after")

    def _put_back(self) -> None:
        self._put_text(self.kills.newest, *self.selected_range())

    def _put_older(self) -> None:
        """Put the text that was cut before in the place of the one just put back."""
        if self._put is not None and self._put[0] == self.text and self._put[2] == self.at:
            self._put_text(self.kills.turn(), self._put[1], self._put[2])

    def _put_text(self, put: str, start: int, stop: int) -> None:
        if not put:
            return
        text = self.text
        self.history.checkpoint()
        self.replace(put, location_of(text, start), location_of(text, stop), maintain_selection_offset=False)
        self._put = (self.text, start, start + len(put))

    def _change_word(self, change: Callable[[str], str]) -> None:
        text, at = self.text, self.at
        stop = word_right(text, at)
        if stop > at:
            begin = at + len(text[at:stop]) - len(text[at:stop].lstrip())
            self.rewrite(text[:begin] + change(text[begin:stop]) + text[stop:], stop)
