"""The question before a session's changes of a file are taken back: what that does to the file, and what it leaves alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from tui_agent.ui.dialogs.dialog import Dialog
from tui_agent.ui.dialogs.dialog_box import DialogBox
from tui_agent.ui.render_style import render_state
from tui_agent.ui.reviewing.diff_layout import diff_layout
from tui_agent.ui.transcript.clickable import clickable
from tui_agent.ui.widgets.diff_body import DiffBody
from tui_agent.ui.widgets.key_line import KeyLine
from tui_agent.viewkit.diff import DiffView
from tui_agent.viewkit.tool_text import count, display_path

if TYPE_CHECKING:
    from tui_agent.queries import UndoPlan

__all__ = ["UndoScreen"]

_DOES: Final = {
    "restore": "The file will be as it was before this session.",
    "recreate": "The file is gone. It will be restored as it was before this session.",
    "remove": "This session created the file. It will be removed.",
}


class UndoScreen(Dialog[bool]):
    """Dismissed with whether to go ahead. Where nothing can be done it says why, and shows what others did.

    `is_again`: the user agreed to something else already, and the file was changed before that was done.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y,1", "take(True)", "Undo"),  # not Enter: what is typed on must not undo anything
        Binding("n,escape,q,2", "take(False)", "Cancel"),
        Binding("pageup,up,k", "scroll_diff(-1)", "Scroll up", show=False),
        Binding("pagedown,down,j,space", "scroll_diff(1)", "Scroll down", show=False),
    ]

    def __init__(self, plan: UndoPlan, base: str = "", *, is_again: bool = False) -> None:
        super().__init__()
        self._plan = plan
        self._base = base
        self._is_again = is_again

    def compose(self) -> ComposeResult:
        with DialogBox():
            yield Static(self._about(), id="about")
            diff = DiffBody(id="diff")
            diff.can_focus = False
            yield diff
            yield KeyLine(self._keys())

    def on_mount(self) -> None:
        plan = self._plan
        dialog = self.query_one("#dialog")
        dialog.border_title = Content(f"Undo this session's changes in {display_path(plan.path, self._base)}?")
        change = plan.change if plan.change is not None and plan.change.hunks else plan.theirs
        diff = self.query_one("#diff", DiffBody)
        if change is None or not change.hunks:
            diff.display = False
        else:
            what = "what undo does" if change is plan.change else "changed outside this session"
            diff.border_title = Content.assemble(
                what, (f"  +{change.added}", "$text-success"), (f" −{change.removed}", "$text-error")
            )
            diff.show(DiffView(change, diff_layout(self.app)), render_state(self.app))

    def _about(self) -> Content:
        plan = self._plan
        if plan.kind == "nothing":
            return Content.assemble(("! Cannot be undone. ", "$text-warning"), plan.problem)
        again = "! Not undone yet: the file has just changed.\n" if self._is_again else ""
        return Content.assemble((again, "$text-warning"), self._does(plan))

    def _does(self, plan: UndoPlan) -> Content:
        if plan.kind == "reverse" and plan.clashes:
            return Content.assemble(
                ("! Conflict. ", "$text-warning"),
                f"The file was changed outside this session. {count(plan.clashes, 'conflicting change')} will be kept; "
                f"{count(plan.taken, 'other change')} of this session can be undone.",
            )
        if plan.kind == "reverse":
            return Content(
                f"The file was changed outside this session; those changes are kept. "
                f"{count(plan.taken, 'change')} of this session will be undone."
            )
        mixed = " What others changed in it between this session's changes goes as well."
        return Content.assemble(_DOES[plan.kind], (mixed if plan.is_mixed else "", "$text-warning"))

    def _keys(self) -> Content:
        if self._plan.kind == "nothing":
            return clickable(Content.assemble(("esc", "bold"), (" close", "$foreground-muted")), "screen.take", False)
        yes = "undo the rest" if self._plan.clashes else "undo"
        return Content("  ").join(
            (
                clickable(Content.assemble(("y", "bold"), (f" {yes}", "$foreground-muted")), "screen.take", True),
                clickable(Content.assemble(("esc", "bold"), (" cancel", "$foreground-muted")), "screen.take", False),
            )
        )

    def action_take(self, is_yes: bool) -> None:
        self.dismiss(is_yes and self._plan.kind != "nothing")

    def action_scroll_diff(self, step: int) -> None:
        diff = self.query_one("#diff", DiffBody)
        diff.scroll_relative(y=step * max(1, diff.size.height - 2), animate=False)
