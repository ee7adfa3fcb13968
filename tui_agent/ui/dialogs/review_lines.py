"""What is the same in every review of changes, whatever is decided about them: finding one's way, and writing on lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Final

from textual import events, on
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from tui_agent.changes import FileChange
from tui_agent.ui.dialogs.question import QuestionQueue, QuestionScreen, QueuePosition
from tui_agent.ui.reviewing.diff_layout import switch_layout
from tui_agent.ui.widgets.diff_body import DiffBody
from tui_agent.ui.widgets.review_editors import CommentEditor
from tui_agent.ui.widgets.view_widget import ViewWidget
from tui_agent.viewkit.diff import DiffLocation, DiffView, opened_around, opened_whole

if TYPE_CHECKING:
    from tui_agent.events import PermissionRequested
    from tui_agent.review_comments import LineComment
    from tui_agent.ui.dialogs.input_grace import InputGrace
    from tui_agent.ui.reviewing.file_review import FileReview

__all__ = ["LinesScreen"]

_NO_TEXT: Final = "The lines between the hunks are not in the recording."


class LinesScreen(QuestionScreen):
    """A diff with a current line, of one file or of several, and comments on lines. Subclasses compose it and draw it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "go(1)", "Next hunk"),
        Binding("k", "go(-1)", "Previous hunk"),
        Binding("n", "file(1)", "Next file"),
        Binding("p", "file(-1)", "Previous file"),
        Binding("down", "line(1)", "Next line"),
        Binding("up", "line(-1)", "Previous line"),
        Binding("shift+down", "line(1, True)", "Extend the selection down"),
        Binding("shift+up", "line(-1, True)", "Extend the selection up"),
        Binding("left,right", "across", "The other side, when side by side"),
        Binding("c", "comment", "Comment on the line"),
        Binding("d,delete", "remove_comment", "Remove the comment"),
        Binding("t", "layout", "Side by side, or unified"),
        Binding("plus,equals_sign", "more", "More unchanged lines"),
        Binding("pageup", "scroll_diff(-1)", "Scroll up", show=False),
        Binding("pagedown,space", "scroll_diff(1)", "Scroll down", show=False),
    ]

    def __init__(
        self,
        request: PermissionRequested,
        changes: Sequence[FileChange],
        queue: QuestionQueue,
        *,
        place: QueuePosition,
        grace: InputGrace,
    ) -> None:
        super().__init__(request, queue, place=place, grace=grace)
        self._draft = queue.review_draft(request.request_id, changes)
        self._view = DiffView(self._file.change)
        self._written_on: tuple[DiffLocation, int, LineComment | None] | None = (
            None  # what the comment being written is on
        )

    def _show(self) -> None:
        """Draw what is known now."""
        raise NotImplementedError

    def _show_message(self, words: str) -> None:
        self.query_one("#keys", Static).update(Content(words))

    @on(DiffBody.Prepared)
    def _scroll_to_hunk(self) -> None:
        self._diff.scroll_to_hunk(self._file.current)

    def _scroll_to_line(self) -> None:
        cursor = self._file.cursor
        line = self._view.line_of(cursor, self._diff.cells) if cursor is not None else None
        if line is not None:
            self._diff.scroll_to_line(line, margin=min(3, self._diff.size.height // 4))

    @property
    def _diff(self) -> DiffBody:
        return self.query_one("#diff", DiffBody)

    @property
    def _comments(self) -> tuple[LineComment, ...]:
        return tuple(comment for file in self._files for comment in file.comments)

    @property
    def _files(self) -> list[FileReview]:
        return self._draft.files

    @property
    def _number(self) -> int:
        """The number of the file that is shown."""
        return self._draft.number

    @property
    def _file(self) -> FileReview:
        return self._files[self._number]

    # --- finding one's way -------------------------------------------------------------------------------------------

    def _go_to(self, *, hunk: int) -> None:
        file = self._file
        file.go(hunk)
        file.marked = None
        if file.cursor is not None and self._view.change is file.change:
            file.cursor = self._view.first_spot(file.current, self._diff.cells)
        self._show()
        self._scroll_to_hunk()

    def action_go(self, step: int) -> None:
        self._go_to(hunk=self._file.current + step)

    def action_file(self, step: int) -> None:
        number = min(max(self._number + step, 0), len(self._files) - 1)
        if number != self._number:
            self._draft.number = number
            self._go_to(hunk=self._file.current)

    def action_layout(self) -> None:
        """Show the diff in two columns, or in one, from now on."""
        switch_layout(self.app, self._view, self._diff.cells)
        self._show()
        self._scroll_to_hunk()

    def action_more(self) -> None:
        """Show more of the unchanged lines around the current hunk."""
        if self._view.can_open:
            self._file.opened = opened_around(self._file.opened, self._file.current)
            self._show()
            self._scroll_to_hunk()
        else:
            self._show_message(_NO_TEXT)

    def action_scroll_diff(self, step: int) -> None:
        self._diff.scroll_relative(y=step * max(1, self._diff.size.height - 2), animate=False)

    @on(ViewWidget.HitClicked)
    def _hit(self, event: ViewWidget.HitClicked) -> None:
        event.stop()
        match event.action:
            case "file":
                self.action_file(int(event.argument) - self._number)
            case "fold":
                self._file.opened = opened_whole(self._file.opened, int(event.argument))
                self._show()
            case "comment" if self.grace.is_open:
                self._edit_comment(self._file.comments[int(event.argument)])

    def on_click(self, event: events.Click) -> None:
        """A click on a line makes it the current one; a click on the head of a hunk, the hunk."""
        region = self._diff.content_region
        if not region.contains_point(event.screen_offset) or not self._diff.is_ready:
            return
        offset = event.screen_offset - region.offset
        line, cells = offset.y + self._diff.scroll_offset.y, self._diff.cells
        is_left = self._view.is_split(cells) and offset.x < cells // 2
        spot = self._view.spot_at(line, cells, is_left=is_left) if line < self._diff.line_count else None
        if spot is not None:
            self._put_cursor(spot)
            return
        heads = range(len(self._file.change.hunks))
        hunk = next((number for number in heads if self._view.hunk_line(number, cells) == line), None)
        if hunk is not None:
            self._go_to(hunk=hunk)

    # --- lines and comments ------------------------------------------------------------------------------------------

    def _put_cursor(self, spot: DiffLocation, *, marked: int | None = None) -> None:
        file = self._file
        file.cursor, file.marked = spot, marked
        hunk = self._view.hunk_of(spot, self._diff.cells)
        if hunk is not None:
            file.go(hunk)
        self._show()
        self._scroll_to_line()

    def action_line(self, step: int, is_choosing: bool = False) -> None:
        """Go to another line; the first press goes to the first line of the hunk that changes."""
        file, cells = self._file, self._diff.cells
        if file.cursor is None:
            spot = self._view.first_spot(file.current, cells)
            if spot is not None:
                self._put_cursor(spot)
            return
        spot = self._view.moved(file.cursor, step, cells)
        if not is_choosing:
            self._put_cursor(spot)
        elif spot.side == file.cursor.side:
            self._put_cursor(spot, marked=file.marked if file.marked is not None else file.cursor.line)

    def action_across(self) -> None:
        if self._file.cursor is not None:
            self._put_cursor(self._view.across(self._file.cursor, self._diff.cells))

    def action_comment(self) -> None:
        """Write on the current line, or on the chosen ones; or go on with what is written there."""
        file = self._file
        spot = file.cursor or self._view.first_spot(file.current, self._diff.cells)
        if spot is None:
            return
        known = file.comment_at(spot)
        if known is not None and file.marked is None:
            self._edit_comment(known)
            return
        ends = (spot.line, spot.line if file.marked is None else file.marked)
        self._write_on(DiffLocation(spot.side, min(ends)), max(ends), None)

    def _edit_comment(self, known: LineComment) -> None:
        self._write_on(DiffLocation(known.side, known.line), known.lines[-1], known)

    def _write_on(self, first: DiffLocation, last: int, known: LineComment | None) -> None:
        self._written_on = (first, last, known)
        editor = self.query_one(CommentEditor)
        editor.load_text(known.text if known is not None else "")
        editor.move_cursor(editor.document.end)
        lines = f"line {first.line}" if last == first.line else f"lines {first.line}–{last}"
        editor.border_title = Content(f"comment on {lines} ({first.side})")
        editor.display = True
        self.set_focus(editor)
        self._file.cursor = DiffLocation(first.side, last)
        self._show()
        self.call_after_refresh(self._scroll_to_line)

    @on(CommentEditor.Kept)
    def _keep_comment(self, event: CommentEditor.Kept) -> None:
        if self._written_on is not None:
            first, last, known = self._written_on
            if known is not None:
                self._file.rewrite_comment(known, event.text)
            else:
                quote = self._view.texts(first, last, self._diff.cells)
                self._file.comment(first, last, quote, event.text)
        self._close_comment()

    @on(CommentEditor.GivenUp)
    def _close_comment(self) -> None:
        self._written_on = None
        self._file.marked = None
        self.query_one(CommentEditor).display = False
        self.set_focus(None)
        self._show()

    def action_remove_comment(self) -> None:
        """Take away the comment on the current line."""
        cursor = self._file.cursor
        known = self._file.comment_at(cursor) if cursor is not None else None
        if known is not None:
            self._file.remove(known)
            self._show()
