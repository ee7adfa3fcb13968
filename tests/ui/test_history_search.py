"""Looking for what was sent before: what is found, how much is looked at, and the panel over the prompt."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path

import pytest
from fake_engine import FakeEngine
from hypothesis import given
from hypothesis import strategies as st
from screen_text import screen_text, until
from textual.events import Key
from textual.pilot import Pilot

from tui_agent.boundary import Engine
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.engine import StartupPrompter
from tui_agent.ui.prompting.history import HistoryEntry, PromptHistory
from tui_agent.ui.prompting.history_search import HistorySearch, pools_of, spans, when
from tui_agent.ui.widgets.history_panel import foot_of
from tui_agent.ui.widgets.prompt import Prompt

HERE, THERE = "/work/here", "/work/there"


def texts(search: HistorySearch, count: int = 100) -> list[str]:
    return [found.entry.text for found in search.first(count)]


def entries(*rows: tuple[str, str]) -> list[HistoryEntry]:
    """Newest first."""
    return [HistoryEntry(text, 1000.0 - number, folder) for number, (text, folder) in enumerate(rows)]


def test_words_are_found_in_any_order_and_the_newest_first() -> None:
    search = HistorySearch(
        pools_of(entries(("Fix the Tests", HERE), ("run tests", HERE), ("test the fix", HERE)), HERE)
    )
    search.search("FIX test")
    assert texts(search) == ["Fix the Tests", "test the fix"]


def test_the_same_text_is_folded_and_counted() -> None:
    search = HistorySearch(pools_of(entries(("a", HERE), ("b", HERE), ("a", HERE), ("a", THERE)), HERE))
    assert [(found.entry.text, found.count, found.entry.time) for found in search.first(9)] == [
        ("a", 2, 1000.0),
        ("b", 1, 999.0),
    ]


def test_the_scope_goes_from_this_folder_to_all_to_this_session() -> None:
    rows = [HistoryEntry("own", 3, HERE, is_own=True), *entries(("here", HERE), ("there", THERE))]
    search = HistorySearch(pools_of(rows, HERE))
    assert texts(search) == ["own", "here"]
    search.widen()
    assert texts(search) == ["own", "here", "there"]
    search.widen()
    assert texts(search) == ["own"]


LETTERS = st.text(alphabet="abA ", max_size=6)


@given(st.lists(LETTERS, max_size=30), st.lists(LETTERS, min_size=1, max_size=6))
def test_going_on_from_what_was_found_finds_what_a_new_search_finds(
    rows: Sequence[str], queries: Sequence[str]
) -> None:
    all_entries = entries(*((text, HERE) for text in rows if text))
    search = HistorySearch(pools_of(all_entries, HERE))
    for query in queries:
        search.search(query)
        search.first(3)
    fresh = HistorySearch(pools_of(all_entries, HERE))
    fresh.search(queries[-1])
    assert texts(search) == texts(fresh)
    words = queries[-1].lower().split()
    assert texts(fresh) == [
        text for text in dict.fromkeys(rows) if text and all(word in text.lower() for word in words)
    ]


def test_a_hundred_thousand_entries_are_looked_at_once_and_then_only_what_was_found() -> None:
    many = [
        HistoryEntry(f"fix the {number}th thing in module {number % 97}", number, HERE) for number in range(100_000)
    ]
    search = HistorySearch(pools_of(many, HERE))
    search.search("f")
    search.first(8)
    assert search.looked_at <= 8  # what is common is found at once
    search.search("fix th")
    search.first(8)
    assert search.looked_at <= 64
    search.search("99999th")
    assert len(texts(search, 8)) == 1
    seen = search.looked_at
    assert seen <= 100_100
    search.search("99999th thing")
    assert len(texts(search, 8)) == 1
    assert search.looked_at - seen <= 2


@given(st.text(alphabet="abcİß ", max_size=20), st.text(alphabet="abci ", max_size=6))
def test_marks_lie_in_the_text_and_apart(text: str, query: str) -> None:
    found = spans(text, query)
    assert all(0 <= start < stop <= len(text) for start, stop in found)
    assert all(one[1] < two[0] for one, two in pairwise(found))


@pytest.mark.parametrize(
    ("age", "words"), [(0, "now"), (59, "now"), (61, "1m ago"), (7300, "2h ago"), (3 * 86400, "3d ago")]
)
def test_how_long_ago(age: float, words: str) -> None:
    assert when(1e9 - age, 1e9) == words
    assert when(0, 1e9) == ""


# --- the file ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("width", "foot"),
    [
        (80, "enter sends · tab edits · ↑ older · ^s all folders · esc back"),
        (58, "enter sends · tab edits · ^s all folders · esc back"),
        (40, "enter sends · ^s all folders · esc back"),
        (20, "esc back"),
    ],
)
def test_keys_at_its_foot_are_whole_and_how_to_leave_is_always_there(width: int, foot: str) -> None:
    assert foot_of("all folders", width) == foot


def test_what_was_sent_here_comes_before_what_was_sent_elsewhere(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    for text, folder in (("here 1", HERE), ("there", THERE), ("here 2", HERE)):
        PromptHistory(path, folder=folder).add(text)
    history = PromptHistory(path, folder=HERE)
    assert [history.back("") for _ in range(4)] == ["here 2", "here 1", "there", None]


def test_a_draft_that_is_a_command_goes_back_through_commands(tmp_path: Path) -> None:
    history = PromptHistory(tmp_path / "history.jsonl", folder=HERE)
    for text in ("!ls", "words", "!make"):
        history.add(text)
    assert [history.back("!"), history.back(""), history.back("")] == ["!make", "!ls", None]
    history.rest()
    assert history.back("") == "!make"


def test_all_that_was_ever_sent_is_read_once_with_this_runs_own_first(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    lines = [
        json.dumps({"text": f"old {number} {'x' * 200}", "time": number, "folder": THERE}) for number in range(6000)
    ]
    path.write_text("\n".join(lines) + "\n")
    history = PromptHistory(path, folder=HERE)
    history.add("new")
    assert len(history.newest()) < 4000  # the end of the file
    everything = history.all()
    assert len(everything) == 6001
    assert (everything[0].text, everything[0].is_own, everything[0].folder) == ("new", True, HERE)
    assert everything[-1].text.startswith("old 0 ")


def test_another_look_reads_only_what_was_added(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    other = PromptHistory(path, folder=THERE)
    history = PromptHistory(path, folder=HERE)
    other.add("one")
    assert [entry.text for entry in history.all()] == ["one"]
    with path.open("a") as file:
        file.write('{"text": "cut o')
    assert [entry.text for entry in history.all()] == ["one"]
    with path.open("a") as file:
        file.write('ff"}\n')
    history.add("own")
    other.add("two")
    found = [entry.text for entry in history.all()]
    assert found == ["own", "two", "cut off", "one"]
    path.unlink()
    assert [entry.text for entry in history.all()] == found


# --- the panel ---------------------------------------------------------------------------------------------------------


class Harness:
    def __init__(self, pilot: Pilot[object], engine: FakeEngine) -> None:
        self.pilot = pilot
        self.engine = engine
        self.prompt = pilot.app.screen.query_one(Prompt)

    @property
    def text(self) -> str:
        return self.prompt.text.text

    @property
    def is_open(self) -> bool:
        return bool(self.prompt.query("#history"))

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*("space" if key == " " else key for key in keys))

    async def sees(self, *words: str) -> None:
        await until(self.pilot, lambda: all(word in screen_text(self.pilot.app) for word in words))

    async def open(self) -> None:
        await self.press("ctrl+r")
        await self.sees("search ", "esc back")

    async def closes(self) -> None:
        await until(self.pilot, lambda: not self.is_open and self.prompt.text.has_focus)


@asynccontextmanager
async def desk(tmp_path: Path) -> AsyncIterator[Harness]:
    path = tmp_path / "history.jsonl"
    for text, folder in (
        ("fix the totals", HERE),
        ("!pytest -q", HERE),
        ("write\nmore tests", HERE),
        ("deploy it", THERE),
    ):
        PromptHistory(path, folder=folder).add(text)
    engine = FakeEngine()

    async def connect(prompter: StartupPrompter) -> Engine:
        return engine

    app = TuiAgentApp(connect, history=PromptHistory(path, folder=HERE))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: ("start",) in engine.asked)
        yield Harness(pilot, engine)


async def test_what_is_found_is_taken_for_editing_by_tab_and_by_the_right_arrow(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        for key in ("tab", "right"):
            await at.open()
            await at.sees("write ⏎ more tests", "!pytest -q", "fix the totals")
            assert "deploy it" not in screen_text(at.pilot.app)
            await at.press(*"tot", key)
            await at.closes()
            assert at.text == "fix the totals"
        assert ("submit", "fix the totals") not in at.engine.asked


async def test_enter_sends_what_was_looked_for(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        await at.press("d", "r", "a", "f", "t")
        await at.open()
        await at.press(*"more", "enter")
        await at.closes()
        assert ("submit", "write\nmore tests") in at.engine.asked
        await at.open()
        await at.press(*"pytest", "enter")
        await at.closes()
        assert ("run_shell", "pytest -q") in at.engine.asked


async def test_enter_with_nothing_looked_for_sends_nothing(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        await at.open()
        await at.press("enter")
        await at.closes()
        assert at.text == "write\nmore tests"
        assert not any(entry[0] == "submit" for entry in at.engine.asked)


@pytest.mark.parametrize("key", ["escape", "ctrl+c", "ctrl+g"])
async def test_leaving_leaves_the_draft_as_it_was(tmp_path: Path, key: str) -> None:
    async with desk(tmp_path) as at:
        await at.press(*"draft", "left")
        await at.open()
        await at.press(*"tot", "up", key)
        await at.closes()
        assert (at.text, at.prompt.text.at) == ("draft", 4)


async def test_the_same_key_goes_on_to_older_ones_and_down_comes_back(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        await at.open()
        await at.sees("▸ write")
        await at.press("ctrl+r")
        await at.sees("▸ !pytest")
        await at.press("up", "up", "up")
        await at.sees("▸ fix the totals")
        await at.press("down")
        await at.sees("▸ !pytest")
        await at.press("tab")
        await at.closes()
        assert at.text == "!pytest -q"


async def test_another_key_searches_all_folders_and_then_this_session(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        await at.open()
        await at.press("ctrl+s")
        await at.sees("search all folders", "deploy it", THERE)
        await at.press("ctrl+s")
        await at.sees("search this session", "nothing sent yet in this session")
        await at.press("enter")
        assert at.is_open  # there is nothing to take
        await at.press("ctrl+s", *"zzz")
        await at.sees("no matches for “zzz” in this folder")


async def test_foreign_text_in_the_history_stays_text(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        (tmp_path / "history.jsonl").write_text(
            json.dumps({"text": "[b]x\x1b[2J\u202e[/]", "folder": HERE, "time": 1}) + "\n"
        )
        at.prompt._history._entries = None
        await at.open()
        await at.sees("[b]x")
        assert "\x1b[2J" not in screen_text(at.pilot.app)


async def test_a_click_takes_a_line(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        await at.open()
        await at.sees("fix the totals")
        await at.pilot.click("#history-rows", offset=(4, 0))
        await at.closes()
        assert at.text == "fix the totals"


async def test_keys_in_one_burst_go_where_they_are_meant(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        burst = ["ctrl+r", *"tot", "tab", *" now"]
        for key in burst:
            at.pilot.app.post_message(Key({" ": "space"}.get(key, key), key if len(key) == 1 else None))
        await until(at.pilot, lambda: at.text == "fix the totals now")
        await at.closes()
        for key in ["ctrl+r", *"tot", "enter", *"next"]:
            at.pilot.app.post_message(Key(key, key if len(key) == 1 else None))
        await until(at.pilot, lambda: ("submit", "fix the totals") in at.engine.asked and at.text.endswith("next"))
