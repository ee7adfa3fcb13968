"""Environment variables that people know from Claude Code: each of the table works, or is said not to."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from session_front import begin, place_apart

import tui_agent
from tui_agent.engine.session.config import SessionOptions, prepare
from tui_agent.headless.doctor import examine
from tui_agent.settings.variables import (
    VARIABLES,
    count,
    is_on,
    tools_left_out,
    unsupported_variables,
    variable_problems,
)
from tui_agent.tools.base import Limits
from tui_agent.tools.registry import ToolPool

SOURCE = Path(tui_agent.__file__).parent


def test_the_table_says_what_the_code_reads() -> None:
    files = [path for path in SOURCE.rglob("*.py") if path.name != "variables.py" or path.parent.name != "settings"]
    read = set(re.findall(r'"([A-Z][A-Z0-9_]+)"', "\n".join(path.read_text() for path in files)))
    table = (SOURCE / "settings" / "variables.py").read_text()
    own = set(re.findall(r'is_on\(environment, "([A-Z_]+)"\)', table))
    for name, known in VARIABLES.items():
        assert (name in read | own) == (not known.unsupported), name
    asked = re.findall(r'\b(?:count|is_on)\([^()]*?, "([A-Z_]+)"\)', "\n".join(path.read_text() for path in files))
    assert set(asked) <= set(VARIABLES)
    assert {name for name, known in VARIABLES.items() if known.kind != "text"} <= {*asked, *own}


@pytest.mark.parametrize(
    ("text", "value", "problem"),
    [
        ("5", 5, ""),
        (" 7 ", 7, ""),
        ("101", 100, "100 is the most"),
        ("", 10, ""),
        ("0", 10, "10 is used"),
        ("-3", 10, "10 is used"),
        ("1e3", 10, "not a whole number"),
        ("9" * 5000, 10, "not a whole number"),
        ("٣", 10, "not a whole number"),
    ],
)
def test_a_count_is_a_number_within_bounds_or_a_problem(text: str, value: int, problem: str) -> None:
    name = "CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY"
    found = list(variable_problems({name: text}))
    assert count({name: text}, name) == value
    assert [problem in one and len(one) < 200 for one in found] == ([True] if problem else [])


@pytest.mark.parametrize(
    ("text", "value", "has_problem"),
    [("1", True, False), ("TRUE", True, False), ("0", False, False), ("off", False, False), ("maybe", False, True)],
)
def test_a_switch_is_on_or_off_or_a_problem(text: str, value: bool, has_problem: bool) -> None:
    name = "CLAUDE_CODE_SIMPLE"
    assert is_on({name: text}, name) == value
    assert bool(list(variable_problems({name: text}))) == has_problem


def test_the_limits_follow_the_variables() -> None:
    given = {
        "BASH_MAX_OUTPUT_LENGTH": "1000000",
        "CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS": "2000",
        "CLAUDE_CODE_GLOB_TIMEOUT_SECONDS": "3",
        "CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY": "2",
        "CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR": "1",
        "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",
    }
    moved = Limits(
        command_output_chars=150_000,
        read_chars=8000,
        glob_timeout_s=3.0,
        tool_concurrency=2,
        keeps_folder=True,
        has_background=False,
    )
    assert Limits.from_environment(given) == moved
    assert Limits.from_environment(dict.fromkeys(given, "")) == Limits()
    assert Limits.from_environment({"CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS": "1"}).read_chars == 2000


def test_a_session_stops_after_so_many_requests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = place_apart(tmp_path, monkeypatch)
    monkeypatch.setenv("CLAUDE_CODE_MAX_TURNS", "3")
    assert prepare(SessionOptions(cwd=place)).max_turns == 3
    assert prepare(SessionOptions(cwd=place, max_turns=5)).max_turns == 5  # what is asked for on the command line
    monkeypatch.setenv("CLAUDE_CODE_MAX_TURNS", "no")
    assert prepare(SessionOptions(cwd=place)).max_turns is None


def test_task_tools_can_be_left_out() -> None:
    names = ToolPool.build(denied=tools_left_out({"CLAUDE_CODE_ENABLE_TASKS": "0"})).names
    assert "TodoWrite" in names
    assert not {"TaskCreate", "TaskUpdate", "TaskList", "TaskGet"} & set(names)
    assert tools_left_out({}) == ()


async def test_a_session_takes_them_and_says_what_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = place_apart(tmp_path, monkeypatch)
    monkeypatch.setenv("BASH_MAX_OUTPUT_LENGTH", "lots")
    settings = json.dumps({"env": {"CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY": "1"}})
    front = await begin(place, settings=settings)
    session = front.session
    assert session.runtime.execution_context.limits.tool_concurrency == 1
    assert any("BASH_MAX_OUTPUT_LENGTH is 'lots'" in problem for problem in session.runtime.problems)
    await session.close()


def test_the_doctor_names_what_does_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place_apart(tmp_path, monkeypatch)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("CLAUDE_CODE_SHELL", "/bin/zsh")
    monkeypatch.setenv("BASH_DEFAULT_TIMEOUT_MS", "2\x1b[31mm")
    found = [one for one in examine(tmp_path) if one.subject == "variables"]
    assert {one.level for one in found} == {"warning"}
    assert any("CLAUDE_CODE_SHELL is set but not supported: commands are judged" in one.text for one in found)
    assert not any("\x1b" in one.text for one in found)
    assert list(unsupported_variables({"MCP_TIMEOUT": ""})) == []
