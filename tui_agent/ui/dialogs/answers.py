"""Answers one below the other, and a field for words that go with one: for the permission dialog and the plan."""

from __future__ import annotations

from typing import ClassVar, Final

from textual import events, on
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.widgets import Input, Static

from tui_agent.permissions.verdict import Decision
from tui_agent.ui.dialogs.question import QuestionScreen
from tui_agent.ui.widgets.field import Field
from tui_agent.ui.widgets.key_line import KeyLine

WORDS_FOR_NO: Final = "what to do instead, then Enter · Esc goes back"
WORDS_FOR_YES: Final = "what it should keep in mind, then Enter · Esc goes back"

__all__ = ["WORDS_FOR_NO", "WORDS_FOR_YES", "AnswerChoice", "AnswersScreen", "Choices", "SteadyKeys"]


class AnswerChoice(Static):
    """One answer: its key, mostly its number, and its words. A click picks it, unless it is missing: not offered this time."""

    ALLOW_SELECT = False

    class Picked(Message):
        """The choice was clicked."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    def __init__(self, number: int, label: str, *, key: str = "", is_missing: bool = False) -> None:
        super().__init__(classes="choice")
        self.number: Final = number
        self._key = key or str(number)
        self._label = Content(label)
        self._mark = " "
        self._is_missing = is_missing
        self.set_class(is_missing, "-missing")

    def show(self, *, is_chosen: bool) -> None:
        """Draw it with or without the mark of the chosen one."""
        self.set_class(is_chosen, "-chosen")
        self._mark = "❯" if is_chosen else " "
        self.refresh()

    def relabel(self, label: str) -> None:
        """Give it other words."""
        self._label = Content(label)
        self.refresh(layout=True)

    def render(self) -> Content:
        return self._hung(self.content_size.width)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002 - not mine
        return self._hung(width).plain.count("\n") + 1

    def _hung(self, width: int) -> Content:
        """Return the answer in lines, those after the first as far in as its words."""
        head = f"{self._mark} {self._key}{' ' * max(1, 3 - len(self._key))}"
        first, *others = self._label.wrap(max(1, width - len(head))) or [self._label]
        return Content("\n").join([head + first, *(" " * len(head) + line for line in others)])

    def on_click(self, event: events.Click) -> None:
        event.stop()
        if not self._is_missing:
            self.post_message(self.Picked(self.number))


class Choices(Vertical, can_focus=True):
    """The answers, one below the other; has the focus, so that keys reach the screen and no field."""


class SteadyKeys(KeyLine):
    """Keys that take no fewer lines than they ever did at the same width: what stands above them stays where it is."""

    def __init__(self) -> None:
        super().__init__()
        self._most: dict[int, int] = {}  # lines, by width

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        height = max(super().get_content_height(container, viewport, width), self._most.get(width, 0))
        self._most[width] = height
        return height


class AnswersScreen(QuestionScreen):
    """A question with `Choices`, and below them the field `#words` for what is said with a no, or with a yes."""

    IN_SIGHT: ClassVar[str] = ".choice.-chosen, Field:focus"
    """What is kept in sight in however low a terminal."""

    def scroll_to_chosen(self) -> None:
        """Have the marked answer in sight, with what belongs to it, once everything has its place."""
        self.call_after_refresh(self._scroll_to_chosen)

    def _scroll_to_chosen(self) -> None:
        for part in self.query(self.IN_SIGHT):
            part.scroll_visible(animate=False)

    def on_resize(self) -> None:
        self.scroll_to_chosen()

    is_yes: bool = False
    """Whether the words go with a yes."""

    def open_words(self, *, is_yes: bool = False) -> None:
        """Let the user write what to do instead, or what to keep in mind."""
        self.is_yes = is_yes
        field = self.query_one("#words", Field)
        field.placeholder = WORDS_FOR_YES if is_yes else WORDS_FOR_NO
        field.display = True
        self.set_focus(field)
        self.scroll_to_chosen()

    def back_to_choices(self) -> None:
        """Let keys choose an answer again."""
        self.set_focus(self.query_one(Choices), scroll_visible=False)

    @on(Input.Submitted, "#words")
    def _answer_words(self, event: Input.Submitted) -> None:
        event.stop()
        self.answer_with_words(event.value.strip() or None)

    def answer_with_words(self, words: str | None) -> None:
        """Give the answer that the words were written for: a no, unless a subclass has others."""
        self.answer(Decision(behavior="deny", message=words))

    def on_key(self, event: events.Key) -> None:
        """Esc in the field for words goes back to the answers; only from there it means No.."""
        if event.key == "escape" and self.query_one("#words").has_focus:
            event.stop()
            event.prevent_default()
            self.query_one("#words").display = False
            self.back_to_choices()
