"""Reads agent files: Markdown with a YAML header, one type of agent each. A bad one costs nothing but itself, and is said.

The same fields are read from the JSON of `--agents`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tui_agent.frontmatter import FrontMatter, HeaderFields, read_front_matter
from tui_agent.permissions.modes import MODES, mode_from_setting
from tui_agent.permissions.tool_names import canonical
from tui_agent.regular_files import open_regular
from tui_agent.settings.watch import Stamp, stamps_of
from tui_agent.subagents.catalog import AgentProblem
from tui_agent.subagents.definition import AgentDefinition, ToolList, parse_tools
from tui_agent.subagents.places import AgentPlace
from tui_agent.text import clean_line, reveal

__all__ = ["AgentFiles", "AgentJsonError", "agents_of_json"]

_MOST_BYTES: Final = 400_000
_MOST_FILES: Final = 2_000  # of one place
_MOST_DEPTH: Final = 6
_MOST_NAME: Final = 100
_MOST_DESCRIPTION: Final = 5_000
_LEADS_OUT: Final = "it is a link that leads out of the project; it is not read"
_UNTRUSTED: Final = "the folder is not trusted"
_LATER: Final = {
    "memory": "agents keep no memory of their own yet",
    "effort": "effort cannot be set for agents",
}
_LIMITS: Final = ("tools", "disallowedTools", "disallowed-tools", "permissionMode", "permission-mode")


class AgentJsonError(ValueError):
    """What `--agents` gives cannot be used; the text says why."""


@dataclass(slots=True)
class AgentFiles:
    """Reads places, and what it has read before again only where a file has changed."""

    watched: dict[Path, Stamp | None] = field(default_factory=dict)
    _known: dict[tuple[Path, str], tuple[Stamp | None, AgentDefinition | None, tuple[AgentProblem, ...]]] = field(
        default_factory=dict
    )

    def read(self, places: tuple[AgentPlace, ...]) -> tuple[list[AgentDefinition], list[AgentProblem], list[str]]:
        """Return types of agents, what does not count, and files that are held back. Blocks; never raises."""
        found: list[AgentDefinition] = []
        problems: list[AgentProblem] = []
        held_back: list[str] = []
        watched: list[Path] = []
        for place in places:
            watched.append(place.path)
            if _leads_out(place.path, place.within):
                problems.append(AgentProblem(reveal(str(place.path)), _LEADS_OUT))
                continue
            for file in _files(place, problems, watched):
                if not place.is_trusted:
                    held_back.append(reveal(str(file)))
                    continue
                definition, own = self._one(file, place)
                problems += own
                if definition is not None:
                    found.append(definition)
        self.watched = dict(stamps_of(watched))
        return found, problems, held_back

    def has_changed(self) -> bool:
        """Whether any file or folder is another than when it was read; blocks."""
        return dict(stamps_of(self.watched)) != self.watched

    def _one(self, file: Path, place: AgentPlace) -> tuple[AgentDefinition | None, tuple[AgentProblem, ...]]:
        stamp, key = stamps_of([file])[file], (file, place.label)
        known = self._known.get(key)
        if known is not None and known[0] == stamp:
            return known[1], known[2]
        definition, problem = _read(file, place)
        problems = [AgentProblem(reveal(str(file)), text) for text in ([problem] if problem else [])]
        if definition is not None:
            problems += [AgentProblem(reveal(str(file)), text) for text in definition.problems]
        self._known[key] = (stamp, definition, tuple(problems))
        return definition, tuple(problems)


def _files(place: AgentPlace, problems: list[AgentProblem], watched: list[Path]) -> Iterator[Path]:
    """Yield the Markdown files of a place, in the order of their names, folders after files."""
    count = 0
    waiting = [(place.path, 0)]
    while waiting:
        folder, depth = waiting.pop(0)
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except FileNotFoundError:
            continue
        except OSError as error:
            problems.append(AgentProblem(reveal(str(folder)), error.strerror or str(error)))
            continue
        for entry in entries:
            path = Path(entry.path)
            if entry.name.startswith("."):
                continue
            if entry.is_symlink() and _leads_out(path, place.within):
                problems.append(AgentProblem(reveal(entry.path), _LEADS_OUT))
            elif entry.is_dir():
                if depth < _MOST_DEPTH and not entry.is_symlink():
                    watched.append(path)
                    waiting.append((path, depth + 1))
            elif entry.name.endswith(".md"):
                count += 1
                if count > _MOST_FILES:
                    problems.append(AgentProblem(reveal(str(place.path)), f"only {_MOST_FILES:,} files of it are read"))
                    return
                watched.append(path)
                yield path


def _leads_out(path: Path, within: Path | None) -> bool:
    if within is None or not os.path.lexists(path):
        return False
    return not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(within))


def _read(file: Path, place: AgentPlace) -> tuple[AgentDefinition | None, str]:
    """Return the type of agent in a file; None, and why it is left out, where there is none."""
    try:
        with os.fdopen(open_regular(file, follow_links=place.within is None), "rb") as opened:
            data = opened.read(_MOST_BYTES + 1)
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return None, f"left out: not UTF-8 text (byte {error.start})"
    except OSError as error:
        return None, f"left out: {error.strerror or error}"
    if len(data) > _MOST_BYTES:
        return None, f"left out: it is larger than {_MOST_BYTES:,} bytes"
    header = read_front_matter(text)
    if header.is_repaired and (lost := _lost(text, header)):
        return None, f"left out: {header.problem}, and what it says of `{lost}` would be lost"
    if header.problem and not header.is_repaired:
        return None, f"left out: {header.problem}"
    return _definition(header, place, file)


def _lost(text: str, header: FrontMatter) -> str:
    """Return a field that limits an agent and that a repaired header has lost; empty where there is none."""
    lines = text.partition("\n---")[0].splitlines()
    said = {line.partition(":")[0].strip() for line in lines if ":" in line and not line.startswith((" ", "\t"))}
    return next((name for name in _LIMITS if name in said and not header.values.get(name)), "")


def _definition(header: FrontMatter, place: AgentPlace, file: Path) -> tuple[AgentDefinition | None, str]:
    fields = HeaderFields(header)
    name, description = fields.text("name"), fields.text("description")
    if problem := _name_problem(name):
        return None, f"left out: {problem}"
    if not description:
        return None, "left out: it has no description"
    if place.label:
        name = f"{place.label}:{name}"
    try:
        tools = parse_tools(_field(header, "tools"), _OwnNames())
        disallowed = parse_tools(_field(header, "disallowedTools", "disallowed-tools"), _OwnNames())
    except ValueError as error:
        return None, f"left out: `tools` {error}"
    problems = [header.problem] if header.problem else []
    mode_text = str(_field(header, "permissionMode", "permission-mode") or "")
    mode = mode_from_setting(mode_text)
    if mode_text and mode is None:
        return None, f"left out: `permissionMode` must be one of {', '.join(MODES)}, not {clean_line(mode_text, 40)}"
    turns = _field(header, "maxTurns", "max-turns")
    if turns is not None and (isinstance(turns, bool) or not isinstance(turns, int) or turns < 1):
        problems.append("`maxTurns` must be a number above 0; ignored")
        turns = None
    isolation = fields.text("isolation")
    if isolation not in ("", "worktree"):
        problems.append(f"`isolation` must be worktree, not {clean_line(isolation, 40)}; ignored")
    servers = _field(header, "mcpServers", "mcp-servers")
    names, inline = _servers(servers)
    if inline:
        problems.append(f"`mcpServers`: servers that an agent file defines itself are not started: {', '.join(inline)}")
    noted = (*(tools.noted if tools else ()), *(disallowed.noted if disallowed else ()))
    problems += [f"`{clean_line(entry, 60)}`: what stands in brackets does not count for tools" for entry in noted]
    problems += [f"`{key}`: {why}" for key, why in _LATER.items() if header.values.get(key) is not None]
    definition = AgentDefinition(
        name=name,
        description=description[:_MOST_DESCRIPTION],
        prompt=header.body.strip(),
        source=place.source,
        source_label=place.label,
        file=str(file),
        tools=tools,
        disallowed=disallowed or ToolList(()),
        model=fields.text("model"),
        mode=mode,
        max_turns=turns,
        has_memory_files=not fields.flag("omitClaudeMd", default=False),
        is_background=fields.flag("background", default=False),
        is_isolated=isolation == "worktree",
        color=clean_line(fields.text("color"), 30),
        initial_prompt=str(header.values.get("initialPrompt") or ""),
        skills=fields.words("skills") or (),
        servers=names,
        hooks=fields.mapping("hooks"),
        problems=(*problems, *fields.problems),
    )
    return definition, ""


class _OwnNames(dict[str, str]):
    """The tools' own names by other names they go by."""

    def get(self, name: str, default: str | None = None) -> str:  # type: ignore[override]  # noqa: ARG002
        return canonical(name)


def _field(header: FrontMatter, *names: str) -> Any:  # noqa: ANN401 - YAML is any value
    return next((header.values[name] for name in names if name in header.values), None)


def _name_problem(name: str) -> str:
    if not name:
        return "it has no name"
    if name.startswith("-"):
        return "its name begins with a dash"
    if ":" in name:
        return "its name has a colon"
    if len(name) > _MOST_NAME or clean_line(name, _MOST_NAME + 1) != name or not name.isprintable():
        return "its name is too long, or holds characters that cannot be shown"
    return ""


def _servers(value: object) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the servers that are named, and those that are defined."""
    names: list[str] = []
    inline: list[str] = []
    entries = value if isinstance(value, list) else [value] if value is not None else []
    for entry in entries:
        if isinstance(entry, str):
            names += [part.strip() for part in entry.split(",") if part.strip()]
        elif isinstance(entry, Mapping):
            inline += [clean_line(str(name), 60) for name in entry]
    return tuple(names), tuple(inline)


def agents_of_json(text: str) -> list[AgentDefinition]:
    """Read what `--agents` gives: an object of types by name, with the fields of agent files and `prompt` for the body.

    Raises:
        AgentJsonError: it is not that; the text says why.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise AgentJsonError(f"--agents is not JSON: {error}") from error
    if not isinstance(data, dict):
        raise AgentJsonError("--agents must be an object of agents by name")
    found: list[AgentDefinition] = []
    for name, entry in data.items():
        if not isinstance(entry, dict):
            raise AgentJsonError(f"--agents: {clean_line(name, 60)} must be an object")
        prompt = entry.get("prompt")
        if not isinstance(prompt, str) or not prompt.strip():
            raise AgentJsonError(f"--agents: {clean_line(name, 60)} has no prompt")
        header = FrontMatter({**entry, "name": name}, prompt)
        place = AgentPlace(path=Path("--agents"), source="cli")
        definition, problem = _definition(header, place, Path("--agents"))
        if definition is None:
            raise AgentJsonError(f"--agents: {clean_line(name, 60)}: {problem.removeprefix('left out: ')}")
        found.append(definition)
    return found
