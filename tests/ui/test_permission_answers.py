"""What a user answers in the dialog, in the real app over a real session: what runs, and what the model is told."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from screen_text import screen_text, until
from scripted_model import Script, ScriptedModel, calls, reply, says
from session_driver import SessionDriver, open_session
from session_front import place_apart
from textual.pilot import Pilot

from tui_agent.engine.session.config import SessionOptions
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.dialogs.input_grace import InputGrace
from tui_agent.ui.screens.permission import PermissionScreen
from tui_agent.ui.widgets.command_editor import CommandEditor

DONE: Script = reply(says(0, "done"))

Run = Callable[..., AbstractAsyncContextManager[tuple[Pilot[Any], SessionDriver, ScriptedModel]]]


def command(*texts: str) -> Script:
    uses = [calls(number, "Bash", {"command": text}) for number, text in enumerate(texts)]
    return reply(*uses, stop="tool_use")


def told(model: ScriptedModel, number: int) -> str:
    """Return what the model got with its request of this number, counted from 0."""
    return json.dumps(model.requests[number].messages[-1], ensure_ascii=False)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(InputGrace, "is_open", True)
    return place_apart(tmp_path, monkeypatch)


@pytest.fixture
def run(place: Path) -> Run:
    @asynccontextmanager
    async def start(*scripts: Script, **options: Any) -> AsyncIterator[tuple[Pilot[Any], SessionDriver, ScriptedModel]]:
        model = ScriptedModel(*scripts)
        session = await open_session(SessionOptions(cwd=place, is_trusted=True, **options), model)

        async def connect(_prompter: object) -> SessionDriver:
            return session

        app = TuiAgentApp(connect, initial_prompt="go")  # type: ignore[arg-type]
        async with app.run_test(size=(100, 32)) as pilot:
            await until(pilot, lambda: isinstance(app.screen, PermissionScreen) and app.screen.is_mounted)
            await pilot.pause()
            yield pilot, session, model

    return start


async def test_words_of_a_refusal_reach_the_model_as_they_were_said(run: Run) -> None:
    async with run(command("touch made"), DONE) as (pilot, session, model):
        await pilot.press("4", *"not that: use Write", "enter")
        await until(pilot, lambda: len(model.requests) == 2)
        assert "not that: use Write" in told(model, 1)
        await session.wait_idle()
        assert [(denial.by, denial.reason) for denial in session.permissions.recent_denials()] == [
            ("person", "not that: use Write")
        ]


async def test_words_of_a_yes_reach_the_model_with_the_result(run: Run, place: Path) -> None:
    async with run(command("touch made"), DONE) as (pilot, _, model):
        await pilot.press("w", *"be brief", "enter")
        await until(pilot, lambda: len(model.requests) == 2)
        assert (place / "made").exists()
        assert "said:\\nbe brief" in told(model, 1)


async def test_what_the_model_said_stands_above_the_question(run: Run) -> None:
    async with run(command("touch made"), DONE) as (pilot, _, _model):
        dialog = pilot.app.screen.query_one("#dialog").region
        main = pilot.app.screen_stack[0]
        await until(pilot, lambda: main.query_one("#transcript").region.bottom <= dialog.y)
        await pilot.press("1")
        await until(pilot, lambda: main.styles.padding.bottom == 0)


async def test_an_edited_command_runs_instead_and_the_model_sees_both(run: Run, place: Path) -> None:
    async with run(command("touch proposed"), DONE) as (pilot, _, model):
        await pilot.press("e")
        pilot.app.screen.query_one(CommandEditor).load_command("touch edited && echo made it")
        await pilot.press("enter")
        await until(pilot, lambda: len(model.requests) == 2)
        assert sorted(path.name for path in place.iterdir() if path.is_file()) == ["edited"]
        assert "The user changed the input" in told(model, 1)
        assert "touch edited && echo made it" in told(model, 1)
        assert "touch proposed" in json.dumps(model.requests[1].messages[-2])


async def test_an_edited_command_that_a_rule_denies_says_so_and_does_not_run(run: Run, place: Path) -> None:
    async with run(command("touch proposed"), DONE, disallowed=("Bash(touch secret *)",)) as (pilot, _, model):
        await pilot.press("e")
        pilot.app.screen.query_one(CommandEditor).load_command("cd . && touch secret x")
        await pilot.press("enter")
        await until(pilot, lambda: "denied, so it cannot be run" in screen_text(pilot.app))
        assert len(model.requests) == 1
        await pilot.press("escape", "1")
        await until(pilot, lambda: len(model.requests) == 2)
        assert sorted(path.name for path in place.iterdir() if path.is_file()) == ["proposed"]


async def test_rules_for_several_commands_are_saved_and_allow_the_next_call(run: Run, place: Path) -> None:
    first, second = "touch a && mkdir b", "touch c; mkdir d"
    async with run(command(first), command(second), DONE) as (pilot, session, model):
        assert "Bash(touch" in screen_text(pilot.app)
        assert "Bash(mkdir" in screen_text(pilot.app)
        await pilot.press("2")
        await until(pilot, lambda: len(model.requests) == 3)
        assert (place / "d").is_dir()
        kept = {row.text for row in session.permissions.rules() if row.kind == "local"}
        assert len(kept) == 2


async def test_it_says_what_the_rule_would_have_covered_before(run: Run) -> None:
    async with run(command("touch a"), command("touch b"), DONE) as (pilot, _, model):
        await until(pilot, lambda: "touch *" in screen_text(pilot.app))
        assert "would have covered" not in screen_text(pilot.app)
        await pilot.press("1")
        await until(pilot, lambda: len(model.requests) == 2 and isinstance(pilot.app.screen, PermissionScreen))
        await until(
            pilot, lambda: "would have covered 1 other call of this session: `touch a`" in screen_text(pilot.app)
        )
        assert "does not cover this call" not in screen_text(pilot.app)
