"""Commands about the work: what people type by habit does it, or says what to use instead."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from fake_engine import FakeEngine
from screen_text import screen_text, until
from textual.widgets import OptionList

from tui_agent import slash_commands
from tui_agent.boundary import Engine
from tui_agent.model.prices import full_name
from tui_agent.queries import MemoryPlace, MemoryReport, MemoryRow, ModelName
from tui_agent.slash_hints import hint_for
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.engine import StartupPrompter
from tui_agent.ui.screen_text.model_text import spoken_name
from tui_agent.ui.system_open import SystemOpen

# What the rivals' users know, by the names that they know.
HABITS = """
    add-dir agents allowed-tools bashes branch btw bug cd checkpoint clear code-review compact config context
    continue copy cost diff doctor effort exit export fast feedback fork goal help hooks ide init keybindings
    login logout loop mcp memory model new output-style permissions plan plugin pr-comments quit recap
    release-notes reload-plugins reload-skills rename reset resume review rewind sandbox security-review settings
    skills stats status statusline tasks terminal-setup theme tui undo usage vim
""".split()  # noqa: SIM905 - a list of sixty strings says no more


@asynccontextmanager
async def running() -> AsyncIterator[tuple[FakeEngine, Any]]:
    engine = FakeEngine()

    async def connect(prompter: StartupPrompter) -> Engine:
        return engine

    app = TuiAgentApp(connect)
    async with app.run_test(size=(120, 30)) as pilot:
        await until(pilot, lambda: ("start",) in engine.asked)
        yield engine, pilot


async def type_(pilot: Any, text: str) -> None:
    await pilot.press(*text, "enter")


@pytest.mark.parametrize("name", HABITS)
def test_a_command_that_people_know_is_there_or_says_what_to_use(name: str) -> None:
    assert (slash_commands.find(name) is None) == bool(hint_for(name)), "one of both, and not both"


def test_a_name_that_nobody_knows_gets_no_hint() -> None:
    assert hint_for("frobnicate") == ""
    assert hint_for("") == ""


async def test_the_hint_is_shown() -> None:
    async with running() as (_, pilot):
        await type_(pilot, "/rewind")
        await until(pilot, lambda: "There is no /rewind here" in screen_text(pilot.app))
        assert "open the diff (F3) and press u" in screen_text(pilot.app)


async def test_init_asks_the_model_and_takes_more_words() -> None:
    async with running() as (engine, pilot):
        await type_(pilot, "/init mention the linter")
        await until(pilot, lambda: engine.asked[-1][0] == "submit")
        text = engine.asked[-1][1]
        assert "CLAUDE.md" in text
        assert text.endswith("mention the linter")


async def test_copy_takes_the_last_reply_or_an_earlier_one(monkeypatch: pytest.MonkeyPatch) -> None:
    copied: list[tuple[str, str]] = []
    monkeypatch.setattr(SystemOpen, "copy", lambda _self, *what: copied.append(what))
    async with running() as (engine, pilot):
        await type_(pilot, "/copy")
        await until(pilot, lambda: "There is no reply to copy yet" in screen_text(pilot.app))
        for number in ("one", "two"):
            engine.begin(f"question {number}")
            engine.reply(f"# answer {number}\n\n- with a list\n\nand an end")
            engine.end()
        await until(pilot, lambda: "answer two" in screen_text(pilot.app))
        await type_(pilot, "/copy")
        await type_(pilot, "/copy 2")
        await until(pilot, lambda: len(copied) == 2)
        assert copied == [(f"# answer {number}\n\n- with a list\n\nand an end", "reply") for number in ("two", "one")]
        await type_(pilot, "/copy 3")
        await until(pilot, lambda: "There are only 2 replies" in screen_text(pilot.app))
        await type_(pilot, "/copy all")
        await until(pilot, lambda: "/copy expects a number, not all" in screen_text(pilot.app))


async def test_diff_goes_to_the_diff() -> None:
    async with running() as (_, pilot):
        await type_(pilot, "/diff")
        await until(pilot, lambda: pilot.app._main.diff.has_focus_within)
        await type_(pilot, "/diff")


async def test_rename_is_a_command_of_the_engine() -> None:
    async with running() as (engine, pilot):
        await type_(pilot, "/rename round the totals")
        await until(pilot, lambda: ("rename_session", "round the totals") in engine.asked)
        await type_(pilot, "/rename")
        await until(pilot, lambda: "This session is called “round the totals”" in screen_text(pilot.app))


async def test_memory_opens_the_file_that_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    from tui_agent.ui.terminal import editor

    opened: list[Path] = []

    async def opens(_app: object, file: Path) -> None:
        opened.append(file)

    monkeypatch.setattr(editor, "open_outside", opens)
    async with running() as (engine, pilot):
        engine.memory = MemoryReport(
            files=(MemoryRow(path="/w/docs/x\x1b.md", kind="Project", chars=4000, importer="/w/CLAUDE.md"),),
            places=(MemoryPlace("this project, shared", "/w/CLAUDE.md", is_there=True),),
        )
        await type_(pilot, "/memory")
        await until(pilot, lambda: "for this project, shared; empty" in screen_text(pilot.app))
        assert "project, 4,000 characters, imported by CLAUDE.md" in screen_text(pilot.app)
        await pilot.press("enter")
        await until(pilot, lambda: opened)
        await type_(pilot, "/memory")
        await until(pilot, lambda: "imported by" in screen_text(pilot.app))
        await pilot.press("down", "enter")
        await until(pilot, lambda: len(opened) == 2)
    assert opened == [Path("/w/CLAUDE.md"), Path("/w/docs/x\x1b.md")]


async def test_models_go_by_the_names_that_people_use_with_what_the_endpoint_adds() -> None:
    engine = FakeEngine()
    engine.listed = (
        ModelName("claude-opus-5-5", "Claude Opus 5.5"),
        ModelName("claude-opus-5-5-20261101", "Claude Opus 5.5"),
        ModelName("qwen-9", "Qwen \x1b[31mNine"),
    )

    async def connect(prompter: StartupPrompter) -> Engine:
        return engine

    app = TuiAgentApp(connect, models=lambda: [("claude-opus-5-5", ""), ("claude-haiku-4-5", "")])
    async with app.run_test(size=(120, 30)) as pilot:
        await until(pilot, lambda: ("start",) in engine.asked)
        await type_(pilot, "/model")
        await until(pilot, lambda: "Qwen Nine" in screen_text(app))
        text = screen_text(app)
        assert "Opus 5.5" in text
        assert "Haiku 4.5" in text
        assert len(app.screen.query_one(OptionList).options) == 3, "a dated name is that of a model that is there"
        await pilot.press("down", "down", "s")
        await until(pilot, lambda: ("set_model", "qwen-9") in engine.asked)


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("claude-opus-5-5", "Opus 5.5"),
        ("claude-sonnet-5", "Sonnet 5"),
        ("claude-haiku-4-5-20251001", "Haiku 4.5 of 2025-10-01"),
        ("local/qwen", "local/qwen"),
    ],
)
def test_a_model_is_called_as_people_call_it(model: str, said: str) -> None:
    assert spoken_name(model) == said
    if " of " not in said and "/" not in said:
        assert full_name(said) == full_name(f"Claude {said}") == model


async def test_the_list_of_commands_says_how_many_there_are() -> None:
    async with running() as (_, pilot):
        await pilot.press("/")
        many = len(slash_commands.COMMANDS)
        await until(pilot, lambda: f"1-10 of {many}" in screen_text(pilot.app))
        await pilot.press("up")
        await until(pilot, lambda: f"{many - 9}-{many} of {many}" in screen_text(pilot.app))
