"""`tui-agent mcp …`: adding, listing and removing servers, and what is said where that cannot be meant."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tui_agent.cli import run
from tui_agent.headless.arguments import parse_arguments

SERVER = Path(__file__).parents[1] / "support" / "mcp_stdio_server.py"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("HOME", "TUI_AGENT_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
        (tmp_path / name.lower()).mkdir()
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return work


def listed(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    capsys.readouterr()
    run(["mcp", "list", "--json", *words])
    return {row["name"]: row for row in map(json.loads, capsys.readouterr().out.splitlines())}


def test_options_may_stand_anywhere_before_the_command() -> None:
    options = parse_arguments(["mcp", "add", "db", "-s", "user", "-e", "A=b", "--", "npx", "-y", "--", "db"])
    assert (options.command, options.name, options.scope) == ("mcp add", "db", "user")
    assert options.target == ["npx", "-y", "--", "db"]
    web = parse_arguments(["mcp", "add", "web", "https://x.io", "--transport", "http", "-H", "A: b"])
    assert (web.target, web.header) == (["https://x.io"], ["A: b"])


def test_a_server_is_added_tried_and_removed(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["mcp", "add", "good", "--", sys.executable, "-S", str(SERVER)]) == 0
    assert run(["mcp", "add-json", "-s", "user", "bad", '{"command": "no-such-program-here"}']) == 0
    assert run(["mcp", "add", "-s", "project", "shared", "--", "anything"]) == 0
    rows = listed(capsys)
    assert {name: row["state"] for name, row in rows.items()} == {
        "good": "connected",
        "bad": "failed",
        "shared": "held",
    }
    assert "not trusted" in rows["shared"]["reason"]
    assert "was not found" in rows["bad"]["reason"]
    assert "mcp__good__echo" in [tool["name"] for tool in rows["good"]["tools"]]
    assert run(["mcp", "get", "good"]) == 0
    assert "mcp__good__echo" in capsys.readouterr().out
    for name in ("good", "bad", "shared"):
        assert run(["mcp", "remove", name]) == 0
    assert listed(capsys, "--no-connect") == {}


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["add", "x"], "a command or an address is needed"),
        (["add", "x", "https://x.io"], "--transport http"),
        (["add", "x", "-e", "A", "--", "y"], "expected NAME=VALUE"),
        (["add", "x y", "--", "z"], "no server name"),
        (["add-json", "x", "{"], "is not JSON"),
        (["add-json", "x", '{"url": "https://x.io"}'], '"type": "http"'),
        (["remove", "x"], "there is no MCP server x"),
        (["get", "x"], "there is no MCP server x"),
        (["login", "x"], "there is no MCP server x"),
        (["list", "--mcp-config", "nope.json"], "No such file"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    place: Path, words: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["mcp", *words]) == 2
    said = capsys.readouterr().err
    assert problem in said
    assert said.count("\n") == 1
