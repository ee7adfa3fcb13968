"""Two front ends on one engine: an app on a screen, and one at a pipe. What one answers is settled for both."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from pipe_client import PipeClient
from scripted_model import ScriptedModel, calls, reply, says
from session_driver import SessionDriver, open_session
from session_front import place_apart
from textual.pilot import Pilot

from tui_agent.boundary import Engine
from tui_agent.engine.session.config import SessionOptions
from tui_agent.headless.serve import Server
from tui_agent.headless.stdin import read_limited
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.engine import StartupPrompter
from tui_agent.ui.prompting.history import PromptHistory
from tui_agent.ui.screens.form import FormScreen
from tui_agent.ui.screens.permission import PermissionScreen

COMMAND = reply(calls(0, "Bash", {"command": "printf x > made.txt"}), stop="tool_use")
OPTIONS = [{"label": name, "description": "what it is"} for name in "AB"]
FORM = reply(
    calls(0, "AskUserQuestion", {"questions": [{"question": "Which?", "header": "Which", "options": OPTIONS}]}),
    stop="tool_use",
)
DONE = reply(says(0, "Done."))


async def until(pilot: Pilot[Any], holds: Callable[[], Any]) -> None:
    async with asyncio.timeout(40):
        while not holds():
            await pilot.pause(0.01)


async def elsewhere(pilot: Pilot[Any], do: Callable[[], Any]) -> Any:
    """Let the one at the pipe wait in a thread, while the app goes on."""
    work = asyncio.ensure_future(asyncio.to_thread(do))
    await until(pilot, work.done)
    return work.result()


@asynccontextmanager
async def both(place: Path, *scripts: Any) -> AsyncIterator[tuple[TuiAgentApp, Pilot[Any], PipeClient, SessionDriver]]:
    session = await open_session(SessionOptions(cwd=place, is_trusted=True), ScriptedModel(*scripts))

    async def connect(_lobby: StartupPrompter) -> Engine:
        return session

    app = TuiAgentApp(connect, history=PromptHistory(None))
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: app.engine is not None)
        (their_input, our_end), (our_input, their_output) = os.pipe(), os.pipe()
        client = PipeClient(os.fdopen(our_end, "wb", buffering=0), os.fdopen(our_input, "rb"))
        serving = asyncio.create_task(Server(session, their_output).run(read_limited(their_input)))
        yield app, pilot, client, session
        await elsewhere(pilot, lambda: client.command("close"))
        assert await serving == 0
        os.close(their_output)
        os.close(their_input)
        await elsewhere(pilot, client.close)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return place_apart(tmp_path, monkeypatch)


async def test_an_answer_through_the_pipe_closes_the_question_on_the_screen(place: Path) -> None:
    async with both(place, COMMAND, DONE) as (app, pilot, client, session):
        await elsewhere(pilot, lambda: client.command("submit", text="make it"))
        await until(pilot, lambda: isinstance(app.screen, PermissionScreen))
        asked = await elsewhere(pilot, lambda: client.event("permission_requested"))
        command = lambda: client.command("answer", request_id=asked["request_id"], decision="allow")  # noqa: E731
        assert (await elsewhere(pilot, command))["ok"] == {}
        await until(pilot, lambda: not app.screen.is_modal)
        await session.wait_idle()
        assert (place / "made.txt").read_text() == "x"
        await until(pilot, lambda: any("Done." in block.text for block in app.projection.blocks))


async def test_an_answer_on_the_screen_settles_it_for_the_pipe(place: Path) -> None:
    async with both(place, COMMAND, DONE) as (app, pilot, client, session):
        session.submit("make it")
        asked = await elsewhere(pilot, lambda: client.event("permission_requested"))
        await until(pilot, lambda: isinstance(app.screen, PermissionScreen) and app.screen.grace.is_open)
        await pilot.press("1")
        resolved = await elsewhere(pilot, lambda: client.event("permission_resolved"))
        assert (resolved["request_id"], resolved["by"]) == (asked["request_id"], "person")
        late = await elsewhere(pilot, lambda: client.command("answer", request_id=asked["request_id"], decision="deny"))
        assert "settled already" in late["error"]["message"]
        await session.wait_idle()
        assert (place / "made.txt").read_text() == "x"


async def test_a_form_is_closed_on_the_screen_too(place: Path) -> None:
    async with both(place, FORM, DONE) as (app, pilot, client, _):
        await elsewhere(pilot, lambda: client.command("submit", text="ask me"))
        asked = await elsewhere(pilot, lambda: client.event("form_requested"))
        await until(pilot, lambda: isinstance(app.screen, FormScreen))
        key = asked["form"]["fields"][0]["key"]
        answers = {"request_id": asked["request_id"], "answers": {key: "C"}}
        refused = await elsewhere(pilot, lambda: client.command("answer_form", **{**answers, "answers": {"no": "A"}}))
        assert "does not fit" in refused["error"]["message"]
        assert isinstance(app.screen, FormScreen)
        answers["answers"] = {key: "A"}
        assert "ok" in await elsewhere(pilot, lambda: client.command("answer_form", **answers))
        await until(pilot, lambda: not app.screen.is_modal)
