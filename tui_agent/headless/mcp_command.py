"""`tui-agent mcp …`: MCP servers on the command line. Data goes to standard output, what is wrong to standard error."""

from __future__ import annotations

import argparse
import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from tui_agent.headless.mcp_text import server_line, server_lines
from tui_agent.headless.options import listed, working_folder
from tui_agent.headless.output import CliOutput
from tui_agent.headless.parsers import UsageError

if TYPE_CHECKING:
    from tui_agent.engine.inspection import StandaloneServers
    from tui_agent.mcp.servers import Scope, ServerConfig
    from tui_agent.queries import McpServerRow

__all__ = ["run_mcp"]


async def run_mcp(options: argparse.Namespace, output: CliOutput) -> int:
    """Do what one of the commands says; 1 where it cannot be done.

    Raises:
        UsageError: it cannot be meant so.
    """
    match options.command.removeprefix("mcp "):
        case "list":
            return await _list(options, output)
        case "get":
            return await _get(options, output)
        case "add":
            return _add(options, _entry(options), output)
        case "add-json":
            return _add(options, _json(options.entry), output)
        case "remove":
            return _remove(options, output)
        case "login":
            return await _login(options, output)
        case "serve":
            from tui_agent.headless.mcp_serve import serve_tools

            return await serve_tools(options, output)
        case "logout":
            return _logout(options, output)
        case _:
            return _reset(options, output)


def _servers(options: argparse.Namespace) -> StandaloneServers:
    from tui_agent.engine.inspection import StandaloneServers
    from tui_agent.mcp.config_files import GivenConfigError, McpFiles
    from tui_agent.settings.load import SettingsError, load_settings

    start = working_folder(options)
    sources = None if options.setting_sources is None else listed(options.setting_sources)
    try:
        settings = load_settings(start, inline=options.settings, sources=sources)
        files = McpFiles(start=start, given=options.mcp_config, is_strict=options.strict_mcp_config, sources=sources)
        return StandaloneServers(files, settings)
    except (SettingsError, GivenConfigError) as error:
        raise UsageError(str(error), "") from error


def _known(options: argparse.Namespace, servers: StandaloneServers) -> ServerConfig:
    config = servers.configured.get(options.name)
    if config is None:
        raise UsageError(f"there is no MCP server {options.name}", "`tui-agent mcp list` names them.")
    return config


# --- what there is ---------------------------------------------------------------------------------------------------


async def _list(options: argparse.Namespace, output: CliOutput) -> int:
    servers = _servers(options)
    report = await servers.report(connects=not options.no_connect)
    for problem in report.problems:
        output.message(problem)
    for row in report.servers:
        if options.json:
            output.json(_data(row))
        else:
            output.text(server_line(row))
    if not report.servers and not options.json:
        output.message("There are no MCP servers here.", "`tui-agent mcp add --help` says how to add one.")
    return int(any(row.state == "failed" for row in report.servers))


async def _get(options: argparse.Namespace, output: CliOutput) -> int:
    servers = _servers(options)
    _known(options, servers)
    (row,) = (await servers.report(connects=True, only=options.name)).servers
    if options.json:
        output.json_document(_data(row))
    else:
        output.text("\n".join(server_lines(row)))
    return int(row.state == "failed")


def _data(row: McpServerRow) -> dict[str, Any]:
    return asdict(row)


# --- changes ---------------------------------------------------------------------------------------------------------


def _entry(options: argparse.Namespace) -> dict[str, Any]:
    """Return the entry that the words of `mcp add` describe."""
    if not options.target:
        raise UsageError("a command or an address is needed", "For example: tui-agent mcp add db -- npx -y db-server")
    kind = options.transport or "stdio"
    if kind == "stdio":
        if options.header:
            raise UsageError("--header is for servers at an address", "Add --transport http.")
        if options.transport is None and options.target[0].startswith(("http://", "https://")):
            raise UsageError(f"{options.target[0]} is an address", "Add --transport http (or sse).")
        command, *args = options.target
        env = dict(_pair(text, "=", "--env") for text in options.env)
        return {"command": command, **({"args": args} if args else {}), **({"env": env} if env else {})}
    if len(options.target) > 1:
        raise UsageError(f"a server of type {kind} has one address", "Put options before NAME.")
    if options.env:
        raise UsageError("--env is for programs", "A server at an address takes --header.")
    headers = dict(_pair(text, ":", "--header") for text in options.header)
    return {"type": kind, "url": options.target[0], **({"headers": headers} if headers else {})}


def _pair(text: str, separator: str, flag: str) -> tuple[str, str]:
    name, found, value = text.partition(separator)
    if not found or not name.strip():
        raise UsageError(f"{flag} {text}: expected NAME{separator}VALUE", "")
    return name.strip(), value.strip() if separator == ":" else value


def _json(text: str) -> dict[str, Any]:
    try:
        entry = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"the entry is not JSON: {error}", """For example '{"command": "npx"}'.""") from None
    if not isinstance(entry, dict):
        raise UsageError("the entry must be a JSON object", """For example '{"command": "npx"}'.""")
    return entry


def _add(options: argparse.Namespace, entry: dict[str, Any], output: CliOutput) -> int:
    from tui_agent.mcp.editing import EditError, add_server

    try:
        server = add_server(options.name, entry, options.scope, working_folder(options), dict(os.environ))
    except EditError as error:
        raise UsageError(str(error), "") from error
    except OSError as error:
        raise UsageError(f"it cannot be written: {error.strerror or error}", "") from error
    for note in server.notes:
        output.message(f"{server.name}: {note}")
    output.text(f"Added {server.name} ({server.transport}) to {server.file}")
    return 0


def _remove(options: argparse.Namespace, output: CliOutput) -> int:
    from tui_agent.mcp.config_files import McpFiles
    from tui_agent.mcp.editing import EditError, file_of, remove_server

    start = working_folder(options)
    scope = options.scope
    if scope is None:
        config = _known(options, _servers(options))
        if config.scope not in ("local", "project", "user") or Path(config.file) != file_of(config.scope, start):
            raise UsageError(
                f"{options.name} is configured in {config.file}, which is not changed here", "Change it there."
            )
        scope = config.scope
    try:
        file = remove_server(options.name, cast("Scope", scope), McpFiles(start=start))
    except EditError as error:
        raise UsageError(str(error), "`tui-agent mcp list` names them.") from error
    except OSError as error:
        raise UsageError(f"it cannot be written: {error.strerror or error}", "") from error
    output.text(f"Removed {options.name} from {file}")
    return 0


def _reset(options: argparse.Namespace, output: CliOutput) -> int:
    try:
        number = _servers(options).approvals.reset()
    except OSError as error:
        raise UsageError(f"the record cannot be written: {error.strerror or error}", "") from error
    output.text(f"Forgot what you said of this project's servers ({number}); they ask again.")
    return 0


# --- signing in ------------------------------------------------------------------------------------------------------


async def _login(options: argparse.Namespace, output: CliOutput) -> int:
    from tui_agent.engine.inspection import open_address

    servers = _servers(options)
    config = _known(options, servers)
    if config.transport == "stdio":
        raise UsageError(f"{config.name} is a program of yours: there is nothing to sign in to", "")
    if why := servers.refusal(config):
        raise UsageError(f"{config.name} does not start: {why}", "Approve it first: start tui-agent here.")

    async def show(address: str) -> None:
        is_open = not options.no_browser and await open_address(address)
        output.message("Sign in with your browser:" if is_open else "Open this address to sign in:")
        output.message(address)

    problem = await servers.sign_in(config, show)
    if problem:
        output.message(f"{config.name}: {problem}")
        return 1
    output.text(f"Signed in to {config.name}.")
    return 0


def _logout(options: argparse.Namespace, output: CliOutput) -> int:
    servers = _servers(options)
    config = _known(options, servers)
    try:
        had_any = servers.sign_out(config)
    except OSError as error:
        raise UsageError(f"it cannot be forgotten: {error.strerror or error}", "") from error
    output.text(f"Signed out of {config.name}." if had_any else f"There was no sign-in to {config.name}.")
    return 0
