"""Which question is on the screen: the oldest, the one looked at, none once they are settled."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from dialog_app import STYLES, Clock, readable, screen_text
from partial_engine import PartialEngine
from reviews import CHANGE, FRESH, OTHER
from textual.app import App
from textual.screen import ModalScreen

from tui_agent.changes import FileChange
from tui_agent.commands import Answer, SetMode
from tui_agent.events import (
    ModeChanged,
    PermissionRequested,
    PermissionResolved,
    ProposedFileChanged,
    ToolStageStarted,
    ToolStateChanged,
    ToolUseStarted,
)
from tui_agent.permissions.verdict import Decision, Verdict
from tui_agent.queries import JudgeQuery, Proposals, ProposalsQuery
from tui_agent.ui import questions
from tui_agent.ui.dialogs.input_grace import InputGrace
from tui_agent.ui.dialogs.question import WaitingScreen
from tui_agent.ui.projection.projection import Projection
from tui_agent.ui.questions import Questions
from tui_agent.ui.screens.edit import EditScreen
from tui_agent.ui.screens.permission import PermissionScreen
from tui_agent.ui.screens.review import ReviewScreen

Asked = Callable[..., PermissionRequested]


class FakeEngine(PartialEngine):
    """The part of a session that questions are about."""

    def __init__(self) -> None:
        self.answers_given: list[tuple[str, str]] = []
        self.decisions: list[Decision] = []
        self.set_modes: list[str] = []
        self.changes: dict[str, tuple[FileChange, ...]] = {}
        ask = Verdict(behavior="ask", by="default", reason="no rule allows it")
        super().__init__(
            {
                JudgeQuery: lambda _: ask,
                ProposalsQuery: lambda query: Proposals(self.changes.get(query.request_id, ())),
            },
            {Answer: self.take, SetMode: lambda command: self.set_modes.append(command.mode)},
        )

    def take(self, command: Answer) -> None:
        self.answers_given.append((command.request_id, command.decision))
        self.decisions.append(command.decide(self.changes.get(command.request_id, ())))


class Harness(App[None]):
    """An app with nothing but questions."""

    CSS_PATH = [STYLES / "dialogs.tcss"]  # noqa: RUF012

    def __init__(self, grace: Callable[[], InputGrace]) -> None:
        super().__init__()
        self.engine = FakeEngine()
        self.projection = Projection()
        self.questions = Questions(self, self.engine, self.projection, grace=grace)
        self.modes = 0  # how often the mode was changed

    def feed(self, *events: Any) -> None:
        self.questions.refresh_from(self.projection, self.projection.apply(events))

    def action_cycle_mode(self) -> None:
        self.modes += 1

    @property
    def shown(self) -> str | None:
        return self.screen.request_id if isinstance(self.screen, WaitingScreen) else None


@pytest.fixture
def harness(clock: Clock) -> Harness:
    return Harness(lambda: InputGrace(clock))


def settled(request_id: str) -> PermissionResolved:
    return PermissionResolved(request_id=request_id, tool_use_id="t", behavior="allow", by="hook")


async def test_answering_shows_the_next_question_guarded_anew_until_none_waits(
    harness: Harness, asked: Asked, clock: Clock
) -> None:
    async with harness.run_test() as pilot:
        harness.feed(asked(request_id="a"), asked(request_id="b"))
        await readable(pilot, clock)
        assert harness.shown == "a"
        assert "1 of 2" in screen_text(pilot)
        await pilot.press("1")
        await pilot.pause()
        assert harness.shown == "b"
        await pilot.press("1")
        assert harness.engine.answers_given == [("a", "allow")]
        await readable(pilot, clock)
        await pilot.press("3")
        await pilot.pause()
        assert harness.engine.answers_given == [("a", "allow"), ("b", "deny")]
        assert harness.shown is None
        harness.feed(settled("a"), settled("b"))
        assert len(harness.screen_stack) == 1


async def test_a_question_settled_elsewhere_closes(harness: Harness, asked: Asked, clock: Clock) -> None:
    async with harness.run_test() as pilot:
        harness.feed(asked(request_id="a"))
        await readable(pilot, clock)
        harness.feed(settled("a"))
        await pilot.pause()
        assert harness.shown is None
        await pilot.press("1")
        assert harness.engine.answers_given == []


async def test_a_question_settled_before_it_was_painted_leaves_nothing_behind(harness: Harness, asked: Asked) -> None:
    async with harness.run_test() as pilot:
        harness.feed(asked(request_id="a"))
        harness.feed(settled("a"))
        harness.feed(asked(request_id="b"), settled("b"), asked(request_id="c"))
        harness.feed(settled("c"))
        await pilot.pause()
        assert harness.shown is None
        assert len(harness.screen_stack) == 1


async def test_a_new_question_does_not_push_aside_the_one_that_is_being_read(
    harness: Harness, asked: Asked, clock: Clock
) -> None:
    async with harness.run_test() as pilot:
        harness.feed(asked(request_id="a"))
        await readable(pilot, clock)
        before = harness.screen
        harness.feed(asked(request_id="b"))
        await pilot.pause()
        assert harness.screen is before
        assert "1 of 2" in screen_text(pilot)


async def test_one_can_look_at_the_others_and_answer_those_first(harness: Harness, asked: Asked, clock: Clock) -> None:
    async with harness.run_test() as pilot:
        harness.feed(asked(request_id="a"), asked(request_id="b"), asked(request_id="c"))
        await readable(pilot, clock)
        await pilot.press("]")
        await readable(pilot, clock)
        assert harness.shown == "b"
        assert "2 of 3" in screen_text(pilot)
        await pilot.press("[")
        await readable(pilot, clock)
        await pilot.press("[")
        await readable(pilot, clock)
        assert harness.shown == "c"
        await pilot.press("1")
        await pilot.pause()
        assert harness.engine.answers_given == [("c", "allow")]
        assert harness.shown == "a"


async def test_a_proposal_opens_as_a_review(harness: Harness, asked: Asked, clock: Clock) -> None:
    change = FileChange.between("/w/a.py", "a\n", "b\n")
    harness.engine.changes["b"] = (change,)
    async with harness.run_test() as pilot:
        harness.feed(asked(request_id="a"), asked(request_id="b", name="Edit", has_proposal=True))
        await readable(pilot, clock)
        assert isinstance(harness.screen, PermissionScreen)
        await pilot.press("tab")
        await readable(pilot, clock)
        assert isinstance(harness.screen, EditScreen), "a small one is asked about in short"
        await pilot.press("v")
        await readable(pilot, clock)
        assert isinstance(harness.screen, ReviewScreen)
        await pilot.press("enter")
        assert harness.engine.answers_given == [("b", "allow")]


async def test_what_was_decided_in_a_review_is_still_there_when_its_question_comes_back(
    harness: Harness, asked: Asked, clock: Clock
) -> None:
    harness.engine.changes = {"a": (CHANGE, OTHER), "b": (FRESH,)}
    async with harness.run_test() as pilot:
        harness.feed(*(asked(request_id=name, name="Edit", has_proposal=True) for name in "ab"))
        await readable(pilot, clock)
        await pilot.press("x", "c", *"why", "enter", "n")
        await pilot.press("tab")
        await readable(pilot, clock)
        assert harness.shown == "b"
        await pilot.press("tab")
        await readable(pilot, clock)
        assert "file 2/2" in screen_text(pilot), "the file that was looked at"
        await pilot.press("enter")
        [decision] = harness.engine.decisions
        assert decision.approved == (CHANGE.approve([1, 2]), OTHER.approve())
        assert [comment.text for comment in decision.comments] == ["why"]
        harness.feed(settled("a"))
        assert not harness.questions.has_work


@pytest.mark.parametrize("keys", ["w", "2", "c"])
async def test_what_is_being_written_in_a_review_is_not_left_for_another_question(
    harness: Harness, asked: Asked, clock: Clock, keys: str
) -> None:
    harness.engine.changes = {"a": (CHANGE,)}
    async with harness.run_test() as pilot:
        harness.feed(asked(request_id="a", name="Edit", has_proposal=True), asked(request_id="b"))
        await readable(pilot, clock)
        await pilot.press(*keys, *"xyz", "tab")
        await pilot.pause()
        assert harness.shown == "a"
        assert "xyz" in screen_text(pilot)
        await pilot.press("escape", "tab")
        await pilot.pause()
        assert harness.shown == "b"


async def test_another_mode_lets_nothing_through_that_was_decided_on_in_part(
    harness: Harness, asked: Asked, clock: Clock
) -> None:
    harness.engine.changes = {"a": (CHANGE,)}
    async with harness.run_test() as pilot:
        harness.feed(asked(request_id="a", name="Edit", has_proposal=True), asked(request_id="b"))
        await readable(pilot, clock)
        await pilot.press("x", "tab")
        await readable(pilot, clock)
        await pilot.press("shift+tab")
        assert harness.modes == 0
        assert "Answer first" in screen_text(pilot)
        await pilot.press("tab")
        await readable(pilot, clock)
        await pilot.press("shift+tab")
        assert [one.approved for one in harness.engine.decisions] == [(CHANGE.approve([1, 2]),)]
        assert harness.engine.set_modes == ["acceptEdits"]
        harness.feed(settled("a"))
        await readable(pilot, clock)
        await pilot.press("shift+tab")
        assert harness.modes == 1


async def test_questions_come_in_the_order_in_which_the_model_asked(
    harness: Harness, asked: Asked, clock: Clock
) -> None:
    uses = [ToolUseStarted(tool_use_id=name, name="Bash") for name in "abc"]
    async with harness.run_test() as pilot:
        harness.feed(*uses, asked(request_id="3", tool_use_id="c"), asked(request_id="1", tool_use_id="a"))
        await readable(pilot, clock)
        assert harness.shown == "1"
        harness.feed(asked(request_id="2", tool_use_id="b"))
        await pilot.pause()
        assert "1 of 3" in screen_text(pilot)
        await pilot.press("tab")
        await readable(pilot, clock)
        assert harness.shown == "2"
        assert "2 of 3" in screen_text(pilot)


async def test_an_earlier_question_takes_the_place_of_one_that_nobody_can_have_read(
    harness: Harness, asked: Asked, clock: Clock
) -> None:
    uses = [ToolUseStarted(tool_use_id=name, name="Bash") for name in "ab"]
    async with harness.run_test() as pilot:
        harness.feed(*uses, asked(request_id="2", tool_use_id="b"))
        await pilot.pause()
        assert harness.shown == "2"
        harness.feed(asked(request_id="1", tool_use_id="a"))
        await pilot.pause()
        assert harness.shown == "1"
        await pilot.press("1")
        assert harness.engine.answers_given == [], "typed before it could be read"


async def test_one_that_was_read_stays_when_an_earlier_one_comes(harness: Harness, asked: Asked, clock: Clock) -> None:
    uses = [ToolUseStarted(tool_use_id=name, name="Bash") for name in "ab"]
    async with harness.run_test() as pilot:
        harness.feed(*uses, asked(request_id="2", tool_use_id="b"))
        await readable(pilot, clock)
        harness.feed(asked(request_id="1", tool_use_id="a"))
        await pilot.pause()
        assert harness.shown == "2"
        assert "2 of 2" in screen_text(pilot)


async def test_a_question_waits_a_moment_for_an_earlier_one(
    harness: Harness, asked: Asked, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(questions, "_HOLD_S", 60.0)
    uses = [ToolUseStarted(tool_use_id=name, name="Edit") for name in "ab"]
    checking = [
        ToolStateChanged(tool_use_id="a", from_state="queued", to_state="executing"),
        ToolStageStarted(tool_use_id="a", stage="permission"),
    ]
    async with harness.run_test() as pilot:
        harness.feed(*uses, *checking, asked(request_id="2", tool_use_id="b"))
        await pilot.pause()
        assert harness.shown is None
        harness.feed(asked(request_id="1", tool_use_id="a"))
        await pilot.pause()
        assert harness.shown == "1"


async def test_a_review_says_that_its_file_changed_on_disk_as_soon_as_that_is_known(
    harness: Harness, asked: Asked, clock: Clock
) -> None:
    def stands(standing: Any, request_id: str = "a") -> ProposedFileChanged:
        return ProposedFileChanged(request_id=request_id, tool_use_id="t", path="/w/a.py", standing=standing)

    harness.engine.changes["a"] = (FileChange.between("/w/a.py", "a\n", "b\n", before_hash="h"),)
    async with harness.run_test() as pilot:
        harness.feed(asked(request_id="a", name="Edit", has_proposal=True))
        await readable(pilot, clock)
        harness.feed(stands("changed"))
        await pilot.pause()
        assert "A yes writes nothing" in screen_text(pilot)
        harness.feed(stands("as_read"))
        await pilot.press("v")
        await readable(pilot, clock)
        assert "Enter writes 1 of 1 hunk" in screen_text(pilot)
        harness.feed(stands("changed"))
        await pilot.pause()
        assert "/w/a.py changed on disk since it was read" in screen_text(pilot)
        assert "Enter writes nothing" in screen_text(pilot)
        harness.push_screen(ModalScreen())
        await pilot.pause()
        harness.feed(stands("as_read"))
        harness.pop_screen()
        await pilot.pause()
        assert "on disk" not in screen_text(pilot)
        assert "Enter writes 1 of 1 hunk" in screen_text(pilot)
        harness.feed(stands("gone"), asked(request_id="b"))
        await pilot.press("tab")
        await readable(pilot, clock)
        await pilot.press("tab")
        await readable(pilot, clock)
        assert "/w/a.py was deleted on disk" in screen_text(pilot), "a review that is opened anew knows it too"


async def test_a_question_under_another_screen_is_brought_up_to_date_when_it_is_seen_again(
    harness: Harness, asked: Asked, clock: Clock
) -> None:
    async with harness.run_test() as pilot:
        harness.feed(asked(request_id="a"), asked(request_id="b"))
        await readable(pilot, clock)
        harness.push_screen(ModalScreen())
        await pilot.pause()
        harness.feed(settled("a"))
        await pilot.pause()
        harness.pop_screen()
        await readable(pilot, clock)
        assert harness.shown == "b"


def test_the_style_sheets_are_where_the_tests_look_for_them() -> None:
    assert (Path(STYLES) / "dialogs.tcss").is_file()


async def test_a_command_being_edited_is_still_there_when_its_question_comes_back_and_guarded_anew(
    harness: Harness, asked: Asked, clock: Clock
) -> None:
    async with harness.run_test() as pilot:
        harness.feed(asked(request_id="a"), asked(request_id="b"))
        await readable(pilot, clock)
        await pilot.press("e", *" -u", "tab")
        await pilot.pause()
        assert harness.shown == "b"
        await readable(pilot, clock)
        await pilot.press("]")
        await pilot.pause()
        assert harness.shown == "a"
        assert "npm test -u" in screen_text(pilot)
        await pilot.press("enter", "x")  # typed for the question before
        assert harness.engine.answers_given == []
        await readable(pilot, clock)
        await pilot.press("enter")
        assert harness.engine.answers_given == [("a", "allow")]
        harness.feed(settled("a"), asked(request_id="a2"))
        await readable(pilot, clock)
        assert "npm test -u" not in screen_text(pilot)


async def test_the_frame_of_a_question_tells_the_mode_which_may_change_meanwhile(
    harness: Harness, asked: Asked, clock: Clock
) -> None:
    async with harness.run_test() as pilot:
        harness.feed(asked())
        await readable(pilot, clock)
        assert "accept edits on" not in screen_text(pilot)
        harness.feed(ModeChanged(mode="acceptEdits", previous="default"))
        await pilot.pause()
        assert "accept edits on" in screen_text(pilot)
