"""A change to a file: any choice of its hunks gives the right text, and its patch is one that git takes."""

from __future__ import annotations

import gc
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tui_agent import line_diff
from tui_agent.changes import FileChange, content_hash
from tui_agent.hunks import DiffLine
from tui_agent.line_diff import changed_ranges, split_lines, word_spans
from tui_agent.tools.file_changes.patches import PatchedFile, make_patch

LINE = st.sampled_from(["", "a", "b", "c", "def f():", "    return 1", "}", "é “x”"])
LETTERS = st.sampled_from("abcdefgh")
ENDING = st.sampled_from(["\n", "\n", "\n", "\r\n"])


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Some lines, now and then with Windows endings, the last one with or without an ending."""
    lines = draw(st.lists(st.tuples(LINE, ENDING), max_size=25))
    text = "".join(line + ending for line, ending in lines)
    return text if draw(st.booleans()) else text + draw(st.sampled_from(["", "a", "last"]))


@st.composite
def edited(draw: st.DrawFn) -> tuple[str, str]:
    """A text and the same with some lines replaced, removed and put in."""
    before = draw(texts())
    lines = before.splitlines(keepends=True)
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(lines)))
        put = [line + "\n" for line in draw(st.lists(LINE, max_size=3))]
        lines[at : at + draw(st.integers(0, 3))] = put
    return before, "".join(lines)


PAIRS = st.one_of(edited(), st.tuples(texts(), texts()))


def reference_select(before: str, change: FileChange, accepted: set[int]) -> str:
    """Apply hunks one by one from the last to the first, on a plain list of lines."""
    lines = before.split("\n")
    lines = [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    for number in range(len(change.hunks) - 1, -1, -1):
        if number not in accepted:
            continue
        hunk = change.hunks[number]
        start = hunk.before_start
        for line in hunk.lines:
            if line.kind == "-":
                assert lines.pop(start) == line.text, "a hunk removes what is there"
        for line in reversed([line for line in hunk.lines if line.kind == "+"]):
            lines.insert(start, line.text)
    ending = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    whole = [line if line.endswith("\n") else line + ending for line in lines[:-1]]
    return "".join(whole + lines[-1:])


@given(PAIRS)
def test_all_hunks_give_the_proposal_and_none_the_old_file(pair: tuple[str, str]) -> None:
    before, after = pair
    change = FileChange.between("f", before, after)
    assert change.select(range(len(change.hunks))) == after
    assert change.select(()) == before


@given(PAIRS, st.data())
def test_any_choice_of_hunks_gives_what_a_plain_list_of_lines_gives(pair: tuple[str, str], data: st.DataObject) -> None:
    before, after = pair
    change = FileChange.between("f", before, after)
    accepted = set(data.draw(st.sets(st.sampled_from(range(len(change.hunks))))) if change.hunks else ())
    assert change.select(accepted) == reference_select(before, change, accepted)


@given(PAIRS)
def test_hunks_lie_in_order_and_unchanged_lines_part_them(pair: tuple[str, str]) -> None:
    before, after = pair
    change = FileChange.between("f", before, after)
    old, new = split_lines(before), split_lines(after)
    end = shift = 0
    for number, hunk in enumerate(change.hunks):
        assert hunk.before_start > end or number == 0
        assert hunk.after_start == hunk.before_start + shift
        assert hunk.removed or hunk.added
        stop = hunk.before_start + len(hunk.removed)
        assert tuple(old[hunk.before_start : stop]) == hunk.removed
        assert tuple(new[hunk.after_start : hunk.after_start + len(hunk.added)]) == hunk.added
        assert hunk.lead == tuple(old[max(0, hunk.before_start - 3) : hunk.before_start])
        assert hunk.trail == tuple(old[stop : stop + 3])
        end, shift = stop, shift + len(hunk.added) - len(hunk.removed)


@given(PAIRS)
def test_a_change_comes_back_from_json_as_it_went(pair: tuple[str, str]) -> None:
    change = FileChange.between("é/f", *pair, before_hash="x", encoding="cp932", has_bom=True)
    back = FileChange.from_json(json.loads(json.dumps(change.to_json())))
    assert (back.path, back.hunks, back.before_hash, back.encoding, back.has_bom, back.is_new) == (
        "é/f", change.hunks, "x", "cp932", True, False,
    )  # fmt: skip
    assert back.to_unified() == change.to_unified()
    with pytest.raises(ValueError, match="journal"):
        back.select(())


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pair=PAIRS, data=st.data())
def test_git_applies_the_patch_of_any_choice(pair: tuple[str, str], data: st.DataObject, tmp_path: Path) -> None:
    before, after = pair
    change = FileChange.between("f.txt", before, after)
    accepted = data.draw(st.sets(st.sampled_from(range(len(change.hunks))))) if change.hunks else set()
    approved = change.approve(accepted)
    target = tmp_path / "f.txt"
    target.write_bytes(before.encode())
    if patch := make_patch([PatchedFile("f.txt", before.encode(), approved.after.encode())]):
        git_apply(patch, tmp_path)
    assert target.read_bytes() == approved.after.encode()


@given(
    st.integers(0, 3000),
    st.lists(st.tuples(st.integers(0, 2999), st.sampled_from(["x\n", "", "same\n", "y\nz\n"])), max_size=4),
)
@settings(max_examples=30)
def test_a_change_in_a_long_file_has_the_line_numbers_and_context_of_the_whole(
    length: int, changes: list[tuple[int, str]]
) -> None:
    old = ["same\n" if number % 7 else f"line {number}\n" for number in range(length)]
    new = list(old)
    for at, put in changes:
        if at < length:
            new[at] = put
    before, after = "".join(old), "".join(new)
    change = FileChange.between("f", before, after)
    assert change.select(range(len(change.hunks))) == after
    for hunk in change.hunks:
        stop = hunk.before_start + len(hunk.removed)
        assert tuple(old[hunk.before_start : stop]) == hunk.removed
        assert hunk.lead == tuple(old[max(0, hunk.before_start - 3) : hunk.before_start])
        assert hunk.trail == tuple(old[stop : stop + 3])


@given(st.lists(LETTERS, max_size=14), st.lists(LETTERS, max_size=14), st.sampled_from([0, 4, 20]), st.booleans())
def test_long_texts_are_cut_at_landmarks_and_still_compared_right(
    old: list[str], new: list[str], many: int, is_much: bool
) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(line_diff, "_MANY_CELLS", many)
        patched.setattr(line_diff, "_MOST_CELLS", many if is_much else 1000)
        ranges = list(changed_ranges(old, new))
    at = other = 0
    ends = [(-1, -1)]
    for start, stop, new_start, new_stop in ranges:
        assert old[at:start] == new[other:new_start], "what is between the ranges is the same"
        assert (start, new_start) != ends[-1], "ranges that touch are one"
        assert stop > start or new_stop > new_start
        at, other = stop, new_stop
        ends.append((stop, new_stop))
    assert old[at:] == new[other:]


def test_a_line_that_both_sides_have_once_stays_where_long_texts_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_diff, "_MANY_CELLS", 0)
    assert list(changed_ranges("xxaxxbxx", "yaybyc")) == [(0, 2, 0, 1), (3, 5, 2, 3), (6, 8, 4, 6)]


def test_many_hunks_are_approved_in_no_time() -> None:
    before = "".join(f"line {number}\n" for number in range(4000))
    change = FileChange.between("f", before, before.replace("1\n", "one\n"))
    assert len(change.hunks) == 400
    approved = change.approve(range(0, 400, 2))
    assert approved.refused == tuple(range(1, 400, 2))
    assert (change.approve(()).is_nothing, approved.is_nothing, change.approve().is_nothing) == (True, False, False)


def test_an_edited_proposal_is_taken_as_the_person_left_it() -> None:
    change = FileChange.between("f", "a\nb\n", "a\nc\n", before_hash=content_hash(b"a\nb\n"))
    approved = change.approve(edited="a\nd\n")
    assert (approved.after, approved.is_edited, approved.is_partial) == ("a\nd\n", True, True)
    assert change.narrowed(approved).hunks[0].lines == (DiffLine("-", "b\n"), DiffLine("+", "d\n"))


def test_a_hunk_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="no such hunk"):
        FileChange.between("f", "a\n", "b\n").select({1})


@given(st.text(max_size=60), st.text(max_size=60))
def test_word_spans_lie_within_their_lines_and_cover_every_difference(removed: str, added: str) -> None:
    left, right = word_spans(removed, added)
    rest = []
    for text, spans in ((removed, left), (added, right)):
        assert all(0 <= start < stop <= len(text) for start, stop in spans)
        kept, at = [], 0
        for start, stop in spans:
            assert start >= at
            kept.append(text[at:start])
            at = stop
        rest.append("".join([*kept, text[at:]]))
    assert rest[0] == rest[1]


def git_apply(patch: bytes, folder: Path) -> None:
    subprocess.run(["git", "apply", "--whitespace=nowarn", "-"], input=patch, cwd=folder, check=True)


# --- changes of very many lines


def test_a_change_of_very_many_lines_is_encoded_in_pieces_and_comes_back_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    count = 30_000
    change = FileChange.between("f", "".join(f"{n} é\n" for n in range(count)), "".join(f"{n}\n" for n in range(count)))
    assert len(change.hunks) == 1
    sizes: list[int] = []
    encode = json.JSONEncoder.encode

    def watched(self: json.JSONEncoder, data: Any) -> str:
        text = encode(self, data)
        sizes.append(len(text))
        return text

    monkeypatch.setattr(json.JSONEncoder, "encode", watched)
    text = change.json_text()
    monkeypatch.undo()
    assert max(sizes) < len(text) / 10  # one call holds up every thread for as long as it takes
    assert json.loads(text) == change.to_json()


def test_no_garbage_is_looked_for_while_very_many_lines_are_compared() -> None:
    before, after = ("".join(f"{n} {word}\n" for n in range(30_000)) for word in ("a", "b"))
    seen: list[int] = []

    def look(phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            seen.append(info["generation"])

    gc.callbacks.append(look)
    thresholds = gc.get_threshold()
    try:
        gc.set_threshold(50, 2, 2)
        seen.clear()
        change = FileChange.between("f", before, after)
        most = len(seen)
    finally:
        gc.set_threshold(*thresholds)
        gc.callbacks.remove(look)
    assert change.hunks[0].count("+") == 30_000
    assert most < 100, "thousands, were they looked for as objects are made"
    assert gc.isenabled()
