"""Writing a permission rule: which list, the rule itself, where it is kept, and what it would have covered."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.timer import Timer
from textual.types import CSSPathType
from textual.widgets import Input, Static

from tui_agent.commands import AddRule, RemoveRule, ReplaceRule
from tui_agent.permissions.words import SCOPES, SCOPES_AT_LENGTH
from tui_agent.queries import CoverageQuery, RuleCheckQuery
from tui_agent.text import clean_line, is_odd, reveal
from tui_agent.ui.dialogs.dialog import Dialog
from tui_agent.ui.dialogs.dialog_box import DialogBox
from tui_agent.ui.screen_text.rule_text import LISTS, near, scope_of
from tui_agent.ui.styles_path import style_sheet
from tui_agent.ui.widgets.field import Field
from tui_agent.ui.widgets.key_line import KeyLine
from tui_agent.ui.widgets.radio_row import RadioRow
from tui_agent.viewkit.tool_text import count, one_line

if TYPE_CHECKING:
    from tui_agent.boundary import Engine
    from tui_agent.commands import Reply, RuleKept
    from tui_agent.permissions.verdict import Behavior, Scope
    from tui_agent.queries import Coverage, PermissionsReport, RuleNotes, RuleRow

__all__ = ["RuleEditor"]

_CALM_S: Final = 0.15  # from the last key until the rule is looked up in what was asked before
_MOST_NAMED: Final = 3


class RuleEditor(Dialog[str | None]):
    """Adds a rule, or with `row` puts one in its place. Dismissed with what came of it in words, or None."""

    CSS_PATH: ClassVar[CSSPathType | None] = [style_sheet("dialogs"), style_sheet("permissions")]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "Cancel"),
        Binding("enter", "save", "Save the rule"),
        Binding("down", "app.focus_next", "Next field", show=False),
        Binding("up", "app.focus_previous", "Previous field", show=False),
    ]

    def __init__(
        self,
        engine: Engine,
        report: PermissionsReport,
        *,
        row: RuleRow | None = None,
        text: str = "",
        behavior: Behavior = "allow",
    ) -> None:
        super().__init__()
        self._engine = engine
        self._report = report
        self._row = row
        self._text = clean_line(row.text if row is not None else text)
        self._first_list: Behavior = row.behavior if row is not None else behavior
        self._first_scope: Scope = scope_of(row) if row is not None else "local"
        self._calm: Timer | None = None

    # --- structure ---------------------------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        with DialogBox(classes="rule-editor"):
            yield Field(self._text, id="rule", placeholder="Bash(npm test *), Edit(src/**), WebFetch(domain:…)")
            yield Static(id="note", markup=False)
            yield RadioRow("list", LISTS.items(), self._first_list, id="list")
            yield RadioRow("keep", SCOPES.items(), self._first_scope, id="scope")
            yield Static(id="place", classes="muted", markup=False)
            yield Static(id="covered", classes="muted", markup=False)
            yield KeyLine("enter save · tab ↑↓ next · ←→ choose · esc cancel")

    def on_mount(self) -> None:
        title = "A rule" if self._row is None else f"Replace {one_line(self._row.text, 50)}"
        self.query_one("#dialog").border_title = Content(title)
        field = self.query_one("#rule", Field)
        self.set_focus(field)
        field.action_end()
        self._show()
        self._show_covered()

    @property
    def _rule(self) -> str:
        return self.query_one("#rule", Field).value.strip()

    @property
    def _behavior(self) -> Behavior:
        return cast("Behavior", self.query_one("#list", RadioRow).value)

    @property
    def _scope(self) -> Scope:
        return cast("Scope", self.query_one("#scope", RadioRow).value)

    # --- what is shown -----------------------------------------------------------------------------------------------

    @on(Input.Changed)
    @on(RadioRow.Picked)
    def _changed(self) -> None:
        self._show()
        if self._calm is not None:
            self._calm.stop()
        self._calm = self.set_timer(_CALM_S, self._show_covered)

    def _show(self) -> None:
        rule, behavior = self._rule, self._behavior

        def show(notes: RuleNotes) -> None:
            if self.is_attached and (rule, behavior) == (self._rule, self._behavior):
                self._show_notes(reveal(notes.problem), reveal(notes.warning))

        if rule:
            self._engine.query(RuleCheckQuery(rule, behavior)).then(show)
        else:
            self._show_notes("", "")
        place = SCOPES_AT_LENGTH[self._scope]
        if self._scope != "session":
            place += f": {self._file(self._scope)}"
        self.query_one("#place", Static).update(place)

    def _show_notes(self, problem: str, warning: str) -> None:
        if not problem and self._row is not None and is_odd(self._row.text):
            warning = f"Invisible characters were removed. {warning}"
        self._show_message(problem or warning, is_problem=bool(problem))

    def _file(self, scope: Scope) -> str:
        files = self._report.files
        file = {"local": files.local, "project": files.project, "user": files.user}[scope]
        return near(file, self._report.folders[0], str(Path.home()))

    def _show_covered(self) -> None:
        """Say what the rule would have done to the calls of this session."""
        rule, behavior = self._rule, self._behavior

        def tell(found: Coverage | None) -> None:
            if self.is_attached and (rule, behavior) == (self._rule, self._behavior):
                self.query_one("#covered", Static).update(self._covered(found))

        if rule:
            self._engine.query(CoverageQuery((rule,), behavior)).then(tell)
        else:
            tell(None)

    def _covered(self, found: Coverage | None) -> str:
        if found is None or found.problem:
            return ""
        said = {"allow": "would have allowed", "ask": "matches", "deny": "would have denied"}[self._behavior]
        words = f"{said} {len(found.covered)} of {count(found.asked, 'call')} asked about in this session"
        calls = [one_line(call.subject or call.tool, 60) for call in reversed(found.covered)]
        named = ", ".join(f"`{call}`" for call in calls[:_MOST_NAMED])
        return words + (f": {named}" if named else "") + (", …" if len(calls) > _MOST_NAMED else "")

    def _show_message(self, words: str, *, is_problem: bool) -> None:
        note = self.query_one("#note", Static)
        note.update(words)
        note.set_class(is_problem, "-problem")

    # --- what keys do ------------------------------------------------------------------------------------------------

    @on(Input.Submitted)
    def _enter(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_save()

    def action_save(self) -> None:
        """Keep the rule, then take away the one it replaces: whatever fails, no rule is lost."""
        new = AddRule(self._rule, self._behavior, self._scope)
        if not new.text:
            self._show_message("no rule yet", is_problem=True)
            return

        def go_on(notes: RuleNotes) -> None:
            if not self.is_attached:
                return
            if notes.problem:
                self._show_message(reveal(notes.problem), is_problem=True)
            else:
                self._save(new)

        self._engine.query(RuleCheckQuery(new.text, new.behavior)).then(go_on)

    def _save(self, new: AddRule) -> None:
        rule, behavior, scope = new.text, new.behavior, new.scope
        old = self._row
        if old is not None and (rule, behavior, scope) == (old.text, old.behavior, scope_of(old)):
            self.dismiss(None)
            return
        command: AddRule | ReplaceRule = new
        if old is not None:
            command = ReplaceRule(old=RemoveRule(old.text, old.source, old.behavior), new=new)
        self._engine.send(command).then(lambda reply: self._kept(new, reply))

    def _kept(self, new: AddRule, reply: Reply[RuleKept]) -> None:
        """Say what came of it; a rule that was refused can be mended."""
        shown, old = _shown(new.text), self._row
        if not self.is_attached:
            return
        if reply.ok is None:
            self._show_message(reveal(reply.error), is_problem=True)
        elif reply.ok.unsaved:
            self._done(f"{shown} counts until the session ends; it could not be saved: {reply.ok.unsaved}")
        elif old is None:
            self._done(f"{LISTS[new.behavior]} {shown}: saved {SCOPES_AT_LENGTH[new.scope].partition(':')[0]}")
        elif reply.ok.old_kept:
            self._done(f"{shown} counts now, but {_shown(old.text)} could not be removed: {reply.ok.old_kept}")
        else:
            self._done(f"{shown} replaced  {_shown(old.text)}")

    def _done(self, words: str) -> None:
        self.dismiss(reveal(words))

    def action_cancel(self) -> None:
        self.dismiss(None)


def _shown(rule: str) -> str:
    return f"`{one_line(rule, 60)}`"
