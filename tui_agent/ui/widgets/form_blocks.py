"""The parts of a form on the screen: a choice, a text, the row that sends. What they show is kept by the form's draft.

A block draws itself from the draft and tells what the user did to it by messages; what that leads to is the form's business.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static

from tui_agent.text import clean, clean_line, reveal
from tui_agent.tools.forms import FormField
from tui_agent.ui.form_draft import FormDraft
from tui_agent.ui.widgets.field import Field

__all__ = ["ChoiceBlock", "FieldBlock", "GuardedField", "SendRow", "TextBlock"]

OTHER: Final = "Other"


class GuardedField(Field):
    """A field that takes nothing before `is_open` says so: what was typed for the prompt must not end up in it."""

    def __init__(
        self, is_open: Callable[[], bool], value: str = "", *, placeholder: str = "", id: str | None = None
    ) -> None:
        super().__init__(value, placeholder=placeholder, id=id)
        self._is_open = is_open

    async def on_key(self, event: events.Key) -> None:
        if not self._is_open():
            event.prevent_default()  # the screen hears of it, and stops it

    def on_paste(self, event: events.Paste) -> None:
        if not self._is_open():
            event.stop()
            event.prevent_default()


class OptionRow(Horizontal):
    """One answer: cursor, digit, mark, words. A click picks it."""

    class Clicked(Message):
        """The row was clicked."""

        def __init__(self, row: OptionRow) -> None:
            super().__init__()
            self.row = row

    def __init__(self, number: int, label: str, description: str, *, is_multiple: bool) -> None:
        super().__init__(classes="option")
        self.number: Final = number  # counted from 0
        self._label = label
        self._description = description
        self._marks = ("☑", "☐") if is_multiple else ("●", "○")
        self._shown: tuple[bool, bool] | None = None
        self._mark = Static(classes="mark", markup=False)  # held, as a form that closes still hears of lost focus

    def compose(self) -> ComposeResult:
        yield self._mark
        with Vertical(classes="words"):
            yield Static(Content(reveal(" ".join(self._label.split()))), classes="label")
            if self._description:
                yield Static(Content(clean(self._description).strip()), classes="description")

    def show(self, *, is_at: bool, is_chosen: bool) -> None:
        """Draw the cursor and the mark."""
        if (is_at, is_chosen) == self._shown:
            return  # most rows stay as they are when the cursor moves
        self._shown = (is_at, is_chosen)
        self.set_class(is_at, "-at")
        self.set_class(is_chosen, "-chosen")
        cursor = "❯" if is_at else " "
        mark = Content(f"{cursor} {self.number + 1} {self._marks[0 if is_chosen else 1]} ")
        self._mark.update(mark, layout=False)

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.post_message(self.Clicked(self))


class FieldBlock(Vertical):
    """One field of a form."""

    def __init__(self, field: FormField, draft: FormDraft, is_open: Callable[[], bool]) -> None:
        super().__init__()
        self.field: Final = field
        self._draft = draft
        self._is_open = is_open
        self._problem: str | None = None  # nothing was said of it yet
        self._problem_row = Static(classes="problem", markup=False)

    @property
    def stop(self) -> Widget:
        """What gets the focus."""
        raise NotImplementedError

    @property
    def part(self) -> Widget:
        """What must be in sight for the user to see what they do."""
        return self

    def move(self, step: int) -> bool:  # noqa: ARG002 - for blocks in which one can move
        """Move within the block; False at its edge."""
        return False

    def show_problem(self, problem: str) -> None:
        """Say what is wrong, or that nothing is."""
        if problem == self._problem:
            return
        self._problem = problem
        self._problem_row.display = bool(problem)
        self._problem_row.update(Content(f"! {problem}"))


class ChoiceBlock(FieldBlock, can_focus=True):
    """A choice: the question, its options, and a field for an answer of one's own where that is allowed.

    `at` is the row of the cursor; the one behind the options is the field's.
    """

    class Picked(Message):
        """An option was clicked, or the field."""

        def __init__(self, block: ChoiceBlock, number: int) -> None:
            super().__init__()
            self.block = block
            self.number = number

    def __init__(self, field: FormField, draft: FormDraft, is_open: Callable[[], bool]) -> None:
        super().__init__(field, draft, is_open)
        self.at = next((n for n, option in enumerate(field.options) if draft.is_chosen(field, option.label)), 0)
        if draft.has_own(field) and not field.is_multiple:
            self.at = len(field.options)

    def compose(self) -> ComposeResult:
        field = self.field
        yield Static(Content(clean(field.question).strip()), classes="question")
        for number, option in enumerate(field.options):
            yield OptionRow(number, option.label, option.description, is_multiple=field.is_multiple)
        if field.allows_other:
            with Horizontal(classes="own"):
                yield OptionRow(len(field.options), OTHER, "", is_multiple=field.is_multiple)
                yield GuardedField(self._is_open, self._draft.text(field), placeholder="in your own words")
        yield self._problem_row

    def on_mount(self) -> None:
        self.show_problem("")
        self.show()

    @property
    def rows(self) -> int:
        """How many rows the cursor can be on."""
        return len(self.field.options) + int(self.field.allows_other)

    @property
    def is_at_own(self) -> bool:
        """Whether the cursor is on the field."""
        return self.at == len(self.field.options)

    @property
    def stop(self) -> Widget:
        return self.query_one(GuardedField) if self.is_at_own else self

    @property
    def part(self) -> Widget:
        return self.query_one(".option.-at")

    @property
    def preview(self) -> str:
        """What there is to look at of the option under the cursor."""
        return "" if self.is_at_own else self.field.options[self.at].preview

    def move(self, step: int) -> bool:
        if not 0 <= self.at + step < self.rows:
            return False
        self.go_to(self.at + step)
        return True

    def go_to(self, number: int) -> None:
        """Put the cursor on a row."""
        self.at = min(max(number, 0), self.rows - 1)
        self.show()

    def mark(self) -> bool:
        """Choose the option under the cursor; False on the field, which counts by what it holds."""
        if self.is_at_own:
            return False
        self._draft.choose(self.field, self.field.options[self.at].label)
        self.show_problem("")
        self.show()
        return True

    def show(self) -> None:
        """Draw cursor and marks."""
        for row in self.query(OptionRow):
            is_own = row.number == len(self.field.options)
            is_chosen = (
                self._draft.has_own(self.field)
                if is_own
                else self._draft.is_chosen(self.field, self.field.options[row.number].label)
            )
            row.show(is_at=row.number == self.at and self.has_focus_within, is_chosen=is_chosen)

    @on(OptionRow.Clicked)
    def _clicked(self, message: OptionRow.Clicked) -> None:
        message.stop()
        self.post_message(self.Picked(self, message.row.number))

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        if event.value != self._draft.text(self.field):  # a field says so, too, when it comes up with what was in it
            self._draft.write(self.field, event.value)
            self.show_problem("")
            self.show()

    def on_descendant_focus(self) -> None:
        """The field was clicked."""
        if any(field.has_focus for field in self.query(GuardedField)):
            self.at = len(self.field.options)
        self.show()

    def on_descendant_blur(self) -> None:
        self.show()

    def on_focus(self) -> None:
        self.show()

    def on_blur(self) -> None:
        self.show()


class TextBlock(FieldBlock):
    """A line of text with its label."""

    def compose(self) -> ComposeResult:
        with Horizontal(classes="line"):
            yield Static(Content(clean_line(self.field.question, 60)), classes="label")
            yield GuardedField(
                self._is_open, self._draft.text(self.field), placeholder="" if self.field.is_required else "optional"
            )
        yield self._problem_row

    def on_mount(self) -> None:
        self.show_problem("")

    @property
    def stop(self) -> Widget:
        return self.query_one(GuardedField)

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self._draft.write(self.field, event.value)
        if self._problem:
            self.show_problem(self._draft.problem(self.field))


class SendRow(Static, can_focus=True):
    """The row that sends the form."""

    ALLOW_SELECT = False

    class Pressed(Message):
        """The row was clicked."""

    def __init__(self, words: str) -> None:
        super().__init__(classes="send", markup=False)
        self._words = words

    def on_mount(self) -> None:
        self._show()

    def _show(self) -> None:
        self.update(Content(("❯ " if self.has_focus else "  ") + self._words))

    def on_focus(self) -> None:
        self._show()

    def on_blur(self) -> None:
        self._show()

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.post_message(self.Pressed())
