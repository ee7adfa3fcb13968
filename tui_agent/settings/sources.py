"""The files that settings come from: which there are, strongest first, and what each of them says.

Of each scope there are our own file and the one of Claude Code, which people may have already; ours is the stronger one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from tui_agent.settings import standard_paths
from tui_agent.settings import values as json_values
from tui_agent.settings.problems import Problem
from tui_agent.settings.reading import read_json
from tui_agent.settings.schema import prune
from tui_agent.settings.source_text import SourceText, parse

__all__ = [
    "NAMES",
    "SOURCES",
    "SettingsLocation",
    "SettingsSource",
    "SourceKind",
    "checked",
    "read",
    "settings_places",
]

SourceKind = Literal["cli", "local", "project", "policy", "user"]
SOURCES: Final[tuple[SourceKind, ...]] = ("cli", "local", "project", "policy", "user")
NAMES: Final[Mapping[SourceKind, str]] = {
    "cli": "command line",
    "local": "local project settings",
    "project": "project settings",
    "policy": "policy",
    "user": "user settings",
}


@dataclass(frozen=True, slots=True)
class SettingsLocation:
    """A file that may hold settings.

    `base` is the folder that `/path` in its permission rules starts at; `anchor` the one that a relative path of its sandbox
    settings starts at.
    """

    kind: SourceKind
    file: Path
    base: Path
    anchor: Path


@dataclass(frozen=True)
class SettingsSource:
    """What one file, or the command line, says. `values` lacks what is invalid; `ignored` says of the rest what does not count
    and why.
    """

    kind: SourceKind
    file: str
    base: Path
    anchor: Path
    text: SourceText
    values: Mapping[str, Any]
    ignored: Mapping[json_values.Path, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The kind of source, as people know it."""
        return NAMES[self.kind]

    @property
    def counting(self) -> Mapping[str, Any]:
        """What of it counts."""
        values = self.values
        for path in self.ignored:
            values = json_values.without(values, path)
        return values


def settings_places(
    start: Path, *, home: Path, config: Path | None, claude: Path, policy: Path, claude_policy: Path
) -> tuple[SettingsLocation, ...]:
    """Return every file that may hold settings for a session in `start`, strongest first; most need not exist."""
    root = standard_paths.project_root(start)
    local = standard_paths.local_root(start, home=home)
    claude_local = f"{standard_paths.CLAUDE_FOLDER}/settings.local.json"
    own_user = standard_paths.user_settings_file(config)
    users = [SettingsLocation("user", own_user, own_user.parent, own_user.parent)]
    users.append(SettingsLocation("user", claude / "settings.json", claude, claude))
    projects = [
        SettingsLocation("local", local / standard_paths.LOCAL_SETTINGS, start, root),
        SettingsLocation("local", start / claude_local, start, root),
        SettingsLocation("local", local / claude_local, start, root),
        SettingsLocation("project", root / standard_paths.PROJECT_SETTINGS, root, root),
        SettingsLocation("project", start / standard_paths.CLAUDE_FOLDER / "settings.json", root, root),
    ]
    policies = [
        SettingsLocation("policy", file, file.parent, root)
        for folder, stem in ((policy, "settings"), (claude_policy, "managed-settings"))
        for file in reversed(standard_paths.policy_settings_files(folder, stem))
    ]
    # Somebody who starts at home finds the same file twice: it is their own, not one that came with a project.
    seen = {os.path.realpath(place.file) for place in (*policies, *users)}
    return (*_first_of_each(projects, seen), *policies, *users)


def _first_of_each(found: list[SettingsLocation], seen: set[str]) -> Iterator[SettingsLocation]:
    for place in found:
        real = os.path.realpath(place.file)
        if real not in seen:
            seen.add(real)
            yield place


def read(place: SettingsLocation, problems: list[Problem]) -> SettingsSource | None:
    """Return what a file says, None where there is none. Entries that are not valid are left out and noted in `problems`.

    Raises:
        UnreadableError: it cannot be read or parsed.
    """
    return read_json(place.file, lambda text: checked(place, str(place.file), text, problems))


def checked(place: SettingsLocation, name: str, text: str, problems: list[Problem]) -> SettingsSource:
    """Return what `text` says as a source called `name`.

    Raises:
        MalformedJson: it is not JSON.
    """
    source = parse(text) if text.strip() else SourceText({})
    values, found = prune(source, name)
    problems.extend(found)
    return SettingsSource(place.kind, name, place.base, place.anchor, source, values)
