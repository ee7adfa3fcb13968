"""The files that servers are configured in. Of two servers of one name, the one of the stronger scope counts, whole.

Our own file in the user's configuration folder has the shape of Claude Code's `~/.claude.json`, which is read too and never
written: `mcpServers` for the user everywhere, and `projects.<folder>.mcpServers` for the user in one project. What is shared
with a project stands in its `.mcp.json`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tui_agent.mcp.definitions import Definitions, read_definitions
from tui_agent.mcp.servers import Scope, ServerConfig
from tui_agent.regular_files import NotRegularError, TooLargeError, read_regular
from tui_agent.settings import standard_paths
from tui_agent.settings.problems import Problem
from tui_agent.settings.source_text import MalformedJson, SourceText, parse

__all__ = [
    "ConfiguredServers", "GivenConfigError", "McpFiles", "find_servers", "has_servers", "plugin_servers", "project_file",
    "user_file",
]  # fmt: skip

PROJECT_FILE: Final = ".mcp.json"
_MOST_BYTES: Final = 2 * 1024 * 1024
_MOST_STATE_BYTES: Final = 64 * 1024 * 1024  # Claude Code keeps much else in its file
_CHOOSABLE: Final = frozenset({"user", "project", "local"})


class GivenConfigError(ValueError):
    """What `--mcp-config` gave cannot be used; the text says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class ConfiguredServers:
    """The servers of one folder, and what is wrong with the files. `shadowed` are those that a stronger scope hides."""

    servers: tuple[ServerConfig, ...] = ()
    problems: tuple[Problem, ...] = ()
    shadowed: tuple[ServerConfig, ...] = ()

    def get(self, name: str) -> ServerConfig | None:
        """Return the server of this name."""
        return next((server for server in self.servers if server.name == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class McpFiles:
    """Where to look. `given` is what `--mcp-config` gave; with `is_strict` nothing else counts, but for a policy's file.

    `sources` are the settings sources that are read (None: all); `extra` are servers that plugins bring.
    """

    start: Path
    given: Sequence[str] = ()
    is_strict: bool = False
    sources: Collection[str] | None = None
    extra: Sequence[Definitions] = ()
    home: Path | None = None
    config: Path | None = None
    policy_folders: Sequence[Path] = (standard_paths.POLICY_FOLDER, standard_paths.CLAUDE_POLICY_FOLDER)

    @property
    def root(self) -> Path:
        """The folder of the project."""
        return standard_paths.project_root(self.start)


def project_file(start: Path) -> Path:
    """Return the file of the servers that a project shares."""
    return standard_paths.project_root(start) / PROJECT_FILE


def user_file(config: Path | None = None) -> Path:
    """Return our own file of a user's servers, everywhere and by project."""
    return (config or standard_paths.config_dir()) / "mcp.json"


def has_servers(files: McpFiles) -> bool:
    """Whether there may be servers at all. Cheap: no more is read than whether files exist, but for Claude Code's own."""
    places = (files.root / PROJECT_FILE, user_file(files.config), *_policy_files(files))
    if files.given or files.extra or any(map(os.path.lexists, places)):
        return True
    try:
        return b'"mcpServers"' in read_regular(_claude_file(files.home), _MOST_STATE_BYTES, follow_links=True)
    except OSError:
        return False


def find_servers(files: McpFiles, environment: Mapping[str, str]) -> ConfiguredServers:
    """Return the servers for a session that starts in a folder. Reads files.

    Args:
        files: where to look.
        environment: the variables that entries may use.

    Raises:
        GivenConfigError: `--mcp-config` names a file that cannot be read, or text that is no JSON.
    """
    managed = [
        _read_file(file, "managed", environment, follow_links=True)
        for file in _policy_files(files)
        if os.path.lexists(file)
    ]
    given = [_read_given(text, files.start, environment) for text in files.given]
    if managed:
        return _merged(managed, given)
    if files.is_strict:
        return _merged(given)
    wanted = _CHOOSABLE if files.sources is None else frozenset(files.sources)
    own = _read_text(user_file(files.config))
    claude = _read_text(_claude_file(files.home), _MOST_STATE_BYTES, is_quiet=True)
    local = [_of_projects(text, files, environment) for text in (own, claude)] if "local" in wanted else []
    project = [_read_file(files.root / PROJECT_FILE, "project", environment)] if "project" in wanted else []
    user = [_of_user(text, environment) for text in (own, claude)] if "user" in wanted else []
    broken = [Definitions((), (text.problem,)) for text in (own, claude) if text.problem is not None]
    return _merged(given, local, project, user, [*files.extra, *broken])


def plugin_servers(
    plugin: str, entries: object, *, file: str, folder: Path, environment: Mapping[str, str], data: Path | None = None
) -> Definitions:
    """Return the servers that a plugin brings, as `McpFiles.extra` takes them.

    A plugin's server is called `plugin_<plugin>_<server>`. Its entry may use the variables CLAUDE_PLUGIN_ROOT and
    CLAUDE_PLUGIN_DATA.

    Args:
        plugin: its name; it is the servers' label.
        entries: the `mcpServers` object, or the whole of an `.mcp.json`.
        file: where that stands, for messages.
        folder: the plugin's folder.
        environment: the variables that entries may use besides.
        data: the folder that the plugin may keep data in.
    """
    inner = entries.get("mcpServers", entries) if isinstance(entries, Mapping) else entries
    return read_definitions(
        inner,
        scope="plugin",
        file=file,
        label=plugin,
        environment={**environment, "CLAUDE_PLUGIN_ROOT": str(folder), "CLAUDE_PLUGIN_DATA": str(data or folder)},
        rename=lambda name: f"plugin_{plugin}_{name}",
    )


# --- files -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Text:
    """What stands in a file. `problem` is why there is nothing of it."""

    file: str
    source: SourceText
    problem: Problem | None = None

    def at(self, *path: str) -> object:
        value: Any = self.source.value
        for key in path:
            if not isinstance(value, Mapping) or key not in value:
                return None
            value = value[key]
        return value

    def line_of(self, *path: str) -> Callable[[str], int]:
        return lambda name: self.source.line((*path, name))


def _claude_file(home: Path | None) -> Path:
    moved = os.environ.get("CLAUDE_CONFIG_DIR") if home is None else None
    return Path(moved).expanduser() / ".claude.json" if moved else (home or Path.home()) / ".claude.json"


def _policy_files(files: McpFiles) -> tuple[Path, ...]:
    return tuple(folder / "managed-mcp.json" for folder in files.policy_folders)


def _read_text(file: Path, limit: int = _MOST_BYTES, *, follow_links: bool = True, is_quiet: bool = False) -> _Text:
    nothing = SourceText({})
    try:
        text = read_regular(file, limit, follow_links=follow_links).decode("utf-8-sig")
        # Of a large file that is not ours the lines are not worth a second walk over it.
        source = SourceText(json.loads(text)) if is_quiet else parse(text)
        return _Text(str(file), source if text.strip() else nothing)
    except (FileNotFoundError, NotADirectoryError):
        return _Text(str(file), nothing)
    except TooLargeError:
        problem = Problem(str(file), 1, f"is larger than {limit // 2**20} MiB; its MCP servers are ignored")
    except NotRegularError as error:
        problem = Problem(str(file), 1, f"cannot be read: {error}; its MCP servers are ignored")
    except OSError as error:
        problem = Problem(str(file), 1, f"cannot be read: {error.strerror or error}; its MCP servers are ignored")
    except MalformedJson as error:
        problem = Problem(str(file), error.line, f"column {error.column}: {error.reason}; its MCP servers are ignored")
    except (ValueError, RecursionError):
        problem = Problem(str(file), 1, "is no JSON; its MCP servers are ignored")
    return _Text(str(file), nothing, problem)


def _read_file(file: Path, scope: Scope, environment: Mapping[str, str], *, follow_links: bool = False) -> Definitions:
    """Return the servers of a file that holds nothing else."""
    text = _read_text(file, follow_links=follow_links)
    if text.problem is not None:
        return Definitions((), (text.problem,))
    entries = text.at("mcpServers")
    if entries is None:
        if text.source.value:
            return Definitions((), (Problem(str(file), 1, "has no `mcpServers`; ignored"),))
        return Definitions()
    return read_definitions(
        entries, scope=scope, file=str(file), environment=environment, line_of=text.line_of("mcpServers")
    )


def _of_user(text: _Text, environment: Mapping[str, str]) -> Definitions:
    entries = text.at("mcpServers")
    if entries is None:
        return Definitions()
    return read_definitions(
        entries, scope="user", file=text.file, environment=environment, line_of=text.line_of("mcpServers")
    )


def _of_projects(text: _Text, files: McpFiles, environment: Mapping[str, str]) -> Definitions:
    """Return the user's own servers for the project, kept by the folder that they were added in."""
    for folder in dict.fromkeys((str(files.start), str(files.root))):
        entries = text.at("projects", folder, "mcpServers")
        if entries:
            line_of = text.line_of("projects", folder, "mcpServers")
            return read_definitions(entries, scope="local", file=text.file, environment=environment, line_of=line_of)
    return Definitions()


def _read_given(given: str, start: Path, environment: Mapping[str, str]) -> Definitions:
    """Return the servers that `--mcp-config` gives: a file's name, or the JSON itself."""
    name, text = "--mcp-config", given
    if not given.lstrip().startswith("{"):
        file = start / Path(given).expanduser()
        name = str(file)
        try:
            text = read_regular(file, _MOST_BYTES, follow_links=True).decode("utf-8-sig")
        except TooLargeError:
            raise GivenConfigError(f"--mcp-config {given}: larger than 2 MiB") from None
        except UnicodeDecodeError:
            raise GivenConfigError(f"--mcp-config {given}: not UTF-8 text") from None
        except OSError as error:
            raise GivenConfigError(f"--mcp-config {given}: {error.strerror or error}") from None
    try:
        source = parse(text)
    except MalformedJson as error:
        raise GivenConfigError(f"{name}: {error}") from None
    entries = source.value.get("mcpServers") if isinstance(source.value, Mapping) else None
    if entries is None:
        raise GivenConfigError(f'{name}: there is no `mcpServers`; it looks like {{"mcpServers": {{"name": {{…}}}}}}')
    line_of = _Text(name, source).line_of("mcpServers")
    return read_definitions(entries, scope="command line", file=name, environment=environment, line_of=line_of)


def _merged(*scopes: Iterable[Definitions]) -> ConfiguredServers:
    """Return what counts of definitions that come strongest first."""
    servers: dict[str, ServerConfig] = {}
    shadowed: list[ServerConfig] = []
    problems: list[Problem] = []
    for definitions in _all(scopes):
        problems += definitions.problems
        shadowed += [one for one in definitions.servers if servers.setdefault(one.name, one) is not one]
    return ConfiguredServers(tuple(servers.values()), tuple(dict.fromkeys(problems)), tuple(shadowed))


def _all(scopes: Iterable[Iterable[Definitions]]) -> Iterator[Definitions]:
    for scope in scopes:
        yield from scope
