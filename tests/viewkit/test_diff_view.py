"""A change as a diff: what is shown, in which layout, with which decisions."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from viewing import STATE, check, lines_of

from tui_agent.changes import FileChange
from tui_agent.viewkit import diff_paint
from tui_agent.viewkit.diff import DiffView
from tui_agent.viewkit.palette import DARK
from tui_agent.viewkit.view import RenderState

BEFORE = "".join(f"line {n}\n" for n in range(1, 31))
AFTER = BEFORE.replace("line 4\n", "line four\n").replace("line 9\n", "").replace("line 20\n", "line 20\nnew\n")
CHANGE = FileChange.between("/w/a.txt", BEFORE, AFTER)


def hunk_lines(view: DiffView, width: int) -> list[int]:
    return [view.hunk_line(number, width) for number in range(len(view.change.hunks))]


def change(before: str | None, after: str, path: str = "/w/a.py") -> FileChange:
    return FileChange.between(path, before, after)


def test_one_column_shows_one_number_and_the_sign() -> None:
    assert lines_of(DiffView(change("a\nb\nc\n", "a\nB\nc\n")), 40) == [
        "1   a",
        "2 - b",
        "2 + B",
        "3   c",
    ]


def test_two_columns_stand_side_by_side_from_a_hundred_cells_on() -> None:
    view = DiffView(change("a\nb\nc\n", "a\nB\nc\n"))
    assert [line.split() for line in lines_of(view, 100)] == [
        ["1", "a", "1", "a"],
        ["2", "-", "b", "2", "+", "B"],
        ["3", "c", "3", "c"],
    ]
    assert not view.is_split(99)
    assert DiffView(view.change, layout="split").is_split(60)
    assert not DiffView(view.change, layout="unified").is_split(200)


def test_unchanged_lines_between_hunks_appear_once_or_are_counted() -> None:
    shown = lines_of(DiffView(CHANGE), 60)
    assert sum(1 for line in shown if line.endswith("line 7")) == 1
    assert any("5 unchanged lines" in line for line in shown)


def test_a_review_heads_each_hunk_with_its_state_in_glyph_and_word() -> None:
    view = DiffView(CHANGE, decisions={0: True, 1: False}, current=2)
    heads = [line for line in lines_of(view, 60) if "hunk" in line]
    assert heads == [
        "  hunk 1/3 · line 4 · ✓ accepted",
        "  hunk 2/3 · line 9 · ✗ refused",
        "▶ hunk 3/3 · line 20 · ○ undecided: will be written",
    ]
    shown = lines_of(view, 60)
    assert [shown[line] for line in hunk_lines(view, 60)] == heads


def test_a_terminal_without_symbols_gets_words_and_plain_signs() -> None:
    state = RenderState(DARK, is_ascii=True)
    view = DiffView(change("a\n", "b\n"), decisions={0: False}, current=0)
    assert lines_of(view, 60, state)[0].startswith("> hunk 1/1")
    assert "x refused" in lines_of(view, 60, state)[0]


def test_hunks_are_found_without_headers_too() -> None:
    view = DiffView(CHANGE)
    shown = lines_of(view, 60)
    assert [shown[line].split()[-1] for line in hunk_lines(view, 60)] == ["1", "8", "18"]


@pytest.mark.parametrize("width", [60, 120])
def test_changed_words_are_marked(width: int) -> None:
    rendered = DiffView(change("return round(total, 2)\n", "return round(total, 3)\n")).render(width, STATE)
    marked = [
        (segment.text, segment.style)
        for line in rendered.lines
        for segment in line.segments
        if segment.style in {DARK.added_word, DARK.removed_word}
    ]
    assert marked == [("2", DARK.removed_word), ("3", DARK.added_word)]


def test_another_line_altogether_is_not_marked_word_by_word() -> None:
    rendered = DiffView(change("alpha beta gamma\n", "x = {}\n")).render(60, STATE)
    assert not [s for line in rendered.lines for s in line.segments if s.style in {DARK.added_word, DARK.removed_word}]


def test_syntax_colours_lie_over_the_ground_of_the_diff() -> None:
    rendered = DiffView(change("x = 1\n", "x = 1\ndef f(): pass\n")).render(60, STATE)
    styles = [s.style for line in rendered.lines for s in line.segments if s.text == "def"]
    assert styles == [DARK.added + DARK.token("k")]


@pytest.mark.parametrize("layout", ["split", "unified"])
def test_unchanged_lines_keep_their_colours_below_a_change_that_moves_them(layout: Literal["split", "unified"]) -> None:
    made = change("x = 1\ndef f(): pass\n", "x = 1\ny = 2\nz = 3\ndef f(): pass\n")
    rendered = DiffView(made, layout=layout).render(100, STATE)
    styles = [s.style for line in rendered.lines for s in line.segments if s.text == "def"]
    assert styles == [DARK.token("k")] * (2 if layout == "split" else 1)


def test_colours_of_a_docstring_come_from_the_whole_file() -> None:
    before = '"""\n' + "".join(f"about {n}\n" for n in range(20)) + 'return if\n"""\n'
    rendered = DiffView(change(before, before.replace("return if", "return for"))).render(60, STATE)
    assert DARK.added + DARK.token("k") not in {s.style for line in rendered.lines for s in line.segments}


def test_control_characters_are_spelled_out() -> None:
    shown = "\n".join(lines_of(DiffView(change("a\n", "a\u202e\x1b[2Jb\n")), 60))
    assert "a⟨RLO⟩⟨ESC⟩[2Jb" in shown


def test_line_ends_show_only_where_they_differ() -> None:
    same = "\n".join(lines_of(DiffView(change("a\r\nb\r\n", "a\r\nc\r\n")), 60))
    assert "CR" not in same
    mixed = "\n".join(lines_of(DiffView(change("a\r\nb\n", "a\nb\n")), 60))
    assert "- a⟨CR⟩" in mixed


def test_a_new_file_a_file_emptied_and_a_missing_last_newline_are_said() -> None:
    assert lines_of(DiffView(change(None, "a\n")), 60)[0] == "new file"
    assert lines_of(DiffView(change("a\n", "")), 60)[0] == "all its content goes"
    assert lines_of(DiffView(change("a\nb\n", "a\nc")), 60)[-1] == "no newline at end of file after"
    assert lines_of(DiffView(change("a\n", "a\n")), 60) == ["nothing changes"]


def test_refused_hunks_lose_their_ground() -> None:
    rendered = DiffView(change("a\n", "b\n"), decisions={0: False}).render(60, STATE)
    grounds = {s.style.bgcolor for line in rendered.lines for s in line.segments if s.style}
    assert grounds == {None}


def test_copying_gives_the_text_without_numbers_and_signs() -> None:
    assert DiffView(change("a\nb\n", "a\nB\n")).render(60, STATE).text == "a\nb\nB"
    assert DiffView(change("a\nb\n", "a\nB\n")).render(120, STATE).text == "a\nB"


def test_a_change_from_a_journal_can_be_shown() -> None:
    kept = FileChange.from_json(CHANGE.to_json())
    assert lines_of(DiffView(kept), 60) == lines_of(DiffView(CHANGE), 60)


def test_a_large_change_draws_only_what_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    before = "".join(f"value_{n} = {n}\n" for n in range(20_000))
    large = replace(change(before, before.replace(" = ", " == ")))
    drawn: list[object] = []
    original = diff_paint.DiffLines._draw
    monkeypatch.setattr(
        diff_paint.DiffLines, "_draw", lambda self, *given: drawn.append(given) or original(self, *given)
    )
    rendered = DiffView(large).render(120, STATE)
    assert len(rendered.lines) == 20_000
    assert [line.text[:10] for line in rendered.lines[10_000:10_040]]
    assert len(drawn) == 40


TEXTS = st.lists(
    st.sampled_from(["a\n", "b\n", "c\n", "\tdeep long line with words\n", "é日本\n", "x\u202e\n"]), max_size=14
)


@settings(max_examples=120, deadline=None)
@given(TEXTS, TEXTS, st.integers(24, 130), st.sampled_from(["auto", "split", "unified"]), st.booleans())
def test_any_change_fits_and_shows_each_changed_line(
    old: list[str], new: list[str], width: int, layout: str, is_reviewed: bool
) -> None:
    made = change("".join(old), "".join(new))
    view = DiffView(made, layout=layout, decisions={0: True} if is_reviewed else None)  # type: ignore[arg-type]
    rendered = view.render(width, STATE)
    check(rendered, width)
    assert len(hunk_lines(view, width)) == len(made.hunks)
    texts = [line.text for line in rendered.lines]
    signs = "".join(texts)
    assert signs.count("+") >= made.added
    assert signs.count("-") >= made.removed


@pytest.mark.parametrize("width", [60, 140])
def test_a_line_without_end_is_drawn_as_far_as_it_is_looked_at(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    change = FileChange.between("n.ipynb", "a\n" + "x" * 200_000 + "\nb\n", "a\nb\n")
    whole = list(DiffView(change).render(width, STATE).lines)
    painted: list[object] = []
    real = diff_paint._padded
    monkeypatch.setattr(diff_paint, "_padded", lambda *given: (painted.append(given), real(*given))[1])
    lines = DiffView(change).render(width, STATE).lines
    assert [lines[at] for at in range(40)] == whole[:40]
    assert len(painted) <= 2 * 40
    assert lines[len(lines) - 1] == whole[-1]
    assert list(lines) == whole
