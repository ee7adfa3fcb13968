"""Where things stand in a diff: measured without rows as with them, unfolded, with comments between, and never all at once."""

from __future__ import annotations

from itertools import pairwise
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from viewing import STATE, check, lines_of

from tui_agent.changes import FileChange
from tui_agent.review_comments import LineComment
from tui_agent.viewkit import diff_source
from tui_agent.viewkit.diff import DiffLocation, DiffView, opened_around, opened_whole
from tui_agent.viewkit.diff_plan import DiffPlan
from tui_agent.viewkit.diff_source import DiffSource
from tui_agent.viewkit.palette import DARK
from tui_agent.viewkit.view import RenderState

LINE = st.sampled_from(["a", "b", "", "\tx = 1", "é日本", "x  ", "long " * 12, "c\r", "z\u202e"])
TEXT = st.lists(LINE, max_size=30).map(lambda lines: "".join(f"{line}\n" for line in lines))
OPENED = st.sampled_from([None, {}, {0: (1, 1), 1: (2, 0)}, {0: (99, 0)}])
LAYOUT = st.sampled_from(["split", "unified"])
BEFORE = "".join(f"line {number}\n" for number in range(1, 101))
CHANGE = FileChange.between("/w/a.txt", BEFORE, BEFORE.replace("line 40\n", "forty\n").replace("line 80\n", ""))


@st.composite
def changes(draw: st.DrawFn) -> FileChange:
    before = draw(TEXT)
    lines = before.split("\n")
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, max(0, len(lines) - 1)))
        lines[at : at + draw(st.integers(0, 2))] = draw(st.lists(LINE, max_size=2))
    after = "\n".join(lines)
    return FileChange.between("/w/a.py", before, after[:-1] if draw(st.booleans()) else after)


@settings(max_examples=60, deadline=None)
@given(
    changes(),
    st.integers(24, 120),
    LAYOUT,
    st.booleans(),
    st.sampled_from([None, {}, {0: (1, 1), 1: (2, 0)}, {0: (99, 0)}]),
)
def test_a_section_measured_is_as_high_and_as_long_as_it_is(
    change: FileChange,
    width: int,
    layout: Literal["split", "unified"],
    has_headers: bool,
    opened: dict[int, tuple[int, int]] | None,
) -> None:
    plan = DiffPlan(DiffSource(change), width, is_split=layout == "split", has_headers=has_headers, opened=opened)
    for number, section in enumerate(plan.sections):
        laid = plan._lay(section)
        assert plan.row_first[number + 1] - plan.row_first[number] == len(laid.rows)
        assert plan.first[number + 1] - plan.first[number] == laid.first[-1]
        assert plan.starts[number + 1] - plan.starts[number] == laid.starts[-1]


PLAIN = st.lists(st.sampled_from(["a", "b", "", "x = 1  ", "long " * 6]), min_size=1, max_size=30)


@settings(max_examples=40, deadline=None)
@given(PLAIN, PLAIN, st.sampled_from(["\n", "\r\n"]), st.sampled_from([36, 80]), LAYOUT, st.booleans())
def test_plain_lines_that_fit_are_counted_and_so_measured_right(
    before: list[str],
    after: list[str],
    end: str,
    width: int,
    layout: Literal["split", "unified"],
    has_headers: bool,
) -> None:
    texts = ["".join(line + end for line in lines) for lines in (before, after)]
    change = FileChange.between("/w/a.py", *texts)
    plan = DiffPlan(DiffSource(change), width, is_split=layout == "split", has_headers=has_headers, opened=None)
    assert DiffSource(change).widest is not None or not change.hunks
    laid = [plan._lay(section) for section in plan.sections]
    assert [b - a for a, b in pairwise(plan.row_first)] == [len(one.rows) for one in laid]
    assert [b - a for a, b in pairwise(plan.first)] == [one.first[-1] for one in laid]
    assert [b - a for a, b in pairwise(plan.starts)] == [one.starts[-1] for one in laid]


@settings(max_examples=40, deadline=None)
@given(changes(), st.integers(24, 120), LAYOUT)
def test_the_length_of_the_text_is_known_without_the_text(
    change: FileChange, width: int, layout: Literal["split", "unified"]
) -> None:
    rendered = DiffView(change, layout=layout).render(width, STATE)
    assert rendered.length == len(rendered.text)


@settings(max_examples=50, deadline=None)
@given(changes(), LAYOUT, st.integers(0, 3))
def test_unfolded_all_the_way_a_diff_shows_every_line_of_both_texts_in_order(
    change: FileChange, layout: Literal["split", "unified"], hunks: int
) -> None:
    opened = dict.fromkeys(range(len(change.hunks) + 1), (1 << 20, 0))
    plan = DiffPlan(DiffSource(change), 80, is_split=layout == "split", has_headers=bool(hunks), opened=opened)
    rows = [row for section in plan.sections for row in plan._lay(section).rows]
    if change.hunks:
        for side, text in (("left", change.before), ("right", change.after)):
            numbers = [found.number for row in rows if (found := getattr(row, side)) is not None]
            assert numbers == list(range(1, len((text or "").split("\n")) + (not (text or "\n").endswith("\n"))))
        assert not [row for row in rows if row.kind == "skip"]


@settings(max_examples=50, deadline=None)
@given(changes(), st.integers(24, 120), LAYOUT, st.data())
def test_every_shown_line_is_found_again_and_neighbours_are_one_step_apart(
    change: FileChange, width: int, layout: Literal["split", "unified"], data: st.DataObject
) -> None:
    view = DiffView(change, layout, opened={}, decisions={})
    plan = view._plan(width)
    for number in range(plan.row_first[-1]):
        row = plan.row(number)
        for side, is_old in ((row.left, True), (row.right, False)):
            if side is not None:
                assert plan.row_of(side.number, is_old=is_old) == number
    if change.hunks:
        spot = view.first_spot(data.draw(st.integers(0, len(change.hunks) - 1)), width)
        assert spot is not None
        down = view.moved(spot, 1, width)
        assert down == spot or view.moved(down, -1, width).line in (spot.line, down.line, down.line - 1)
        line = view.line_of(spot, width)
        assert line is not None
        assert view.spot_at(line, width, is_left=spot.side == "old") == spot


COMMENTS = st.lists(
    st.builds(
        LineComment,
        path=st.just("/w/a.py"),
        line=st.integers(1, 12),
        side=st.sampled_from(["old", "new"]),
        quote=st.sampled_from(["a", "b", "", "x"]),
        text=st.sampled_from(["short", "two\nlines", "a long one " * 9, "\x1b[31m日本"]),
    ),
    max_size=4,
)


@settings(max_examples=50, deadline=None)
@given(changes(), st.integers(24, 120), LAYOUT, COMMENTS)
def test_comments_add_lines_and_take_nothing_away(
    change: FileChange, width: int, layout: Literal["split", "unified"], comments: list[LineComment]
) -> None:
    plain = [line.text for line in DiffView(change, layout).render(width, STATE).lines]
    rendered = DiffView(change, layout, comments=comments).render(width, STATE)
    check(rendered, width)
    shown = [line.text for line in rendered.lines]
    rest = [text for text in shown if "┃" not in text]
    assert rest == plain
    assert len(shown) - len(plain) >= len(comments)


def test_a_comment_stands_below_its_line_and_one_whose_line_is_gone_at_the_end() -> None:
    on = LineComment(path="/w/a.txt", line=40, side="new", quote="forty", text="why?")
    lost = LineComment(path="/w/a.txt", line=41, side="new", quote="something else", text="lost", last=0)
    shown = lines_of(DiffView(CHANGE, comments=[lost, on]), 60)
    at = next(number for number, line in enumerate(shown) if line.endswith("+ forty"))
    assert shown[at + 1].strip() == "┃ why?"
    assert shown[-1].strip() == "┃ on line 41 (new): lost"


def test_folds_open_step_by_step_at_both_ends_and_whole() -> None:
    folded = lines_of(DiffView(CHANGE, opened={}), 60)
    assert [line.split()[1] for line in folded if "unchanged" in line] == ["36", "33", "17"]
    opened = opened_around({}, 0)
    wider = lines_of(DiffView(CHANGE, opened=opened), 60)
    assert [line.split()[1] for line in wider if "unchanged" in line] == ["16", "13", "17"]
    whole = lines_of(DiffView(CHANGE, opened=opened_whole(opened, 1)), 60)
    assert [line.split()[1] for line in whole if "unchanged" in line] == ["16", "17"]
    assert len(lines_of(DiffView(CHANGE, opened={0: (99, 0), 1: (99, 0), 2: (99, 0)}), 60)) == 101


def test_the_header_of_a_hunk_stays_beside_it_when_lines_above_are_unfolded() -> None:
    view = DiffView(CHANGE, opened=opened_around({}, 0), decisions={})
    shown = lines_of(view, 60)
    at = view.hunk_line(0, 60)
    assert "hunk 1/2" in shown[at]
    assert shown[at + 4].endswith("- line 40")


def test_a_fold_and_a_comment_can_be_clicked() -> None:
    comment = LineComment(path="/w/a.txt", line=40, side="new", quote="forty", text="why?")
    rendered = DiffView(CHANGE, opened={}, comments=[comment]).render(60, STATE)
    lines = [line.text for line in rendered.lines]
    assert {(hit.action, hit.argument) for hit in rendered.hits} == {
        ("fold", "0"), ("fold", "1"), ("fold", "2"), ("comment", "0"),
    }  # fmt: skip
    for hit in rendered.hits:
        assert ("unchanged" if hit.action == "fold" else "why?") in lines[hit.line]


def test_a_change_from_a_journal_is_shown_folded_and_says_nothing_of_more() -> None:
    kept = FileChange.from_json(CHANGE.to_json())
    view = DiffView(kept, opened=opened_around({}, 0))
    assert not view.can_open
    assert not any("show more" in line for line in lines_of(view, 60))


def test_the_cursor_and_the_chosen_lines_are_marked_by_a_sign() -> None:
    view = DiffView(CHANGE, layout="unified", cursor=DiffLocation("new", 42), marked=40)
    shown = [line for line in lines_of(view, 60) if "│" in line or "❯" in line]
    assert [line[-8:] for line in shown] == ["+│forty", "│line 41", "❯line 42"] or len(shown) == 3
    ascii_state = RenderState(DARK, is_ascii=True)
    assert any(">line 42" in line for line in lines_of(view, 60, ascii_state))


@pytest.mark.parametrize(("old", "new", "shown"), [
    ("x = 1\n", "x = 1  \n", "x = 1··"), ("    y\n", "\ty\n", "⇥   y"), ("a b\n", "a   b\n", "a···b"),
])  # fmt: skip
def test_a_change_of_nothing_but_blanks_can_be_seen(old: str, new: str, shown: str) -> None:
    lines = lines_of(DiffView(FileChange.between("/w/a.txt", old, new)), 60)
    assert any(line.endswith(shown) for line in lines), lines


def test_a_change_of_line_ends_is_said_in_words() -> None:
    change = FileChange.between("/w/a.txt", "a\r\nb\r\n", "a\nb\n")
    assert lines_of(DiffView(change), 60)[0] == "line endings change from CRLF to LF"
    assert lines_of(DiffView(FileChange.from_json(change.to_json())), 60)[0] == "line endings change from CRLF to LF"


@pytest.mark.parametrize("every", [1, 2])
@pytest.mark.parametrize("width", [80, 140])
def test_a_page_of_a_large_change_costs_its_own_rows(every: int, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    before = "".join(f"value_{n} = {n}\n" for n in range(20_000))
    after = "".join(f"value_{n} = {n}{' + 1' if n % every == 0 else ''}\n" for n in range(20_000))
    change = FileChange.between("/w/a.py", before, after)
    laid: list[object] = []
    tokenized: list[int] = []
    compared: list[object] = []
    lay, tokenize = DiffPlan._lay, diff_source.tokenize
    from tui_agent.viewkit import diff_rows

    words = diff_rows.word_spans
    monkeypatch.setattr(DiffPlan, "_lay", lambda self, section: laid.append(section) or lay(self, section))
    monkeypatch.setattr(
        diff_source, "tokenize", lambda code, language: tokenized.append(len(code)) or tokenize(code, language)
    )
    monkeypatch.setattr(diff_rows, "word_spans", lambda *lines: compared.append(lines) or words(*lines))
    view = DiffView(change, decisions={})
    lines = view.render(width, STATE).lines
    assert laid == []
    for start in (0, len(lines) // 2, len(lines) - 40):
        laid.clear(), tokenized.clear(), compared.clear()
        assert [line.text for line in lines[start : start + 40]]
        assert len(laid) <= 16
        assert sum(tokenized) <= 10_000
        assert len(compared) <= 80
    laid.clear()
    view.hunk_line(len(change.hunks) - 1, width)
    assert len(laid) == 0
