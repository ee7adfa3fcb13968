"""Adding servers to files and taking them out again. Everything else in a file stays as it is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tui_agent.mcp.approvals import Approvals
from tui_agent.mcp.config_files import McpFiles, project_file, user_file
from tui_agent.mcp.definitions import EntryError, read_entry
from tui_agent.mcp.servers import Scope, ServerConfig, name_problem
from tui_agent.settings.change import ChangeError, change_file
from tui_agent.settings.standard_paths import project_root

__all__ = ["EditError", "add_server", "file_of", "remove_server"]


class EditError(ValueError):
    """It cannot be done; the text says why, in a sentence."""


def file_of(scope: Scope, start: Path) -> Path:
    """Return the file that servers of a scope are written to."""
    return project_file(start) if scope == "project" else user_file()


def add_server(
    name: str, entry: Mapping[str, Any], scope: Scope, start: Path, environment: Mapping[str, str]
) -> ServerConfig:
    """Write a server into the file of its scope, and return it. Blocks.

    What the user adds to a project here needs no further approval of theirs.

    Raises:
        EditError: there is one of that name already, or the entry is none.
        OSError: a file cannot be written.
    """
    if problem := name_problem(name):
        raise EditError(f"`{name}` {problem}")
    file = file_of(scope, start)
    try:
        server = read_entry(name, entry, scope=scope, environment=environment, file=str(file))
    except EntryError as error:
        raise EditError(f"`{name}` {error}") from None

    def change(data: dict[str, Any]) -> bool:
        servers = _servers(data, scope, start, file)
        if name in servers:
            raise EditError(f"there is an MCP server `{name}` in {file} already; remove it first")
        servers[name] = dict(entry)
        return True

    _change(file, change)
    if scope == "project":
        Approvals(project_root(start)).decide(server, may_start=True)
    return server


def remove_server(name: str, scope: Scope, files: McpFiles) -> Path:
    """Take a server out of the file of its scope, and return the file. Blocks.

    Raises:
        EditError: there is none of that name.
        OSError: the file cannot be written.
    """
    file = file_of(scope, files.start)

    def change(data: dict[str, Any]) -> bool:
        servers = _servers(data, scope, files.start, file)
        if name not in servers:
            raise EditError(f"there is no MCP server `{name}` in {file}")
        del servers[name]
        return True

    _change(file, change)
    return file


def _change(file: Path, change: Any) -> None:  # noqa: ANN401 - as `change_file` takes it
    try:
        change_file(file, change)
    except ChangeError as error:
        raise EditError(f"{error}; it stays as it is") from None


def _servers(data: dict[str, Any], scope: Scope, start: Path, file: Path) -> dict[str, Any]:
    """Return the object that holds the servers of a scope, made where it is missing."""
    place = data
    path = ("projects", str(project_root(start)), "mcpServers") if scope == "local" else ("mcpServers",)
    for key in path:
        inner = place.setdefault(key, {})
        if not isinstance(inner, dict):
            raise EditError(f"{file}: `{key}` is no object; it stays as it is")
        place = inner
    return place
