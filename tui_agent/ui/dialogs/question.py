"""What the permission dialog, the review screen and forms have in common: one question on the screen, guarded, and its queue.

A waiting screen never decides what happens to other screens. It tells its `QuestionQueue` the answer, or
that the user wants to look at another question, and the queue opens and closes screens.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol

from textual import events
from textual.binding import Binding
from textual.content import Content
from textual.widgets import Input, TextArea

from tui_agent.permissions.words import ASKED_BY
from tui_agent.text import clean_line
from tui_agent.ui.dialogs.dialog import Dialog
from tui_agent.ui.dialogs.input_grace import InputGrace
from tui_agent.ui.mode_styles import MODES
from tui_agent.ui.widgets.key_line import KeyLine
from tui_agent.viewkit.tool_text import one_line

if TYPE_CHECKING:
    from tui_agent.boundary import Pending
    from tui_agent.changes import FileChange
    from tui_agent.events import PermissionRequested
    from tui_agent.permissions.verdict import Decision, Verdict
    from tui_agent.queries import RuleNotes
    from tui_agent.tools.forms import Answers
    from tui_agent.ui.dialogs.always import Coverage
    from tui_agent.ui.reviewing.review_draft import ReviewDraft

__all__ = ["QuestionQueue", "QuestionScreen", "QueuePosition", "WaitingScreen", "titled", "why"]


@dataclass(frozen=True, slots=True)
class QueuePosition:
    """Where a question stands: the `number`-th of `count` that wait, counted from 1, and the session's permission mode.

    `agent` is the agent that asks (foreign text), empty for the main conversation.

    A question may cover the line that tells the mode, so its own frame tells it.
    """

    number: int = 1
    count: int = 1
    mode: str = ""
    agent: str = ""

    @property
    def label(self) -> str:
        """`2 of 3`, or nothing where there is only one."""
        return f"{self.number} of {self.count}" if self.count > 1 else ""

    def words(self, key: str = "[ ]") -> Content:
        """Return what a frame says of it; `key` is what leads to the others, if anything does now."""
        others = Content(self.label + (f" · {key} to see the others" if self.label and key else ""))
        if self.agent:
            who = f"asked by agent {clean_line(self.agent, 40)}"
            others = Content.assemble((who, "$text-accent"), " · " if self.label else "", others)
        if not self.mode:
            return others
        mode, style = MODES.get(self.mode, (self.mode, "$foreground-muted"))
        return Content.assemble(others, "  " if others else "", (mode, style))


class QuestionQueue(Protocol):
    """Who opened the screen, and hears what the user did in it."""

    def answer(self, request_id: str, decision: Decision) -> None:
        """The user decided."""
        ...

    def accept_edits(self, request_id: str, decision: Decision) -> None:
        """The user said yes, and that edits are accepted from now on."""
        ...

    def review_fully(self, request_id: str) -> None:
        """The user wants the whole review of a change that was shown in short."""
        ...

    @property
    def moves_on(self) -> bool:
        """Whether a decision about a hunk goes on to the next one, as the user set it."""
        ...

    def answer_form(self, request_id: str, answers: Answers | None) -> None:
        """The user filled a form in, or closed it (None)."""
        ...

    def judge(self, request_id: str, input: dict[str, Any]) -> Pending[Verdict]:
        """What the permissions would say if the call had this input."""
        ...

    def check_rule(self, rule: str) -> Pending[RuleNotes]:
        """Whether an allow rule could be used, and whether it lets through more than it seems to."""
        ...

    def coverage(
        self, request: PermissionRequested, rules: Sequence[str], take: Callable[[Coverage | None], object]
    ) -> None:
        """Give what rules would have let through in this session to `take`; None where that is not known."""
        ...

    def keep_draft(self, request_id: str, command: str | None) -> None:
        """The user is editing this command; None: no longer."""
        ...

    def review_draft(self, request_id: str, changes: Sequence[FileChange]) -> ReviewDraft:
        """Return the review of these changes as far as it has come; it is kept until the question is settled."""
        ...

    @property
    def has_work(self) -> bool:
        """Whether anything was decided or written for a call that waits, which would be lost if that was just let through."""
        ...

    def typed_on(self, event: events.Key) -> None:
        """A key came before anybody can have read the question."""
        ...

    def cycle(self, step: int) -> None:
        """The user wants to see another waiting question: 1 for the next, -1 for the one before."""
        ...

    def resumed(self) -> None:
        """The screen is on top again; whether it should still be there may have changed meanwhile."""
        ...


_FINAL: Final = {"runs": "nobody has seen this code"}
_WORK: Final = "Answer first: another mode could apply the proposal without your decisions and comments."
# What only shows another part of what is asked.
_READING: Final = frozenset({"scroll_body", "scroll_diff", "scroll_page", "cycle"})


class WaitingScreen(Dialog[None]):
    """Something that waits for the user. Keys and clicks do nothing until it has been on the screen for a moment.

    Keys that come before that are followed by another such moment: the end of a sentence is not an answer either. They go
    where the sentence was begun.
    """

    BINDINGS: ClassVar = [
        Binding("right_square_bracket,tab", "cycle(1)", "Next question", show=False),
        Binding("left_square_bracket", "cycle(-1)", "Previous question", show=False),
        Binding("shift+tab", "next_mode", "Next permission mode", show=False),
    ]

    def __init__(self, request_id: str, queue: QuestionQueue, *, place: QueuePosition, grace: InputGrace) -> None:
        super().__init__()
        self.request_id = request_id
        self.queue = queue
        self.place = place
        self.grace = grace

    def show_place(self, place: QueuePosition) -> None:
        """Say where the question stands now; its queue changed."""
        if place != self.place:
            self.place = place
            self.refresh_place()

    def refresh_place(self) -> None:
        """Draw `place` anew; for subclasses."""
        raise NotImplementedError

    def on_mount(self) -> None:
        # Sizes and paint come first: the grace period counts from when there was something to read.
        self.call_after_refresh(self.grace.restart)

    def on_screen_resume(self) -> None:
        self.queue.resumed()

    def on_key(self, event: events.Key) -> None:
        """Stay closed while somebody goes on typing. A field's own keys come past `check_action`: they end here."""
        if not self.grace.is_open:
            self.grace.pressed()
            self.queue.typed_on(event)
            if isinstance(self.focused, Input | TextArea):
                event.stop()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Make every key and every click that would do something do nothing while the grace period lasts."""
        is_let = self.grace.is_open or (self.grace.lets_read and action in _READING)
        return is_let and super().check_action(action, parameters)

    async def action_next_mode(self) -> None:
        """Go to the next permission mode; one that allows what is asked about answers the question, as it was asked."""
        if isinstance(self.focused, Input | TextArea):  # in a field it must not answer what is being written about
            return
        if self.queue.has_work:
            self.query_one(KeyLine).update(_WORK)
        else:
            await self.app.run_action("cycle_mode")

    def action_cycle(self, step: int) -> None:
        if self.place.count > 1:
            self.queue.cycle(step)


class QuestionScreen(WaitingScreen):
    """Asks whether one tool call may go ahead."""

    def __init__(
        self, request: PermissionRequested, queue: QuestionQueue, *, place: QueuePosition, grace: InputGrace
    ) -> None:
        super().__init__(request.request_id, queue, place=place, grace=grace)
        self.request = request

    @property
    def is_writing(self) -> bool:
        """Whether something is being written that would be lost with the screen."""
        return isinstance(self.focused, Input | TextArea)

    @property
    def others_key(self) -> str:
        """What leads to the other questions now."""
        return "" if self.is_writing else "[ ]"

    def on_descendant_focus(self) -> None:
        self.refresh_place()

    def on_descendant_blur(self) -> None:
        self.refresh_place()

    def action_cycle(self, step: int) -> None:
        if not self.is_writing:
            super().action_cycle(step)

    def answer(self, decision: Decision) -> None:
        """Hand the decision over, unless the guard is still closed."""
        if self.grace.is_open:
            self.queue.answer(self.request_id, decision)


def why(request: PermissionRequested) -> Content:
    """Return the sentence that says which rule or check asks, and why; or what the command does that matters most."""
    # What a command does says more than which check did not know it.
    by = "" if request.check or request.effect else ASKED_BY.get(request.by, clean_line(request.by))
    if request.rule:
        by = f"{ASKED_BY['rule']} {one_line(request.rule)}"
    if request.source:
        by = f"{by} ({clean_line(request.source)})".strip()
    reason = one_line(request.reason)
    check = request.check if not request.effect else ""
    return Content.assemble(
        (
            "! " if request.is_destructive else "Why it asks: ",
            "$text-warning" if request.is_destructive else "$foreground-muted",
        ),
        by,
        (" · " if by and reason else "", "$foreground-muted"),
        (reason, "$text-warning" if request.is_destructive else ""),
        (f" · check {clean_line(check)}" if check else "", "$foreground-muted"),
    )


def titled(question: str, request: PermissionRequested) -> Content:
    """Return the title of a question's frame: the question, and that it cannot be undone where that is so."""
    if not request.is_destructive:
        return Content(question)
    return Content.assemble(question, (f" · {_FINAL.get(request.effect, 'cannot be undone')}", "$text-warning"))
