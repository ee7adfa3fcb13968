"""Where servers are configured: which file counts, what is wrong with one, and what the program writes itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tui_agent.mcp.approvals import Approvals
from tui_agent.mcp.config_files import GivenConfigError, McpFiles, find_servers, has_servers, plugin_servers
from tui_agent.mcp.editing import EditError, add_server, remove_server
from tui_agent.mcp.policy import refusal
from tui_agent.mcp.servers import ServerConfig
from tui_agent.settings.schema import SettingsValues


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project, apart from the user's own files."""
    for name in ("HOME", "TUI_AGENT_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
        (tmp_path / name.lower()).mkdir()
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    work = tmp_path / "work"
    (work / ".git").mkdir(parents=True)
    return work


def files(place: Path, **options: Any) -> McpFiles:
    options = {"policy_folders": [place.parent / "policy"], **options}
    return McpFiles(start=place, **options)


def write(file: Path, data: Any) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(data if isinstance(data, str) else json.dumps(data, indent=1))


def server(command: str) -> dict[str, Any]:
    return {"command": command}


def found(place: Path, **options: Any) -> dict[str, str]:
    configured = find_servers(files(place, **options), {})
    return {one.name: f"{one.scope} {one.target}" for one in configured.servers}


def test_the_stronger_scope_counts_whole(place: Path) -> None:
    assert not has_servers(files(place))
    home = place.parent / "home"
    claude = {"mcpServers": {"a": server("claude-user"), "u": server("claude-user")}}
    write(home / ".claude.json", {**claude, "projects": {str(place): {"mcpServers": {"a": server("claude-local")}}}})
    write(place / ".mcp.json", {"mcpServers": {"a": server("project"), "p": server("project")}})
    assert has_servers(files(place))
    assert found(place) == {"a": "local claude-local", "p": "project project", "u": "user claude-user"}
    given = json.dumps({"mcpServers": {"p": server("given")}})
    assert found(place, given=[given])["p"] == "command line given"
    assert found(place, given=[given], is_strict=True) == {"p": "command line given"}
    assert found(place, sources=["user"]) == {"a": "user claude-user", "u": "user claude-user"}
    write(place.parent / "policy" / "managed-mcp.json", {"mcpServers": {"m": server("managed")}})
    assert found(place) == {"m": "managed managed"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"mcpServers": {,}}', "its MCP servers are ignored"),
        ("[1]", "has no `mcpServers`"),
        ('{"mcpServers": []}', "must be an object of servers"),
        ("\udcff", "is no JSON"),
    ],
)
def test_a_broken_file_is_named_and_the_others_count(place: Path, text: str, problem: str) -> None:
    (place / ".mcp.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    write(place.parent / "home" / ".claude.json", {"mcpServers": {"u": server("x")}})
    configured = find_servers(files(place), {})
    assert [one.name for one in configured.servers] == ["u"]
    assert problem in str(configured.problems[0])
    assert str(place / ".mcp.json") in str(configured.problems[0])


def test_a_project_file_that_is_a_link_is_not_followed(place: Path) -> None:
    write(place.parent / "elsewhere.json", {"mcpServers": {"a": server("x")}})
    (place / ".mcp.json").symlink_to(place.parent / "elsewhere.json")
    configured = find_servers(files(place), {})
    assert configured.servers == ()
    assert "it is a link" in str(configured.problems[0])


def test_what_the_command_line_gives_has_to_be_sound(place: Path) -> None:
    for given, problem in (("nope.json", "No such file"), ("{", "line 1"), ("{}", "there is no `mcpServers`")):
        with pytest.raises(GivenConfigError, match=problem):
            find_servers(files(place, given=[given]), {})


def test_plugins_bring_servers_under_names_of_their_own(place: Path) -> None:
    entries = {"mcpServers": {"db": {"command": "${CLAUDE_PLUGIN_ROOT}/run"}}}
    brought = plugin_servers("tools", entries, file="x", folder=Path("/p"), environment={})
    assert found(place, extra=[brought]) == {"plugin_tools_db": "plugin ${CLAUDE_PLUGIN_ROOT}/run"}
    assert brought.servers[0].reach.command == "/p/run"  # type: ignore[union-attr]


def test_adding_and_removing_leave_the_rest_of_a_file_alone(place: Path) -> None:
    write(place / ".mcp.json", {"other": 1, "mcpServers": {"old": server("x")}})
    added = add_server("new", server("y"), "project", place, {})
    assert found(place) == {"old": "project x", "new": "project y"}
    assert Approvals(place).standing(added, SettingsValues()) == "yes"  # the user has just said so
    with pytest.raises(EditError, match="already"):
        add_server("new", server("z"), "project", place, {})
    with pytest.raises(EditError, match="no server name"):
        add_server("a b", server("z"), "project", place, {})
    for scope in ("local", "user"):
        add_server("mine", server(scope), scope, place, {})  # type: ignore[arg-type]
    assert found(place)["mine"] == "local local"
    remove_server("mine", "local", files(place))
    assert found(place)["mine"] == "user user"
    remove_server("new", "project", files(place))
    assert json.loads((place / ".mcp.json").read_text()) == {"other": 1, "mcpServers": {"old": server("x")}}
    with pytest.raises(EditError, match="there is no MCP server"):
        remove_server("new", "project", files(place))


def one(place: Path, command: str = "x") -> ServerConfig:
    write(place / ".mcp.json", {"mcpServers": {"a": server(command)}})
    return find_servers(files(place), {}).servers[0]


def test_a_yes_is_to_the_entry_as_it_is(place: Path) -> None:
    approvals, values = Approvals(place), SettingsValues()
    config = one(place)
    assert approvals.standing(config, values) == "ask"
    approvals.decide(config, may_start=True)
    assert approvals.standing(config, values) == "yes"
    changed = one(place, "y")
    assert approvals.standing(changed, values) == "ask"
    approvals.decide(changed, may_start=False)
    assert approvals.standing(changed, values) == "no"
    approvals.switch("a", is_on=False)
    assert approvals.standing(changed, values) == "off"
    approvals.switch("a", is_on=True)
    assert approvals.reset() == 1
    assert approvals.standing(changed, values) == "ask"
    assert Approvals(place.parent).standing(changed, values) == "ask"


def test_settings_let_servers_start_and_keep_them_from_it(place: Path) -> None:
    approvals, config = Approvals(place), one(place)

    def standing(config: ServerConfig, **values: Any) -> str:
        return approvals.standing(config, SettingsValues.model_validate(values))

    assert standing(config, enableAllProjectMcpServers=True) == "yes"
    assert standing(config, enabledMcpjsonServers=["a"]) == "yes"
    approvals.decide(config, may_start=True)  # as a session does when it lets that name start
    assert standing(one(place, "other"), enabledMcpjsonServers=["a"]) == "ask"
    assert standing(config, enableAllProjectMcpServers=True, disabledMcpjsonServers=["a"]) == "no"


@pytest.mark.parametrize(
    ("values", "is_refused"),
    [
        ({}, False),
        ({"deniedMcpServers": [{"serverName": "a"}]}, True),
        ({"deniedMcpServers": [{"serverCommand": ["x"]}], "allowedMcpServers": [{"serverName": "a"}]}, True),
        ({"allowedMcpServers": []}, True),
        ({"allowedMcpServers": [{"serverName": "a"}]}, False),
        ({"allowedMcpServers": [{"serverName": "a"}, {"serverCommand": ["y"]}]}, True),
        ({"allowedMcpServers": [{"serverUrl": "https://*.x.io/*"}]}, True),
    ],
)
def test_lists_of_an_administrator(place: Path, values: dict[str, Any], is_refused: bool) -> None:
    assert bool(refusal(one(place), SettingsValues.model_validate(values))) is is_refused
