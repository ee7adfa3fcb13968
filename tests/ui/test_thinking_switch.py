"""Thinking on and off by a key or a command: what is asked of the engine, and what is said."""

from __future__ import annotations

from typing import Any

import pytest
from fake_engine import FakeEngine
from screen_text import screen_text, until

from tui_agent import events as ev
from tui_agent.boundary import Engine
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.engine import StartupPrompter
from tui_agent.ui.projection.state import Status
from tui_agent.ui.screen_text.status_text import sections
from tui_agent.ui.screen_text.thinking_text import standing, switched
from tui_agent.ui.screens.help import HelpScreen
from tui_agent.ui.widgets.prompt_text import PromptText


def app_on(engine: FakeEngine) -> TuiAgentApp:
    async def connect(prompter: StartupPrompter) -> Engine:
        return engine

    return TuiAgentApp(connect)


def wishes(engine: FakeEngine) -> list[Any]:
    return [asked[1] for asked in engine.asked if asked[0] == "set_thinking"]


async def test_the_key_switches_it_from_the_prompt_and_both_lines_say_so() -> None:
    engine = FakeEngine()
    engine.model = "claude-sonnet-5"
    app = app_on(engine)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: "sonnet-5 ·" in screen_text(app))
        await pilot.press("h", "alt+t")
        await until(pilot, lambda: "thinking is off from your next message on" in screen_text(app))
        await until(pilot, lambda: "sonnet-5 · thinking off · 0% ctx" in screen_text(app))
        assert app.query_one(PromptText).text == "h"
        assert "claude-sonnet-5, thinking off" in dict(sections(app.projection)[0][1])["model"]
        await pilot.press("alt+t")
        await until(pilot, lambda: "thinking is on from your next message on" in screen_text(app))
        await until(pilot, lambda: "thinking off" not in screen_text(app).rstrip().splitlines()[-1])
    assert wishes(engine) == [False, True]


async def test_a_vi_prompt_lets_the_key_through_and_what_lies_over_the_screen_does_not() -> None:
    engine = FakeEngine()
    app = app_on(engine)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: engine.asked)
        app.query_one(PromptText).use_vi(True, {})
        await pilot.press("alt+t")
        await until(pilot, lambda: wishes(engine) == [False])
        await pilot.press("f1")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))
        await pilot.press("alt+t")
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, HelpScreen))
    assert wishes(engine) == [False]


@pytest.mark.parametrize(("argument", "expected"), [("", [False]), ("on", [True]), ("OFF", [False]), ("maybe", [])])
async def test_the_command_takes_on_and_off_and_switches_without(argument: str, expected: list[bool]) -> None:
    engine = FakeEngine()
    app = app_on(engine)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: engine.asked)
        app._command_runner.run("thinking", argument)
        await pilot.pause()
        assert wishes(engine) == expected
        if not expected:
            await until(pilot, lambda: "/thinking expects on or off, not maybe." in screen_text(app))


async def test_nothing_is_said_to_be_off_that_the_engine_left_on() -> None:
    engine = FakeEngine()
    engine.always_thinks = True
    app = app_on(engine)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: engine.asked)
        await pilot.press("alt+t")
        await until(pilot, lambda: wishes(engine) == [False])
        engine.say(ev.Notice(level="warning", text="It thinks in any case."))
        await until(pilot, lambda: "It thinks in any case." in screen_text(app))
        assert "thinking is" not in screen_text(app)


@pytest.mark.parametrize(
    ("model", "is_thinking", "words"),
    [
        ("claude-sonnet-5", True, ""),
        ("claude-sonnet-5", False, "thinking off"),
        ("claude-haiku-4-5", False, "thinking off"),
        ("claude-opus-5-5", False, ""),  # it thinks all the same
        ("somebodys-model", False, ""),  # nobody knows
    ],
)
def test_it_is_said_to_be_off_only_where_it_is(model: str, is_thinking: bool, words: str) -> None:
    assert standing(Status(model=model, is_thinking=is_thinking)) == words


def test_what_goes_on_thinking_is_said() -> None:
    assert switched("claude-sonnet-5-5", is_on=False) == "thinks only between tools from your next message"
    assert switched("claude-sonnet-5-5", is_on=True).endswith("next message on")
    assert switched("claude-sonnet-5", is_on=False).endswith("next message on")
