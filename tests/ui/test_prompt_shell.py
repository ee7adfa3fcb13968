"""`!` in the prompt: shown, run, completed, left; and once with everything real behind it."""

from __future__ import annotations

import json
import shlex
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from fake_engine import FakeEngine
from hypothesis import given
from hypothesis import strategies as st
from screen_text import screen_text, until
from scripted_model import ScriptedModel
from session_driver import open_session
from textual.pilot import Pilot

from tui_agent.boundary import Engine
from tui_agent.engine.session.config import SessionOptions
from tui_agent.events import SessionStarted
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.engine import StartupPrompter
from tui_agent.ui.prompting.history import PromptHistory
from tui_agent.ui.prompting.shell_completion import _quoted, _unquoted, completions
from tui_agent.ui.widgets.prompt import Prompt

NAMES = {" ": "space", "!": "exclamation_mark", "/": "slash", "-": "minus", ".": "full_stop"}


class Harness:
    def __init__(self, pilot: Pilot[object], engine: Engine) -> None:
        self.pilot = pilot
        self.engine = engine
        self.prompt = pilot.app.screen.query_one(Prompt)

    @property
    def text(self) -> str:
        return self.prompt.text.text

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    async def write(self, text: str) -> None:
        await self.press(*(NAMES.get(letter, letter) for letter in text))

    async def sees(self, words: str) -> None:
        await until(self.pilot, lambda: words in screen_text(self.pilot.app))


@asynccontextmanager
async def harness(engine: Engine) -> AsyncIterator[Harness]:
    async def connect(prompter: StartupPrompter) -> Engine:
        return engine

    app = TuiAgentApp(connect, history=PromptHistory(None))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.engine is not None)
        yield Harness(pilot, engine)


async def test_the_mark_says_that_it_is_a_command_and_enter_runs_it() -> None:
    engine = FakeEngine()
    async with harness(engine) as at:
        await at.write("!ls -la")
        await at.sees("shell ❯ !ls -la")
        await at.press("enter")
        await until(at.pilot, lambda: ("run_shell", "ls -la") in engine.asked)
        assert at.text == ""
        await until(at.pilot, lambda: "shell ❯" not in screen_text(at.pilot.app))
        assert not any(entry[0] == "submit" for entry in engine.asked)


async def test_the_empty_shell_is_left_by_three_keys() -> None:
    async with harness(FakeEngine()) as at:
        for key in ("backspace", "escape", "ctrl+u"):
            await at.write("!")
            await at.sees("shell ❯")
            await at.press("enter")  # there is no command
            assert at.text == "!"
            await at.press(key)
            assert at.text == ""
            await until(at.pilot, lambda: "shell ❯" not in screen_text(at.pilot.app))


async def test_up_goes_back_through_commands_alone() -> None:
    engine = FakeEngine()
    async with harness(engine) as at:
        for text in ("!one", "words", "!two"):
            await at.write(text)
            await at.press("enter")
        await at.write("!")
        await at.press("up", "up")
        assert at.text == "!one"
        await at.press("up")
        assert at.text == "!one"
        await at.press("down", "down")
        assert at.text == "!"


async def test_what_cannot_be_run_comes_back_to_be_mended() -> None:
    engine = FakeEngine()
    engine.run_shell = lambda command: "There is no Bash in this session."  # type: ignore[method-assign]
    async with harness(engine) as at:
        await at.write("!ls")
        await at.press("enter")
        await at.sees("There is no Bash in this session.")
        assert at.text == "!ls"


async def test_tab_completes_names_of_files_and_goes_through_them(tmp_path: Path) -> None:
    for name in ("alpha one.txt", "alpha two.txt", "beta.py"):
        (tmp_path / name).write_text("")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "inner").write_text("")
    engine = FakeEngine()
    async with harness(engine) as at:
        engine.say(SessionStarted(cwd=str(tmp_path), model="m", mode="default", version="0"))
        await until(at.pilot, lambda: at.prompt.drafting.folder() == str(tmp_path))
        await at.write("!cat b")
        await at.press("tab")
        assert at.text == "!cat beta.py "
        await at.write("fo")
        await at.press("tab")
        assert at.text == "!cat beta.py folder/"
        await at.press("tab")
        assert at.text == "!cat beta.py folder/inner "
        await at.press("ctrl+u")
        await at.write("cat a")
        await at.press("tab")
        assert at.text == "!cat 'alpha "
        await at.press("tab")
        assert at.text == "!cat 'alpha one.txt'"
        await at.press("tab")
        assert at.text == "!cat 'alpha two.txt'"
        await at.press("tab")
        assert at.text == "!cat 'alpha one.txt'"
        await at.write(" zzz")
        await at.press("tab")
        await at.sees("No completions.")
        assert at.prompt.text.has_focus


async def test_tab_completes_commands_that_were_given_before() -> None:
    async with harness(FakeEngine()) as at:
        await at.write("!pytest -q tests")
        await at.press("enter")
        await at.write("!pyt")
        await at.press("tab")
        assert at.text == "!pytest -q tests "


@given(st.text(alphabet="ab '\"$&;\\*~é", min_size=1, max_size=10))
def test_a_name_that_is_quoted_is_read_as_it_was(name: str) -> None:
    quoted = _quoted(name)
    assert shlex.split(quoted) == [name]
    assert _unquoted(quoted) == name


def test_completing_looks_where_the_word_points(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "read me").write_text("")
    (tmp_path / ".hidden").write_text("")
    assert completions("cat ~/docs/re", "/", []) == ["cat ~/'docs/read me'"]
    assert completions("cat 'docs/read", str(tmp_path), []) == ["cat 'docs/read me'"]
    assert completions("cat docs/read\\ m", str(tmp_path), []) == ["cat 'docs/read me'"]
    assert completions("make && cat ", str(tmp_path), []) == ["make && cat docs/"]
    assert completions("cat .h", str(tmp_path), []) == ["cat .hidden"]
    assert completions("cat /no/such/folder/x", str(tmp_path), []) == []
    assert completions("ma", str(tmp_path), ["make test", "ls", "make", "make test"]) == ["make test", "make"]


async def test_a_command_runs_in_the_app_and_its_output_stands_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HOME", "TUI_AGENT_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    work = tmp_path / "work"
    work.mkdir()
    values = json.dumps({"respondToBashCommands": False})
    session = await open_session(SessionOptions(cwd=work, is_trusted=True, settings=values), ScriptedModel())
    async with harness(session) as at:
        await at.write("!echo one; echo two")
        await at.press("enter")
        await at.sees("✓ Bash echo one; echo two")
        await at.sees("by you")
        await at.sees("  two")
        await at.write("!sleep 60")
        await at.press("enter")
        await at.sees("Bash sleep 60")
        await until(at.pilot, lambda: at.prompt.drafting.is_busy)
        await at.write("draft")
        await at.press("escape")
        await at.sees("interrupted")
        assert at.text == "draft"
