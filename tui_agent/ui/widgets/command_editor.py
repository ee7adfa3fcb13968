"""The editor for a proposed command: small, in syntax colours, and with nothing in it that does not show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Final

from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import TextArea

from tui_agent.homoglyphs import find_homoglyphs
from tui_agent.text import clean
from tui_agent.ui.placeholders import TAB_MARK, Placeholders
from tui_agent.ui.render_style import render_state
from tui_agent.viewkit.code import Token, tokenize

__all__ = ["CommandEditor"]

_NEWLINE_KEYS: Final = frozenset({"shift+enter", "ctrl+j", "alt+enter"})
_RUN_KEYS: Final = frozenset({"enter", "ctrl+enter"})


class CommandEditor(TextArea):
    """Holds a command while it is edited; `command` is it as it stands. Enter gives it, as in the prompt; Esc gives it up.

    It takes no key and no paste while `is_open` says that nobody can have read what it holds.
    """

    class Given(Message):
        """The user wants the command run as it stands."""

    class GivenUp(Message):
        """The user goes back to the command as it was proposed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "give_up", "Restore the proposed command", show=False),
    ]

    def __init__(self, is_open: Callable[[], bool], *, id: str | None = None) -> None:
        super().__init__(
            "",
            soft_wrap=True,
            show_line_numbers=False,
            compact=True,
            tab_behavior="focus",
            highlight_cursor_line=False,
            id=id,
        )
        self.cursor_blink = False
        self._is_open = is_open
        self._placeholders = Placeholders()
        self._coloured: tuple[str, Sequence[Sequence[Token]], frozenset[tuple[int, int]]] | None = None

    @property
    def command(self) -> str:
        """The command as it stands, with every character that it was given."""
        return self._placeholders.restore(self.text)

    def load_command(self, command: str) -> None:
        """Take a command to be edited; the cursor goes to its end."""
        self._placeholders = Placeholders()
        self.load_text(self._placeholders.hide(command))
        self.move_cursor(self.document.end)

    # --- painting ----------------------------------------------------------------------------------------------------

    def get_line(self, line_index: int) -> Text:
        """Return one line to be painted: in syntax colours, with marks for what would not show."""
        held = self.document.get_line(line_index)
        palette = render_state(self.app).palette
        _, tokens, passing = self._colours()
        line = Text("".join(map(self._placeholders.mark, held)), end="", no_wrap=True)
        at = 0
        for name, text in tokens[line_index] if line_index < len(tokens) else ():
            line.stylize(_ink(palette.token(name)), at, at + len(text))
            at += len(text)
        for column, (shown, character) in enumerate(zip(line.plain, held, strict=True)):
            if shown != character or (line_index, column) in passing:
                line.stylize(palette.faint if shown == TAB_MARK else palette.odd, column, column + 1)
        return line

    def _colours(self) -> tuple[str, Sequence[Sequence[Token]], frozenset[tuple[int, int]]]:
        """Return the tokens of each line, and the places of characters that pass for others, worked out once for a text."""
        text = self.text
        if self._coloured is None or self._coloured[0] != text:
            passing = {
                (number, one.at) for number, line in enumerate(text.split("\n")) for one in find_homoglyphs(line)
            }
            self._coloured = (text, tokenize(text, "bash"), frozenset(passing))
        return self._coloured

    # --- keys --------------------------------------------------------------------------------------------------------

    @property
    def selected_text(self) -> str:
        """What is selected, as it would be run."""
        return self._placeholders.restore(super().selected_text)

    async def on_key(self, event: events.Key) -> None:
        if not self._is_open():
            event.prevent_default()  # the screen hears of it, and stops it
        elif event.key in _RUN_KEYS:
            event.stop()
            event.prevent_default()
            self.post_message(self.Given())
        elif event.key in _NEWLINE_KEYS:
            event.stop()
            event.prevent_default()
            self.insert("\n")

    async def on_paste(self, event: events.Paste) -> None:
        # The base class would insert what came as it came.
        event.stop()
        event.prevent_default()
        self._insert(event.text)

    def action_paste(self) -> None:
        """Insert what was copied here."""
        self._insert(self.app.clipboard)

    def _insert(self, text: str) -> None:
        if self._is_open():
            start, stop = self.selection
            self.replace(self._placeholders.hide(clean(text)), start, stop, maintain_selection_offset=False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Let no key that edits or moves do anything before there was something to read."""
        return self._is_open() and super().check_action(action, parameters)

    def action_give_up(self) -> None:
        self.post_message(self.GivenUp())


def _ink(style: Style) -> Style:
    """Return a style without its ground: the editor has its own."""
    return Style(color=style.color, bold=style.bold, italic=style.italic, dim=style.dim)
