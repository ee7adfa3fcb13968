"""`/tool` on the screen: typed, completed, run, refused; and once with everything real behind it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from fake_engine import FakeEngine
from screen_text import screen_text, until
from scripted_model import ScriptedModel, reply, says
from session_driver import open_session
from textual.events import Paste
from textual.pilot import Pilot

from tui_agent import slash_commands
from tui_agent.boundary import Engine
from tui_agent.engine.session.config import SessionOptions
from tui_agent.permissions.verdict import Decision
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.engine import StartupPrompter
from tui_agent.ui.prompting.history import PromptHistory
from tui_agent.ui.widgets.prompt import Prompt


@asynccontextmanager
async def harness(engine: Engine) -> AsyncIterator[tuple[Pilot[object], Prompt]]:
    async def connect(prompter: StartupPrompter) -> Engine:
        return engine

    app = TuiAgentApp(connect, history=PromptHistory(None))
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: app.engine is not None)
        yield pilot, app.screen.query_one(Prompt)


async def write(pilot: Pilot[object], prompt: Prompt, text: str) -> None:
    prompt.text.post_message(Paste(text))
    await until(pilot, lambda: prompt.text.text.endswith(text))


def ran(engine: FakeEngine) -> list[str]:
    return [entry[1] for entry in engine.asked if entry[0] == "run_tool"]


async def test_a_line_goes_to_the_engine_and_what_is_wrong_comes_back() -> None:
    engine = FakeEngine()
    async with harness(engine) as (pilot, prompt):
        await write(pilot, prompt, "/tool Read --file_path='a b'")
        await pilot.press("enter")
        assert (ran(engine), prompt.text.text) == (["Read --file_path='a b'"], "")
        await write(pilot, prompt, "/tool Raed --x=1")
        await pilot.press("enter")
        await until(pilot, lambda: "There is no such tool." in screen_text(pilot.app))
        assert prompt.text.text == "/tool Raed --x=1"  # to be mended


async def test_a_value_may_have_several_lines() -> None:
    engine = FakeEngine()
    async with harness(engine) as (pilot, prompt):
        await write(pilot, prompt, "/tool Read --x='a\nb'")
        await pilot.press("enter")
        assert ran(engine) == ["Read --x='a\nb'"]
    assert slash_commands.split("/model a\nb") is None


async def test_tools_are_offered_by_name() -> None:
    engine = FakeEngine()
    async with harness(engine) as (pilot, prompt):
        await write(pilot, prompt, "/tool ")
        await until(pilot, lambda: "❯ Bash   run a command" in screen_text(pilot.app))
        await pilot.press("r")
        await until(pilot, lambda: "Bash   run" not in screen_text(pilot.app))
        await pilot.press("enter")
        assert (prompt.text.text, ran(engine)) == ("/tool Read ", [])
        assert not prompt.completions.is_open
        await pilot.press("enter")
        assert ran(engine) == ["Read"]


async def test_a_tool_runs_in_the_app_and_stands_there_like_any_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HOME", "TUI_AGENT_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    work = tmp_path / "work"
    work.mkdir()
    (work / "a.txt").write_text("hello\n")
    session = await open_session(SessionOptions(cwd=work, is_trusted=True), ScriptedModel(reply(says(0, "Hi."))))
    async with harness(session) as (pilot, prompt):
        await write(pilot, prompt, "/tool Read --file_path=a.txt")
        await pilot.press("enter")
        await until(pilot, lambda: "✓ Read a.txt · 1 line" in screen_text(pilot.app))
        await until(pilot, lambda: "the model does not see the result" in screen_text(pilot.app))
        await write(pilot, prompt, "/tool Bash --command='touch made'")
        await pilot.press("enter")
        await until(pilot, lambda: pilot.app.screen.is_modal)
        await until(pilot, lambda: "touch made" in screen_text(pilot.app))
        (request,) = pilot.app.projection.requests  # type: ignore[attr-defined]
        session.answer(request.request_id, Decision(behavior="deny"))
        await until(pilot, lambda: not pilot.app.screen.is_modal)
        await until(pilot, lambda: "refused" in screen_text(pilot.app))
        assert not (work / "made").exists()
