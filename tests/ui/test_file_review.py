"""What is decided about one proposed file: comments stay with their lines while the user edits what is proposed."""

from __future__ import annotations

import pytest
from reviews import AFTER, BEFORE, CHANGE

from tui_agent.ui.reviewing.file_review import FileReview
from tui_agent.viewkit.diff import DiffLocation

NEW_LINES = AFTER.splitlines()


def commented(*lines: int, last: int = 0) -> FileReview:
    """Return a review of `CHANGE` with comments on these lines of what is proposed, each quoting its line."""
    review = FileReview(CHANGE)
    for line in lines:
        review.comment(DiffLocation("new", line), last, [NEW_LINES[line - 1]], "why?")
    return review


def lines(review: FileReview) -> list[str]:
    """Return what stands now on the lines that are commented on."""
    texts = review.change.select(range(len(review.change.hunks))).splitlines()
    return [texts[comment.line - 1] for comment in review.comments]


@pytest.mark.parametrize("text", ["", "one", "one\ntwo\nthree", "line three\nand more"])
def test_comments_below_an_edited_hunk_stay_with_their_lines(text: str) -> None:
    review = commented(2, 4, 21, 30)
    review.edit(text)
    assert lines(review) == [comment.quote for comment in review.comments]


def test_a_comment_on_several_lines_keeps_both_ends() -> None:
    review = commented(20, last=22)
    review.edit("one\ntwo\nthree")
    [comment] = review.comments
    assert (comment.line, comment.last) == (22, 24)


def test_a_comment_on_a_line_that_is_edited_stays_at_its_place() -> None:
    review = commented(3)
    review.edit("line 3!")
    assert lines(review) == ["line 3!"]
    review.edit("")
    assert lines(review) == ["line 2"], "nothing stands there now"


def test_comments_on_the_file_as_it_is_never_move() -> None:
    review = FileReview(CHANGE)
    review.comment(DiffLocation("old", 30), 0, ["line 30"], "why?")
    before = list(review.comments)
    review.edit("one\ntwo")
    assert review.comments == before


def test_comments_stay_with_their_lines_when_the_whole_text_is_written_anew() -> None:
    review = commented(2, 21, 30)
    review.rewrite("first\n" + AFTER.replace("line 10\n", "").replace("line 25\n", "line 25\nmore\nmore\n"))
    assert lines(review) == [comment.quote for comment in review.comments]
    review.rewrite("")
    assert [comment.line for comment in review.comments] == [1, 1, 1]
    review.rewrite(BEFORE)
    assert len(review.comments) == 3
