"""The permissions of the session on one screen: its rules, what was refused, and what a call would get."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, Literal

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.reactive import var
from textual.types import CSSPathType
from textual.widgets import OptionList, Static

from tui_agent.commands import RemoveRule
from tui_agent.queries import PermissionsQuery
from tui_agent.text import reveal
from tui_agent.ui.dialogs.dialog import Dialog
from tui_agent.ui.dialogs.dialog_box import DialogBox
from tui_agent.ui.dialogs.permissions_lists import DenialsPane, RulesPane
from tui_agent.ui.dialogs.permissions_try import TryPane
from tui_agent.ui.dialogs.rule_editor import RuleEditor
from tui_agent.ui.screen_text.rule_text import source_words, why_fixed
from tui_agent.ui.styles_path import style_sheet
from tui_agent.ui.transcript.clickable import clickable
from tui_agent.ui.widgets.key_line import KeyLine
from tui_agent.viewkit.tool_text import one_line

if TYPE_CHECKING:
    from tui_agent.boundary import Engine
    from tui_agent.commands import Done, Reply
    from tui_agent.permissions.verdict import Behavior
    from tui_agent.queries import PermissionsReport, RuleRow

__all__ = ["PermissionsScreen"]

Tab = Literal["rules", "denials", "try"]
_TABS: Final[dict[Tab, str]] = {"rules": "Rules", "denials": "Refused", "try": "Try a call"}
_KEYS: Final[dict[Tab, tuple[tuple[str, str, str], ...]]] = {
    "rules": (("a", "add", "add"), ("enter", "edit", "edit"), ("d", "remove", "remove")),
    "denials": (("enter", "explain", "explain"),),
    "try": (("↑↓", "field", ""), ("pgup/dn", "scroll", "")),
}


class PermissionsScreen(Dialog[None]):
    """Shows and changes the engine's rules, as `report` has them and what it says later.

    `names` are the session's tools; `call` is a command to try at once.
    """

    CSS_PATH: ClassVar[CSSPathType | None] = [style_sheet("dialogs"), style_sheet("permissions")]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "turn(1)", "Rules, denied calls, trying a call"),
        Binding("shift+tab", "turn(-1)", "The same, backwards", show=False),
        Binding("a", "add", "Add a rule"),
        Binding("e", "edit", "Edit the rule"),
        Binding("d,delete", "remove", "Remove the rule"),
        Binding("down", "field(1)", "Next field", show=False),
        Binding("up", "field(-1)", "Previous field", show=False),
        Binding("pageup", "page(-1)", "Scroll up", show=False),
        Binding("pagedown", "page(1)", "Scroll down", show=False),
        Binding("f1", "app.help", "Help", show=False),
        Binding("escape", "close", "Close"),
    ]

    tab: var[Tab] = var("rules", init=False)

    def __init__(self, engine: Engine, report: PermissionsReport, names: Sequence[str] = (), *, call: str = "") -> None:
        super().__init__()
        self._engine = engine
        self._report = report
        self._names = names
        self._call = call
        self._doomed: RuleRow | None = None  # `d` was pressed once on it
        self._message = ""

    # --- structure ---------------------------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        with DialogBox(classes="permissions"):
            yield Static(id="tabs")
            yield RulesPane(self._report, id="rules")
            yield DenialsPane(self._report, id="denials")
            yield TryPane(self._engine, self._names, id="try")
            yield Static(id="news", markup=False)
            yield KeyLine()

    def on_mount(self) -> None:
        self.query_one("#dialog").border_title = Content("Permissions")
        if self._call:
            self.query_one(TryPane).show_call("Bash", self._call)
            self.set_reactive(PermissionsScreen.tab, "try")
        self.watch_tab()

    def on_screen_resume(self) -> None:
        """Rules may have changed while something lay over this."""
        if self.is_mounted:
            self._refill()

    def watch_tab(self) -> None:
        for name in _TABS:
            self.query_one(f"#{name}").display = name == self.tab
        self._doomed, self._message = None, ""
        self._refill()
        match self.tab:
            case "rules":
                self.query_one(RulesPane).focus_first()
            case "denials":
                self.query_one(DenialsPane).focus_first()
            case "try":
                self.query_one(TryPane).focus_first()

    # --- what is shown -----------------------------------------------------------------------------------------------

    def _refill(self) -> None:
        self._engine.query(PermissionsQuery()).then(self._take)

    def _take(self, report: PermissionsReport | None) -> None:
        if report is None or not self.is_attached:
            return
        self._report = report
        self.query_one(RulesPane).show(report)
        self.query_one(DenialsPane).show(report)
        self.query_one(TryPane).judge_again()
        self._show_frame()

    def _show_frame(self) -> None:
        counts = {"rules": self.query_one(RulesPane).count, "denials": len(self._report.denials), "try": 0}
        tabs = []
        for name, words in _TABS.items():
            label = f" {words} {counts[name]} " if counts[name] else f" {words} "
            style = "bold reverse" if name == self.tab else "$foreground-muted"
            tabs.append(clickable(Content.styled(label, style), "screen.go", name))
        self.query_one("#tabs", Static).update(Content(" ").join(tabs))
        message = self.query_one("#news", Static)
        message.update(self._message)
        message.display = bool(self._message)
        is_empty = not counts[self.tab] and self.tab != "try"
        keys = [_key(key, word, action) for key, word, action in _KEYS[self.tab] if not is_empty or action == "add"]
        keys += [_key("tab", "next page", "turn", 1), _key("esc", "close", "close")]
        self.query_one("#keys", Static).update(Content("  ").join(keys))

    def _show_message(self, words: str) -> None:
        self._message = words
        self._show_frame()

    # --- pages -------------------------------------------------------------------------------------------------------

    def action_go(self, tab: Tab) -> None:
        self.tab = tab

    def action_turn(self, step: int) -> None:
        tabs = list(_TABS)
        self.tab = tabs[(tabs.index(self.tab) + step) % len(tabs)]

    def action_field(self, _step: int) -> None:
        if self.tab == "try":  # where there are two
            self.focus_next("TryPane Field")

    def action_page(self, step: int) -> None:
        if self.tab == "try":
            self.query_one(TryPane).scroll_verdict(step)

    def action_close(self) -> None:
        self.dismiss(None)

    # --- rules -------------------------------------------------------------------------------------------------------

    @on(OptionList.OptionSelected)
    def _entered(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if self.tab == "rules":
            self.action_edit()
        else:
            self.action_explain()

    @on(RulesPane.Moved)
    def _moved(self, event: RulesPane.Moved) -> None:
        event.stop()
        if self._doomed is not None and self._doomed != self.query_one(RulesPane).current:
            self._doomed = None
            self._show_message("")

    def action_add(self) -> None:
        if self.tab == "rules":
            row = self.query_one(RulesPane).current
            behavior: Behavior = row.behavior if row is not None else "allow"
            self.app.push_screen(RuleEditor(self._engine, self._report, behavior=behavior), self._edited)

    def action_edit(self) -> None:
        row = self.query_one(RulesPane).current
        if self.tab != "rules" or row is None:
            return
        if fixed := why_fixed(row):
            self._show_message(f"It cannot be changed here: {fixed}.")
        else:
            self.app.push_screen(RuleEditor(self._engine, self._report, row=row), self._edited)

    def _edited(self, message: str | None) -> None:
        if message is not None:
            self._message = message
        self._refill()

    def action_remove(self) -> None:
        """Take the rule under the cursor away, when it is said twice."""
        row = self.query_one(RulesPane).current
        if self.tab != "rules" or row is None:
            return
        if fixed := why_fixed(row):
            self._show_message(f"It cannot be removed here: {fixed}.")
            return
        shown = one_line(row.text, 60)
        if self._doomed != row:
            self._doomed = row
            place = source_words(row, self._report.folders[0], str(Path.home()))
            self._show_message(f"d again removes `{shown}` from {place}.")
            return
        self._doomed = None

        def tell(reply: Reply[Done]) -> None:
            self._message = reveal(f"It was not removed: {reply.error}") if reply.error else f"`{shown}` was removed."
            self._refill()

        self._engine.send(RemoveRule(row.text, row.source, row.behavior)).then(tell)

    # --- what was refused --------------------------------------------------------------------------------------------

    def action_explain(self) -> None:
        """Try the call that was refused: the rules may have changed since."""
        denial = self.query_one(DenialsPane).current
        if denial is not None:
            self.query_one(TryPane).show_call(denial.tool, denial.subject)
            self.tab = "try"


def _key(key: str, word: str, action: str, *arguments: object) -> Content:
    words = Content.assemble((key, "bold"), " ", (word, "$foreground-muted"))
    return clickable(words, f"screen.{action}", *arguments) if action else words
