"""Slash commands without a screen: `-p "/context"`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tui_agent import slash_commands
from tui_agent.headless.parsers import UsageError
from tui_agent.headless.slash import wanted_command
from tui_agent.model.demo.scenario_file import parse_scenario
from tui_agent.model.demo.thread import ServerThread, start_in_thread

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def server(program: Any) -> Iterator[ServerThread]:
    scenario = parse_scenario({"title": "test", "reply": [{"block": [{"text": "Hello."}]}]}, "test")
    running = start_in_thread(scenario, variables={"cwd": str(program.work)}, pace=0.0)
    program.env |= {"ANTHROPIC_API_KEY": "test-key", "ANTHROPIC_BASE_URL": running.base_url}
    yield running
    running.stop()


@pytest.fixture
def here(program: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command line in this process, in the program's folders."""

    def run(*arguments: str) -> tuple[int, str, str]:
        from tui_agent.cli import run as run_cli

        for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"):
            monkeypatch.delenv(name, raising=False)
        for name, value in program.env.items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(program.work)
        code = run_cli(list(arguments))
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run


def test_the_context_is_reported_and_nothing_is_sent(here: Run, server: ServerThread) -> None:
    code, out, err = here("-p", "/context")
    assert (code, err) == (0, "")
    assert out.startswith("About ")
    assert "system prompt" in out
    assert "tools" in out
    assert server.requests == []


def test_the_cost_of_a_session_is_reported_when_it_is_taken_up_again(here: Run, server: ServerThread) -> None:
    assert here("-p", "hello")[:2] == (0, "Hello.\n")
    sent = len(server.requests)
    code, out, err = here("--continue", "-p", "/usage")
    assert (code, err) == (0, "")
    assert out.startswith("This session has cost $")
    assert f"{sent} requests, " in out
    assert len(server.requests) == sent


def test_a_session_is_exported(here: Run, server: ServerThread, program: Any) -> None:
    here("-p", "hello")
    code, out, _ = here("--continue", "-p", "/export")
    assert code == 0
    (file,) = program.work.glob("*.md")
    assert str(file) in out
    assert "Hello." in file.read_text()
    assert here("-p", "/export nowhere/at/all")[0] != 0


def test_where_things_stand_is_said(here: Run, server: ServerThread, program: Any) -> None:
    code, out, _ = here("-p", "/status", "--permission-mode", "plan")
    assert code == 0
    rows = dict(line.split(maxsplit=1) for line in out.splitlines())
    assert rows["folder"].startswith(str(program.work))
    assert rows["mode"] == "plan"
    assert rows["model"]


def test_help_lists_what_needs_no_screen_and_needs_no_key(here: Run) -> None:
    code, out, _ = here("-p", "/help")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == ["/help", "/status", "/cost", "/context", "/export"]


@pytest.mark.parametrize(("typed", "said"), [("/nothing", "No matching command."), ("/theme dark", "needs a screen")])
def test_what_cannot_be_run_is_said(here: Run, typed: str, said: str) -> None:
    code, out, err = here("-p", typed)
    assert code == 2
    assert out == ""
    assert said in err


@pytest.mark.parametrize("message", ["/usr/bin/env is missing", "what is /context?", "/cost\nand more", "hello"])
def test_a_message_stays_a_message(message: str) -> None:
    assert wanted_command(message) is None


def test_every_command_of_the_registry_is_told_apart() -> None:
    for command in slash_commands.COMMANDS:
        if command.is_headless:
            assert wanted_command(f"/{command.name}") == (command, "")
        else:
            with pytest.raises(UsageError):
                wanted_command(f"/{command.name}")


def test_what_a_command_becomes_is_known_at_the_boundary() -> None:
    from tui_agent.boundary_json import COMMAND_TYPES, QUERY_TYPES

    sent = {command.sends for command in slash_commands.COMMANDS if command.sends}
    asked = {command.asks for command in slash_commands.COMMANDS if command.asks}
    assert sent <= set(COMMAND_TYPES)
    assert asked <= set(QUERY_TYPES)
