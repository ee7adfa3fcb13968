"""The review of a proposed edit, hunk by hunk, before anything is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.reactive import var
from textual.widgets import Input, Static, TextArea

from tui_agent.changes import FileChange
from tui_agent.permissions.verdict import Decision, Scope
from tui_agent.ui.clickable import clickable
from tui_agent.ui.hunk_edit import added_text, with_added_text
from tui_agent.ui.looks import render_state
from tui_agent.ui.screens.always import AlwaysField, why_not_always
from tui_agent.ui.screens.guard import Guard
from tui_agent.ui.screens.question import Desk, Place, QuestionScreen, why
from tui_agent.ui.widgets.field import Field
from tui_agent.viewkit.diff import DiffView
from tui_agent.viewkit.tool_text import count, display_path
from tui_agent.viewkit.widget import ViewWidget

if TYPE_CHECKING:
    from tui_agent.events import PermissionRequested

__all__ = ["ReviewScreen"]

_CANNOT: Final = "This is a recording: it can be read, but not applied."


class HunkEditor(TextArea):
    """The added lines of one hunk, for editing in place. Enter makes a line; Ctrl+S takes the text, Esc gives it up."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+s", "screen.take_edit", "Take the new lines")]

    def __init__(self) -> None:
        super().__init__(id="editor", tab_behavior="indent", show_line_numbers=False)
        self.cursor_blink = False

    async def _on_key(self, event: events.Key) -> None:
        """Esc gives the edit up. A text area whose Tab indents would use it to move the focus on."""
        if event.key == "escape":
            event.stop()
            event.prevent_default()
            await self.run_action("screen.leave_edit")


class ReviewScreen(QuestionScreen):
    """One proposed change. What was decided for its hunks becomes the decision's `approved` change.

    Hunks nobody decided on are taken, so that Enter alone takes the whole proposal; the foot always says what Enter writes.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "go(1)", "Next hunk"),
        Binding("k,up", "go(-1)", "Previous hunk"),
        Binding("a", "decide(True)", "Accept hunk"),
        Binding("x", "decide(False)", "Refuse hunk"),
        Binding("A", "decide_all(True)", "Accept all"),
        Binding("X", "decide_all(False)", "Refuse all"),
        Binding("e", "edit", "Edit in place"),
        Binding("o", "open", "Open in your editor"),
        Binding("enter,1", "apply", "Apply"),
        Binding("2", "always", "Apply, always"),
        Binding("4,w", "words", "Refuse with words"),
        Binding("escape,q,3", "refuse", "Refuse"),
        Binding("pageup", "scroll_diff(-1)", "Scroll up", show=False),
        Binding("pagedown,space", "scroll_diff(1)", "Scroll down", show=False),
    ]

    current: var[int] = var(0, init=False)

    def __init__(
        self,
        request: PermissionRequested,
        change: FileChange,
        desk: Desk,
        *,
        base: str = "",
        place: Place | None = None,
        guard: Guard | None = None,
    ) -> None:
        super().__init__(request, desk, place=place or Place(), guard=guard or Guard())
        self._proposal = change
        self._change = change  # the proposal, with what the person edited in it
        self._view = DiffView(change)
        self._base = base
        self._is_rewritten = False  # its hunks are no longer those of the proposal
        self._decisions: dict[int, bool] = {}
        self._missing = why_not_always(request)

    # --- structure ---------------------------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog"):
            diff = ViewWidget(id="diff")
            diff.can_focus = False  # letters and arrows are the screen's; the page keys and the wheel scroll
            yield diff
            yield HunkEditor()
            yield Static(why(self.request), id="why")
            if self._missing is None:
                yield AlwaysField(self.request.suggestions, "session")
            yield Field(id="words", placeholder="what to do instead, then Enter · Esc goes back")
            yield Static(id="tally")
            yield Static(id="keys")

    def on_mount(self) -> None:
        for selector in ("#editor", "#words", "AlwaysField"):
            self.query(selector).set(display=False)
        self.set_focus(None)
        self._show()

    def refresh_place(self) -> None:
        self._show_frame()

    def on_resize(self) -> None:
        self.call_after_refresh(self._scroll_to_hunk)

    # --- what is shown -----------------------------------------------------------------------------------------------

    def _show(self) -> None:
        current = self.current if len(self._change.hunks) > 1 else None
        self._view = DiffView(self._change, decisions=dict(self._decisions), current=current)
        self._diff.show(self._view, render_state(self.app))
        self._show_frame()
        taken = self._taken
        total = len(self._change.hunks)
        refused = total - len(taken)
        hunk = (
            "the whole file"
            if self._change.is_new and len(taken) == total
            else f"{len(taken)} of {count(total, 'hunk')}"
        )
        writes = f"writes {hunk}" if self._writes_something else "refuses it all"
        edited = " as edited" if self._is_edited and taken else ""
        if self._change.after is None:
            tally = Content.styled(_CANNOT, "$text-warning")
        else:
            tally = Content.assemble(
                ("Enter ", "bold"),
                (writes + edited, "bold"),
                (f" · {refused} refused" if refused else "", "$text-error"),
            )
        self.query_one("#tally", Static).update(tally)
        self.query_one("#keys", Static).update(_keys(has_always=self._missing is None))

    def _show_frame(self) -> None:
        change = self._change
        path = display_path(change.path, self._base)
        dialog = self.query_one("#dialog")
        dialog.border_title = Content.assemble(
            ("new file " if change.is_new else ""), path,
            (f"  +{change.added}", "$text-success"), (f" −{change.removed}", "$text-error"),
            f"  hunk {self.current + 1}/{len(change.hunks)}" if change.hunks else "  empty",
        )  # fmt: skip
        dialog.border_subtitle = Content(f"{self.place.label} · [ ] to see the others" if self.place.label else "")

    def _scroll_to_hunk(self) -> None:
        starts = self._view.hunk_lines(self._diff.scrollable_content_region.width)
        if self.current < len(starts):
            above = 2 if self._diff.size.height >= 8 else 0
            self._diff.scroll_to_line(max(starts[self.current] - above, 0), margin=above)

    @property
    def _diff(self) -> ViewWidget:
        return self.query_one("#diff", ViewWidget)

    @property
    def _taken(self) -> list[int]:
        return [number for number in range(len(self._change.hunks)) if self._decisions.get(number, True)]

    @property
    def _writes_something(self) -> bool:
        """Whether Enter leaves the file different; a new file without a line is something too."""
        return bool(self._taken) or (not self._change.hunks and (self._change.is_new or not self._is_rewritten))

    @property
    def _is_edited(self) -> bool:
        return self._change is not self._proposal

    # --- hunks -------------------------------------------------------------------------------------------------------

    def watch_current(self) -> None:
        self._show()
        self._scroll_to_hunk()

    def action_go(self, step: int) -> None:
        self.current = min(max(self.current + step, 0), max(len(self._change.hunks) - 1, 0))

    def action_decide(self, is_accepted: bool) -> None:
        """Take or refuse the current hunk and go to the next one that is not decided, else to the next."""
        if not self._change.hunks:
            return
        self._decisions[self.current] = is_accepted
        following = [*range(self.current + 1, len(self._change.hunks)), *range(self.current)]
        target = next((number for number in following if number not in self._decisions), self.current + 1)
        self._show()
        self.current = min(target, len(self._change.hunks) - 1)

    def action_decide_all(self, is_accepted: bool) -> None:
        self._decisions = dict.fromkeys(range(len(self._change.hunks)), is_accepted)
        self._show()

    def action_scroll_diff(self, step: int) -> None:
        self._diff.scroll_relative(y=step * max(1, self._diff.size.height - 2), animate=False)

    # --- editing in place --------------------------------------------------------------------------------------------

    @property
    def _editor(self) -> HunkEditor:
        return self.query_one(HunkEditor)

    def action_edit(self) -> None:
        """Open the added lines of the current hunk in an editor."""
        if self._change.after is None or not self._change.hunks:
            return
        self._editor.load_text(added_text(self._change, self.current))
        self._editor.border_title = Content(f"hunk {self.current + 1}: the new lines")
        self._editor.border_subtitle = Content("ctrl+s take · esc give up")
        self._editor.display = True
        self.set_focus(self._editor)
        self.call_after_refresh(self._scroll_to_hunk)

    def action_take_edit(self) -> None:
        text = self._editor.text
        if text != added_text(self._change, self.current):
            self._change = with_added_text(self._change, self.current, text)
            self._decisions[self.current] = True
        self.action_leave_edit()

    def action_leave_edit(self) -> None:
        self._editor.display = False
        self.set_focus(None)
        self._show()

    @work(exit_on_error=False, exclusive=True)
    async def action_open(self) -> None:
        """Open the file as it would be written in the person's editor; what is saved there is what is proposed from then on."""
        if self._change.after is None:
            return
        from tui_agent.ui.own_editor import EditorError, edit_outside

        text = self._change.select(self._taken)
        try:
            saved = await edit_outside(self.app, text, self._change.path)
        except EditorError as error:
            self._say(str(error))
            return
        if saved != text:
            self._rewrite(saved)

    def _rewrite(self, text: str) -> None:
        """Go on with the whole text as the person wrote it: its hunks are new ones, and all of them are taken."""
        old = self._proposal
        self._change = FileChange.between(
            old.path, old.before, text, before_hash=old.before_hash, encoding=old.encoding, has_bom=old.has_bom
        )
        self._is_rewritten = True
        self._decisions = {}
        self.set_reactive(ReviewScreen.current, 0)
        self._show()
        self._scroll_to_hunk()

    def _say(self, words: str) -> None:
        self.query_one("#keys", Static).update(Content(words))

    # --- answers -----------------------------------------------------------------------------------------------------

    def _decision(self, *, rule: str | None = None, scope: Scope | None = None) -> Decision | None:
        """Return what the decided hunks come to; None while nothing can be applied."""
        taken = self._taken
        if self._change.after is None:
            return None
        if not self._writes_something:
            return Decision(behavior="deny")
        edited = self._change.select(taken) if self._is_edited else None
        approved = self._proposal.approve(None if self._is_rewritten else taken, edited)
        return Decision(behavior="allow", approved=(approved,), rule=rule, scope=scope)

    def action_apply(self) -> None:
        decision = self._decision()
        if decision is not None:
            self.answer(decision)

    def action_refuse(self) -> None:
        self.answer(Decision(behavior="deny"))

    def action_always(self) -> None:
        """Open the rule that would be saved; Enter there takes the hunks and saves it."""
        if self._missing is not None:
            self._say(f"Always is not offered: {self._missing}")
            return
        field = self.query_one(AlwaysField)
        field.display = True
        field.edit()

    @on(AlwaysField.Confirmed)
    def _apply_always(self) -> None:
        field = self.query_one(AlwaysField)
        rule = field.checked()
        decision = self._decision(rule=rule, scope=field.scope) if rule is not None else None
        if decision is not None:
            self.answer(decision)

    def action_words(self) -> None:
        """Open the field for what the model should do instead."""
        field = self.query_one("#words", Field)
        field.display = True
        self.set_focus(field)

    @on(Input.Submitted, "#words")
    def _refuse_with_words(self, event: Input.Submitted) -> None:
        event.stop()
        self.answer(Decision(behavior="deny", message=event.value.strip() or None))

    @on(AlwaysField.Left)
    def _close_fields(self) -> None:
        for selector in ("#words", "AlwaysField"):
            self.query(selector).set(display=False)
        self.set_focus(None)

    def on_key(self, event: events.Key) -> None:
        """Esc in the field for words only closes the field."""
        if event.key == "escape" and self.query_one("#words").has_focus:
            event.stop()
            event.prevent_default()
            self._close_fields()


def _keys(*, has_always: bool) -> Content:
    """Return the foot: every key with its word, each a place to click as well."""
    keys: list[tuple[str, str, str, tuple[object, ...]]] = [
        ("a", "accept", "decide", (True,)),
        ("x", "refuse", "decide", (False,)),
        ("A", "all", "decide_all", (True,)),
        ("X", "none", "decide_all", (False,)),
        ("j/k", "hunk", "go", (1,)),
        ("e", "edit", "edit", ()),
        ("o", "editor", "open", ()),
        ("⏎", "apply", "apply", ()),
        ("2", "always", "always", ()),
        ("w", "say why not", "words", ()),
        ("esc", "no", "refuse", ()),
    ]
    return Content("  ").join(
        clickable(Content.assemble((key, "bold"), " ", (word, "$foreground-muted")), f"screen.{action}", *arguments)
        for key, word, action, arguments in keys
        if has_always or action != "always"
    )
