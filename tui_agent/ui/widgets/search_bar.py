"""The search at the foot of the conversation: its words, and which match of how many is looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input, Static
from textual.widgets.input import Selection

from tui_agent.ui.render_style import muted
from tui_agent.ui.widgets.field import Field

if TYPE_CHECKING:
    from tui_agent.ui.widgets.key_hints import Hint

__all__ = ["SearchBar"]

_CALM_S: Final = 0.08  # without a key, after which what was typed is searched for


class SearchBar(Horizontal):
    """One line below the transcript. What is typed is searched for as soon as the keys rest."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,down", "step(1)", "Next match", show=False),
        Binding("shift+enter,up", "step(-1)", "Previous match", show=False),
        Binding("tab", "conversation", "To the conversation; the search stays open", show=False),
        Binding("escape", "leave", "Close the search", show=False),
    ]
    HINTS: ClassVar[tuple[Hint, ...]] = (
        ("enter", "next match"), ("esc", "close"), ("⇧enter", "previous match"), ("tab", "to the conversation"),
    )  # fmt: skip

    class Changed(Message):
        """There are other words to search for."""

        def __init__(self, words: str) -> None:
            super().__init__()
            self.words = words

    class StepWanted(Message):
        """The user wants to see the next match, or the one before."""

        def __init__(self, direction: int) -> None:
            super().__init__()
            self.direction = direction

    class ConversationWanted(Message):
        """The user wants to go on by the conversation's own keys."""

    class Closed(Message):
        """The user is through with searching."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.display = False
        self._timer: Timer | None = None
        self._told = ""  # the words that were searched for last
        self._words = Field(placeholder="what to look for", id="search-words")
        self._count = Static(id="search-count", markup=False)

    def compose(self) -> ComposeResult:
        yield Static("/", id="search-mark", markup=False)
        yield self._words
        yield self._count

    def open(self) -> None:
        """Show it. What was searched for last is chosen, so that typing replaces it."""
        self.display = True
        self._words.selection = Selection(0, len(self._words.value))
        self.screen.set_focus(self._words)
        self._post_changed(self._words.value)

    def close(self) -> None:
        """Hide it; its words stay for the next time."""
        self._rest()
        self.display = False
        self._told = ""
        self._count.update("")

    def show(self, number: int, total: int, *, is_done: bool) -> None:
        """Say where among the matches the user is, and how many there are as far as is known."""
        more = "" if is_done else "…"
        if total:
            self._count.update(f"{number:,} of {total:,}{more}" if number else f"{total:,}{more}")
        elif not self._told:
            self._count.update("")
        elif is_done:
            self._count.update(Content.styled("no match", "$text-warning"))
        else:
            self._count.update(Content.styled("looking…", muted(self.app)))

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._rest()
        self._timer = self.set_timer(_CALM_S, lambda: self._post_changed(self._words.value))

    def _rest(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def _post_changed(self, words: str) -> bool:
        """Have these words searched for; False where they are."""
        self._rest()
        if words == self._told or not self.display:
            return False
        self._told = words
        self.post_message(self.Changed(words))
        return True

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_step(1)  # the field keeps the key to itself

    def action_step(self, direction: int) -> None:
        """Go to another match; of words that were just typed the nearest comes first."""
        if not self._post_changed(self._words.value):
            self.post_message(self.StepWanted(direction))

    def action_conversation(self) -> None:
        """Leave the words to the search and go on in the conversation."""
        self._post_changed(self._words.value)
        self.post_message(self.ConversationWanted())

    def action_leave(self) -> None:
        """Close the search."""
        self.post_message(self.Closed())
