"""The diff pane: this session's changes one by one, or file by file what they come to, with the way back."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.reactive import var

from tui_agent.ui.panes.heading import heading
from tui_agent.ui.render_style import render_state
from tui_agent.ui.reviewing.diff_layout import diff_layout, switch_layout
from tui_agent.ui.widgets.diff_body import DiffBody
from tui_agent.ui.widgets.view_widget import ViewWidget
from tui_agent.viewkit.plain import TextView
from tui_agent.viewkit.tool_text import count, display_path

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tui_agent.boundary import Engine
    from tui_agent.changes import FileChange
    from tui_agent.queries import NetChange, UndoPlan
    from tui_agent.review_comments import LineComment
    from tui_agent.ui.projection.projection import ChangeKey, Dirty, Projection
    from tui_agent.ui.widgets.key_hints import Hint
    from tui_agent.viewkit.diff import DiffView
    from tui_agent.viewkit.tool_use import ToolUse

__all__ = ["DiffPane"]

_MOST_FILES: Final = 6  # lines of the list of files
_NO_TEXT: Final = "the lines between are not in the recording"


class DiffPane(Vertical):
    """Shows one change at a time, the newest until the user goes to another with `n` and `p`; or all of the session's.

    The engine knows what they come to; in a recording there are only the changes one by one.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "hunk(1)", "Next hunk"),
        Binding("k", "hunk(-1)", "Previous hunk"),
        Binding("n", "file(1)", "Next change, or file"),
        Binding("p", "file(-1)", "Previous change, or file"),
        Binding("s", "session", "All changes of the session, or single ones"),
        Binding("u", "undo", "Undo the session's changes to the file"),
        Binding("w", "patch", "Write all changes as a patch"),
        Binding("t", "layout", "Side by side, or unified"),
        Binding("plus,equals_sign,enter", "more", "More unchanged lines"),
    ]
    HINTS: ClassVar[tuple[Hint, ...]] = (
        ("j k", "hunks"), ("n p", "files"), ("s", "session"), ("u", "undo"), ("w", "patch"), ("t", "columns"), ("+", "more"),
    )  # fmt: skip

    hunk: var[int] = var(0, init=False)

    class PatchWanted(Message):
        """The user wants the session's changes as a patch."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._engine: Engine | None = None
        self._has_files = False  # to compare, and to put back
        self._projection: Projection | None = None
        self._shown: ChangeKey | None = None  # the change the user went to; None is the newest
        self._drawn: object = None  # the change that is on the screen
        self._view: DiffView | None = None
        self._opened: dict[int, tuple[int, int]] = {}
        self._nets: list[NetChange] | None = None  # what the session comes to; None while single changes are shown
        self._file = 0  # which of them
        self._title = self._foot = Content()

    def compare_by(self, engine: Engine) -> None:
        """Let this engine tell what the changes of the session come to."""
        self._engine = engine

    def compose(self) -> ComposeResult:
        yield DiffBody()
        files = ViewWidget(id="net-changes")
        files.can_focus = False
        files.display = False
        yield files

    def on_mount(self) -> None:
        self.app.theme_changed_signal.subscribe(self, lambda _: self._show())
        self._show()

    def refresh_from(self, projection: Projection, dirty: Dirty) -> None:
        """Take in what changed."""
        self._projection = projection
        if dirty.is_reset:
            self._shown = None
        key = self._key
        if self._nets is not None:
            if dirty.changes or (dirty.status and not projection.status.is_busy):
                self._compare()
        elif dirty.changes or dirty.is_reset or (key is not None and key[0] in dirty.tool_ids):
            self._show()

    def on_resize(self) -> None:
        self._head(self._title, self._foot)

    def _head(self, title: Content, foot: Content) -> None:
        """Put this into the rule above."""
        self._title, self._foot = title, foot
        self.border_title = heading(title, (foot,), self.size.width)

    # --- what is shown -----------------------------------------------------------------------------------------------

    @property
    def _key(self) -> ChangeKey | None:
        projection = self._projection
        if projection is None or not projection.changes:
            return None
        if self._shown is not None and projection.change_place(self._shown) is not None:
            return self._shown
        return projection.changes[-1]

    @property
    def _use(self) -> ToolUse | None:
        key = self._key
        return self._projection.tools.get(key[0]) if key is not None and self._projection is not None else None

    @property
    def _net(self) -> NetChange | None:
        nets = self._nets
        return nets[min(self._file, len(nets) - 1)] if nets else None

    @property
    def change(self) -> FileChange | None:
        """The change that is shown."""
        if self._nets is not None:
            net = self._net
            return net.change if net is not None else None
        key, use = self._key, self._use
        if key is None or use is None:
            return None
        return next((change for change in use.changes if change.path == key[1]), None)

    @property
    def _body(self) -> DiffBody:
        return self.query_one(DiffBody)

    @property
    def _base(self) -> str:
        return self._projection.status.cwd if self._projection is not None else ""

    def _show(self) -> None:
        if self._nets is not None:
            self._show_session()
        else:
            self._show_single()

    def _show_single(self) -> None:
        key, use, change = self._key, self._use, self.change
        if key is None or use is None or change is None or self._projection is None:
            self._drawn = self._view = None
            self._head(Content("Diff"), Content(""))
            self._body.show(TextView("No changes yet.", style="muted"), render_state(self.app))
            return
        comments = tuple(comment for comment in use.comments if comment.path == change.path)
        hunk = self._show_diff(key, change, decisions=_decisions(use, change.path), comments=comments)
        changes, number = len(self._projection.changes), self._projection.change_place(key) or 0
        title = _title(display_path(change.path, self._base), change, hunk)
        place = f" · {number + 1} of {changes}" if changes > 1 else ""
        self._head(title, Content(_state_word(use, change.path) + place))

    def _show_session(self) -> None:
        from tui_agent.ui.projection.net_changes import NetChanges, totals

        nets, net = self._nets or [], self._net
        files = self.query_one("#net-changes", ViewWidget)
        files.display = bool(nets)
        files.styles.height = min(len(nets) + 1, _MOST_FILES, max(2, self.size.height // 3))
        files.show(NetChanges(nets, self._file, self._base), render_state(self.app))
        files.scroll_to_line(self._file, margin=1)
        change = net.change if net is not None else None
        if change is not None and net is not None:
            hunk = self._show_diff(net.path, change)
            place = f"  hunk {hunk + 1}/{len(change.hunks)}" if change.hunks else ""
        else:
            self._drawn = self._view = None
            words = (
                f"{net.problem[:1].upper()}{net.problem[1:]}."
                if net is not None
                else "This session has changed no files."
            )
            if not self._has_files:
                words = "A recording has no files to compare; s shows its single changes."
            self._body.show(TextView(words, style="muted"), render_state(self.app))
            place = ""
        added, removed = totals(nets)
        title = Content.assemble(
            f"This session: {count(len(nets), 'file')}",
            (f"  +{added}", "$text-success"), (f" −{removed}", "$text-error"), place,
        )  # fmt: skip
        self._head(title, Content("u undo · w patch · s single changes" if nets else "s single changes"))

    def _show_diff(
        self,
        key: object,
        change: FileChange,
        *,
        decisions: Mapping[int, bool] | None = None,
        comments: tuple[LineComment, ...] = (),
    ) -> int:
        """Draw a change and return the hunk that is the current one."""
        from tui_agent.viewkit.diff import DiffView  # not needed for the first frame

        if self._drawn != key:
            self.set_reactive(DiffPane.hunk, 0)
            self._opened = {}
        self._drawn = key
        hunk = min(self.hunk, max(len(change.hunks) - 1, 0))
        self._view = DiffView(
            change,
            diff_layout(self.app),
            decisions=decisions,
            current=hunk if len(change.hunks) > 1 and self.has_focus_within else None,
            opened=dict(self._opened) if change.before is not None else None,
            comments=comments,
        )
        self._body.show(self._view, render_state(self.app))
        return hunk

    def on_descendant_focus(self) -> None:
        self._show()

    def on_descendant_blur(self) -> None:
        self._show()

    def watch_hunk(self) -> None:
        self._show()
        self._scroll_to_hunk()

    @on(DiffBody.Prepared)
    def _scroll_to_hunk(self) -> None:
        if self._view is not None:
            self._body.scroll_to_hunk(self.hunk)

    # --- going about -------------------------------------------------------------------------------------------------

    def action_hunk(self, step: int) -> None:
        change = self.change
        if change is not None:
            self.hunk = min(max(self.hunk + step, 0), max(len(change.hunks) - 1, 0))

    def action_file(self, step: int) -> None:
        if self._nets is not None:
            self._go_to_file(self._file + step)
            return
        key, projection = self._key, self._projection
        if key is None or projection is None:
            return
        last = len(projection.changes) - 1
        position = min(max((projection.change_place(key) or 0) + step, 0), last)
        self._shown = projection.changes[position] if position < last else None
        self._show()
        self._body.scroll_home(animate=False)

    def _go_to_file(self, number: int) -> None:
        self._file = min(max(number, 0), max(len(self._nets or ()) - 1, 0))
        self._show()
        self._body.scroll_home(animate=False)

    def action_layout(self) -> None:
        """Show diffs in two columns, or in one, from now on."""
        if self._view is not None:
            switch_layout(self.app, self._view, self._body.cells)
            self._show()
            self._scroll_to_hunk()

    def action_more(self) -> None:
        """Show more of the unchanged lines around the current hunk."""
        from tui_agent.viewkit.diff import opened_around

        if self._view is None:
            return
        if self._view.can_open:
            self._opened = opened_around(self._opened, self.hunk)
            self._show()
            self._scroll_to_hunk()
        else:
            self._head(self._title, Content(_NO_TEXT))

    @on(ViewWidget.HitClicked)
    def _hit(self, event: ViewWidget.HitClicked) -> None:
        from tui_agent.viewkit.diff import opened_whole

        if event.action == "file":
            event.stop()
            self._go_to_file(int(event.argument))
        elif event.action == "fold":
            event.stop()
            self._opened = opened_whole(self._opened, int(event.argument))
            self._show()

    # --- the session's changes ---------------------------------------------------------------------------------------

    def action_session(self) -> None:
        """Show what the session comes to, file by file; or single changes again."""
        if self._nets is None:
            self._nets, self._file = [], 0
            self._compare()
        else:
            self._nets = None
            self.query_one("#net-changes").display = False
            self._show()

    @work(exit_on_error=False, exclusive=True, group="compare")
    async def _compare(self) -> None:
        from tui_agent.queries import ChangesQuery

        report = await self._engine.query(ChangesQuery()) if self._engine is not None else None
        nets = list(report.files) if report is not None else []
        self._has_files = report is not None
        if self._nets is None:
            return
        shown = self._net
        self._nets = nets
        self._file = next((number for number, net in enumerate(nets) if shown and net.path == shown.path), self._file)
        self._file = min(self._file, max(len(nets) - 1, 0))
        self._show()

    def action_patch(self) -> None:
        self.post_message(self.PatchWanted())

    @work(exit_on_error=False, exclusive=True, group="undo")
    async def action_undo(self) -> None:
        """Ask, and take back what the session did to the file; where that changes meanwhile, ask again."""
        change, net = self.change, self._net
        path = net.path if net is not None else change.path if change is not None else ""
        engine = self._engine
        plan = await _plan(engine, path) if engine is not None and path else None
        if plan is None or engine is None:
            self._head(self._title, Content("nothing to undo here"))
            return
        from tui_agent.commands import Undo
        from tui_agent.ui.dialogs.undo import UndoScreen

        is_again = False
        while plan is not None:
            if not await self.app.push_screen_wait(UndoScreen(plan, self._base, is_again=is_again)):
                return
            reply = await engine.send(Undo(plan.path, plan.id))
            plan, is_again = reply.ok.plan if reply.ok is not None else None, True


async def _plan(engine: Engine, path: str) -> UndoPlan | None:
    """Return what undoing a file would do now."""
    from tui_agent.queries import UndoPlanQuery  # not needed for the first frame

    return await engine.query(UndoPlanQuery(path))


def _title(path: str, change: FileChange, hunk: int) -> Content:
    return Content.assemble(
        path,
        (f"  +{change.added}", "$text-success"), (f" −{change.removed}", "$text-error"),
        f"  hunk {hunk + 1}/{len(change.hunks)}" if change.hunks else "",
    )  # fmt: skip


def _decisions(use: ToolUse, path: str) -> dict[int, bool] | None:
    """Return what the user decided hunk by hunk. An applied change holds only what was taken: nothing to mark in it."""
    review = use.reviews.get(path)
    if review is None or use.is_applied:
        return None
    return {**dict.fromkeys(review.accepted, True), **dict.fromkeys(review.refused, False)}


def _state_word(use: ToolUse, path: str) -> str:
    """Return what became of the change."""
    review = use.reviews.get(path)
    if use.is_applied:
        if review is None or not review.refused:
            return "written"
        return "applied in part" if review.accepted else "refused"
    if use.is_rejected:
        return "refused"
    if use.phase in ("completed", "yielded", "dropped"):
        return "not applied"
    return "proposed"
