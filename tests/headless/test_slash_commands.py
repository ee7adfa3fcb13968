"""Slash commands without a screen: `-p "/context"`."""

from __future__ import annotations

import json
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


def test_sessions_are_listed_and_looking_leaves_none_behind(here: Run, server: ServerThread) -> None:
    assert here("-p", "/sessions")[:2] == (0, "No recorded sessions here.\n")
    assert here("-p", "hello there")[0] == 0
    for command in ("/context", "/status", "/permissions"):
        assert here("-p", command)[0] == 0
    code, out, err = here("-p", "/resume")
    assert (code, err) == (0, "")
    (line,) = out.splitlines()
    assert line.endswith("hello there")
    assert here("--continue", "-p", "/sessions")[1] == "No recorded sessions here.\n", (
        "the one that is open is not listed"
    )
    assert here("-p", "/sessions")[1] == out


def test_rules_are_listed_and_a_command_tried_without_a_key(here: Run, program: Any) -> None:
    settings = program.home / ".claude" / "settings.json"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(json.dumps({"permissions": {"allow": ["Bash(npm test *)"], "deny": ["Read(/x/**)"]}}))
    code, out, err = here("-p", "/permissions")
    assert (code, err) == (0, "")
    assert f"allow  Bash(npm test *)  {settings}:1" in out
    assert "deny   Read(/x/**)" in out
    assert f"working folder  {program.work}" in out
    code, out, _ = here("-p", "/permissions npm test --all")
    assert code == 0
    assert "✓ allowed" in out
    assert "Bash(npm test *)" in out


def test_settings_and_hooks_are_listed(here: Run, program: Any) -> None:
    assert here("-p", "/hooks")[1] == "There are no hooks.\n"
    settings = program.home / ".claude" / "settings.json"
    settings.parent.mkdir(parents=True, exist_ok=True)
    hooks = {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "echo \x1b[31mhi"}]}]}
    settings.write_text(json.dumps({"model": "opus", "hooks": hooks}))
    code, out, err = here("-p", "/hooks")
    assert (code, err) == (0, "")
    assert out.startswith("PreToolUse (Bash)  echo ")
    assert f"{settings}:1" in out
    assert "\x1b" not in out
    code, out, _ = here("-p", "/settings")
    assert code == 0
    (row,) = [line for line in out.splitlines() if line.startswith("model")]
    assert row.split()[:2] == ["model", "opus"]
    assert f"{settings}:1" in row


def test_a_tool_runs_and_nobody_can_be_asked(here: Run, program: Any) -> None:
    (program.work / "a.txt").write_text("content of a\n")
    code, out, err = here("-p", "/tool Read --file_path=a.txt")
    assert (code, err) == (0, "")
    assert "content of a" in out
    code, out, _ = here("-p", "/tool Write --file_path=b.txt --content=x")
    assert code == 1
    assert out
    assert not (program.work / "b.txt").exists()
    code, out, _ = here("-p", "/tool Write --file_path=b.txt --content=x", "--permission-mode", "acceptEdits")
    assert code == 0
    assert (program.work / "b.txt").read_text() == "x"


def test_changes_of_a_session_are_written_as_a_patch(here: Run, program: Any) -> None:
    code, out, err = here("-p", "/patch")
    assert (code, out) == (1, "")
    assert "no changes" in err
    assert here("-p", "/tool Write --file_path=a.txt --content=new", "--permission-mode", "acceptEdits")[0] == 0
    code, out, err = here("--continue", "-p", "/patch mine.patch")
    assert (code, err) == (0, "")
    assert "mine.patch" in out
    assert "+new" in (program.work / "mine.patch").read_text()
    assert here("--continue", "-p", "/patch mine.patch")[0] == 1, "nothing is written over"


def test_help_lists_what_needs_no_screen_and_needs_no_key(here: Run) -> None:
    code, out, _ = here("-p", "/help")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == [
        "/help",
        "/permissions",
        "/skills",
        "/agents",
        "/hooks",
        "/mcp",
        "/settings",
        "/status",
        "/cost",
        "/context",
        "/resume",
        "/export",
        "/patch",
        "/tool",
        "/memory",
    ]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("/nothing", "No matching command."),
        ("/theme dark", "needs a screen"),
        ("/trust", "needs a screen"),
        ("/resume 1234", "--resume 1234"),
        ("/hooks all", "/hooks takes no argument"),
        ("/cost limit 5", "--max-budget-usd"),
        ("/tool", "NAME"),
        ("/tool Nothing --like=it", "Nothing"),
    ],
)
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


def test_a_skill_is_invoked(here: Run, server: ServerThread, program: Any) -> None:
    folder = program.work / ".claude/skills/fix-issue"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nargument-hint: '[issue]'\n---\nFix issue $0.")
    assert here("-p", "/fix-issue 7")[:2] == (0, "Hello.\n")
    assert "Fix issue 7." in json.dumps(server.requests[-1].body)
    code, out, _ = here("-p", "/skills")
    assert code == 0
    assert out.startswith("/fix-issue [issue]  Fix issue $0.\n    skill, project")


def test_a_skill_that_cannot_be_loaded_is_told_and_nothing_is_sent(
    here: Run, server: ServerThread, program: Any
) -> None:
    file = program.work / ".claude/commands/sly.md"
    file.parent.mkdir(parents=True)
    file.write_text("!`touch made`")
    code, out, err = here("-p", "/sly")
    assert (code, out.strip()) == (1, "")
    assert "the folder is not trusted" in err or "this folder is not trusted" in err
    assert server.requests == []
    assert not (program.work / "made").exists()
    assert here("-p", "/slyly")[0] == 2


def test_agents_are_listed_with_where_they_come_from(here: Run, program: Any) -> None:
    folder = program.work / ".claude/agents"
    folder.mkdir(parents=True)
    (folder / "poet.md").write_text("---\nname: poet\ndescription: Writes poems\ntools: Read\n---\nYou write.\n")
    code, out, _ = here("-p", "/agents")
    assert code == 0
    assert "Explore" in out
    assert "poet.md: the folder is not trusted" in out


def test_a_skill_of_a_plugin_is_invoked(here: Run, server: ServerThread, program: Any) -> None:
    folder = program.work.parent / "plugin"
    (folder / "commands").mkdir(parents=True)
    (folder / "commands/go.md").write_text("Go to $0.")
    assert here("--plugin-dir", str(folder), "-p", "/plugin:go there")[:2] == (0, "Hello.\n")
    assert "Go to there." in json.dumps(server.requests[-1].body)
    assert here("--plugin-dir", str(folder / "none"), "-p", "hello")[0] == 2
