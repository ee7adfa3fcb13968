"""Finds the files of a place and reads them, one by one: a bad one costs nothing but itself, and is said."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tui_agent.frontmatter import HeaderFields, read_front_matter
from tui_agent.invisible import first_invisible
from tui_agent.regular_files import open_regular
from tui_agent.settings.watch import Stamp, Stamps, stamps_of
from tui_agent.skills.places import SkillPlace
from tui_agent.skills.skill import Skill, SkillProblem
from tui_agent.text import clean_line, reveal

__all__ = ["Found", "SkillFiles"]

MAX_BYTES: Final = 400_000
_MOST_FILES: Final = 2000  # of one place
_MOST_DEPTH: Final = 6  # of folders of commands
_MOST_NAME: Final = 100
_NAME: Final = re.compile(r"[^\s/\\:\x00-\x20\x7f-\x9f]+")
_SKILL_FILE: Final = "SKILL.md"
_LEADS_OUT: Final = "it is a link that leads out of the project; it is not read"
_KNOWN: Final = frozenset({
    "name", "description", "when_to_use", "when-to-use", "argument-hint", "arguments", "disable-model-invocation",
    "user-invocable", "allowed-tools", "disallowed-tools", "model", "effort", "context", "agent", "background", "hooks",
    "paths", "shell", "metadata", "license", "compatibility", "version", "author", "tags", "category", "color", "title",
    "hide-from-slash-command-tool", "homepage", "repository", "keywords",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Found:
    """What one place holds. `watched` are the files and folders whose change would make it another."""

    skills: tuple[Skill, ...] = ()
    problems: tuple[SkillProblem, ...] = ()
    watched: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A file that may be a skill: its name, and the folder of what belongs to it."""

    name: str
    file: Path
    folder: Path
    label: str = ""


@dataclass(slots=True)
class SkillFiles:
    """Reads places, and what it has read before again only where a file has changed."""

    _known: dict[tuple[Path, SkillPlace], tuple[Stamp, Skill | None, tuple[SkillProblem, ...]]] = field(
        default_factory=dict
    )

    def read(self, place: SkillPlace) -> Found:
        """Return what there is. Blocks; never raises."""
        problems: list[SkillProblem] = []
        watched = [place.path]
        skills: list[Skill] = []
        if _leads_out(place.path, place.within):
            return Found(
                problems=(SkillProblem(str(place.path), _LEADS_OUT, is_left_out=True),), watched=tuple(watched)
            )
        lister = _skill_files if place.kind == "skill" else _command_files
        candidates = sorted(lister(place, problems, watched), key=lambda one: (one.label, one.name))
        stamps = stamps_of([candidate.file for candidate in candidates])
        watched += stamps
        for candidate in candidates:
            skill, found = self._read(candidate, place, stamps)
            problems += found
            if skill is not None:
                skills.append(skill)
        return Found(tuple(skills), tuple(problems), tuple(watched))

    def _read(
        self, candidate: _Candidate, place: SkillPlace, stamps: Stamps
    ) -> tuple[Skill | None, tuple[SkillProblem, ...]]:
        stamp, key = stamps[candidate.file], (candidate.file, place)
        if stamp is None and not os.path.lexists(candidate.file):
            return None, ()  # a folder without a skill in it
        known = self._known.get(key)
        if known is not None and known[0] == stamp:
            return known[1], known[2]
        problems: list[SkillProblem] = []
        skill = _skill(candidate, place, problems)
        if stamp is not None:
            self._known[key] = (stamp, skill, tuple(problems))
        return skill, tuple(problems)


def _skill_files(place: SkillPlace, problems: list[SkillProblem], watched: list[Path]) -> Iterator[_Candidate]:
    for entry in _entries(place.path, problems):
        if entry.name.startswith("."):
            continue
        folder = Path(entry.path)
        if entry.is_symlink() and _leads_out(folder, place.within):
            problems.append(SkillProblem(reveal(entry.path), _LEADS_OUT, is_left_out=True))
        elif entry.is_dir():
            watched.append(folder)
            yield _Candidate(entry.name, folder / _SKILL_FILE, folder)


def _command_files(
    place: SkillPlace, problems: list[SkillProblem], watched: list[Path], folder: Path | None = None, depth: int = 0
) -> Iterator[_Candidate]:
    folder = folder or place.path
    for entry in _entries(folder, problems):
        path = Path(entry.path)
        if entry.name.startswith("."):
            continue
        if entry.is_dir():
            if _leads_out(path, place.within):
                problems.append(SkillProblem(str(path), _LEADS_OUT, is_left_out=True))
            elif depth < _MOST_DEPTH and not (entry.is_symlink() and depth):
                watched.append(path)
                yield from _command_files(place, problems, watched, path, depth + 1)
        elif entry.name.endswith(".md"):
            label = ":".join(path.parent.relative_to(place.path).parts)
            yield _Candidate(entry.name.removesuffix(".md"), path, path.parent, label)


def _entries(folder: Path, problems: list[SkillProblem]) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as listed:
            entries = sorted(listed, key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        problems.append(SkillProblem(str(folder), f"it cannot be read: {error.strerror or error}", is_left_out=True))
        return []
    if len(entries) > _MOST_FILES:
        text = f"only the first {_MOST_FILES:,} of {len(entries):,} entries are looked at"
        problems.append(SkillProblem(str(folder), text, is_left_out=True))
    return entries[:_MOST_FILES]


def _leads_out(path: Path, within: Path | None) -> bool:
    if within is None or not os.path.lexists(path):
        return False
    return not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(within))


def _skill(candidate: _Candidate, place: SkillPlace, problems: list[SkillProblem]) -> Skill | None:
    """Read one file; None, with the reason among `problems`, where it is left out."""
    file = candidate.file

    try:
        text = _admitted_text(candidate, place)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        problems.append(SkillProblem(reveal(str(file)), why, is_left_out=True))
        return None
    header = read_front_matter(text)
    fields = HeaderFields(header)
    if header.problem:
        fields.problems.append(header.problem)
    skill = _from_fields(candidate, place, fields)
    unknown = sorted(set(header.values) - _KNOWN)
    if unknown and not header.is_repaired:
        shown = ", ".join(f"`{clean_line(key, 40)}`" for key in unknown[:5])
        fields.problems.append(f"{shown} means nothing here; ignored")
    if not header.body.strip() and not skill.description:
        problems.append(SkillProblem(str(file), "it is empty", is_left_out=True))
        return None
    problems += (SkillProblem(str(file), problem) for problem in fields.problems)
    return skill


def _admitted_text(candidate: _Candidate, place: SkillPlace) -> str:
    """Return the text of a file that may be one.

    Raises:
        OSError: it cannot be read, or is too long.
        ValueError: its name cannot be one, it is not where it seems to be, or it is not text.
    """
    names = (candidate.name, *(candidate.label.split(":") if candidate.label else ()))
    if why := next(filter(None, map(_name_problem, names)), ""):
        raise ValueError(why)
    if _leads_out(candidate.file, place.within):
        raise ValueError(_LEADS_OUT)
    return _read_text(Path(os.path.realpath(candidate.file)))


def _name_problem(name: str) -> str:
    if len(name) > _MOST_NAME:
        return f"its name is longer than {_MOST_NAME} characters; it is left out"
    if hidden := first_invisible(name):
        return f"its name holds {hidden}; it is left out"
    if not _NAME.fullmatch(name):
        return "its name holds blanks, colons or control characters; rename it to use it"
    return ""


def _read_text(path: Path) -> str:
    """Return a file's text.

    Raises:
        OSError: it cannot be read, or is too long.
        ValueError: it is not text.
    """
    handle = open_regular(path)
    with os.fdopen(handle, "rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise ValueError(f"it is longer than {MAX_BYTES:,} bytes; it is left out")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"it is not UTF-8 text (byte {error.start}); it is left out") from None
    if "\0" in text:
        raise ValueError("it holds null bytes; it is left out")
    return text


def _from_fields(candidate: _Candidate, place: SkillPlace, fields: HeaderFields) -> Skill:
    header = fields.header
    grants = not header.is_repaired
    said = fields.text("name")
    if place.kind == "skill" and said and said != candidate.name:
        fields.problems.append(f"`name` says {clean_line(said, 60)}; it is called {candidate.name}, as its folder")
    context = fields.text("context")
    if context not in ("", "fork"):
        fields.problems.append(f"`context` must be fork, not {clean_line(context, 40)}; ignored")
    hidden = fields.flag("hide-from-slash-command-tool", default=False)
    return Skill(
        name=place.prefix + (candidate.name if not place.prefix or not candidate.label else _with_label(candidate)),
        kind=place.kind,
        source=place.source,
        file=candidate.file,
        folder=candidate.folder,
        body=header.body.strip("\n"),
        description=fields.text("description"),
        when_to_use=fields.text("when_to_use") or fields.text("when-to-use"),
        argument_hint=fields.text("argument-hint"),
        arguments=tuple(word.lstrip("$") for word in fields.words("arguments") or ()),
        is_for_model=not fields.flag("disable-model-invocation", default=hidden),
        is_for_user=fields.flag("user-invocable", default=True),
        allowed_tools=(fields.words("allowed-tools") or ()) if grants else (),
        disallowed_tools=fields.words("disallowed-tools") or (),
        model=_model(fields) if grants else "",
        is_forked=context == "fork",
        agent=fields.text("agent"),
        paths=fields.globs("paths"),
        base=place.base,
        label="" if place.prefix else candidate.label,
        hooks=fields.mapping("hooks") if grants else {},
        is_trusted=place.is_trusted,
        plugin=place.plugin,
        plugin_root=place.plugin_root,
    )


def _with_label(candidate: _Candidate) -> str:
    """Return a command's name with the subfolder that it lies in."""
    return f"{candidate.label}:{candidate.name}"


def _model(fields: HeaderFields) -> str:
    model = fields.text("model")
    return "" if model == "inherit" else model
