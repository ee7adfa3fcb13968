"""Who is in the middle of a sentence when a question opens finds it whole in the prompt, and has answered nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from fake_engine import FakeEngine
from screen_text import until
from textual.pilot import Pilot

from tui_agent.boundary import Engine
from tui_agent.events import PermissionRequested, PermissionResolved
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.dialogs.input_grace import InputGrace
from tui_agent.ui.engine import StartupPrompter
from tui_agent.ui.screens.palette import PaletteScreen
from tui_agent.ui.screens.permission import PermissionScreen
from tui_agent.ui.widgets import draft_keys
from tui_agent.ui.widgets.prompt_text import PromptText

At = tuple[Pilot[object], TuiAgentApp, FakeEngine]


@pytest.fixture
async def at(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[At]:
    """A running app in which no question can have been read yet, however slow this machine is."""
    monkeypatch.setattr(InputGrace, "is_open", False)
    monkeypatch.setattr(draft_keys, "_GOES_ON_S", 60.0)
    engine = FakeEngine()

    async def connect(prompter: StartupPrompter) -> Engine:
        return engine

    app = TuiAgentApp(connect)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.engine is not None)
        engine.begin()
        yield pilot, app, engine


async def ask(at: At, name: str = "q") -> None:
    pilot, app, engine = at
    call = engine.call("Bash", {"command": "touch made"}, is_running=False)
    engine.say(
        PermissionRequested(
            request_id=name, tool_use_id=call, name="Bash", input={"command": "touch made"}, by="default", reason="none"
        )
    )
    await until(pilot, lambda: isinstance(app.screen, PermissionScreen))


def text(app: TuiAgentApp) -> str:
    return app.screen_stack[0].query_one(PromptText).text


async def test_a_sentence_goes_on_where_it_was_begun(at: At) -> None:
    pilot, app, engine = at
    await pilot.press(*"one tw")
    await ask(at)
    await pilot.press("o", "space", "1", "e", "n", "x", "backspace", "enter", "d")
    assert text(app) == "one two 1end"
    assert [asked for asked in engine.asked if asked[0] in {"answer", "submit"}] == []


async def test_a_sentence_goes_on_though_another_question_takes_the_place_of_one_that_nobody_read(at: At) -> None:
    pilot, app, engine = at
    await pilot.press(*"one")
    await ask(at)
    first = app.screen
    await pilot.press("t")
    engine.say(PermissionResolved(request_id="q", tool_use_id="t", behavior="allow", by="hook"))
    engine.say(
        PermissionRequested(
            request_id="r", tool_use_id="t", name="Bash", input={"command": "true"}, by="default", reason="none"
        )
    )
    await until(pilot, lambda: isinstance(app.screen, PermissionScreen) and app.screen is not first)
    await pilot.press("w")
    assert text(app) == "onetw"


async def test_what_was_pressed_for_no_sentence_is_written_nowhere(at: At, monkeypatch: pytest.MonkeyPatch) -> None:
    pilot, app, _ = at
    await ask(at)
    await pilot.press("1", "y")
    assert text(app) == ""
    app.pop_screen()
    await pilot.press(*"one")
    monkeypatch.setattr(draft_keys, "_GOES_ON_S", 0.0)  # the person has stopped writing
    await ask(at, "r")
    await pilot.press("1")
    assert text(app) == "one"


async def test_letters_that_are_commands_of_vi_are_not_written(at: At) -> None:
    pilot, app, _ = at
    app.screen.query_one(PromptText).use_vi(is_on=True)
    await pilot.press(*"one", "escape")
    await ask(at)
    await pilot.press("x", "d")
    assert text(app) == "one"


async def test_who_has_left_the_prompt_is_writing_nothing(at: At) -> None:
    pilot, app, _ = at
    await pilot.press(*"one", "f2")
    await until(pilot, lambda: app.screen.focused is not None and app.screen.focused.id == "tools")
    await ask(at)
    await pilot.press("1")
    assert text(app) == "one"


async def test_what_is_typed_into_the_palette_when_a_question_comes_is_not_for_the_prompt(at: At) -> None:
    pilot, app, _ = at
    await pilot.press(*"one", "ctrl+p")
    await until(pilot, lambda: isinstance(app.screen, PaletteScreen))
    await pilot.press("a")
    await ask(at)
    await pilot.press("1")
    assert text(app) == "one"


async def test_once_a_question_was_read_letters_are_for_questions(at: At, monkeypatch: pytest.MonkeyPatch) -> None:
    pilot, app, _ = at
    await pilot.press(*"one")
    await ask(at)
    await ask(at, "r")
    first = app.screen
    monkeypatch.setattr(InputGrace, "is_open", True)
    await pilot.press("right_square_bracket")
    await until(pilot, lambda: isinstance(app.screen, PermissionScreen) and app.screen is not first)
    monkeypatch.setattr(InputGrace, "is_open", False)
    await pilot.press("x")
    assert text(app) == "one"
