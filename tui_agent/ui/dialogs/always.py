"""The rules that "always" saves: each on its own line, editable, and kept where the user says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar, Final

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.reactive import var
from textual.timer import Timer
from textual.widgets import Input, Static

from tui_agent.permissions.verdict import Scope
from tui_agent.permissions.words import SCOPES, SCOPES_AT_LENGTH
from tui_agent.rule_offers import why_not_always
from tui_agent.ui.dialogs.rule_line import RuleLine
from tui_agent.viewkit.tool_text import count, one_line

if TYPE_CHECKING:
    from tui_agent.boundary import Pending
    from tui_agent.queries import RuleNotes

__all__ = ["AlwaysField", "Coverage", "why_not_always"]

_ROOM_FOR_LABEL: Final = 94
_ROOM_FOR_ALL: Final = 78  # else only the chosen place is shown
_CALM_S: Final = 0.15  # from the last key until rules are looked up in what was asked before
_MOST_NAMED: Final = 3

Coverage = tuple[Sequence[str], bool]
"""The other calls of this session that rules would have let through, newest first, and whether they let this one through."""


class _Scope(Static):
    """One place where the rules can be kept."""

    ALLOW_SELECT = False

    def __init__(self, scope: Scope, words: str) -> None:
        super().__init__(words, markup=False, classes="scope")
        self.scope = scope
        self.tooltip = SCOPES_AT_LENGTH[scope]


class AlwaysField(Vertical):
    """The rules, below them the places they can be kept in, and what they would have done to the calls of this session.

    `offers` are, for each command that is not allowed yet, the rules to choose from. `check` says whether one can be used.
    `coverage` gives what rules would have let through to who asks, None where that is not known.
    """

    class Confirmed(Message):
        """The user pressed Enter in a rule."""

    class Left(Message):
        """The user is done editing without answering."""

    class LineReached(Message):
        """A rule was clicked, or the cursor went on to it: keys are about this one from now on."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    BINDINGS: ClassVar = [
        ("escape", "leave", "Back"),
        ("up", "step(-1)", "Rule above"),
        ("ctrl+t", "elsewhere", "Save it elsewhere"),
        ("down", "step(1)", "Rule below"),
    ]

    scope: var[Scope] = var("session", init=False)

    def __init__(
        self,
        offers: Sequence[Sequence[str]],
        scope: Scope,
        *,
        check: Callable[[str], Pending[RuleNotes]],
        coverage: Callable[[Sequence[str], Callable[[Coverage | None], object]], object] = lambda _rules, take: take(
            None
        ),
    ) -> None:
        super().__init__()
        self._lines = [RuleLine(offer, check=check, can_be_off=len(offers) > 1) for offer in offers]
        self._coverage = coverage
        self._calm: Timer | None = None
        self.set_reactive(AlwaysField.scope, scope)

    # --- what would be saved -----------------------------------------------------------------------------------------

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules as they stand, without those that are switched off, each once."""
        return tuple(dict.fromkeys(line.rule for line in self._lines if line.is_on))

    def checked(self) -> tuple[str, ...] | None:
        """Return the rules if all of them can be used, and there is one; what is wrong stands below each."""
        is_good = all(line.is_good for line in self._lines if line.is_on)
        return self.rules if is_good and self.rules else None

    @property
    def count(self) -> int:
        """How many rules there are, switched off or not."""
        return len(self._lines)

    @property
    def is_editing(self) -> bool:
        """Whether the cursor is in a rule."""
        return any(line.is_editing for line in self._lines)

    def line(self, number: int) -> RuleLine:
        """Return one rule's line."""
        return self._lines[number]

    # --- structure ---------------------------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        yield from self._lines
        with Horizontal(id="scopes"):
            yield Static("saved for", classes="label", markup=False)
            for scope, words in SCOPES.items():
                yield _Scope(scope, words)
        yield Static(id="coverage", markup=False)

    def on_mount(self) -> None:
        self.watch_scope()
        self._show_coverage()

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(_ROOM_FOR_ALL <= event.size.width < _ROOM_FOR_LABEL, "-slim")
        self.set_class(event.size.width < _ROOM_FOR_ALL, "-few")

    # --- what keys do ------------------------------------------------------------------------------------------------

    def point_at(self, number: int | None) -> None:
        """Mark the rule that keys are about; None marks none."""
        for at, line in enumerate(self._lines):
            line.set_current(at == number)

    def edit(self, number: int = 0) -> None:
        """Put the cursor at the end of a rule."""
        self._lines[number].edit()

    def suggest_next(self, number: int | None = None) -> None:
        """Put another of the suggested rules in the place of one; without a number, of the first that has others."""
        line = next((line for line in self._lines if line.has_others), None) if number is None else self._lines[number]
        if line is not None:
            line.suggest_next()

    @property
    def has_others(self) -> bool:
        """Whether another rule is suggested for any of them."""
        return any(line.has_others for line in self._lines)

    def move_scope(self, step: int) -> None:
        """Choose the next place, or the one before."""
        scopes = list(SCOPES)
        self.scope = scopes[(scopes.index(self.scope) + step) % len(scopes)]

    def watch_scope(self) -> None:
        for place in self.query(_Scope):
            place.set_class(place.scope == self.scope, "-chosen")
            place.update(("● " if place.scope == self.scope else "○ ") + SCOPES[place.scope])

    def action_elsewhere(self) -> None:
        """The next place, for when the arrows move in a rule."""
        self.move_scope(1)

    def action_leave(self) -> None:
        for line in self._lines:
            line.leave()
        self.post_message(self.Left())

    def action_step(self, step: int) -> None:
        at = next((number for number, line in enumerate(self._lines) if line.is_editing), None)
        if at is not None and 0 <= at + step < len(self._lines):
            self.edit(at + step)
            self.post_message(self.LineReached(at + step))

    # --- what changed --------------------------------------------------------------------------------------------------------

    @on(RuleLine.Changed)
    def _changed(self, event: RuleLine.Changed) -> None:
        """Wait until the user pauses: looking the rules up takes longer than a key may."""
        event.stop()
        if self._calm is not None:
            self._calm.stop()
        self._calm = self.set_timer(_CALM_S, self._show_coverage)

    def _show_coverage(self) -> None:
        rules = self.rules
        if not rules:
            self._say_covered(Content.styled("no rule is left to save", "$text-warning"))
        elif not all(line.is_good for line in self._lines if line.is_on):
            self._say_covered(Content(""))
        else:
            self._coverage(rules, lambda found: self._take_coverage(rules, found))

    def _take_coverage(self, rules: tuple[str, ...], found: Coverage | None) -> None:
        if self.is_attached and rules == self.rules:
            self._say_covered(_covered(found) if found is not None else Content(""))

    def _say_covered(self, covered: Content) -> None:
        line = self.query_one("#coverage", Static)
        line.update(covered)
        line.display = bool(covered.plain)

    @on(events.Click, ".scope")
    def _choose_scope(self, event: events.Click) -> None:
        if isinstance(event.widget, _Scope):
            event.stop()
            self.scope = event.widget.scope

    @on(RuleLine.Clicked)
    def _line_clicked(self, event: RuleLine.Clicked) -> None:
        event.stop()
        self.post_message(self.LineReached(self._lines.index(event.line)))

    @on(Input.Submitted)
    def _confirm(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.Confirmed())


def _covered(found: Coverage) -> Content:
    """Return what rules would have let through, in words."""
    others, is_covering = found
    parts: list[Content] = []
    named = [one_line(call, 60) for call in others[:_MOST_NAMED]]
    if named:
        words = f"would have covered {count(len(others), 'other call')} of this session"
        words += ": " + ", ".join(f"`{call}`" for call in named) + (", …" if len(others) > len(named) else "")
        parts.append(Content.styled(words, "$foreground-muted"))
    if not is_covering:
        words = "does not cover this call: it runs now, and the next one asks again"
        parts.append(Content.styled(words, "$text-warning"))
    return Content("\n").join(parts)
