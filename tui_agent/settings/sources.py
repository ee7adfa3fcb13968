"""The files that settings come from: which there are, strongest first, and what each of them says.

Of each scope there are our own file and the one of Claude Code, which people may have already; ours is the stronger one.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from tui_agent.settings import places
from tui_agent.settings import values as json_values
from tui_agent.settings.problems import Problem
from tui_agent.settings.schema import prune
from tui_agent.settings.source_text import MalformedJson, SourceText, parse

__all__ = [
    "MAX_BYTES",
    "NAMES",
    "SOURCES",
    "Place",
    "Source",
    "SourceKind",
    "UnreadableError",
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
MAX_BYTES: Final = 2 * 1024 * 1024


class UnreadableError(Exception):
    """A file cannot be used at all; `problem` says where and why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem: Final = problem


@dataclass(frozen=True, slots=True)
class Place:
    """A file that may hold settings.

    `base` is the folder that `/path` in its permission rules starts at; `anchor` the one that a relative path of its sandbox
    settings starts at.
    """

    kind: SourceKind
    file: Path
    base: Path
    anchor: Path


@dataclass(frozen=True)
class Source:
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
    needs_trust: bool = False

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
) -> tuple[Place, ...]:
    """Return every file that may hold settings for a session in `start`, strongest first; most need not exist."""
    root = places.project_root(start)
    local = places.local_root(start, home=home)
    claude_local = f"{places.CLAUDE_FOLDER}/settings.local.json"
    own_user = places.user_settings_file(config)
    users = [Place("user", own_user, own_user.parent, own_user.parent)]
    users.append(Place("user", claude / "settings.json", claude, claude))
    projects = [
        Place("local", local / places.LOCAL_SETTINGS, start, root),
        Place("local", start / claude_local, start, root),
        Place("local", local / claude_local, start, root),
        Place("project", root / places.PROJECT_SETTINGS, root, root),
        Place("project", start / places.CLAUDE_FOLDER / "settings.json", root, root),
    ]
    policies = [
        Place("policy", file, file.parent, root)
        for folder, stem in ((policy, "settings"), (claude_policy, "managed-settings"))
        for file in reversed(places.policy_settings_files(folder, stem))
    ]
    # Somebody who starts at home finds the same file twice: it is their own, not one that came with a project.
    seen = {os.path.realpath(place.file) for place in (*policies, *users)}
    return (*_first_of_each(projects, seen), *policies, *users)


def _first_of_each(found: list[Place], seen: set[str]) -> Iterator[Place]:
    for place in found:
        real = os.path.realpath(place.file)
        if real not in seen:
            seen.add(real)
            yield place


def read(place: Place, problems: list[Problem]) -> Source | None:
    """Return what a file says, None where there is none. Entries that are not valid are left out and noted in `problems`.

    Raises:
        UnreadableError: it cannot be read or parsed.
    """
    try:
        raw = _bytes_of(place.file)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UnreadableError(Problem(str(place.file), 1, f"cannot be read: {error.strerror or error}")) from None
    try:
        return checked(place, str(place.file), raw.decode("utf-8-sig"), problems)
    except UnicodeDecodeError:
        raise UnreadableError(Problem(str(place.file), 1, "is not UTF-8 text")) from None
    except MalformedJson as error:
        reason = f"column {error.column}: {error.reason}"
        raise UnreadableError(Problem(str(place.file), error.line, reason)) from None


def _bytes_of(file: Path) -> bytes:
    """Read a settings file that nobody pointed at: in a foreign folder it may be a pipe, or link to a device without end.

    Raises:
        OSError: it cannot be read, or should not be.
    """
    with open(file, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as opened:
        if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
            raise OSError("it is not a regular file")
        data = opened.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise OSError("it is larger than 2 MiB")
    return data


def checked(place: Place, name: str, text: str, problems: list[Problem]) -> Source:
    """Return what `text` says as a source called `name`.

    Raises:
        MalformedJson: it is not JSON.
    """
    source = parse(text) if text.strip() else SourceText({})
    values, found = prune(source, name)
    problems.extend(found)
    return Source(place.kind, name, place.base, place.anchor, source, values)
