"""What holds for any text and any keys of vi."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from vi_bench import Bench

from tui_agent.ui.prompting.editing.places import line_end, line_start

TEXTS = st.text(alphabet="ab Z_.,(){}[]<>/\"'\n\t漢éßŉ", max_size=40)
SIGNS = "hjklwWbeEB0^$GgfFtT;,xXdDcCsSyYpPr~.<>JvVaoAOiIRmuU_+-|%`123\"'()[]{}/"
KEYS = st.sampled_from(
    [*SIGNS, "gJ", "ge", "gv", "gu", "g~", "it", "escape", "left", "delete", "enter", "backspace", "ctrl+r"]
)
MOTIONS = [
    "w",
    "e",
    "b",
    "$",
    "0",
    "iw",
    "aw",
    "j",
    "G",
    "gg",
    'i"',
    "a(",
    "}",
    "W",
    "l",
    "ge",
    "g_",
    "it",
    "at",
    "%",
    "ap",
]


@given(TEXTS, st.data(), st.lists(KEYS, max_size=25))
def test_any_keys_leave_a_cursor_that_stands_in_the_text(text: str, data: st.DataObject, keys: list[str]) -> None:
    bench = Bench(text, data.draw(st.integers(0, len(text))))
    for key in keys:
        bench.press(*(key if key[0] in "gi" else [key]))
        assert 0 <= bench.cursor <= len(bench.text)
        first, last = bench.vi.selected(bench.text, bench.cursor)
        assert 0 <= first <= last <= len(bench.text)
        if bench.vi.mode == "NORMAL" and not bench.vi.is_pending:
            start, end = line_start(bench.text, bench.cursor), line_end(bench.text, bench.cursor)
            assert bench.cursor < end or start == end, (key, bench.text, bench.cursor)
    bench.press("escape", "escape")
    assert bench.vi.mode == "NORMAL"
    assert not bench.vi.is_pending


@given(TEXTS, st.data(), st.sampled_from(MOTIONS))
def test_what_is_deleted_is_put_back_as_it_was(text: str, data: st.DataObject, motion: str) -> None:
    bench = Bench(text, data.draw(st.integers(0, len(text)))).press("d", *motion)
    deleted, at = bench.text, bench.cursor
    before, behind = Bench(deleted, at), Bench(deleted, at)
    before.vi = behind.vi = bench.vi
    before.press("P")
    behind.press("p")
    assert deleted == text or text in (before.text, behind.text, before.text.removesuffix("\n"))


@given(TEXTS, st.data(), st.sampled_from(MOTIONS))
def test_yanking_changes_nothing(text: str, data: st.DataObject, motion: str) -> None:
    assert Bench(text, data.draw(st.integers(0, len(text)))).press("y", *motion).text == text


@given(TEXTS, st.data(), st.sampled_from(MOTIONS), st.sampled_from(["gu", "gU", "g~"]))
def test_letters_that_change_leave_everything_where_it_is(
    text: str, data: st.DataObject, motion: str, operator: str
) -> None:
    turned = Bench(text, data.draw(st.integers(0, len(text)))).press(*operator, *motion).text
    assert len(turned) == len(text)
    assert turned.lower() == text.lower()


@given(TEXTS, st.data(), st.text(alphabet="xy ", max_size=8))
def test_what_was_typed_over_comes_back(text: str, data: st.DataObject, typed: str) -> None:
    bench = Bench(text, data.draw(st.integers(0, len(text))))
    bench.press("R")
    before = bench.text, bench.cursor
    bench.press(*typed, *["backspace"] * len(typed))
    assert (bench.text, bench.cursor) == before
