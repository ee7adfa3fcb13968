"""The model's plan as a live checklist: a box beside the conversation, or in a narrow terminal a line above the prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from textual.content import Content

from tui_agent.ui.render_style import render_state
from tui_agent.ui.terminal.shown_keys import named_key
from tui_agent.ui.widgets.view_widget import ViewWidget
from tui_agent.viewkit.checklist import ChecklistLine, ChecklistView, done, read_steps

if TYPE_CHECKING:
    from tui_agent.ui.projection.projection import Projection

__all__ = ["Extent", "TaskPane", "next_extent"]

ROWS: Final = 5
Extent = Literal["some", "all", "none"]  # how much of the list is shown


def next_extent(extent: Extent, count: int, *, is_line: bool) -> Extent:
    """Return how much to show next: some, all, none, and round again; where some are all already, that step is left out."""
    if extent == "some":
        return "all" if is_line or count > ROWS else "none"
    return "none" if extent == "all" else "some"


class TaskPane(ViewWidget):
    """Shows the tasks of a projection. With `is_line` it is one line, until all of them are wanted.

    A list that is done is of no more interest once the turn is over; asking for all of it brings it back.
    """

    def __init__(self, *, is_line: bool = False, id: str | None = None) -> None:
        super().__init__(id=id, classes="-line" if is_line else None)
        self.can_focus = False  # the wheel scrolls; there is nothing to do in it
        self._is_line = is_line
        self.wants_place = False

    def refresh_from(self, projection: Projection, extent: Extent) -> None:
        """Show what is planned. `wants_place` says whether there is anything to show."""
        steps = tuple(read_steps(projection.tasks))
        finished = done(steps)
        is_over = finished == len(steps) and not projection.status.is_busy
        self.wants_place = bool(steps) and extent != "none" and (not is_over or extent == "all")
        if not self.wants_place:
            return
        state = render_state(self.app)
        if self._is_line and extent == "some":
            self.show(ChecklistLine(steps), state)
            return
        self.show(ChecklistView(steps, rows=ROWS if extent == "some" else None), state)
        if self._is_line:
            return
        title = Content.assemble("Tasks", (f" · {finished} of {len(steps)} done", "$foreground-muted"))
        key = named_key(self.app, "Global", "^t")
        hidden = len(steps) - ROWS if extent == "some" else 0
        more = " · ".join(filter(None, (f"{hidden} more", key))) if hidden > 0 else ""
        self.border_title = title + Content.styled(f" · {more}", "$foreground-muted") if more else title
