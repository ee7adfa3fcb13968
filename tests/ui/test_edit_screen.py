"""The question about a small change: what is asked so, how it is answered, and what leads to the whole review."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from dialog_app import Clock, DialogApp, FakeQueue, readable, screen_text
from reviews import CHANGE, FRESH, OTHER

from tui_agent.changes import FileChange
from tui_agent.events import PermissionRequested
from tui_agent.permissions.verdict import Decision
from tui_agent.ui.dialogs.input_grace import InputGrace
from tui_agent.ui.dialogs.question import QueuePosition
from tui_agent.ui.screens.edit import EditScreen, is_small

Asked = Callable[..., PermissionRequested]
YES = Decision(behavior="allow", approved=(OTHER.approve(),))


@pytest.fixture
def edit(asked: Asked, queue: FakeQueue, grace: InputGrace) -> Callable[..., DialogApp]:
    def make(place: QueuePosition | None = None, **fields: Any) -> DialogApp:
        request = asked(name="Edit", has_proposal=True, **fields)
        screen = EditScreen(request, OTHER, queue, title="Edit cart/tax.py?", base="/w", place=place, grace=grace)
        return DialogApp(screen)

    return make


@pytest.mark.parametrize(
    ("keys", "decision"),
    [
        (["1"], YES),
        (["enter"], YES),
        (["3"], Decision(behavior="deny")),
        (["escape"], Decision(behavior="deny")),
        (["4", *"no", "enter"], Decision(behavior="deny", message="no")),
        (["w", *"ok", "enter"], Decision(behavior="allow", approved=(OTHER.approve(),), message="ok")),
        (["tab", *"ok", "enter"], Decision(behavior="allow", approved=(OTHER.approve(),), message="ok")),
        (["w", *"ok", "escape", "3"], Decision(behavior="deny")),
        (["down", "down", "enter"], Decision(behavior="deny")),
    ],
)
async def test_each_way_to_answer_gives_its_decision(
    edit: Callable[..., DialogApp], queue: FakeQueue, clock: Clock, keys: list[str], decision: Decision
) -> None:
    async with edit().run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press(*keys)
        assert queue.decision == decision
        assert queue.accepting == []


async def test_one_key_says_yes_and_accepts_edits_from_now_on(
    edit: Callable[..., DialogApp], queue: FakeQueue, clock: Clock
) -> None:
    async with edit(QueuePosition(1, 3, "default")).run_test() as pilot:
        await pilot.press("shift+tab", "1")
        assert queue.answers == [], "typed before it could be read"
        await readable(pilot, clock)
        text = screen_text(pilot)
        assert "⇧⇥ Yes, and accept edits from now on, those that wait now too" in text
        await pilot.press("shift+tab")
        assert (queue.decision, queue.accepting) == (YES, ["r1"])


async def test_where_edits_are_accepted_already_the_key_is_the_modes(
    edit: Callable[..., DialogApp], queue: FakeQueue, clock: Clock
) -> None:
    async with edit(QueuePosition(1, 1, "acceptEdits")).run_test() as pilot:
        await readable(pilot, clock)
        assert "accept edits from now on" not in screen_text(pilot)
        await pilot.press("shift+tab")
        assert queue.answers == []


async def test_a_key_leads_to_the_whole_review(edit: Callable[..., DialogApp], queue: FakeQueue, clock: Clock) -> None:
    async with edit().run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("v")
        assert (queue.full, queue.answers) == (["r1"], [])


async def test_it_says_that_the_file_changed_on_disk(edit: Callable[..., DialogApp], clock: Clock) -> None:
    async with edit().run_test() as pilot:
        await readable(pilot, clock)
        screen = pilot.app.screen
        assert isinstance(screen, EditScreen)
        screen.show_on_disk({OTHER.path: "changed"})
        await pilot.pause()
        assert "cart/tax.py changed on disk since it was read" in screen_text(pilot)


def lines(number: int) -> FileChange:
    return FileChange.between("/w/a", None, "x\n" * number)


@pytest.mark.parametrize(
    ("changes", "is_so"),
    [
        ([OTHER], True),
        ([FRESH], True),
        ([lines(15)], True),
        ([lines(16)], False),
        ([CHANGE], False),
        ([OTHER, FRESH], False),
        ([FileChange.from_json(OTHER.to_json())], False),
    ],
)
def test_what_is_small_is_one_hunk_of_few_lines(asked: Asked, changes: list[FileChange], is_so: bool) -> None:
    assert is_small(asked(name="Edit", has_proposal=True), changes) == is_so
    assert not is_small(asked(name="Edit", has_proposal=True, is_destructive=True), changes)
