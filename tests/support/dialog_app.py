"""What tests of screens share: an app with the real styles, a clock that is moved by hand, a queue that listens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

from frames import screen_strips
from textual import events
from textual.app import App
from textual.pilot import Pilot
from textual.screen import Screen

from tui_agent.boundary import Pending
from tui_agent.changes import FileChange
from tui_agent.events import PermissionRequested
from tui_agent.permissions.rule_notes import rule_notes
from tui_agent.permissions.verdict import Decision, Verdict
from tui_agent.queries import RuleNotes
from tui_agent.tools.forms import Answers
from tui_agent.ui.dialogs.input_grace import GUARD_SECONDS
from tui_agent.ui.dialogs.question import WaitingScreen
from tui_agent.ui.reviewing.review_draft import ReviewDraft

__all__ = ["Clock", "Dialog", "DialogApp", "FakeQueue", "readable", "screen_text"]

STYLES = Path(__file__).parents[2] / "styles"
_MOST_PAUSES = 500


class Clock:
    """Seconds that go by when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def pass_guard(self) -> None:
        self.now += 2 * GUARD_SECONDS


class FakeQueue:
    """Writes down what a question screen says. `verdict` and `covered` are what it answers on inputs and on rules."""

    def __init__(self) -> None:
        self.answers: list[tuple[str, Decision]] = []
        self.steps: list[int] = []
        self.forms: list[tuple[str, Answers | None]] = []
        self.drafts: dict[str, str] = {}
        self.judged: list[dict[str, Any]] = []
        self.reviews: dict[str, ReviewDraft] = {}
        self.moves_on = False
        self.accepting: list[str] = []  # questions with whose yes edits are accepted from then on
        self.full: list[str] = []  # questions of which the whole review is wanted
        self.verdict: Callable[[dict[str, Any]], Verdict] = lambda _: Verdict(
            behavior="ask", by="default", reason="no rule allows it"
        )
        self.covered: Callable[[Sequence[str]], tuple[Sequence[str], bool] | None] = lambda _: ((), True)

    def judge(self, request_id: str, input: dict[str, Any]) -> Pending[Verdict]:
        self.judged.append(input)
        return Pending.of(self.verdict(input))

    def check_rule(self, rule: str) -> Pending[RuleNotes]:
        return Pending.of(RuleNotes(*rule_notes(rule)))

    def coverage(
        self,
        request: PermissionRequested,
        rules: Sequence[str],
        take: Callable[[tuple[Sequence[str], bool] | None], object],
    ) -> None:
        take(self.covered(rules))

    def keep_draft(self, request_id: str, command: str | None) -> None:
        if command is None:
            self.drafts.pop(request_id, None)
        else:
            self.drafts[request_id] = command

    def review_draft(self, request_id: str, changes: Sequence[FileChange]) -> ReviewDraft:
        return self.reviews.setdefault(request_id, ReviewDraft(changes))

    @property
    def has_work(self) -> bool:
        return any(review.is_touched for review in self.reviews.values())

    def answer_form(self, request_id: str, answers: Answers | None) -> None:
        self.forms.append((request_id, answers))

    def answer(self, request_id: str, decision: Decision) -> None:
        self.answers.append((request_id, decision))

    def accept_edits(self, request_id: str, decision: Decision) -> None:
        self.accepting.append(request_id)
        self.answers.append((request_id, decision))

    def review_fully(self, request_id: str) -> None:
        self.full.append(request_id)

    def typed_on(self, event: events.Key) -> None:
        pass

    def cycle(self, step: int) -> None:
        self.steps.append(step)

    def resumed(self) -> None:
        pass

    @property
    def decision(self) -> Decision:
        [(_, decision)] = self.answers
        return decision


class DialogApp(App[None]):
    """An app that shows one screen over an empty one and keeps what it was dismissed with."""

    CSS_PATH: ClassVar = [STYLES / "panes.tcss", STYLES / "dialogs.tcss"]

    def __init__(self, dialog: Screen[Any]) -> None:
        super().__init__()
        self.dialog = dialog
        self.result: object = "not dismissed"

    def on_mount(self) -> None:
        self.push_screen(self.dialog, self.keep)

    def keep(self, result: object) -> None:
        self.result = result


Dialog = Callable[..., DialogApp]
"""Makes an app with the dialog that asks about what is given."""


def screen_text(pilot: Pilot[Any]) -> str:
    """Return what is on the screen, as characters."""
    return "\n".join(strip.text for strip in screen_strips(pilot.app))


async def readable(pilot: Pilot[Any], clock: Clock) -> None:
    """Wait until the question on top has been painted, then let its grace period go by."""
    await pilot.pause()
    for _ in range(_MOST_PAUSES):
        if not isinstance(pilot.app.screen, WaitingScreen) or pilot.app.screen.grace.is_counting:
            break
        await pilot.pause()
    else:
        raise AssertionError("the question on top was never painted")
    clock.pass_guard()
