"""A status line of the user's own: a command that is told how things stand, and whose output is shown."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fake_engine import FakeEngine
from screen_text import screen_text, until

from tui_agent import events as ev
from tui_agent.boundary import Engine
from tui_agent.settings.schema import SettingsValues
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.engine import StartupPrompter


class Placed(FakeEngine):
    """An engine whose session is in a folder that is there."""

    def __init__(self, folder: Path, command: str, **values: Any) -> None:
        super().__init__()
        self.folder = folder
        self.is_trusted = True
        line = {"type": "command", "command": command, **values.pop("line", {})}
        self.settings = SimpleNamespace(values=SettingsValues.model_validate({"statusLine": line, **values}))

    def start(self) -> None:
        self.asked.append(("start",))
        started = ev.SessionStarted(
            cwd=str(self.folder), model="sonnet", mode="default", version="0", trusted=self.is_trusted
        )
        self.say(started)


def app_on(engine: FakeEngine) -> TuiAgentApp:
    async def connect(prompter: StartupPrompter) -> Engine:
        return engine

    return TuiAgentApp(connect)


async def test_the_command_is_told_the_state_and_its_output_is_shown_clean(tmp_path: Path) -> None:
    engine = Placed(tmp_path, "cat > told.json; printf 'my \\033[31mline\\033[0m\\033]0;title\\007 %s' \"$COLUMNS\"")
    app = app_on(engine)
    async with app.run_test(size=(100, 24)) as pilot:
        await until(pilot, lambda: "my line 100" in screen_text(app), tries=600)
        assert "title" not in screen_text(app)
        told = json.loads((tmp_path / "told.json").read_text())
        assert told["cwd"] == str(tmp_path)
        assert told["model"]["id"] == "sonnet"
        assert told["context_window"]["used_percentage"] is None
        engine.begin()
        engine.end()
        await until(pilot, lambda: '"used_percentage": 31' in (tmp_path / "told.json").read_text(), tries=600)
        assert json.loads((tmp_path / "told.json").read_text())["cost"]["total_cost_usd"] == 0.42


@pytest.mark.parametrize("why", ["untrusted", "no hooks"])
async def test_it_does_not_run_where_it_may_not(tmp_path: Path, why: str) -> None:
    engine = Placed(tmp_path, "touch ran", **({"disableAllHooks": True} if why == "no hooks" else {}))
    engine.is_trusted = why != "untrusted"
    app = app_on(engine)
    async with app.run_test(size=(100, 24)) as pilot:
        await until(pilot, lambda: app.projection.status.model)
        assert (line := app._focus_state._line) is None or line._run is None
    assert not (tmp_path / "ran").exists()


async def test_one_that_fails_shows_nothing_and_a_refresh_runs_it_again(tmp_path: Path) -> None:
    engine = Placed(tmp_path, "echo x >> runs; test $(wc -l < runs) -gt 1 && echo again", line={"refreshInterval": 1})
    app = app_on(engine)
    async with app.run_test(size=(100, 24)) as pilot:
        await until(pilot, lambda: (tmp_path / "runs").exists(), tries=600)
        await until(pilot, lambda: "again" in screen_text(app), tries=600)


async def test_a_session_that_takes_over_ends_the_line_of_the_one_before(tmp_path: Path) -> None:
    former = Placed(tmp_path, "true", line={"refreshInterval": 60})
    app = app_on(former)
    async with app.run_test(size=(100, 24)) as pilot:
        await until(pilot, lambda: (line := app._focus_state._line) is not None and line._again is not None, tries=600)
        line = app._focus_state._line
        assert line is not None
        app._focus_state.resume()
        assert (line._again, line._run) == (None, None)
        assert app._focus_state._line is None
