"""The options of `tui-agent mcp …`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Final

__all__ = ["MCP_ABOUT", "MCP_COMMANDS", "add_mcp_arguments", "without_target"]

MCP_COMMANDS: Final = (
    "list", "get", "add", "add-json", "remove", "login", "logout", "reset-choices", "reset-project-choices",
    "serve",
)  # fmt: skip
MCP_ABOUT: Final = {
    "mcp list": "List the MCP servers of this folder, and try to connect to those that may start.",
    "mcp get": "Say all that is known of a server: where it is configured, its state, its tools.",
    "mcp add": "Add a server: a command with its arguments after `--`, or an address.",
    "mcp add-json": "Add a server, given its entry as JSON.",
    "mcp remove": "Remove a server.",
    "mcp login": "Sign in to a remote server with your browser.",
    "mcp logout": "Forget the sign-in to a remote server.",
    "mcp reset-choices": "Forget which servers of this project you have approved or refused.",
    "mcp reset-project-choices": "The same as reset-choices.",
    "mcp serve": "Be an MCP server yourself: the tools of this program, on standard input and output or over HTTP.",
}
_SCOPES: Final = ("local", "project", "user")


def add_mcp_arguments(parser: argparse.ArgumentParser, command: str) -> None:
    """Add what one of the commands takes."""
    match command.removeprefix("mcp "):
        case "list":
            parser.add_argument("--json", action="store_true", help="one JSON object a line")
            parser.add_argument("--no-connect", action="store_true", help="say what is configured, and start nothing")
        case "get":
            parser.add_argument("name", metavar="NAME")
            parser.add_argument("--json", action="store_true", help="one JSON object")
        case "add":
            parser.add_argument("name", metavar="NAME")
            parser.add_argument("target", nargs="*", metavar="COMMAND|URL", help="after `--`, where it has options")
            _add_scope(parser)
            parser.add_argument("-t", "--transport", choices=("stdio", "http", "sse", "ws"), help="default: stdio")
            parser.add_argument("-e", "--env", action="append", default=[], metavar="K=V", help="a variable of its own")
            parser.add_argument("-H", "--header", action="append", default=[], metavar="'K: V'", help="a header")
        case "add-json":
            parser.add_argument("name", metavar="NAME")
            parser.add_argument("entry", metavar="JSON", help="as in `mcpServers`")
            _add_scope(parser)
        case "remove":
            parser.add_argument("name", metavar="NAME")
            _add_scope(parser, default=None)
        case "serve":
            parser.add_argument(
                "--http", metavar="[HOST:]PORT", help="over HTTP; clients need the token that is printed"
            )
            parser.add_argument("--no-token", action="store_true", help="let every program of this machine in")
        case "login" | "logout":
            parser.add_argument("name", metavar="NAME")
            if command == "mcp login":
                parser.add_argument("--no-browser", action="store_true", help="only print the address to visit")
        case _:
            pass


def _add_scope(parser: argparse.ArgumentParser, default: str | None = "local") -> None:
    says = "yours in this project (local, the default), shared with the project, or yours everywhere (user)"
    parser.add_argument("-s", "--scope", choices=_SCOPES, default=default, help=says)


def without_target(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the words of `mcp add` before `--`, and those after it: a command, which is free to have options."""
    if "--" not in words:
        return list(words), []
    at = list(words).index("--")
    return list(words[:at]), list(words[at + 1 :])
