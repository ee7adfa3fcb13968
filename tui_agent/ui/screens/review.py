"""The review of proposed changes, file by file and hunk by hunk, before anything is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Final

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Input, Static, TextArea

from tui_agent.changes import FileChange
from tui_agent.hunk_edit import added_text
from tui_agent.permissions.verdict import Decision, Scope
from tui_agent.ui.dialogs.always import AlwaysField, why_not_always
from tui_agent.ui.dialogs.dialog_box import DialogBox
from tui_agent.ui.dialogs.input_grace import InputGrace
from tui_agent.ui.dialogs.question import QuestionQueue, QueuePosition, why
from tui_agent.ui.dialogs.review_keys import review_keys, words_of
from tui_agent.ui.dialogs.review_lines import LinesScreen
from tui_agent.ui.render_style import render_state
from tui_agent.ui.reviewing.diff_layout import diff_layout
from tui_agent.ui.reviewing.disk_warnings import disk_words
from tui_agent.ui.reviewing.review_files import ReviewFiles
from tui_agent.ui.widgets.diff_body import DiffBody
from tui_agent.ui.widgets.field import Field
from tui_agent.ui.widgets.key_line import KeyLine
from tui_agent.ui.widgets.review_editors import CommentEditor, HunkEditor
from tui_agent.ui.widgets.view_widget import ViewWidget
from tui_agent.viewkit.diff import DiffView
from tui_agent.viewkit.tool_text import count, display_path

if TYPE_CHECKING:
    from tui_agent.events import PermissionRequested

__all__ = ["ReviewScreen"]

_CANNOT: Final = "This is a recording: it cannot be applied."
_MOST_FILES: Final = 6  # lines of the list of files


class ReviewScreen(LinesScreen):
    """A proposal of one file or several. What was decided for the hunks becomes the decision's `approved` changes.

    Hunks nobody decided on are taken, so that Enter alone takes the whole proposal; the foot always says what Enter writes.
    A file that was never shown is shown before anything is written.
    What the user writes on lines goes along with any answer but a plain no, which asks once more before it drops them.
    `on_disk` says which of the files changed on disk meanwhile, and how, as in `ProposedFileChanged`.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "decide(True)", "Accept hunk"),
        Binding("x", "decide(False)", "Refuse hunk"),
        Binding("A", "decide_all(True)", "Accept all"),
        Binding("X", "decide_all(False)", "Refuse all"),
        Binding("r", "send_comments", "Refuse, with the comments"),
        Binding("e", "edit", "Edit in place"),
        Binding("o", "open", "Open in your editor"),
        Binding("enter,1", "apply", "Apply"),
        Binding("2", "always", "Apply, always"),
        Binding("w", "words(True)", "Apply, with words for the model"),
        Binding("4", "words(False)", "Refuse with words"),
        Binding("escape,q,3", "refuse", "Refuse"),
    ]

    def __init__(
        self,
        request: PermissionRequested,
        changes: Sequence[FileChange],
        queue: QuestionQueue,
        *,
        base: str = "",
        on_disk: Mapping[str, str] | None = None,
        place: QueuePosition | None = None,
        grace: InputGrace | None = None,
    ) -> None:
        super().__init__(request, changes, queue, place=place or QueuePosition(), grace=grace or InputGrace())
        self._base = base
        self._on_disk = on_disk or {}
        self._missing = why_not_always(request)
        self._is_no_again = False  # a plain no was said that would drop comments
        self._words_are_yes = False  # that are being written

    # --- structure ---------------------------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        with DialogBox():
            if len(self._files) > 1:
                files = ViewWidget(id="files")
                files.can_focus = False
                files.styles.height = min(len(self._files), _MOST_FILES)
                yield files
            diff = DiffBody(id="diff")
            diff.can_focus = False  # letters and arrows are the screen's; the page keys and the wheel scroll
            yield diff
            yield HunkEditor()
            yield CommentEditor()
            yield Static(why(self.request), id="why")
            if self._missing is None:
                yield AlwaysField(
                    self.request.offers,
                    "session",
                    check=self.queue.check_rule,
                    coverage=lambda rules, take: self.queue.coverage(self.request, rules, take),
                )
            yield Field(id="words", placeholder="what to do instead, then Enter · Esc goes back")
            yield Static(id="disk")
            yield Static(id="tally")
            yield KeyLine()

    def on_mount(self) -> None:
        for selector in ("#editor", "#comment", "#words", "AlwaysField"):
            self.query(selector).set(display=False)
        self.set_focus(None)
        self._show()

    def refresh_place(self) -> None:
        self._show_frame()

    def show_on_disk(self, on_disk: Mapping[str, str]) -> None:
        """Say how the files stand on disk now; what the user is doing goes on."""
        if on_disk != self._on_disk:
            was_outdated, self._on_disk = self._is_outdated, on_disk
            self._show_files()
            self._show_outcome()
            if self._is_outdated != was_outdated:
                self._is_no_again = False  # what asked for it is no longer shown
                self._show_diff()
                self._show_keys()

    def on_resize(self) -> None:
        self.call_after_refresh(self._scroll_to_hunk)

    # --- what is shown -----------------------------------------------------------------------------------------------

    def _show(self) -> None:
        self._file.is_seen = True
        self._is_no_again = False
        self._show_diff()
        self._show_files()
        self._show_frame()
        self._show_outcome()
        self._show_keys()

    def _show_diff(self) -> None:
        file = self._file
        self._view = DiffView(
            file.change,
            diff_layout(self.app),
            decisions=dict(file.decisions),
            current=file.current if len(file.change.hunks) > 1 else None,
            opened=dict(file.opened),
            comments=tuple(file.comments),
            cursor=file.cursor,
            marked=file.marked,
            is_writable=not self._is_outdated,
        )
        self._diff.show(self._view, render_state(self.app))

    def _show_files(self) -> None:
        for files in self.query("#files").results(ViewWidget):
            view = ReviewFiles(self._files, self._number, self._base, on_disk=self._on_disk)
            files.show(view, render_state(self.app))
            files.scroll_to_line(self._number, margin=0)

    def _show_outcome(self) -> None:
        """Say what became of the files on disk, if anything, and what Enter does."""
        disk = self.query_one("#disk", Static)
        disk.display = bool(self._on_disk)
        disk.update(Content(f"! {disk_words(self._on_disk, self._base)}."))
        self.query_one("#tally", Static).update(self._tally())

    def _show_keys(self) -> None:
        """Say which keys do something now: those of the field that is being written in, where there is one."""
        fields = self._editor, self.query_one(CommentEditor), self.query_one("#words")
        self.query_one("#tally").display = not any(
            field.display for field in fields
        )  # Enter means something else there
        rules = next((field for field in self.query(AlwaysField) if field.display), None)
        if self._editor.display:
            keys = words_of(("^s", "use the new lines"), ("esc", "cancel"))
        elif self.query_one(CommentEditor).display:
            keys = words_of(("enter", "keep"), ("^j", "new line"), ("esc", "cancel"))
        elif self.query_one("#words").display:
            word = "apply, with these words" if self._words_are_yes else "no, with these words"
            keys = words_of(("enter", word), ("esc", "back"))
        elif rules is not None:
            step = [("↑↓", "rule")] if rules.count > 1 else []
            word = "apply, with these rules" if step else "apply, with this rule"
            keys = words_of(("enter", word), *step, ("^t", "where"), ("esc", "back"))
        else:
            keys = review_keys(
                has_always=self._missing is None,
                has_files=len(self._files) > 1,
                has_comments=bool(self._comments),
                is_accepting=self.place.mode not in {"", "default"},
                is_outdated=self._is_outdated,
            )
        self.query_one("#keys", Static).update(keys)

    @property
    def _is_outdated(self) -> bool:
        """Whether something would be written to a file that is not what was read any more: then nothing is, in no file."""
        return any(file.writes_something and file.change.path in self._on_disk for file in self._files)

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
        decided = sum(len(file.decisions) for file in self._files)
        edited = " as edited" if any(file.is_edited and file.taken for file in self._files) else ""
        does = f"writes {hunks}{edited}" if written else "refuses everything"
        if self._is_outdated:
            does = "writes nothing, and the model is told why"
        unseen = self._unseen
        if unseen is not None:
            name = display_path(self._files[unseen].change.path, self._base)
            return Content.assemble(
                (f"Enter shows {name}", "bold"),
                f", which you have not seen; then it {does}",
                (f" · {total - taken} refused" if taken < total else "", "$text-error"),
            )
        return Content.assemble(
            ("Enter ", "bold"),
            (does, "bold"),
            (f" · {total - taken} refused" if taken < total else "", "$text-error"),
            (f" · {decided} of {count(total, 'hunk')} decided" if decided else "", "$foreground-muted"),
            (f" · with {count(len(self._comments), 'comment')}" if self._comments else "", "$text-accent"),
        )

    @property
    def _unseen(self) -> int | None:
        """The first file that would be written and was never shown."""
        files = () if self._is_outdated else enumerate(self._files)  # where nothing is written, nothing need be seen
        return next((number for number, file in files if file.writes_something and not file.is_seen), None)

    def _show_frame(self) -> None:
        file, change = self._file, self._file.change
        files = f"file {self._number + 1}/{len(self._files)}  " if len(self._files) > 1 else ""
        dialog = self.query_one("#dialog")
        dialog.border_title = Content.assemble(
            files, ("new file " if change.is_new else ""), display_path(change.path, self._base),
            (f"  +{change.added}", "$text-success"), (f" −{change.removed}", "$text-error"),
            f"  hunk {file.current + 1}/{len(change.hunks)}" if change.hunks else "  empty",
        )  # fmt: skip
        dialog.border_subtitle = self.place.words(self.others_key)

    # --- files and hunks ---------------------------------------------------------------------------------------------

    def action_decide(self, is_accepted: bool) -> None:
        """Take or refuse the current hunk; go on to the next one that is not decided only where the user set it so."""
        file = self._file
        file.decide(is_accepted=is_accepted)
        if not self.queue.moves_on:
            self._show()
        elif file.next_open is not None:
            self._go_to(hunk=file.next_open)
        elif self._number + 1 < len(self._files) and file.current + 1 >= len(file.change.hunks):
            self.action_file(1)
        else:
            self._go_to(hunk=file.current + 1)

    def action_decide_all(self, is_accepted: bool) -> None:
        """Take or refuse all hunks of the file that is shown."""
        self._file.decide_all(is_accepted=is_accepted)
        self._show()

    def action_send_comments(self) -> None:
        """Refuse the proposal, and let the model have the comments as the reason."""
        if self._comments:
            self.answer(Decision(behavior="deny", comments=self._comments))
        else:
            self._show_message("There are no comments yet: c adds one, 4 refuses with words.")

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
        self._editor.display = True
        self.set_focus(self._editor)
        self._show_keys()
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
        """Open the file as it would be written in the user's editor; what is saved there is what is proposed from then on."""
        file = self._file
        if not file.is_applicable:
            return
        from tui_agent.ui.terminal.editor import EditorError, edit_outside

        text = file.selected()
        try:
            saved = await edit_outside(self.app, text, file.change.path)
        except EditorError as error:
            self._show_message(str(error))
            return
        if saved != text:
            file.rewrite(saved)
            self._show()
            self._scroll_to_hunk()

    # --- answers -----------------------------------------------------------------------------------------------------

    def _decision(self, *, rules: tuple[str, ...] = (), scope: Scope | None = None) -> Decision | None:
        """Return what the decided hunks come to; None while nothing can be applied."""
        if not all(file.is_applicable for file in self._files):
            return None
        if not any(file.writes_something for file in self._files):
            return Decision(behavior="deny", comments=self._comments)
        approved = tuple(file.approve() for file in self._files)
        return Decision(behavior="allow", approved=approved, rules=rules, scope=scope, comments=self._comments)

    def action_apply(self) -> None:
        decision = self._seen_decision()
        if decision is not None:
            self.answer(decision)

    def _seen_decision(self, *, rules: tuple[str, ...] = (), scope: Scope | None = None) -> Decision | None:
        """Return the decision, or show a file that it would write and nobody has seen, and return None."""
        unseen = self._unseen
        if unseen is None:
            return self._decision(rules=rules, scope=scope)
        self.action_file(unseen - self._number)
        return None

    async def action_next_mode(self) -> None:
        """Apply, and accept edits from now on; where another mode is on already, go to the next one."""
        if isinstance(self.focused, Input | TextArea):
            return
        if self.place.mode not in {"", "default"}:
            await super().action_next_mode()
            return
        decision = self._seen_decision()
        if decision is not None and self.grace.is_open:
            self.queue.accept_edits(self.request_id, decision)

    def action_refuse(self) -> None:
        """Refuse without a word; what was written on lines would be lost, so that wants to be said twice."""
        if self._comments and not self._is_no_again:
            self._show_message(
                f"r refuses with {count(len(self._comments), 'comment')} · again: refuse, and drop what you wrote"
            )
            self._is_no_again = True
        else:
            self.answer(Decision(behavior="deny"))

    def action_always(self) -> None:
        """Open the rule that would be saved; Enter there takes the hunks and saves it."""
        if self._missing is not None:
            self._show_message(f"“Always” is not available: {self._missing}")
            return
        field = self.query_one(AlwaysField)
        field.display = True
        field.edit()
        self._show_keys()

    @on(AlwaysField.Confirmed)
    def _apply_always(self) -> None:
        field = self.query_one(AlwaysField)
        rules = field.checked()
        decision = self._seen_decision(rules=rules, scope=field.scope) if rules is not None else None
        if decision is not None:
            self.answer(decision)

    def action_words(self, is_yes: bool) -> None:
        """Open the field for what the model should keep in mind, or do instead."""
        field = self.query_one("#words", Field)
        self._words_are_yes = is_yes
        what = "keep in mind" if is_yes else "do instead"
        field.placeholder = f"what to {what}, then Enter · Esc goes back"
        field.display = True
        self.set_focus(field)
        self._show_keys()

    @on(Input.Submitted, "#words")
    def _answer_with_words(self, event: Input.Submitted) -> None:
        event.stop()
        words = event.value.strip() or None
        if not self._words_are_yes:
            self.answer(Decision(behavior="deny", message=words, comments=self._comments))
        elif (decision := self._seen_decision()) is not None:
            self.answer(replace(decision, message=words))
        else:
            self._close_fields()  # to a file that was not seen yet; the words stay in the field

    @on(AlwaysField.Left)
    def _close_fields(self) -> None:
        for selector in ("#words", "AlwaysField"):
            self.query(selector).set(display=False)
        self.set_focus(None)
        self._show_keys()

    def on_key(self, event: events.Key) -> None:
        """Esc in the field for words only closes the field."""
        if event.key == "escape" and self.query_one("#words").has_focus:
            event.stop()
            event.prevent_default()
            self._close_fields()
