"""A new tool is its folder and one line in the catalog: dialog, row, result and headless output follow, deferred or not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from screen_text import screen_text, until
from scripted_model import Script, ScriptedModel, calls, reply, says
from session_driver import open_session
from session_front import begin, place_apart
from tool_folders import ToolFolders

from tui_agent.boundary import Engine
from tui_agent.cli import run as run_cli
from tui_agent.engine.session.config import SessionOptions
from tui_agent.events import PermissionRequested, ToolResultReady, ToolsActivated
from tui_agent.headless.output import CliOutput
from tui_agent.headless.prompt import run_prompt
from tui_agent.permissions.verdict import Decision
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.engine import StartupPrompter
from tui_agent.ui.prompting.history import PromptHistory

NOTE = reply(calls(0, "Jotter", {"note": "milk"}, "toolu_note"), stop="tool_use")
DONE = reply(says(0, "Noted it."))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return place_apart(tmp_path, monkeypatch)


@pytest.fixture(params=[False, True], ids=["core", "deferred"])
def is_deferred(request: pytest.FixtureRequest, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> bool:
    folders = ToolFolders(tmp_path, monkeypatch)
    folders.add("Jotter", is_deferred=request.param, asks=True, word="jotting")
    return request.param


async def test_it_has_its_row_its_dialog_and_its_result_in_the_app(place: Path, is_deferred: bool) -> None:
    look_up: list[Script] = [reply(calls(0, "ToolSearch", {"query": "jotter"}, "toolu_search"), stop="tool_use")]
    front = await begin(place, *(look_up if is_deferred else []), NOTE, DONE)
    session = front.session

    async def connect(_prompter: StartupPrompter) -> Engine:
        return session

    app = TuiAgentApp(connect, history=PromptHistory(None), clock=lambda: 0.0)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: app.engine is not None)
        session.submit("note that milk is needed")
        await until(pilot, lambda: app.screen.is_modal)
        await until(pilot, lambda: "jotting asks about milk" in screen_text(app))
        (asked,) = front.of(PermissionRequested)
        session.answer(asked.request_id, Decision(behavior="allow"))
        await until(pilot, lambda: not app.screen.is_modal and "Noted it." in screen_text(app))
        assert "Jotter jotting row milk" in screen_text(app)
        app.screen.action_details()
        await until(pilot, lambda: "jotting shows Jotter noted milk" in screen_text(app))
    (*_, result) = front.of(ToolResultReady)
    assert (result.name, result.content) == ("Jotter", "Jotter noted milk")
    assert [event.names for event in front.of(ToolsActivated)] == ([("Jotter",)] if is_deferred else [])
    first, *_, last = front.model.requests
    assert ("Jotter" in [tool["name"] for tool in first.tools]) is not is_deferred
    assert "Jotter" in [tool["name"] for tool in last.tools]


def test_it_runs_without_a_screen(place: Path, is_deferred: bool, capsys: pytest.CaptureFixture[str]) -> None:
    def run(*arguments: str) -> tuple[int, str]:
        code = run_cli([*arguments, "--cwd", str(place)])
        return code, capsys.readouterr().out

    code, listed = run("tools", "list")
    assert (code, "Jotter" in listed, "Takes a note." in listed) == (0, True, True)
    schema = json.loads(run("tools", "schema", "Jotter")[1])
    assert schema["input_schema"]["required"] == ["note"]
    code, out = run("tools", "run", "--yes", "Jotter", '{"note": "milk"}')
    result = json.loads(out)
    assert (code, result["content"], result["data"]) == (0, "Jotter noted milk", {"output": "Jotter noted milk"})
    assert [stage["outcome"] for stage in result["stages"]] == ["ok"] * 8
    code, out = run("tools", "run", "Jotter", '{"note": "milk"}')
    assert (code, json.loads(out)["error_kind"]) == (1, "denied")
    code, out = run("tools", "run", "--yes", "JotterTool", '{"nte": "milk"}')
    assert "did you mean `note`?" in json.loads(out)["content"]
    code, out = run("permissions", "explain", "Jotter", '{"note": "milk"}')
    assert (code, json.loads(out)["verdict"]) == (0, "ask")


async def test_its_use_is_in_the_record_of_a_headless_run(
    place: Path, is_deferred: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    options = SessionOptions(cwd=place, is_trusted=True, allowed=("Jotter",), is_attended=False)
    session = await open_session(options, ScriptedModel(NOTE, DONE))
    code = await run_prompt(session, "note milk", CliOutput(), "events")
    written = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert code == 0
    (result,) = [event for event in written if event["type"] == "tool_result_ready"]
    assert (result["name"], result["content"]) == ("Jotter", "Jotter noted milk")
    activated = [event["names"] for event in written if event["type"] == "tools_activated"]
    assert activated == ([["Jotter"]] if is_deferred else [])
