"""The keys of vi on a text: against what vim makes of the same keys, and what the prompt adds to them.

`vi_results.jsonl` has text, row and column of the cursor, keys, and the text and cursor that they lead to in vim 9.0;
`vi_results.vim` writes it.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from vi_bench import Bench

from tui_agent.ui.prompting.editing.offsets import location_of, offset_of
from tui_agent.ui.prompting.editing.vi import Vi

ROWS = [json.loads(line) for line in Path(__file__).with_name("vi_results.jsonl").read_text().splitlines()]
NAMES = {"<Esc>": "escape", "<BS>": "backspace"}


def keys_of(row: list[object]) -> list[str]:
    return [NAMES.get(token, token) for token in re.findall(r"<Esc>|<BS>|[\s\S]", str(row[2]))]


def test_keys_do_what_they_do_in_vim() -> None:
    differing = []
    for row in ROWS:
        text, (line, column), _, result, end = row
        runtime = Bench(text, offset_of(text, (line, column)))
        runtime.press("m", "'").press(*keys_of(row))
        if [runtime.text, list(location_of(runtime.text, runtime.cursor))] != [result, end]:
            differing.append((*row, runtime.text, location_of(runtime.text, runtime.cursor)))
    assert differing == []


def test_the_table_has_every_command_that_is_promised() -> None:
    keys = "\n".join(str(row[2]) for row in ROWS)
    commands = [
        *"hjklwbeWBE0^$G;,%{}|+-_xXDCsSYpPr~.><JRvV",
        "gg",
        "ge",
        "gE",
        "g_",
        "gJ",
        "gv",
        "dd",
        "cc",
        "yy",
        "dw",
        "cw",
    ]
    cases = [f"{case}{motion}" for case in ("gu", "gU", "g~") for motion in ("w", "iw", case[1])]
    places = ["fa", "Fa", "ta", "To", "ma", "`a", "'a", "``", "''"]
    registers = ['"ap', '"Ay', '"_d', '"0p', '"1p', '"-p']
    objects = [f"{kind}{name}" for kind in "ia" for name in "wWpt\"'`([{"]
    promised = [*commands, *cases, *places, *registers, *objects]
    assert [command for command in promised if command not in keys] == []


def test_the_edges_of_the_text_lead_into_the_history() -> None:
    runtime = Bench("one\ntwo", 0).press("k")
    assert runtime.requests == ["older"]
    assert runtime.press("j").requests == ["older"]
    assert runtime.press("j").requests == ["older", "newer"]
    assert Bench("one", 0).press("5", "k").requests == []  # a count is meant for lines


def test_undo_redo_and_search_are_wished_for() -> None:
    assert Bench("one", 0).press("u", "ctrl+r", "/").requests == ["undo", "redo", "search"]


def test_escape_with_nothing_pending_is_left_to_others() -> None:
    vi = Vi()
    assert vi.take("escape", "ab", 2).is_taken  # ends INSERT
    assert vi.mode == "NORMAL"
    assert not vi.take("escape", "ab", 1).is_taken
    vi.take("2", "ab", 1)
    assert vi.take("escape", "ab", 1).is_taken  # drops the count
    for key in "vR":
        vi.take(key, "ab", 1)
        assert vi.take("escape", "ab", 1).is_taken
        assert vi.mode == "NORMAL"
    assert not vi.take("escape", "ab", 1).is_taken


def test_keys_that_are_none_of_vis_are_not_taken() -> None:
    vi = Vi()
    assert not vi.take("a", "", 0).is_taken  # INSERT: it is text
    vi.take("escape", "", 0)
    assert not vi.take("ctrl+l", "", 0).is_taken
    assert vi.take("z", "text", 0).is_taken  # means nothing, and is not written either
    vi.take("R", "text", 0)
    assert not vi.take("enter", "text", 0).is_taken  # sends


def test_a_count_cannot_fill_the_memory() -> None:
    runtime = Bench("x" * 1000, 0).press("y", "y", *"99999", "p")
    assert len(runtime.text) < 3000
    runtime.press(*"99999", "i", *"abcdefghijk", "escape")
    assert len(runtime.text) < 3000
    runtime.press(*"99999", "R", *"abcdefghijk", "escape")
    assert len(runtime.text) < 3000
    assert Bench("x\n" * 20, 0).press(*"VG99999>").text == "x\n" * 20


def test_what_was_moved_to_while_typing_over_is_typed_over_from_there() -> None:
    runtime = Bench("one two", 0).press("R", "a")
    runtime.cursor = 4  # as by an arrow key
    runtime.press("b", "backspace", "backspace")
    assert (runtime.text, runtime.cursor) == ("ane two", 3)


def test_marks_stay_with_their_characters_and_end_with_the_text() -> None:
    runtime = Bench("one two three", 8).press("m", "a", "0", "d", "w", "`", "a")
    assert runtime.cursor == 4
    runtime.press("i", *"more ", "escape", "0", "`", "a")
    assert runtime.text[runtime.cursor :] == "three"
    runtime.vi.begin()
    runtime.press("escape", "0", "`", "a")
    assert runtime.cursor == 0


class Copied:
    """A clipboard."""

    def __init__(self, text: str) -> None:
        self.text = text

    def read(self) -> str:
        return self.text

    def write(self, text: str) -> None:
        self.text = text


def test_the_clipboard_is_a_register_of_two_names() -> None:
    copied = Copied("from elsewhere\n")
    runtime = Bench("one two", 0, clipboard=copied).press('"', "+", "P")
    assert runtime.text == "from elsewhere\none two"
    runtime.press("j", '"', "*", "y", "w")
    assert copied.text == "one "
    runtime.press("d", "d")
    assert copied.text == "one "


def test_without_a_clipboard_its_names_are_registers_like_others() -> None:
    assert Bench("one two", 0).press(*'"+yww"+P').text == "one one two"


def test_what_was_yanked_is_there_for_the_next_prompt() -> None:
    runtime = Bench("one", 0).press(*"yw")
    runtime.vi.begin()
    runtime.text, runtime.cursor = "", 0
    assert runtime.press("escape", "p").text == "one"
