"""The review of a change to several files."""

from __future__ import annotations

import pytest
from dialog_app import Clock, Dialog, FakeQueue, readable, screen_text
from reviews import CHANGE, DENY, FRESH, OTHER, flowing, written

from tui_agent.ui.widgets.review_editors import HunkEditor


async def test_enter_takes_all_files_whole_in_the_order_of_the_proposal(
    review: Dialog, queue: FakeQueue, clock: Clock
) -> None:
    async with review(CHANGE, OTHER, FRESH).run_test() as pilot:
        await readable(pilot, clock)
        assert "Enter shows cart/tax.py, which you have not seen" in flowing(pilot)
        await pilot.press("enter", "enter")
        await pilot.pause()
        assert "Enter writes 5 of 5 hunks in 3 of 3 files" in screen_text(pilot)
        assert queue.answers == []
        await pilot.press("enter")
    assert queue.decision.approved == (CHANGE.approve(), OTHER.approve(), FRESH.approve())


@pytest.mark.parametrize("key", ["enter", "1", "shift+tab"])
async def test_accepting_all_of_one_file_never_writes_another_unseen(
    review: Dialog, queue: FakeQueue, clock: Clock, key: str
) -> None:
    async with review(CHANGE, OTHER).run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("A", key)
        await pilot.pause()
        assert queue.answers == []
        assert "file 2/2" in screen_text(pilot)
        await pilot.press("X", key)
    assert queue.decision.approved == (CHANGE.approve(), OTHER.approve([]))
    assert bool(queue.accepting) == (key == "shift+tab")


async def test_a_file_that_is_refused_need_not_be_seen(review: Dialog, queue: FakeQueue, clock: Clock) -> None:
    async with review(CHANGE, OTHER).run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("n", "X", "p", "enter")
    assert queue.decision.approved == (CHANGE.approve(), OTHER.approve([]))


async def test_what_is_decided_in_one_file_stays_while_another_is_looked_at(
    review: Dialog, queue: FakeQueue, clock: Clock
) -> None:
    async with review(CHANGE, OTHER, FRESH).run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("j", "x", "n", "n", "x", "p", "p")
        await pilot.pause()
        text = screen_text(pilot)
        assert "file 1/3" in text
        assert "Enter writes 3 of 5 hunks in 2 of 3 files" in text
        await pilot.press("enter")
    assert queue.decision.approved == (CHANGE.approve([0, 2]), OTHER.approve(), FRESH.approve([]))


async def test_the_last_decision_in_a_file_goes_on_to_the_next_file(
    review: Dialog, queue: FakeQueue, clock: Clock
) -> None:
    queue.moves_on = True
    async with review(CHANGE, OTHER).run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("a", "a", "x")
        await pilot.pause()
        assert "file 2/2" in screen_text(pilot)
        await pilot.press("x", "enter")
    assert queue.decision.approved == (CHANGE.approve([0, 1]), OTHER.approve([]))


async def test_refusing_every_hunk_of_every_file_is_a_refusal(review: Dialog, queue: FakeQueue, clock: Clock) -> None:
    async with review(OTHER, FRESH).run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("X", "n", "X")
        await pilot.pause()
        assert "Enter refuses everything" in screen_text(pilot)
        await pilot.press("enter")
    assert queue.decision == DENY


async def test_only_the_file_that_was_edited_counts_as_edited(review: Dialog, queue: FakeQueue, clock: Clock) -> None:
    async with review(CHANGE, OTHER).run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("n", "e")
        await pilot.pause()
        pilot.app.screen.query_one(HunkEditor).load_text("edited")
        await pilot.press("ctrl+s", "enter")
    first, second = queue.decision.approved
    assert first == CHANGE.approve()
    assert second.is_edited
    assert second.after == "edited\nb\n"


async def test_files_are_listed_with_how_far_each_is_decided(review: Dialog, clock: Clock) -> None:
    async with review(CHANGE, OTHER, FRESH).run_test(size=(60, 30)) as pilot:
        await readable(pilot, clock)
        await pilot.press("a", "j", "x", "n", "x", "n")
        await written(pilot, "why")
        text = screen_text(pilot)
        for words in (
            "◐ cart/refund.py  +2 −2  2 of 3 decided",
            "✗ cart/tax.py  +1 −1  refused",
            "▶ ○ cart/new.py  +1 −0  new file  undecided  1 comment",
        ):
            assert words in text
        assert "3 of 5 hunks decided" in flowing(pilot)
        rows = text.split("\n")
        row = next(number for number, line in enumerate(rows) if "cart/refund.py" in line)
        await pilot.click(offset=(8, row))
        await pilot.pause()
        assert "▶ ◐ cart/refund.py" in screen_text(pilot)
