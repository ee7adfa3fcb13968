"""The review of proposed changes, file by file and hunk by hunk, before anything is written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Final

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static, TextArea

from tui_agent.changes import FileChange
from tui_agent.permissions.verdict import Decision, Scope
from tui_agent.ui.clickable import clickable
from tui_agent.ui.file_review import FileReview
from tui_agent.ui.hunk_edit import added_text
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
    """A proposal of one file or several. What was decided for the hunks becomes the decision's `approved` changes.

    Hunks nobody decided on are taken, so that Enter alone takes the whole proposal; the foot always says what Enter writes.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "go(1)", "Next hunk"),
        Binding("k,up", "go(-1)", "Previous hunk"),
        Binding("n", "file(1)", "Next file"),
        Binding("p", "file(-1)", "Previous file"),
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

    def __init__(
        self,
        request: PermissionRequested,
        changes: Sequence[FileChange],
        desk: Desk,
        *,
        base: str = "",
        place: Place | None = None,
        guard: Guard | None = None,
    ) -> None:
        super().__init__(request, desk, place=place or Place(), guard=guard or Guard())
        self._files = [FileReview(change) for change in changes]
        self._number = 0  # of the file that is shown
        self._view = DiffView(self._file.change)
        self._base = base
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
        file = self._file
        current = file.current if len(file.change.hunks) > 1 else None
        self._view = DiffView(file.change, decisions=dict(file.decisions), current=current)
        self._diff.show(self._view, render_state(self.app))
        self._show_frame()
        self.query_one("#tally", Static).update(self._tally())
        keys = _keys(has_always=self._missing is None, has_files=len(self._files) > 1)
        self.query_one("#keys", Static).update(keys)

    def _tally(self) -> Content:
        """Return what Enter does."""
        if not all(file.is_applicable for file in self._files):
            return Content.styled(_CANNOT, "$text-warning")
        total = sum(len(file.change.hunks) for file in self._files)
        taken = sum(len(file.taken) for file in self._files)
        written = [file for file in self._files if file.writes_something]
        hunks = f"{taken} of {count(total, 'hunk')}"
        if len(self._files) > 1:
            hunks += f" in {len(written)} of {count(len(self._files), 'file')}"
        elif self._file.change.is_new and taken == total:
            hunks = "the whole file"
        edited = " as edited" if any(file.is_edited and file.taken for file in self._files) else ""
        return Content.assemble(
            ("Enter ", "bold"),
            (f"writes {hunks}{edited}" if written else "refuses it all", "bold"),
            (f" · {total - taken} refused" if taken < total else "", "$text-error"),
        )

    def _show_frame(self) -> None:
        file, change = self._file, self._file.change
        files = f"file {self._number + 1}/{len(self._files)}  " if len(self._files) > 1 else ""
        dialog = self.query_one("#dialog")
        dialog.border_title = Content.assemble(
            files, ("new file " if change.is_new else ""), display_path(change.path, self._base),
            (f"  +{change.added}", "$text-success"), (f" −{change.removed}", "$text-error"),
            f"  hunk {file.current + 1}/{len(change.hunks)}" if change.hunks else "  empty",
        )  # fmt: skip
        dialog.border_subtitle = Content(f"{self.place.label} · [ ] to see the others" if self.place.label else "")

    def _scroll_to_hunk(self) -> None:
        starts = self._view.hunk_lines(self._diff.scrollable_content_region.width)
        if self._file.current < len(starts):
            above = 2 if self._diff.size.height >= 8 else 0
            self._diff.scroll_to_line(max(starts[self._file.current] - above, 0), margin=above)

    @property
    def _diff(self) -> ViewWidget:
        return self.query_one("#diff", ViewWidget)

    @property
    def _file(self) -> FileReview:
        return self._files[self._number]

    # --- files and hunks ---------------------------------------------------------------------------------------------

    def _look(self, *, hunk: int) -> None:
        self._file.go(hunk)
        self._show()
        self._scroll_to_hunk()

    def action_go(self, step: int) -> None:
        self._look(hunk=self._file.current + step)

    def action_file(self, step: int) -> None:
        number = min(max(self._number + step, 0), len(self._files) - 1)
        if number != self._number:
            self._number = number
            self._look(hunk=self._file.current)

    def action_decide(self, is_accepted: bool) -> None:
        """Take or refuse the current hunk and go to the next one that is not decided, here or in the next file."""
        file = self._file
        file.decide(is_accepted=is_accepted)
        if file.next_open is not None:
            self._look(hunk=file.next_open)
        elif self._number + 1 < len(self._files) and file.current + 1 >= len(file.change.hunks):
            self.action_file(1)
        else:
            self._look(hunk=file.current + 1)

    def action_decide_all(self, is_accepted: bool) -> None:
        """Take or refuse all hunks of the file that is shown."""
        self._file.decide_all(is_accepted=is_accepted)
        self._show()

    def action_scroll_diff(self, step: int) -> None:
        self._diff.scroll_relative(y=step * max(1, self._diff.size.height - 2), animate=False)

    # --- editing in place --------------------------------------------------------------------------------------------

    @property
    def _editor(self) -> HunkEditor:
        return self.query_one(HunkEditor)

    def action_edit(self) -> None:
        """Open the added lines of the current hunk in an editor."""
        file = self._file
        if not file.is_applicable or not file.change.hunks:
            return
        self._editor.load_text(added_text(file.change, file.current))
        self._editor.border_title = Content(f"hunk {file.current + 1}: the new lines")
        self._editor.border_subtitle = Content("ctrl+s take · esc give up")
        self._editor.display = True
        self.set_focus(self._editor)
        self.call_after_refresh(self._scroll_to_hunk)

    def action_take_edit(self) -> None:
        text = self._editor.text
        if text != added_text(self._file.change, self._file.current):
            self._file.edit(text)
        self.action_leave_edit()

    def action_leave_edit(self) -> None:
        self._editor.display = False
        self.set_focus(None)
        self._show()

    @work(exit_on_error=False, exclusive=True)
    async def action_open(self) -> None:
        """Open the file as it would be written in the person's editor; what is saved there is what is proposed from then on."""
        file = self._file
        if not file.is_applicable:
            return
        from tui_agent.ui.own_editor import EditorError, edit_outside

        text = file.selected()
        try:
            saved = await edit_outside(self.app, text, file.change.path)
        except EditorError as error:
            self._say(str(error))
            return
        if saved != text:
            file.rewrite(saved)
            self._show()
            self._scroll_to_hunk()

    def _say(self, words: str) -> None:
        self.query_one("#keys", Static).update(Content(words))

    # --- answers -----------------------------------------------------------------------------------------------------

    def _decision(self, *, rule: str | None = None, scope: Scope | None = None) -> Decision | None:
        """Return what the decided hunks come to; None while nothing can be applied."""
        if not all(file.is_applicable for file in self._files):
            return None
        if not any(file.writes_something for file in self._files):
            return Decision(behavior="deny")
        approved = tuple(file.approve() for file in self._files)
        return Decision(behavior="allow", approved=approved, rule=rule, scope=scope)

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


def _keys(*, has_always: bool, has_files: bool) -> Content:
    """Return the foot: every key with its word, each a place to click as well."""
    keys: list[tuple[str, str, str, tuple[object, ...]]] = [
        ("a", "accept", "decide", (True,)),
        ("x", "refuse", "decide", (False,)),
        ("A", "all", "decide_all", (True,)),
        ("X", "none", "decide_all", (False,)),
        ("j/k", "hunk", "go", (1,)),
        ("n/p", "file", "file", (1,)),
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
        if (has_always or action != "always") and (has_files or action != "file")
    )
