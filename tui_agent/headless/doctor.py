"""`doctor`: is the set-up sound? Versions, keys, endpoints, programs, settings, folders, schemas. Nothing goes to a model."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from tui_agent import __version__
from tui_agent.headless.findings import Finding
from tui_agent.headless.output import CliOutput
from tui_agent.programs import find_program
from tui_agent.text import clean_line

__all__ = ["examine", "print_findings"]

_LIBRARIES: Final = ("textual", "anthropic", "pydantic")
_TIMEOUT_S: Final = 3.0


def print_findings(cwd: Path, settings: str | None, output: CliOutput) -> int:
    """Look at everything and print a line for each; 1 when there is a problem."""
    has_problem = False
    for finding in examine(cwd, settings):
        has_problem = has_problem or finding.level == "problem"
        output.text(f"{finding.level:8} {finding.subject:10} {finding.text}")
    return int(has_problem)


def examine(cwd: Path, settings: str | None = None) -> Iterator[Finding]:
    """Yield findings as they come; the network is touched only to see whether endpoints can be reached."""
    from tui_agent.headless.agents_check import examine_agents
    from tui_agent.headless.hooks_check import examine_hooks
    from tui_agent.headless.keybindings_check import examine_keybindings
    from tui_agent.headless.mcp_check import examine_mcp
    from tui_agent.headless.models_check import examine_models
    from tui_agent.headless.sandbox_check import examine_sandbox
    from tui_agent.headless.settings_check import examine_settings
    from tui_agent.headless.skills_check import examine_skills
    from tui_agent.settings.load import own_settings

    yield Finding("ok", "tui-agent", f"{__version__} in {Path(__file__).parents[1]}")
    yield Finding(
        "ok", "python", f"{platform.python_version()} at {sys.executable}, {platform.system()} {platform.machine()}"
    )
    for name in _LIBRARIES:
        yield _version(name)
    own = own_settings(cwd, inline=settings)
    environment = {**os.environ, **own.env}
    yield from examine_models(own.providers, environment)
    yield from _programs()
    yield from examine_sandbox(cwd, settings)
    yield from examine_settings(cwd, settings)
    yield from _variables(environment)
    yield from examine_hooks(cwd, settings)
    yield from examine_skills(cwd, settings)
    yield from examine_agents(cwd, settings)
    yield from examine_mcp(cwd, settings)
    yield from examine_keybindings()
    yield _state()
    yield from _tools()


def _version(name: str) -> Finding:
    try:
        return Finding("ok", name, importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        return Finding("problem", name, "is not installed; reinstall tui-agent")


def _programs() -> Iterator[Finding]:
    beside = Path(sys.executable).with_name("rg")
    found = str(beside) if beside.is_file() else find_program("rg")
    if found is None:
        yield Finding("problem", "ripgrep", "is not found; Grep needs `rg` (install ripgrep)")
    else:
        yield Finding("ok", "ripgrep", f"{_first_line(found, '--version')} at {found}")
    git = find_program("git")
    yield (
        Finding("ok", "git", _first_line(git, "--version"))
        if git
        else Finding("warning", "git", "is not found; branch and changed files are not shown")
    )
    shell = find_program("bash")
    yield Finding("ok", "bash", shell) if shell else Finding("problem", "bash", "is not found; commands need it")


def _first_line(*command: str) -> str:
    try:
        # Not in the user's folder: what lies there is none of the question's business.
        done = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False, cwd="/")
    except (OSError, subprocess.TimeoutExpired):
        return "does not answer"
    return (done.stdout.splitlines() or ["does not say its version"])[0]


def _variables(environment: Mapping[str, str]) -> Iterator[Finding]:
    from tui_agent.settings.variables import unsupported_variables, variable_problems

    for text in (*variable_problems(environment), *unsupported_variables(environment)):
        yield Finding("warning", "variables", clean_line(text))


def _state() -> Finding:
    from tui_agent.settings.standard_paths import state_home

    folder = state_home()
    nearest = next((place for place in (folder, *folder.parents) if place.exists()), folder)
    if nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK):
        return Finding("ok", "state", str(folder))
    return Finding("problem", "state", f"{folder} cannot be written; set TUI_AGENT_HOME to a folder that can")


def _tools() -> Iterator[Finding]:
    """Load every tool there is, those of features too, and build its schema: sessions build one when it is first needed."""
    from tui_agent.settings.features import FEATURES
    from tui_agent.tools.catalog import entries
    from tui_agent.tools.inputs.foreign_schema import schema_problem
    from tui_agent.tools.inputs.schema import api_schema
    from tui_agent.tools.registry import load_tool

    working: list[str] = []
    missing: list[str] = []
    for entry in entries():
        try:
            tool = load_tool(entry, frozenset(FEATURES))
            problem = schema_problem(api_schema(tool))
            (working if tool.is_enabled() else missing).append(entry.name)
        except Exception as error:  # noqa: BLE001 - whatever is wrong with a tool is what this is here to say
            problem = f"{type(error).__name__}: {error}"
        if problem:
            yield Finding("problem", "tools", f"{entry.name}: {problem}")
    yield Finding("ok", "tools", f"{len(working)} with sound schemas: {', '.join(working)}")
    if missing:
        yield Finding("warning", "tools", f"cannot work here: {', '.join(missing)}")
