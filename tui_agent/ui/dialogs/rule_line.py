"""One rule in a dialog: shown whole, edited in place, checked at each key."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar, Final

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from tui_agent.text import reveal
from tui_agent.ui.widgets.field import Field
from tui_agent.viewkit.tool_text import one_line

if TYPE_CHECKING:
    from tui_agent.boundary import Pending
    from tui_agent.queries import RuleNotes

__all__ = ["RuleLine"]


class RuleLine(Vertical):
    """A rule that may be saved. `suggestions` are what may stand in its place; `can_be_off` that it can be left out.

    `check` says whether a rule could be used. Until it has, the rule counts as one that cannot.
    """

    class Changed(Message):
        """The rule is another one, was switched on or off, or it became known whether it can be used."""

    class Clicked(Message):
        """The user clicked the rule."""

        def __init__(self, line: RuleLine) -> None:
            super().__init__()
            self.line = line

    ALLOW_SELECT: ClassVar[bool] = False

    def __init__(
        self, suggestions: Sequence[str], *, check: Callable[[str], Pending[RuleNotes]], can_be_off: bool = False
    ) -> None:
        super().__init__(classes="rule-line")
        self._suggestions = tuple(suggestions)
        self._can_be_off = can_be_off
        self._check = check
        self._notes: RuleNotes | None = None
        self._rule = self._suggestions[0]
        self._is_current = False
        self._is_editing = False
        self.is_on = True
        self._shown: Final = Static(classes="rule")
        self._field: Final = Field(self._rule, placeholder=self._rule, classes="rule-field")
        self._note: Final = Static(classes="note", markup=False)
        self._look_up()

    @property
    def rule(self) -> str:
        """The rule as it stands."""
        return self._rule

    @property
    def is_good(self) -> bool:
        """Whether it is a rule that can be used."""
        return self._notes is not None and not self._notes.problem

    @property
    def has_others(self) -> bool:
        """Whether more than one rule is suggested."""
        return len(self._suggestions) > 1

    @property
    def is_editing(self) -> bool:
        """Whether the cursor is in it."""
        return self._is_editing

    def compose(self) -> ComposeResult:
        yield self._shown
        yield self._field
        yield self._note

    def on_mount(self) -> None:
        self._field.display = False
        self._show()

    # --- what keys do ------------------------------------------------------------------------------------------------

    def set_current(self, is_current: bool) -> None:
        """Mark it as the one that keys are about, or take the mark away."""
        if is_current != self._is_current:
            self._is_current = is_current
            self._show()

    def edit(self) -> None:
        """Put the cursor at the end of the rule."""
        self._is_editing = True
        self._field.display = True
        self._shown.display = False
        self.screen.set_focus(self._field)
        self._field.action_end()

    def leave(self) -> None:
        """Show the rule as it is now."""
        self._is_editing = False
        self._field.display = False
        self._shown.display = True
        self._show()

    def suggest_next(self) -> None:
        """Put the next of the suggested rules in its place."""
        at = self._suggestions.index(self._rule) if self._rule in self._suggestions else -1
        self._field.value = self._suggestions[(at + 1) % len(self._suggestions)]

    def toggle(self) -> None:
        """Switch it off, or on again."""
        if self._can_be_off:
            self.is_on = not self.is_on
            self._show()
            self.post_message(self.Changed())

    # --- whether it can be used --------------------------------------------------------------------------------------

    def _look_up(self) -> None:
        """Ask what is to be said of the rule; the answer may come later, and be about a rule that was."""
        rule, self._notes = self._rule, None
        found = self._check(rule)
        is_late = not found.is_done

        def take(notes: RuleNotes) -> None:
            if rule == self._rule:
                self._notes = notes
                if is_late and self.is_attached:
                    self._show()
                    self.post_message(self.Changed())

        found.then(take)

    # --- what is shown -----------------------------------------------------------------------------------------------

    def _show(self) -> None:
        self.set_class(self._is_current, "-current")
        self.set_class(not self.is_on, "-off")
        switch = ("[x] " if self.is_on else "[ ] ") if self._can_be_off else ""
        mark = "❯ " if self._is_current else "  "
        self._shown.update(Content.assemble(mark, switch, one_line(self._rule)))
        notes = self._notes if self.is_on else None
        problem, warning = (reveal(notes.problem), reveal(notes.warning)) if notes is not None else ("", "")
        self._note.display = bool(problem or warning)
        self._note.set_class(bool(problem), "-problem")
        self._note.update(Content(problem or warning))

    @on(Input.Changed)
    def _edited(self, event: Input.Changed) -> None:
        event.stop()
        rule = event.value.strip()
        if rule != self._rule:
            self._rule = rule
            self._look_up()
            self._show()
            self.post_message(self.Changed())

    @on(events.DescendantBlur)
    def _left(self) -> None:
        self.leave()

    def on_click(self, event: events.Click) -> None:
        if not self.is_editing:
            event.stop()
            self.post_message(self.Clicked(self))
