"""A hunk rewritten by the user, in a proposal whose other hunks stay as they were."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tui_agent.changes import FileChange
from tui_agent.hunk_edit import added_text, with_added_text

BEFORE = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n"
AFTER = "one\nTWO\nthree\nfour\nfive\nsix\nSEVEN\nand a half\neight\n"


def change(before: str = BEFORE, after: str = AFTER) -> FileChange:
    return FileChange.between("/w/a.txt", before, after, before_hash="h")


def test_the_editor_starts_with_what_the_hunk_adds() -> None:
    assert added_text(change(), 1) == "SEVEN\nand a half"


def test_what_was_written_takes_the_place_of_the_hunks_lines() -> None:
    edited = with_added_text(change(), 0, "zwei\nund mehr")
    assert edited.after == "one\nzwei\nund mehr\nthree\nfour\nfive\nsix\nSEVEN\nand a half\neight\n"
    assert edited.select([1]) == "one\ntwo\nthree\nfour\nfive\nsix\nSEVEN\nand a half\neight\n"


def test_an_emptied_hunk_only_removes() -> None:
    assert with_added_text(change(), 0, "").select([0]) == BEFORE.replace("two\n", "")


def test_the_files_own_line_endings_are_kept() -> None:
    edited = with_added_text(change(BEFORE.replace("\n", "\r\n"), AFTER.replace("\n", "\r\n")), 0, "a\nb")
    assert edited.select([0]) == "one\r\na\r\nb\r\n" + BEFORE.replace("\n", "\r\n").partition("two\r\n")[2]


def test_a_file_without_a_last_line_ending_stays_without() -> None:
    edited = with_added_text(change("a\nb", "a\nc"), 0, "x\ny")
    assert edited.after == "a\nx\ny"


lines = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=8)


@settings(max_examples=80, deadline=None)
@given(before=lines, after=lines, data=st.data())
def test_editing_one_hunk_leaves_the_selection_of_the_others_alone(
    before: list[str], after: list[str], data: st.DataObject
) -> None:
    proposal = change("".join(f"{line}\n" for line in before), "".join(f"{line}\n" for line in after))
    if not proposal.hunks:
        return
    number = data.draw(st.integers(0, len(proposal.hunks) - 1))
    text = data.draw(st.sampled_from(["", "x", "x\ny", "x\n\ny"]))
    edited = with_added_text(proposal, number, text)
    others = [other for other in range(len(proposal.hunks)) if other != number]
    chosen = data.draw(st.lists(st.sampled_from(others), unique=True)) if others else []
    assert edited.select(chosen) == proposal.select(chosen)
    assert edited.select(range(len(edited.hunks))) == edited.after
    assert (
        with_added_text(edited, number, added_text(proposal, number)).after == proposal.after
        or not proposal.hunks[number].added
    )
