"""What holds for any text and any keys of vi."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from vi_bench import Bench

from tui_agent.ui.prompting.editing.offsets import line_end, line_start

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
    runtime = Bench(text, data.draw(st.integers(0, len(text))))
    for key in keys:
        runtime.press(*(key if key[0] in "gi" else [key]))
        assert 0 <= runtime.cursor <= len(runtime.text)
        first, last = runtime.vi.selected(runtime.text, runtime.cursor)
        assert 0 <= first <= last <= len(runtime.text)
        if runtime.vi.mode == "NORMAL" and not runtime.vi.is_pending:
            start, end = line_start(runtime.text, runtime.cursor), line_end(runtime.text, runtime.cursor)
            assert runtime.cursor < end or start == end, (key, runtime.text, runtime.cursor)
    runtime.press("escape", "escape")
    assert runtime.vi.mode == "NORMAL"
    assert not runtime.vi.is_pending


@given(TEXTS, st.data(), st.sampled_from(MOTIONS))
def test_what_is_deleted_is_put_back_as_it_was(text: str, data: st.DataObject, motion: str) -> None:
    runtime = Bench(text, data.draw(st.integers(0, len(text)))).press("d", *motion)
    deleted, at = runtime.text, runtime.cursor
    before, behind = Bench(deleted, at), Bench(deleted, at)
    before.vi = behind.vi = runtime.vi
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
    runtime = Bench(text, data.draw(st.integers(0, len(text))))
    runtime.press("R")
    before = runtime.text, runtime.cursor
    runtime.press(*typed, *["backspace"] * len(typed))
    assert (runtime.text, runtime.cursor) == before
