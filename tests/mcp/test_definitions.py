"""Entries of servers: what they may say, what is wrong with them, and which variables they use."""

from __future__ import annotations

from typing import Any

import pytest

from tui_agent.mcp.definitions import EntryError, read_definitions, read_entry
from tui_agent.mcp.servers import Remote, Stdio

ENVIRONMENT = {"TOKEN": "t0", "EMPTY": "", "URL": "https://x.io/${TOKEN}"}


def entry(raw: Any) -> Any:
    return read_entry("s", raw, scope="user", environment=ENVIRONMENT)


def test_a_program_and_its_variables() -> None:
    server = entry({"command": "${NOPE:-npx}", "args": ["-y", "${TOKEN}"], "env": {"A": "${EMPTY:-b}", "N": 3}})
    assert server.reach == Stdio(command="npx", args=("-y", "t0"), env={"A": "b", "N": "3"})
    assert (server.transport, server.target) == ("stdio", "${NOPE:-npx} -y ${TOKEN}")


def test_what_a_variable_holds_is_not_expanded_again_and_an_unset_one_stays_with_a_warning() -> None:
    server = entry({"type": "http", "url": "${URL}", "headers": {"X": "${GONE}"}})
    assert server.reach == Remote(transport="http", url="https://x.io/${TOKEN}", headers={"X": "${GONE}"})
    assert server.notes == ("the variable GONE is not set; ${GONE} stays as it is",)


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        ([], "must be an object"),
        ({}, "needs a `command`"),
        ({"url": "https://x.io"}, 'add `"type": "http"`'),
        ({"type": "carrier-pigeon"}, "unknown type `carrier-pigeon`"),
        ({"type": "http"}, "needs a `url`"),
        ({"type": "http", "url": "file:///etc/passwd"}, "no http:// or https:// address"),
        ({"type": "ws", "url": "https://x.io"}, "no ws:// or wss:// address"),
        ({"type": "http", "url": "https://x.io:99999/"}, "no http:// or https:// address"),
        ({"command": "x", "args": "y"}, "no list of texts"),
        ({"command": "x", "env": {"A": []}}, "`env.A` that is no text"),
        ({"command": "x\0y"}, "null character"),
        ({"command": "x", "timeout": 5}, "no number of milliseconds"),
        ({"command": "x", "alwaysLoad": "yes"}, "neither true nor false"),
        ({"command": "x", "protocol": "2019"}, "unknown `protocol`"),
        ({"type": "http", "url": "https://x.io", "headers": {"A": "b\r\nC: d"}}, "cannot be sent"),
        ({"type": "http", "url": "https://x.io", "oauth": {"callbackPort": 70000}}, "no port"),
    ],
)
def test_what_is_wrong_is_said(raw: Any, problem: str) -> None:
    with pytest.raises(EntryError, match=".*".join(problem.split("*"))) as caught:
        entry(raw)
    assert problem in str(caught.value)


def test_one_bad_entry_costs_itself_alone() -> None:
    found = read_definitions(
        {"good": {"command": "x"}, "bad\x1b[2J name": {"command": "x"}, "workspace": {"command": "x"}, "worse": {}},
        scope="project",
        file="/w/.mcp.json",
        environment={},
        line_of=lambda name: len(name),
    )
    assert [server.name for server in found.servers] == ["good"]
    assert [str(problem) for problem in found.problems] == [
        "/w/.mcp.json:12: MCP server `bad name` is no server name; use up to 64 letters, digits, `-` and `_`; ignored",
        "/w/.mcp.json:9: MCP server `workspace` is reserved; give the server another name; ignored",
        "/w/.mcp.json:5: MCP server `worse` needs a `command`, as text; ignored",
    ]


def test_secrets_of_an_entry_are_not_shown() -> None:
    server = entry({
        "command": "x", "args": ["--api-key", "k1", "--token=k2", "--name", "n"],
        "env": {"API_TOKEN": "k3", "DEBUG": "1", "KEY": "${TOKEN}"},
    })  # fmt: skip
    assert server.target == "x --api-key (hidden) --token=(hidden) --name n"
    assert server.variables == (("API_TOKEN", "(hidden)"), ("DEBUG", "1"), ("KEY", "${TOKEN}"))


def test_nothing_of_a_command_is_hidden_that_is_shown_to_be_approved() -> None:
    raw = {"command": "node", "args": ["--auth-token", "evil.js", "--key=evil"]}
    server = read_entry("s", raw, scope="project", environment={})
    assert server.target == "node --auth-token evil.js --key=evil"


def test_an_entry_is_known_by_all_that_it_says() -> None:
    one, other = entry({"command": "x", "args": ["a"]}), entry({"command": "x", "args": ["b"]})
    assert one.entry_hash == entry({"args": ["a"], "command": "x"}).entry_hash != other.entry_hash
