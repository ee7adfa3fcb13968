"""Keys that come in one burst do what they do one by one: none is lost to what the one before it closes or leaves."""

from __future__ import annotations

from typing import Any

import pytest
from fake_engine import FakeEngine
from screen_text import screen_text, until
from textual import events
from textual.pilot import Pilot

from tui_agent.boundary import Engine
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.dialogs.confirm import Confirm
from tui_agent.ui.engine import StartupPrompter
from tui_agent.ui.widgets.prompt_text import PromptText


async def burst(pilot: Pilot[Any], *keys: str) -> None:
    """Press keys as fast as a terminal sends them after the program was busy for a moment."""
    for key in keys:
        pilot.app.post_message(events.Key(key, key if len(key) == 1 else None))
    await pilot.pause()


def app_on(engine: FakeEngine) -> TuiAgentApp:
    async def connect(prompter: StartupPrompter) -> Engine:
        return engine

    return TuiAgentApp(connect)


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        (["f3", "f3", *"hello"], "hello"),
        (["f2", "escape", *"hello"], "hello"),
        ([*"ab", "left", "X", "home", *"Y"], "YaXb"),
        (["f1", "escape", *"hello"], "hello"),
    ],
)
async def test_what_is_typed_behind_a_key_goes_where_the_key_leads(keys: list[str], text: str) -> None:
    app = app_on(FakeEngine())
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: app.engine is not None)
        await burst(pilot, *keys)
        await until(pilot, lambda: app.query_one(PromptText).text == text)


@pytest.mark.parametrize("keys", [["y"], ["up", "enter"], ["escape"]])
async def test_what_is_typed_behind_the_answer_to_a_dialog_goes_to_the_prompt(keys: list[str]) -> None:
    app = app_on(FakeEngine())
    answers: list[bool | None] = []
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.engine is not None)
        app.push_screen(Confirm("Sure?", "about", yes="Yes", no="No"), answers.append)
        await until(pilot, lambda: "Sure?" in screen_text(app))
        await burst(pilot, *keys, *"hello")
        await until(pilot, lambda: app.screen.query_one(PromptText).text == "hello")
        assert answers == [keys != ["escape"]]


async def test_a_paste_behind_a_key_waits_for_it_too() -> None:
    app = app_on(FakeEngine())
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: app.engine is not None)
        app.post_message(events.Key("f3", None))
        app.post_message(events.Key("escape", None))
        app.post_message(events.Paste("pasted"))
        app.post_message(events.Key("!", "!"))
        await until(pilot, lambda: app.query_one(PromptText).text == "pasted!")
