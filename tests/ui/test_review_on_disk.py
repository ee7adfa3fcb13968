"""A review whose files change on disk meanwhile: it says which, and what the answer would come to."""

from __future__ import annotations

import pytest
from dialog_app import Clock, Dialog, FakeQueue, readable, screen_text
from reviews import CHANGE, FRESH, OTHER
from textual.widgets import Static

from tui_agent.permissions.verdict import Decision
from tui_agent.ui.reviewing.disk_warnings import disk_words
from tui_agent.ui.screens.review import ReviewScreen
from tui_agent.ui.widgets.review_editors import CommentEditor


@pytest.mark.parametrize(
    ("standings", "words"),
    [
        ({}, ""),
        ({"/w/a": "changed"}, "a changed on disk since it was read"),
        ({"/w/a": "changed", "/b": "changed"}, "a and /b changed on disk since they were read"),
        ({"/w/a": "gone", "/w/b": "changed"}, "b changed on disk since it was read; a was deleted on disk"),
        ({"/w/a": "made"}, "a was to be created and now exists"),
        (
            dict.fromkeys(["/w/a", "/w/b", "/w/c", "/w/d", "/w/e"], "gone"),
            "a, b, c and 2 more were deleted on disk",
        ),
    ],
)
def test_the_words_name_the_files_and_say_what_became_of_them(standings: dict[str, str], words: str) -> None:
    assert disk_words(standings, "/w") == words


async def test_the_line_stands_only_while_the_file_is_another(review: Dialog, clock: Clock) -> None:
    async with review().run_test() as pilot:
        await readable(pilot, clock)
        screen = pilot.app.screen
        assert isinstance(screen, ReviewScreen)
        assert not screen.query_one("#disk").display
        screen.show_on_disk({CHANGE.path: "changed"})
        await pilot.pause()
        assert "! cart/refund.py changed on disk since it was read." in screen_text(pilot)
        assert "Enter writes nothing, and the model is told why" in screen_text(pilot)
        screen.show_on_disk({})
        await pilot.pause()
        assert not screen.query_one("#disk").display
        assert "Enter writes 3 of 3 hunks" in screen_text(pilot)


async def test_what_is_being_written_is_left_alone_and_the_answer_is_still_the_persons(
    review: Dialog, queue: FakeQueue, clock: Clock
) -> None:
    async with review().run_test() as pilot:
        await readable(pilot, clock)
        screen = pilot.app.screen
        assert isinstance(screen, ReviewScreen)
        await pilot.press("x", "c", *"why")
        screen.show_on_disk({CHANGE.path: "gone"})
        await pilot.pause()
        await pilot.press(*" not")
        assert screen.query_one(CommentEditor).text == "why not"
        await pilot.press("enter", "enter")
    assert isinstance(queue.decision, Decision)
    assert queue.decision.behavior == "allow"
    assert queue.decision.approved == (CHANGE.approve([1, 2]),)


async def test_of_several_files_only_those_of_which_something_is_taken_hold_the_others_up(
    review: Dialog, clock: Clock
) -> None:
    async with review(CHANGE, OTHER, FRESH).run_test(size=(120, 40)) as pilot:
        await readable(pilot, clock)
        screen = pilot.app.screen
        assert isinstance(screen, ReviewScreen)
        screen.show_on_disk({OTHER.path: "changed"})
        await pilot.pause()
        assert "cart/tax.py  +1 −1  undecided  ! changed on disk" in screen_text(pilot)
        assert "! cart/tax.py changed on disk since it was read." in screen_text(pilot)
        assert "Enter writes nothing, and the model is told why" in screen_text(pilot)
        await pilot.press("n", "X")
        await pilot.pause()
        assert "! cart/tax.py changed on disk since it was read." in screen_text(pilot)
        assert "writes 4 of 5 hunks in 2 of 3 files" in screen_text(pilot)


async def test_hunks_and_keys_offer_only_what_works_on_a_file_that_changed(review: Dialog, clock: Clock) -> None:
    async with review().run_test(size=(120, 40)) as pilot:
        await readable(pilot, clock)
        screen = pilot.app.screen
        assert isinstance(screen, ReviewScreen)
        await pilot.press("a")
        screen.show_on_disk({CHANGE.path: "changed"})
        await pilot.pause()
        shown = screen_text(pilot)
        assert shown.count("○ cannot be written") == len(CHANGE.hunks)
        assert "will be written" not in shown
        assert "accepted" not in shown
        keys = keys_of(screen)
        for offered in ("enter tell the model", "4 no, with words", "esc no, and stop", "j/k hunk", "t columns"):
            assert offered in keys
        for without_effect in ("apply", "a accept", "x refuse", "A all", "X none", "e edit", "o editor", "always"):
            assert without_effect not in keys
        screen.show_on_disk({})
        await pilot.pause()
        assert "✓ accepted" in screen_text(pilot)
        assert "enter apply" in keys_of(screen)


async def test_refusing_the_file_that_changed_has_the_others_written(review: Dialog, clock: Clock) -> None:
    async with review(CHANGE, OTHER).run_test(size=(120, 40)) as pilot:
        await readable(pilot, clock)
        screen = pilot.app.screen
        assert isinstance(screen, ReviewScreen)
        screen.show_on_disk({OTHER.path: "changed"})
        await pilot.pause()
        assert "○ cannot be written" in screen_text(pilot)
        assert "X none" in keys_of(screen)
        assert "A all" not in keys_of(screen)
        await pilot.press("n", "X", "p")
        await pilot.pause()
        assert "○ undecided: will be written" in screen_text(pilot)
        assert "enter apply" in keys_of(screen)


def keys_of(screen: ReviewScreen) -> str:
    return str(screen.query_one("#keys", Static).content)
