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
    from tui_agent.ui.projection import Dirty, Projection
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
        self._shown: str | None = None  # the tool use whose change the person went to; None is the newest
        self._drawn: str | None = None  # the tool use whose change is on the screen
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
        if dirty.changes or dirty.is_reset or (self._use is not None and self._use.id in dirty.tool_ids):
            self._show()

    @property
    def _use(self) -> ToolUse | None:
        projection = self._projection
        if projection is None or not projection.changes:
            return None
        name = self._shown if self._shown in projection.changes else projection.changes[-1]
        return projection.tools.get(name or "")

    @property
    def change(self) -> FileChange | None:
        """The change that is shown."""
        use = self._use
        return use.change if use is not None else None

    def _show(self) -> None:
        use, change = self._use, self.change
        widget = self.query_one(ViewWidget)
        if use is None or change is None or self._projection is None:
            self._drawn = self._view = None
            self.border_title, self.border_subtitle = Content("Diff"), Content("")
            widget.show(TextView("No change yet.", style="muted"), render_state(self.app))
            return
        from tui_agent.viewkit.diff import DiffView  # not needed for the first frame

        if self._drawn != use.id:
            self.set_reactive(DiffPane.hunk, 0)
        self._drawn = use.id
        hunk = min(self.hunk, max(len(change.hunks) - 1, 0))
        current = hunk if len(change.hunks) > 1 and self.has_focus_within else None
        self._view = DiffView(change, decisions=_decisions(use), current=current)
        widget.show(self._view, render_state(self.app))
        names = self._projection.changes
        self.border_title = Content.assemble(
            display_path(change.path, self._projection.status.cwd),
            (f"  +{change.added}", "$text-success"), (f" −{change.removed}", "$text-error"),
            f"  hunk {hunk + 1}/{len(change.hunks)}" if change.hunks else "",
        )  # fmt: skip
        place = f" · {names.index(use.id) + 1} of {len(names)}" if len(names) > 1 else ""
        self.border_subtitle = Content(_state_word(use) + place)

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
        use, projection = self._use, self._projection
        if use is None or projection is None:
            return
        names = projection.changes
        position = min(max(names.index(use.id) + step, 0), len(names) - 1)
        self._shown = names[position] if position < len(names) - 1 else None
        self._show()
        self.query_one(ViewWidget).scroll_home(animate=False)


def _decisions(use: ToolUse) -> dict[int, bool] | None:
    """Return what the person decided hunk by hunk. An applied change holds only what was taken: nothing to mark in it."""
    if use.accepted is None or use.is_applied:
        return None
    return {**dict.fromkeys(use.accepted, True), **dict.fromkeys(use.refused, False)}


def _state_word(use: ToolUse) -> str:
    """Return what became of the change."""
    if use.is_applied:
        return "written in part" if use.refused else "written"
    if use.is_rejected:
        return "refused"
    if use.phase in ("completed", "yielded", "dropped"):
        return "not written"
    return "proposed"
