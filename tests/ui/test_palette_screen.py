"""The command palette: everything that can be done, found by a few letters, with its key beside it."""

from __future__ import annotations

from pathlib import Path

import pytest
from dialog_app import DialogApp
from dialog_app import screen_text as shown
from fake_engine import FakeEngine
from screen_text import screen_text, until

from tui_agent import slash_commands
from tui_agent.boundary import Engine
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.engine import StartupPrompter
from tui_agent.ui.palette_entries import entries
from tui_agent.ui.prompting.palette_search import PaletteEntry, found
from tui_agent.ui.screens.palette import PaletteScreen
from tui_agent.ui.widgets.prompt_text import PromptText


def entry(name: str, words: str = "", key: str = "", kind: str = "command") -> PaletteEntry:
    return PaletteEntry(kind, name, words, key, lambda: name)  # type: ignore[arg-type]


ALL = [
    entry("/model", "choose the model"),
    entry("/mode", "choose the permission mode"),
    entry("/theme", "choose the colour theme"),
    entry("Expand or collapse all details", key="^o", kind="key"),
    entry("nord", "colours", kind="theme"),
    entry("claude-opus-5", "1M context", kind="model"),
]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("/mode", "/mode"),
        ("mdl", "/model"),
        ("colour", "/theme"),
        ("details", "Expand or collapse all details"),
        ("^o", "Expand or collapse all details"),
        ("opus", "claude-opus-5"),
        ("theme nord", "nord"),
        ("model opus", "claude-opus-5"),
    ],
)
def test_a_few_letters_find_what_is_meant(query: str, first: str) -> None:
    assert found(ALL, query)[0].name == first


def test_without_a_search_commands_come_first_and_nonsense_finds_nothing() -> None:
    assert [one.kind for one in found(ALL, "")] == ["command"] * 3 + ["key", "model", "theme"]
    assert found(ALL, "xyzzy") == []


async def test_letters_filter_and_enter_takes_the_entry_under_the_cursor() -> None:
    app = DialogApp(PaletteScreen(ALL))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "^o" in shown(pilot)
        await pilot.press(*"mode")
        await pilot.pause()
        assert "nord" not in shown(pilot)
        await pilot.press("down", "enter")
        assert app.result is ALL[0]


async def test_one_escape_closes_it_whatever_was_searched_for() -> None:
    app = DialogApp(PaletteScreen(ALL))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*"zzz")
        await pilot.pause()
        assert "No matching command." in shown(pilot)
        await pilot.press("enter")
        assert app.result == "not dismissed"
        await pilot.press("escape")
        await pilot.pause()
        assert app.result is None


async def test_what_has_to_be_read_comes_later_and_foreign_text_is_cleaned() -> None:
    hostile = entry("\x1b[31mfix [b]it[/]\nnow", "resume it", kind="session")

    async def recent() -> list[PaletteEntry]:
        return [hostile]

    app = DialogApp(PaletteScreen(ALL, recent))
    async with app.run_test(size=(60, 20)) as pilot:
        await app.workers.wait_for_complete()
        await pilot.press(*"session")
        await pilot.pause()
        assert "fix [b]it[/]" in shown(pilot)
        assert "\x1b" not in shown(pilot)


def app_on(engine: FakeEngine) -> TuiAgentApp:
    async def connect(prompter: StartupPrompter) -> Engine:
        return engine

    return TuiAgentApp(connect, models=lambda: [("claude-opus-5", "1M context")])


async def take(app: TuiAgentApp, pilot: object, text: str) -> None:
    await pilot.press("ctrl+p")  # type: ignore[attr-defined]
    await until(pilot, lambda: isinstance(app.screen, PaletteScreen))  # type: ignore[arg-type]
    await pilot.press(*("space" if letter == " " else letter for letter in text), "enter")  # type: ignore[attr-defined]
    await until(pilot, lambda: not isinstance(app.screen, PaletteScreen))  # type: ignore[arg-type]


async def test_every_command_and_every_kind_of_thing_is_there_and_does_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TUI_AGENT_HOME", str(tmp_path))
    engine = FakeEngine()
    app = app_on(engine)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: engine.asked)
        all_entries = entries(app, [("m", "")], lambda *_: None)
        names = {one.name for one in all_entries}
        assert {f"/{one.name}" for one in slash_commands.COMMANDS if not one.argument.endswith("…")} <= names
        assert {one.kind for one in all_entries} == {"command", "key", "mode", "model", "theme"}
        assert next(one for one in all_entries if one.name == "Tools").key == "F2"
        assert next(one for one in all_entries if one.name == "More unchanged lines").key == "+ = enter"
        await take(app, pilot, "opus")
        assert engine.asked[-1] == ("set_model", "claude-opus-5")
        await take(app, pilot, "mode plan")
        assert engine.asked[-1] == ("set_mode", "plan")
        await take(app, pilot, "next permission")
        await until(pilot, lambda: engine.asked[-1] == ("set_mode", "dontAsk") or len(engine.asked) > 3)
        await take(app, pilot, "new line")
        await take(app, pilot, "file or folder")
        await until(pilot, lambda: app.query_one(PromptText).text == "\n@")
        await take(app, pilot, "stash the draft")
        await until(pilot, lambda: not app.query_one(PromptText).text)
        await take(app, pilot, "/cost")
        await until(pilot, lambda: "No requests yet." in screen_text(app))


async def test_the_key_that_leaves_is_there() -> None:
    app = app_on(FakeEngine())
    async with app.run_test(size=(120, 40)) as pilot:
        await take(app, pilot, "quit when the prompt")
        await until(pilot, lambda: not app.is_running or app.return_code == 0)


@pytest.mark.parametrize("size", [(40, 10), (60, 20), (200, 60)])
async def test_it_fits_every_size(size: tuple[int, int]) -> None:
    async with DialogApp(PaletteScreen(ALL)).run_test(size=size) as pilot:
        await pilot.pause()
        text = shown(pilot)
        assert "/model" in text
        assert max(map(len, text.split("\n"))) <= size[0]
