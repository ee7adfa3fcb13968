"""What a configured server is: how it is reached, where the entry stands, and what the entry says besides. Imports no SDK."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from tui_agent.secrets.names import may_be_secret

__all__ = [
    "PROTOCOLS", "RESERVED_NAMES", "SCOPES", "Era", "InProcess", "OAuthOptions", "Remote", "Scope", "ServerConfig", "Stdio",
    "name_problem",
]  # fmt: skip

Scope = Literal["managed", "command line", "local", "project", "user", "plugin"]
SCOPES: Final[tuple[Scope, ...]] = ("managed", "command line", "local", "project", "user", "plugin")  # strongest first
# `auto` asks a server which era of the protocol it speaks; `legacy` begins with `initialize`, the last one does not.
Era = Literal["auto", "legacy", "2026-07-28"]
PROTOCOLS: Final[tuple[Era, ...]] = ("auto", "legacy", "2026-07-28")
RESERVED_NAMES: Final = frozenset({"workspace", "claude-in-chrome", "computer-use"})
_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_HASH_CHARS: Final = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Stdio:
    """A program that is started and spoken to on its standard input and output. `env` is added to the cleaned environment."""

    command: str
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class OAuthOptions:
    """What an entry says of signing in. `callback_port` is the local port that the browser comes back to; 0: any free one."""

    client_id: str = ""
    client_secret: str = ""
    callback_port: int = 0
    scopes: str = ""
    metadata_url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """A server at an address. `headers_helper` is a command that prints more headers as a JSON object."""

    transport: Literal["http", "sse", "ws"]
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    headers_helper: str = ""
    oauth: OAuthOptions = field(default_factory=OAuthOptions)


@dataclass(frozen=True, slots=True, kw_only=True)
class InProcess:
    """A server object of the SDK in this process: for programs that embed this one, and for tests."""

    server: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerConfig:
    """One server. `raw` is the entry as written, before variables were put in; `label` says who brought it (a plugin's name).

    `timeout_ms` limits one tool call; 0: as the environment says. `notes` are warnings on the entry, each a sentence.
    """

    name: str
    scope: Scope
    reach: Stdio | Remote | InProcess
    file: str = ""
    line: int = 1
    label: str = ""
    timeout_ms: int = 0
    is_always_loaded: bool = False
    era: Era = "auto"
    raw: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def entry_hash(self) -> str:
        """What the entry is known by when it is approved: its name and all that it says, as written."""
        text = json.dumps([self.name, self.raw], sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_CHARS]

    @property
    def transport(self) -> str:
        """How it is spoken to, in a word."""
        match self.reach:
            case Stdio():
                return "stdio"
            case Remote():
                return self.reach.transport
            case _:
                return "in-process"

    @property
    def target(self) -> str:
        """The command or the address, as written in the entry: variables by name, and the user's secrets left out.

        Of a project's entry nothing is left out. It is shown to be approved, and what looks like a secret may be what runs.
        """
        if isinstance(self.reach, Remote):
            return str(self.raw.get("url", self.reach.url))
        if isinstance(self.reach, InProcess):
            return "in this process"
        args = self.raw.get("args", self.reach.args)
        words = [
            str(self.raw.get("command", self.reach.command)),
            *map(str, args if isinstance(args, list | tuple) else ()),
        ]
        return " ".join(words if self.scope == "project" else _shown(words))

    @property
    def variables(self) -> tuple[tuple[str, str], ...]:
        """The names of variables and headers that the entry sets, each with its value as it may be shown."""
        found: list[tuple[str, str]] = []
        for key in ("env", "headers"):
            given = self.raw.get(key)
            for name, value in given.items() if isinstance(given, Mapping) else ():
                hides = may_be_secret(str(name).replace("-", "_")) and "${" not in str(value)
                found.append((str(name), "(hidden)" if hides else str(value)))
        return tuple(found)


def _shown(words: list[str]) -> list[str]:
    """Return the words of a command with the values of options that look secret left out."""
    shown: list[str] = []
    hides_next = False
    for word in words:
        name, equals, value = word.partition("=")
        is_secret = name.startswith("-") and may_be_secret(name.lstrip("-").replace("-", "_"))
        if hides_next and not word.startswith("-") and "${" not in word:
            shown.append("(hidden)")
        elif is_secret and equals and "${" not in value:
            shown.append(f"{name}=(hidden)")
        else:
            shown.append(word)
        hides_next = is_secret and not equals
    return shown


def name_problem(name: str) -> str:
    """Return what is wrong with a server's name, as the end of a sentence about it; empty where nothing is."""
    if name in RESERVED_NAMES:
        return "is reserved; give the server another name"
    if not _NAME.fullmatch(name):
        return "is no server name; use up to 64 letters, digits, `-` and `_`"
    return ""
