"""From the JSON of an `mcpServers` object to servers: every entry checked, bad ones left out with a sentence that says why."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast
from urllib.parse import urlsplit

from tui_agent.mcp.expansion import Expander
from tui_agent.mcp.servers import PROTOCOLS, Era, OAuthOptions, Remote, Scope, ServerConfig, Stdio, name_problem
from tui_agent.settings.problems import Problem
from tui_agent.text import clean_line

__all__ = ["Definitions", "EntryError", "read_definitions", "read_entry"]

_LEAST_TIMEOUT_MS: Final = 1000
_MOST_TIMEOUT_MS: Final = 2**31
_TRANSPORTS: Final = {"http": "http", "streamable-http": "http", "streamableHttp": "http", "sse": "sse", "ws": "ws"}
_SCHEMES: Final = {"http": ("http", "https"), "sse": ("http", "https"), "ws": ("ws", "wss")}
_FOR_STDIO: Final = ("command", "args", "env")
_FOR_REMOTE: Final = ("url", "headers", "headersHelper", "oauth")


class EntryError(ValueError):
    """An entry cannot be used; the text says why, as the end of a sentence about the server."""


@dataclass(frozen=True, slots=True)
class Definitions:
    """Servers from one place, and what is wrong there."""

    servers: tuple[ServerConfig, ...] = ()
    problems: tuple[Problem, ...] = ()


def read_definitions(
    entries: object,
    *,
    scope: Scope,
    file: str,
    environment: Mapping[str, str],
    label: str = "",
    line_of: Callable[[str], int] = lambda _name: 1,
    rename: Callable[[str], str] = lambda name: name,
) -> Definitions:
    """Return the servers of an `mcpServers` object.

    Args:
        entries: the object, from JSON.
        scope: where it counts.
        file: where it stands, for messages.
        environment: the variables that entries may use.
        label: who brought it, where the file's name does not say (a plugin's name).
        line_of: the line that an entry begins at.
        rename: what a server is called here, given its name there.
    """
    if not isinstance(entries, Mapping):
        return Definitions((), (Problem(file, 1, "`mcpServers` must be an object of servers by name; ignored"),))
    servers: list[ServerConfig] = []
    problems: list[Problem] = []
    for given, raw in entries.items():
        name = str(given)
        try:
            if problem := name_problem(name):
                raise EntryError(problem)
            server = read_entry(
                rename(name), raw, scope=scope, file=file, line=line_of(name), environment=environment, label=label
            )
        except EntryError as error:
            problems.append(Problem(file, line_of(name), f"MCP server `{clean_line(name, 60)}` {error}; ignored"))
            continue
        servers.append(server)
        problems += (Problem(file, server.line, f"MCP server `{name}`: {note}") for note in server.notes)
    return Definitions(tuple(servers), tuple(problems))


def read_entry(
    name: str,
    raw: object,
    *,
    scope: Scope,
    environment: Mapping[str, str],
    file: str = "",
    line: int = 1,
    label: str = "",
) -> ServerConfig:
    """Return the server that an entry describes.

    Raises:
        EntryError: it describes none.
    """
    if not isinstance(raw, Mapping):
        raise EntryError("must be an object")
    kind = raw.get("type")
    if kind is not None and not isinstance(kind, str):
        raise EntryError("has a `type` that is no text")
    expander = Expander(environment)
    if kind is None and "url" in raw:
        raise EntryError('has a `url` but no `type`; add `"type": "http"` (or "sse", "ws")')
    if kind in (None, "stdio"):
        reach: Stdio | Remote = _stdio(raw, expander)
        foreign: tuple[str, ...] = _FOR_REMOTE
    elif kind in _TRANSPORTS:
        reach = _remote(_TRANSPORTS[kind], raw, expander)
        foreign = _FOR_STDIO
    else:
        raise EntryError(f"has the unknown type `{clean_line(kind, 40)}`; there are stdio, http, sse and ws")
    notes = [f"`{key}` means nothing for type {kind or 'stdio'}" for key in foreign if key in raw]
    notes += [f"the variable {variable} is not set; ${{{variable}}} stays as it is" for variable in expander.unset]
    return ServerConfig(
        name=name,
        scope=scope,
        reach=reach,
        file=file,
        line=line,
        label=label,
        timeout_ms=_timeout(raw.get("timeout")),
        is_always_loaded=_flag(raw, "alwaysLoad"),
        era=_era(raw.get("protocol", "auto")),
        raw=dict(raw),
        notes=tuple(notes),
    )


def _stdio(raw: Mapping[str, Any], expander: Expander) -> Stdio:
    command = raw.get("command")
    if not isinstance(command, str) or not command.strip():
        raise EntryError("needs a `command`, as text")
    args = raw.get("args", [])
    if not isinstance(args, list) or not all(isinstance(arg, str) for arg in args):
        raise EntryError("has `args` that are no list of texts")
    found = Stdio(
        command=expander.expand(command),
        args=tuple(map(expander.expand, args)),
        env=dict(_texts(raw, "env", expander)),
    )
    if any("\0" in text for text in (found.command, *found.args, *found.env, *found.env.values())):
        raise EntryError("holds a null character")
    return found


def _remote(transport: str, raw: Mapping[str, Any], expander: Expander) -> Remote:
    url = raw.get("url")
    if not isinstance(url, str) or not url.strip():
        raise EntryError("needs a `url`, as text")
    address = expander.expand(url).strip()
    _check_url(address, transport)
    helper = raw.get("headersHelper", "")
    if not isinstance(helper, str):
        raise EntryError("has a `headersHelper` that is no command")
    headers = dict(_texts(raw, "headers", expander))
    if bad := next((name for name, value in headers.items() if not _is_header(name, value)), None):
        raise EntryError(f"has a header `{clean_line(bad, 40)}` that cannot be sent")
    return Remote(
        transport=cast("Any", transport),
        url=address,
        headers=headers,
        headers_helper=helper,
        oauth=_oauth(raw.get("oauth", {}), expander),
    )


def _check_url(address: str, transport: str) -> None:
    try:
        parts = urlsplit(address)
        is_sound = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        parts, is_sound = urlsplit(""), False
    if "${" in address:
        return  # an unset variable is told; it may be set later
    if parts.scheme not in _SCHEMES[transport] or not is_sound:
        schemes = " or ".join(f"{scheme}://" for scheme in _SCHEMES[transport])
        raise EntryError(f"has a `url` that is no {schemes} address")


def _is_header(name: str, value: str) -> bool:
    is_name = name.isascii() and name.replace("-", "").replace("_", "").isalnum()
    return is_name and not any(character in value for character in "\r\n\0")


def _oauth(raw: object, expander: Expander) -> OAuthOptions:
    if raw in (None, False):
        return OAuthOptions()
    if not isinstance(raw, Mapping):
        raise EntryError("has an `oauth` that is no object")
    port = raw.get("callbackPort", 0)
    if isinstance(port, bool) or not isinstance(port, int) or not 0 <= port < 65536:
        raise EntryError("has an `oauth.callbackPort` that is no port")
    scopes = raw.get("scopes", "")
    if isinstance(scopes, list) and all(isinstance(scope, str) for scope in scopes):
        scopes = " ".join(scopes)
    texts = {"clientId": raw.get("clientId", ""), "clientSecret": raw.get("clientSecret", ""), "scopes": scopes}
    texts["authServerMetadataUrl"] = raw.get("authServerMetadataUrl", "")
    for key, value in texts.items():
        if not isinstance(value, str):
            raise EntryError(f"has an `oauth.{key}` that is no text")
    return OAuthOptions(
        client_id=expander.expand(texts["clientId"]),
        client_secret=expander.expand(texts["clientSecret"]),
        callback_port=port,
        scopes=expander.expand(texts["scopes"]),
        metadata_url=expander.expand(texts["authServerMetadataUrl"]),
    )


def _texts(raw: Mapping[str, Any], key: str, expander: Expander) -> Iterator[tuple[str, str]]:
    given = raw.get(key, {})
    if not isinstance(given, Mapping):
        raise EntryError(f"has `{key}` that is no object of texts")
    for name, value in given.items():
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise EntryError(f"has `{key}.{clean_line(str(name), 40)}` that is no text")
        yield str(name), expander.expand(str(value))


def _timeout(value: object) -> int:
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int) or not _LEAST_TIMEOUT_MS <= value <= _MOST_TIMEOUT_MS:
        raise EntryError(f"has a `timeout` that is no number of milliseconds from {_LEAST_TIMEOUT_MS}")
    return value


def _flag(raw: Mapping[str, Any], key: str) -> bool:
    value = raw.get(key, False)
    if not isinstance(value, bool):
        raise EntryError(f"has `{key}` that is neither true nor false")
    return value


def _era(value: object) -> Era:
    for era in PROTOCOLS:
        if value == era:
            return era
    raise EntryError(f"has an unknown `protocol`; there are {', '.join(PROTOCOLS)}")
