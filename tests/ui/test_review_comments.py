"""Comments on lines of a reviewed change: where they stand, and which answers they go along with."""

from __future__ import annotations

from dataclasses import replace

from dialog_app import Clock, Dialog, FakeQueue, readable, screen_text
from reviews import CHANGE, DENY, OTHER, flowing, on_line, written

from tui_agent.permissions.verdict import Decision
from tui_agent.ui.widgets.review_editors import CommentEditor


async def test_comments_go_along_with_what_is_applied(review: Dialog, queue: FakeQueue, clock: Clock) -> None:
    async with review().run_test(size=(80, 30)) as pilot:
        await readable(pilot, clock)
        await written(pilot, "why not a constant?")
        assert "┃ why not a constant?" in screen_text(pilot)
        await pilot.press("x", "j")
        await written(pilot, "good")
        assert "with 2 comments" in flowing(pilot)
        await pilot.press("enter")
    assert queue.decision == Decision(
        behavior="allow",
        approved=(CHANGE.approve([1, 2]),),
        comments=(
            on_line(3, "why not a constant?", "line 3", side="old"),
            on_line(21, "good", "line 20 and a half"),
        ),
    )


async def test_comments_are_the_reason_of_a_refusal(review: Dialog, queue: FakeQueue, clock: Clock) -> None:
    async with review(CHANGE, OTHER).run_test(size=(80, 30)) as pilot:
        await readable(pilot, clock)
        await pilot.press("r")
        await pilot.pause()
        assert queue.answers == []
        assert "There are no comments" in screen_text(pilot)
        await pilot.press("n")
        await written(pilot, "in the other file")
        await pilot.press("p", "down", "down")
        await written(pilot, "and here")
        await pilot.press("r")
    assert queue.decision == Decision(
        behavior="deny",
        comments=(
            on_line(3, "and here", "line three"),
            replace(on_line(1, "in the other file", "a", side="old"), path=OTHER.path),
        ),
    )


async def test_several_lines_can_be_chosen_for_one_comment(review: Dialog, queue: FakeQueue, clock: Clock) -> None:
    async with review().run_test(size=(80, 30)) as pilot:
        await readable(pilot, clock)
        await pilot.press("down", "down", "shift+down", "shift+down")
        await pilot.pause()
        assert "│line three" in screen_text(pilot)
        await written(pilot, "one thing")
        assert "on lines 3–5: one thing" in screen_text(pilot)
        await pilot.press("r")
    assert queue.decision.comments == (on_line(3, "one thing", "line three\nline 4\nline 5", last=5),)


async def test_a_comment_can_be_changed_and_taken_away(review: Dialog, queue: FakeQueue, clock: Clock) -> None:
    async with review().run_test(size=(80, 30)) as pilot:
        await readable(pilot, clock)
        await written(pilot, "first")
        await pilot.press("c")
        assert pilot.app.screen.query_one(CommentEditor).text == "first"
        await pilot.press("ctrl+j", "m", "escape")
        await pilot.pause()
        assert "┃ first" in screen_text(pilot)
        await written(pilot, "second")
        assert "┃ second" in screen_text(pilot)
        await pilot.press("d")
        await pilot.pause()
        assert "┃" not in screen_text(pilot)
        await written(pilot, "third")
        await written(pilot, " ")
        await pilot.press("enter")
    assert queue.decision == Decision(behavior="allow", approved=(CHANGE.approve(),))


async def test_a_plain_no_asks_before_it_drops_comments(review: Dialog, queue: FakeQueue, clock: Clock) -> None:
    async with review().run_test(size=(80, 30)) as pilot:
        await readable(pilot, clock)
        await written(pilot, "wait")
        await pilot.press("escape")
        await pilot.pause()
        assert queue.answers == []
        assert "r refuses with 1 comment" in screen_text(pilot)
        await pilot.press("escape")
    assert queue.decision == DENY


async def test_refusing_all_hunks_and_a_refusal_with_words_take_the_comments_along(
    review: Dialog, queue: FakeQueue, clock: Clock
) -> None:
    async with review().run_test(size=(80, 30)) as pilot:
        await readable(pilot, clock)
        await written(pilot, "this")
        await pilot.press("X", "enter")
        assert queue.decision == Decision(behavior="deny", comments=(on_line(3, "this", "line 3", side="old"),))
        queue.answers.clear()
        await pilot.press("4", "n", "o", "enter")
        assert queue.decision.message == "no"
        assert [one.text for one in queue.decision.comments] == ["this"]


async def test_a_click_goes_to_a_line_and_a_click_on_a_comment_opens_it(review: Dialog, clock: Clock) -> None:
    async with review().run_test(size=(80, 30)) as pilot:
        await readable(pilot, clock)

        async def click(words: str) -> None:
            rows = screen_text(pilot).split("\n")
            row = next(number for number, line in enumerate(rows) if words in line)
            await pilot.click(offset=(rows[row].index(words) + 1, row))
            await pilot.pause()

        assert "▶ hunk 1/3" in screen_text(pilot)
        await click("hunk 2/3 ·")
        assert "▶ hunk 2/3" in screen_text(pilot)
        await click("hunk 1/3 ·")
        assert "▶ hunk 1/3" in screen_text(pilot)
        await click("line 5")
        assert "❯line 5" in screen_text(pilot)
        await written(pilot, "here")
        await click("┃ here")
        assert pilot.app.screen.query_one(CommentEditor).text == "here"
        await pilot.press("escape")
        await click("unchanged lines")
        assert "line 12" in screen_text(pilot)
