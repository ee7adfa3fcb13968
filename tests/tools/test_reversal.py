"""Taking back one's own part of a text that others have changed too."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tui_agent.tools.file_changes.reversal import reverse, reverse_all

FIRST = "".join(f"line {number}\n" for number in range(1, 21))
LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "d\n"]), max_size=10).map("".join)


def test_what_others_did_elsewhere_stays() -> None:
    left = FIRST.replace("line 3\n", "mine\n").replace("line 10\n", "")
    now = left.replace("line 15\n", "theirs\n").replace("line 1\n", "theirs too\nline 1\n")
    result = reverse(FIRST, left, now)
    assert (result.taken, result.clashes) == (2, 0)
    assert result.text == FIRST.replace("line 15\n", "theirs\n").replace("line 1\n", "theirs too\nline 1\n")


def test_a_place_that_others_changed_too_is_left_alone() -> None:
    left = FIRST.replace("line 3\n", "mine\n").replace("line 10\n", "mine too\n")
    now = left.replace("mine\n", "mine, and theirs\n")
    result = reverse(FIRST, left, now)
    assert (result.taken, result.clashes) == (1, 1)
    assert result.text == FIRST.replace("line 3\n", "mine, and theirs\n")


def test_lines_that_touch_clash_as_well() -> None:
    left = FIRST.replace("line 3\n", "mine\n")
    assert reverse(FIRST, left, left.replace("line 4\n", "theirs\n")).clashes == 1


def test_a_last_line_without_an_end_does_not_run_into_the_next() -> None:
    assert reverse("a\nb\nc", "a\nb", "new\na\nb").text == "new\na\nb\nc"


@given(LINES, LINES)
def test_where_nobody_else_did_anything_all_of_it_is_taken_back(first: str, left: str) -> None:
    result = reverse(first, left, left)
    assert result.text == first
    assert result.clashes == 0


@given(LINES, LINES)
def test_where_nothing_was_done_what_others_did_stays(first: str, now: str) -> None:
    assert reverse(first, first, now).text == now


@given(LINES, LINES, LINES)
def test_any_three_texts_give_a_text_of_their_lines(first: str, left: str, now: str) -> None:
    result = reverse(first, left, now)
    assert set(result.text.split("\n")) <= set(f"{first}{left}{now}\n".split("\n"))
    if not result.taken:
        assert result.text == now


def test_several_changes_are_taken_back_and_what_others_did_between_them_and_since_stays() -> None:
    first = FIRST.replace("line 3\n", "mine\n")
    second = first.replace("line 10\n", "theirs\n")
    third = second.replace("mine\n", "mine, better\n").replace("line 17\n", "")
    now = third + "theirs too\n"
    result = reverse_all([(FIRST, first), (second, third)], now)
    assert (result.taken, result.clashes) == (3, 0)
    assert result.text == FIRST.replace("line 10\n", "theirs\n") + "theirs too\n"


def test_what_cannot_be_taken_back_of_a_later_change_holds_up_an_earlier_one_of_the_same_lines() -> None:
    first = FIRST.replace("line 3\n", "mine\n")
    theirs = first.replace("line 12\n", "theirs\n")
    second = theirs.replace("mine\n", "mine, better\n")
    now = second.replace("mine, better\n", "mine, better, and theirs\n")
    assert reverse_all([(FIRST, first), (theirs, second)], now).text == now


@given(LINES, LINES, LINES)
def test_changes_that_follow_each_other_are_all_taken_back(first: str, second: str, third: str) -> None:
    result = reverse_all([(first, second), (second, third)], third)
    assert (result.text, result.clashes) == (first, 0)
