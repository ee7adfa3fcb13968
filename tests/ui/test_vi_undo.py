"""Undoing and redoing with the keys of vi, in the text area that keeps what can be undone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.text import Text
from textual import events
from textual.app import App, ComposeResult

from tui_agent.ui.widgets.prompt_text import PromptText

CHANGES = st.sampled_from(
    [
        "x", "dw", "dd", "cwab", "ccab", "oab", "Oab", "iab", "Aab", "Rab", "yyp", "P", "J", "~", "gUU", "g~w", ">>", "D", "r-",
        ".", "3ix", "vjd", "Vcab", "veU", "ylvp", "maddP`a", "2.", "diw", '"add', '"ap', "xu", "ddu", "w", "j", "k", "$", "gg",
    ]
)  # fmt: skip
TEXTS = st.text(alphabet="ab Z(é漢\n", max_size=25)


class Nobody:
    """Has no keys of its own, nor anything that goes as a whole."""

    has_chips = False

    def take_key(self, key: str) -> bool:
        return False

    async def settle(self, key: str) -> None: ...

    async def take_paste(self, text: str) -> None: ...

    def widen(self, start: int, stop: int, inserted: str) -> tuple[int, int]:
        return start, stop

    def paint(self, line: Text) -> None: ...

    def pass_on(self, event: events.Key) -> bool:
        return False

    def show_mark(self) -> None: ...

    def close_list(self) -> None: ...


class TextApp(App[None]):
    def compose(self) -> ComposeResult:
        yield PromptText(Nobody())


@asynccontextmanager
async def area() -> AsyncIterator[PromptText]:
    app = TextApp()
    async with app.run_test(size=(40, 10)):
        area = app.query_one(PromptText)
        area.use_vi(True)
        yield area


def press(area: PromptText, *keys: str) -> None:
    for key in keys:
        area.give(events.Key(key, key if len(key) == 1 else None))


def begin(area: PromptText, text: str) -> None:
    area.begin()
    area.load_text(text)
    press(area, "escape")


async def test_undoing_everything_returns_to_the_beginning_and_redoing_to_the_end() -> None:
    async with area() as at:

        @settings(max_examples=80, deadline=None)
        @given(TEXTS, st.lists(CHANGES, max_size=8))
        def undoes(text: str, changes: list[str]) -> None:
            begin(at, text)
            for keys in changes:
                press(at, *keys, "escape")
            done, is_latest = at.text, not at.history.redo_stack
            while at.history.undo_stack:
                press(at, "u")
            assert at.text == text
            while at.history.redo_stack:
                press(at, "ctrl+r")
            assert at.text == done or not is_latest

        undoes()


async def test_each_command_is_undone_at_once_with_what_was_typed() -> None:
    async with area() as at:
        for keys in ("cwab", "oab", "3iab", "Aab", "Rab", "2Rab", "dd", "yyp", "gUU", "vjd", "Vcab", "J"):
            begin(at, "one two\nthree")
            press(at, "g", "g", *keys, "escape")
            assert at.text != "one two\nthree"
            press(at, "u")
            assert (keys, at.text) == (keys, "one two\nthree")


async def test_undoing_takes_a_count_and_leaves_the_cursor_where_something_changed() -> None:
    async with area() as at:
        begin(at, "one two\nthree four")
        press(at, *"ggwxjx$x3u")
        assert (at.text, at.at) == ("one two\nthree four", 4)
        press(at, "G", "2", "ctrl+r")
        assert (at.text, at.at) == ("one wo\nthre four", 7)


async def test_undoing_goes_to_the_first_line_that_has_changed() -> None:
    async with area() as at:
        for keys, cursor in (("ggdG", 0), ("ggwdd", 4), ("jwdd", 13), ("ggjyyGp", 18), ("GVkd", 8)):
            begin(at, "one two\nfour five\nsix")
            press(at, *"gg", *keys, *"gg" * (keys[-1] != "G"), "u")
            assert (keys, at.text, at.at) == (keys, "one two\nfour five\nsix", cursor)


async def test_typing_over_has_a_mode_of_its_own() -> None:
    async with area() as at:
        begin(at, "one two")
        press(at, "0", "R", "a")
        assert (at.vi_mode, at.text) == ("REPLACE", "ane two")
        press(at, "escape")
        assert at.vi_mode == "NORMAL"


async def test_the_clipboard_of_the_app_is_a_register() -> None:
    async with area() as at:
        begin(at, "one two")
        press(at, *'0"+yw')
        assert at.app.clipboard == "one "
        at.app.copy_to_clipboard("three ")
        press(at, *'"+P')
        assert at.text == "three one two"
