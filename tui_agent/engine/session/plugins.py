"""Plugins that `--plugin-dir` names: folders with skills, commands, agents, hooks and MCP servers, as Claude Code has them.

Only what is declared is taken. Nothing of a plugin runs when it is read, and no path in it leads out of its folder.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from tui_agent.engine.skills.skill_hooks import entries_of
from tui_agent.mcp.config_files import plugin_servers
from tui_agent.mcp.definitions import Definitions
from tui_agent.regular_files import read_regular
from tui_agent.settings.load import HookEntry
from tui_agent.skills.places import SkillPlace
from tui_agent.skills.skill import SkillKind
from tui_agent.subagents.places import AgentPlace
from tui_agent.text import clean_line

__all__ = ["Plugin", "read_plugin"]

_MOST_BYTES: Final = 1_000_000
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_MANIFEST: Final = ".claude-plugin/plugin.json"
_NOT_TAKEN: Final = {
    "output-styles": "output styles are not supported",
    ".lsp.json": "language servers are not supported",
    "monitors": "monitors are not supported",
}


@dataclass(slots=True)
class Plugin:
    """What a plugin brings. `problems` say what of it does not count, each with the file and the reason."""

    name: str
    folder: Path
    skills: list[SkillPlace] = field(default_factory=list)
    agents: list[AgentPlace] = field(default_factory=list)
    servers: list[Definitions] = field(default_factory=list)
    hooks: list[HookEntry] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def read_plugin(folder: Path) -> Plugin:
    """Read a plugin's folder. Blocks; never raises."""
    folder = Path(os.path.realpath(folder))
    plugin = Plugin(folder.name, folder)
    if not folder.is_dir():
        plugin.problems.append(f"{folder} is not a folder")
        return plugin
    manifest = _json(plugin, folder / _MANIFEST)
    name = manifest.get("name", folder.name)
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        plugin.problems.append(f"{folder / _MANIFEST}: {clean_line(str(name), 60)!r} is no name for a plugin")
        return plugin
    plugin = replace(plugin, name=name)
    for kind in ("skill", "command"):
        for place in _folders(plugin, manifest, f"{kind}s"):
            plugin.skills.append(_skill_place(plugin, place, kind))
    for place in _folders(plugin, manifest, "agents"):
        plugin.agents.append(AgentPlace(path=place, source="plugin", within=folder, label=name))
    for file, hooks in _declared(plugin, manifest, "hooks", "hooks/hooks.json"):
        inner = hooks.get("hooks", hooks)
        if isinstance(inner, Mapping):
            plugin.hooks.extend(entries_of(inner, kind="user", file=str(file), plugin_root=str(folder)))
    for file, servers in _declared(plugin, manifest, "mcpServers", ".mcp.json"):
        found = plugin_servers(name, servers, file=str(file), folder=folder, environment=os.environ)
        plugin.servers.append(found)
    for left, why in _NOT_TAKEN.items():
        if (folder / left).exists():
            plugin.problems.append(f"{folder / left}: {why}; it is left out")
    return plugin


def _skill_place(plugin: Plugin, path: Path, kind: SkillKind) -> SkillPlace:
    return SkillPlace(
        path=path,
        kind=kind,
        source="plugin",
        within=plugin.folder,
        prefix=f"{plugin.name}:",
        plugin=plugin.name,
        plugin_root=plugin.folder,
    )


def _folders(plugin: Plugin, manifest: Mapping[str, Any], key: str) -> list[Path]:
    """Return the usual folder of a kind, and those that the manifest names besides."""
    said = manifest.get(key, ())
    named = [said] if isinstance(said, str) else said if isinstance(said, list) else []
    found = [plugin.folder / key]
    for text in named:
        path = _inside(plugin, text)
        if path is not None and path not in found:
            found.append(path)
    return [path for path in found if path.is_dir()]


def _declared(
    plugin: Plugin, manifest: Mapping[str, Any], key: str, usual: str
) -> list[tuple[Path, Mapping[str, Any]]]:
    """Return what a plugin declares in a file of its own, in one that the manifest names, or in the manifest."""
    said = manifest.get(key)
    if isinstance(said, Mapping):
        found = [(plugin.folder / _MANIFEST, said)]
    else:
        path = _inside(plugin, said) if said is not None else None
        found = [(path, _json(plugin, path))] if path is not None else []
    file = plugin.folder / usual
    if file.exists() and all(path != file for path, _ in found):
        found.append((file, _json(plugin, file)))
    return found


def _inside(plugin: Plugin, text: object) -> Path | None:
    """Return a path of the manifest's, None where it leads out of the plugin."""
    if isinstance(text, str) and "\0" not in text and ".." not in Path(text).parts and not text.startswith(("/", "~")):
        path = plugin.folder / text
        if Path(os.path.realpath(path)).is_relative_to(plugin.folder):
            return path
    shown = clean_line(str(text), 100)
    plugin.problems.append(f"{plugin.folder / _MANIFEST}: the path {shown!r} leads out of the plugin; it is left out")
    return None


def _json(plugin: Plugin, file: Path) -> Mapping[str, Any]:
    """Return the object in a file, an empty one where there is none or it cannot be read."""
    real = Path(os.path.realpath(file))
    if not real.is_relative_to(plugin.folder):
        plugin.problems.append(f"{file}: it is a link that leads out of the plugin; it is not read")
        return {}
    try:
        value = json.loads(read_regular(real, _MOST_BYTES))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        plugin.problems.append(f"{file}: {clean_line(str(getattr(error, 'strerror', None) or error), 200)}")
        return {}
    if not isinstance(value, dict):
        plugin.problems.append(f"{file}: it is not a JSON object")
        return {}
    return value
