"""The diff pane: what this session changed, and what it proposes to change next, file by file."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.reactive import var

from tui_agent.ui.looks import render_state
from tui_agent.viewkit.plain import TextView
from tui_agent.viewkit.tool_text import display_path
from tui_agent.viewkit.widget import ViewWidget

if TYPE_CHECKING:
    from tui_agent.changes import FileChange
    from tui_agent.ui.projection import ChangeKey, Dirty, Projection
    from tui_agent.viewkit.diff import DiffView
    from tui_agent.viewkit.tool_view import ToolUse

__all__ = ["DiffPane"]


class DiffPane(Vertical):
    """Shows one change at a time: the newest, until the person goes to another with `n` and `p`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "hunk(1)", "Next hunk"),
        Binding("k", "hunk(-1)", "Previous hunk"),
        Binding("n", "file(1)", "Next change"),
        Binding("p", "file(-1)", "Previous change"),
    ]

    hunk: var[int] = var(0, init=False)

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._projection: Projection | None = None
        self._shown: ChangeKey | None = None  # the change the person went to; None is the newest
        self._drawn: ChangeKey | None = None  # the change that is on the screen
        self._view: DiffView | None = None

    def compose(self) -> ComposeResult:
        yield ViewWidget()

    def on_mount(self) -> None:
        self.app.theme_changed_signal.subscribe(self, lambda _: self._show())
        self._show()

    def refresh_from(self, projection: Projection, dirty: Dirty) -> None:
        """Take in what changed."""
        self._projection = projection
        if dirty.is_reset:
            self._shown = None
        key = self._key
        if dirty.changes or dirty.is_reset or (key is not None and key[0] in dirty.tool_ids):
            self._show()

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
    def change(self) -> FileChange | None:
        """The change that is shown."""
        key, use = self._key, self._use
        if key is None or use is None:
            return None
        return next((change for change in use.changes if change.path == key[1]), None)

    def _show(self) -> None:
        key, use, change = self._key, self._use, self.change
        widget = self.query_one(ViewWidget)
        if key is None or use is None or change is None or self._projection is None:
            self._drawn = self._view = None
            self.border_title, self.border_subtitle = Content("Diff"), Content("")
            widget.show(TextView("No change yet.", style="muted"), render_state(self.app))
            return
        from tui_agent.viewkit.diff import DiffView  # not needed for the first frame

        if self._drawn != key:
            self.set_reactive(DiffPane.hunk, 0)
        self._drawn = key
        hunk = min(self.hunk, max(len(change.hunks) - 1, 0))
        current = hunk if len(change.hunks) > 1 and self.has_focus_within else None
        self._view = DiffView(change, decisions=_decisions(use, change.path), current=current)
        widget.show(self._view, render_state(self.app))
        count, number = len(self._projection.changes), self._projection.change_place(key) or 0
        self.border_title = Content.assemble(
            display_path(change.path, self._projection.status.cwd),
            (f"  +{change.added}", "$text-success"), (f" −{change.removed}", "$text-error"),
            f"  hunk {hunk + 1}/{len(change.hunks)}" if change.hunks else "",
        )  # fmt: skip
        place = f" · {number + 1} of {count}" if count > 1 else ""
        self.border_subtitle = Content(_state_word(use, change.path) + place)

    def on_descendant_focus(self) -> None:
        self._show()

    def on_descendant_blur(self) -> None:
        self._show()

    def watch_hunk(self) -> None:
        self._show()
        if self._view is None:
            return
        widget = self.query_one(ViewWidget)
        starts = self._view.hunk_lines(widget.scrollable_content_region.width)
        if self.hunk < len(starts):
            widget.scroll_to_line(max(starts[self.hunk] - 2, 0))

    def action_hunk(self, step: int) -> None:
        change = self.change
        if change is not None:
            self.hunk = min(max(self.hunk + step, 0), max(len(change.hunks) - 1, 0))

    def action_file(self, step: int) -> None:
        key, projection = self._key, self._projection
        if key is None or projection is None:
            return
        last = len(projection.changes) - 1
        position = min(max((projection.change_place(key) or 0) + step, 0), last)
        self._shown = projection.changes[position] if position < last else None
        self._show()
        self.query_one(ViewWidget).scroll_home(animate=False)


def _decisions(use: ToolUse, path: str) -> dict[int, bool] | None:
    """Return what the person decided hunk by hunk. An applied change holds only what was taken: nothing to mark in it."""
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
        return "written in part" if review.accepted else "refused"
    if use.is_rejected:
        return "refused"
    if use.phase in ("completed", "yielded", "dropped"):
        return "not written"
    return "proposed"
