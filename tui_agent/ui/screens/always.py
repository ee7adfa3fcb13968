"""The rule that "always" saves: shown in full, editable, and kept where the person says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Final

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.reactive import var
from textual.widgets import Input, Static

from tui_agent.permissions.verdict import Scope
from tui_agent.text import is_odd, reveal
from tui_agent.ui.widgets.field import Field

if TYPE_CHECKING:
    from tui_agent.events import PermissionRequested

__all__ = ["AlwaysField", "why_not_always"]

_SCOPES: Final[dict[Scope, str]] = {"session": "session", "local": "project", "user": "everywhere"}


def why_not_always(request: PermissionRequested) -> str | None:
    """Return why "always" must not be offered for this call, None when it may be."""
    if request.is_destructive:
        return "cannot be taken back, so it is asked every time"
    if not request.suggestions:
        return "no rule would say exactly this"
    if any(is_odd(rule) for rule in request.suggestions):
        return "its rule has odd characters"
    return None


class _Scope(Static):
    """One place where the rule can be kept."""

    ALLOW_SELECT = False

    def __init__(self, scope: Scope, words: str) -> None:
        super().__init__(words, markup=False, classes="scope")
        self.scope = scope


class AlwaysField(Vertical):
    """The rule in a field, and below it the places it can be kept in. `rule` and `scope` are what would be saved."""

    class Confirmed(Message):
        """The person pressed Enter in the field."""

    class Left(Message):
        """The person is done editing without answering."""

    BINDINGS: ClassVar = [("escape", "leave", "Back")]

    scope: var[Scope] = var("session", init=False)

    def __init__(self, suggestions: Sequence[str], scope: Scope) -> None:
        super().__init__()
        self._suggestions = tuple(suggestions)
        self.set_reactive(AlwaysField.scope, scope)

    @property
    def rule(self) -> str:
        """The rule as it stands in the field."""
        return self.query_one(Input).value.strip()

    @property
    def has_others(self) -> bool:
        """Whether more than one rule is suggested."""
        return len(self._suggestions) > 1

    def checked(self) -> str | None:
        """Return the rule if it is one; else say below the field what is wrong with it."""
        from tui_agent.permissions.rules import RuleError, parse_rule  # the grammar of rules; not for the first frame

        problem = self.query_one("#problem", Static)
        try:
            warning = parse_rule(self.rule, "allow").warning
        except RuleError as error:
            warning = str(error)
        problem.update(reveal(warning))
        problem.display = bool(warning)
        return None if warning else self.rule

    def compose(self) -> ComposeResult:
        yield Field(self._suggestions[0], id="rule", placeholder=self._suggestions[0])
        with Horizontal(id="scopes"):
            yield Static("kept for", classes="label", markup=False)
            for scope, words in _SCOPES.items():
                yield _Scope(scope, words)
        yield Static(id="problem", classes="warning", markup=False)

    def on_mount(self) -> None:
        self.query_one("#problem").display = False
        self.watch_scope()

    def edit(self) -> None:
        """Put the cursor at the end of the rule."""
        field = self.query_one(Input)
        self.screen.set_focus(field)
        field.action_end()

    def suggest_next(self) -> None:
        """Put the next of the suggested rules into the field."""
        at = self._suggestions.index(self.rule) if self.rule in self._suggestions else -1
        self.query_one(Input).value = self._suggestions[(at + 1) % len(self._suggestions)]

    def move_scope(self, step: int) -> None:
        """Choose the next place, or the one before."""
        scopes = list(_SCOPES)
        self.scope = scopes[(scopes.index(self.scope) + step) % len(scopes)]

    def watch_scope(self) -> None:
        for place in self.query(_Scope):
            place.set_class(place.scope == self.scope, "-chosen")
            place.update(("● " if place.scope == self.scope else "○ ") + _SCOPES[place.scope])

    @on(events.Click, ".scope")
    def _choose_scope(self, event: events.Click) -> None:
        if isinstance(event.widget, _Scope):
            event.stop()
            self.scope = event.widget.scope

    @on(Input.Submitted)
    def _confirm(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.Confirmed())

    def action_leave(self) -> None:
        self.post_message(self.Left())
