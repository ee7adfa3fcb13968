"""What the permission dialog, the review screen and forms have in common: one question on the screen, guarded, and its queue.

A waiting screen never decides what happens to other screens. It tells its `Desk` (`ui.screens.questions`) the answer, or
that the person wants to look at another question, and the desk opens and closes screens.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final, Protocol

from textual.binding import Binding
from textual.content import Content

from tui_agent.text import clean_line, reveal
from tui_agent.ui.screens.dialog import Dialog
from tui_agent.ui.screens.guard import Guard

if TYPE_CHECKING:
    from tui_agent.events import PermissionRequested
    from tui_agent.permissions.verdict import Decision
    from tui_agent.tools.forms import Answers

__all__ = ["Desk", "Place", "QuestionScreen", "WaitingScreen", "why"]

_BY: Final = {
    "rule": "the rule",
    "mode": "the permission mode",
    "tool": "the tool",
    "classifier": "the check of commands",
    "protected_path": "the check of protected paths",
    "hook": "a hook",
    "default": "",
}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a question stands among those that wait: the `number`-th of `count`, counted from 1."""

    number: int = 1
    count: int = 1

    @property
    def label(self) -> str:
        """`2 of 3`, or nothing where there is only one."""
        return f"{self.number} of {self.count}" if self.count > 1 else ""


class Desk(Protocol):
    """Who opened the screen, and hears what the person did in it."""

    def answer(self, request_id: str, decision: Decision) -> None:
        """The person decided."""
        ...

    def answer_form(self, request_id: str, answers: Answers | None) -> None:
        """The person filled a form in, or closed it (None)."""
        ...

    def look(self, step: int) -> None:
        """The person wants to see another waiting question: 1 for the next, -1 for the one before."""
        ...

    def resumed(self) -> None:
        """The screen is on top again; whether it should still be there may have changed meanwhile."""
        ...


class WaitingScreen(Dialog[None]):
    """Something that waits for the person. Keys and clicks do nothing until it has been on the screen for a moment."""

    BINDINGS: ClassVar = [
        Binding("right_square_bracket,tab", "look(1)", "Next question", show=False),
        Binding("left_square_bracket,shift+tab", "look(-1)", "Previous question", show=False),
        Binding("f1", "app.help", "Help", show=False),
    ]

    def __init__(self, request_id: str, desk: Desk, *, place: Place, guard: Guard) -> None:
        super().__init__()
        self.request_id = request_id
        self.desk = desk
        self.place = place
        self.guard = guard

    def show_place(self, place: Place) -> None:
        """Say where the question stands now; its queue changed."""
        if place != self.place:
            self.place = place
            self.refresh_place()

    def refresh_place(self) -> None:
        """Draw `place` anew; for subclasses."""
        raise NotImplementedError

    def on_mount(self) -> None:
        # Sizes and paint come first: the guard counts from when there was something to read.
        self.call_after_refresh(self.guard.restart)

    def on_screen_resume(self) -> None:
        self.desk.resumed()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Make every key and every click that would do something do nothing while the guard is closed."""
        return self.guard.is_open and super().check_action(action, parameters)

    def action_look(self, step: int) -> None:
        if self.place.count > 1:
            self.desk.look(step)


class QuestionScreen(WaitingScreen):
    """Asks whether one tool call may go ahead."""

    def __init__(self, request: PermissionRequested, desk: Desk, *, place: Place, guard: Guard) -> None:
        super().__init__(request.request_id, desk, place=place, guard=guard)
        self.request = request

    def answer(self, decision: Decision) -> None:
        """Hand the decision over, unless the guard is still closed."""
        if self.guard.is_open:
            self.desk.answer(self.request_id, decision)


def why(request: PermissionRequested) -> Content:
    """Return the sentence that says which rule or check asks."""
    by = _BY.get(request.by, clean_line(request.by))
    if request.rule:
        by = f"{by} {reveal(request.rule)}".strip()
    if request.source:
        by += f" ({clean_line(request.source)})"
    reason = reveal(" ".join(request.reason.split()))
    return Content.assemble(
        ("Why it asks: ", "$foreground-muted"), by, (" · " if by and reason else "", "$foreground-muted"), reason
    )
