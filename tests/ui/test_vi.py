"""The keys of vi on a text: against what vim makes of the same keys, and what must hold for any keys at all.

`vi_results.jsonl` was written by vim 9.0 (`normal!`, autoindent, a shiftwidth of 2): text, row and column of the cursor, keys,
and the text and cursor that they lead to.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_agent.ui.prompting.editing.places import line_end, line_start, location_of, offset_of
from tui_agent.ui.prompting.editing.vi import Vi

ROWS = [json.loads(line) for line in Path(__file__).with_name("vi_results.jsonl").read_text().splitlines()]
NAMES = {"<Esc>": "escape", "<C-r>": "ctrl+r"}
TEXTS = st.text(alphabet="ab Z_.,(){}[]\"'\n\t漢é", max_size=40)
KEYS = st.sampled_from(
    [*"hjklwWbeEB0^$GgfFtT;,xXdDcCsSyYpPr~.<>JvVaoAOiI123\"'()[]{}%", "escape", "left", "delete", "enter"]
)


class Bench:
    """A text with a machine; what is typed in INSERT is put in, as a text area would."""

    def __init__(self, text: str, cursor: int, mode: str = "NORMAL") -> None:
        self.vi = Vi()
        self.vi.mode = mode  # type: ignore[assignment]
        self.text, self.cursor = text, cursor
        self.wishes: list[str] = []

    def press(self, *keys: str) -> Bench:
        for key in keys:
            if self.vi.is_inserting and key != "escape":
                typed = {"enter": "\n"}.get(key, key) if len(key) == 1 or key == "enter" else ""
                self.text = self.text[: self.cursor] + typed + self.text[self.cursor :]
                self.cursor += len(typed)
                continue
            step = self.vi.take(key, self.text, self.cursor)
            self.text, self.cursor = step.text, step.cursor
            if step.wish:
                self.wishes.append(step.wish)
        return self


def tokens(keys: str) -> list[str]:
    return [NAMES.get(token, token) for token in re.findall(r"<Esc>|<C-r>|[\s\S]", keys)]


@pytest.mark.parametrize("row", ROWS, ids=[row[2] for row in ROWS])
def test_keys_do_what_they_do_in_vim(row: list[object]) -> None:
    text, place, keys, result, end = row
    bench = Bench(str(text), offset_of(str(text), tuple(place))).press(*tokens(str(keys)))  # type: ignore[arg-type]
    assert (bench.text, location_of(bench.text, bench.cursor)) == (result, tuple(end))  # type: ignore[arg-type]


def test_the_table_has_every_command_that_is_promised() -> None:
    keys = "\n".join(row[2] for row in ROWS)
    commands = [*"hjklwbeWBE0^$G;,xDCsSYpPr~.><Jv", "gg", "dd", "cc", "yy", "dw", "cw", "fa", "Fa", "ta", "To", "V"]
    objects = [f"{kind}{name}" for kind in "ia" for name in 'wW"([{']
    assert [command for command in [*commands, *objects] if command not in keys] == []


@given(TEXTS, st.data(), st.lists(KEYS, max_size=25))
def test_any_keys_leave_a_cursor_that_stands_in_the_text(text: str, data: st.DataObject, keys: list[str]) -> None:
    bench = Bench(text, data.draw(st.integers(0, len(text))))
    for key in keys:
        bench.press(key)
        assert 0 <= bench.cursor <= len(bench.text)
        if bench.vi.mode == "NORMAL" and not bench.vi.is_pending:
            start, end = line_start(bench.text, bench.cursor), line_end(bench.text, bench.cursor)
            assert bench.cursor < end or start == end, (key, bench.text, bench.cursor)
    bench.press("escape", "escape")
    assert bench.vi.mode == "NORMAL"
    assert not bench.vi.is_pending


@given(
    TEXTS, st.data(), st.sampled_from(["w", "e", "b", "$", "0", "iw", "aw", "j", "G", "gg", 'i"', "a(", "}", "W", "l"])
)
def test_what_is_deleted_is_put_back_as_it_was(text: str, data: st.DataObject, motion: str) -> None:
    cursor = data.draw(st.integers(0, len(text)))
    deleted = Bench(text, cursor).press("d", *motion)
    register = deleted.vi._register
    if register.text and not register.is_lines:
        at = deleted.cursor if text.startswith(deleted.text[: deleted.cursor] + register.text) else deleted.cursor + 1
        assert deleted.text[:at] + register.text + deleted.text[at:] == text
    elif register.is_lines:
        assert deleted.text.count("\n") <= text.count("\n")
        assert sorted(deleted.text.split("\n") + register.text.split("\n")) in (
            sorted(text.split("\n")),
            sorted([*text.split("\n"), ""]),
        )


@given(TEXTS, st.data(), st.sampled_from(["yw", "yy", "y$", "yiw", "yj", "ygg", "yG", "y}", "ya("]))
def test_yanking_changes_nothing(text: str, data: st.DataObject, keys: str) -> None:
    assert Bench(text, data.draw(st.integers(0, len(text)))).press(*keys).text == text


def test_the_edges_of_the_text_lead_into_the_history() -> None:
    bench = Bench("one\ntwo", 0).press("k")
    assert bench.wishes == ["older"]
    assert bench.press("j").wishes == ["older"]
    assert bench.press("j").wishes == ["older", "newer"]
    assert Bench("one", 0).press("5", "k").wishes == []  # a count is meant for lines


def test_undo_redo_and_search_are_wished_for() -> None:
    assert Bench("one", 0).press("u", "ctrl+r", "/").wishes == ["undo", "redo", "search"]


def test_escape_with_nothing_pending_is_left_to_others() -> None:
    vi = Vi()
    assert vi.take("escape", "ab", 2).is_taken  # ends INSERT
    assert vi.mode == "NORMAL"
    assert not vi.take("escape", "ab", 1).is_taken
    vi.take("2", "ab", 1)
    assert vi.take("escape", "ab", 1).is_taken  # drops the count
    vi.take("v", "ab", 1)
    assert vi.take("escape", "ab", 1).is_taken
    assert vi.mode == "NORMAL"


def test_keys_that_are_none_of_vis_are_not_taken() -> None:
    vi = Vi()
    assert not vi.take("a", "", 0).is_taken  # INSERT: it is text
    vi.take("escape", "", 0)
    assert not vi.take("ctrl+l", "", 0).is_taken
    assert vi.take("z", "text", 0).is_taken  # means nothing, and is not written either


def test_a_count_cannot_fill_the_memory() -> None:
    bench = Bench("x" * 1000, 0).press("y", "y", *"99999", "p")
    assert len(bench.text) < 3000
    bench.press(*"99999", "i", *"abcdefghijk", "escape")
    assert len(bench.text) < 3000
