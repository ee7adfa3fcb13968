"""Reads memory files, once each, within limits, and what they import.

A file of the project may be a link within it. What leads out of the project, by a link or by an import (`@~/notes.md`), is
somebody else's text in the voice of the user: without trust it is not read at all, with trust after the user has agreed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from tui_agent.engine.context.memory import LoadReason, Memory, MemoryFile, MemoryKind, OutsideImport, PathRule
from tui_agent.engine.context.path_globs import fits
from tui_agent.frontmatter import HeaderFields, read_front_matter
from tui_agent.mentions import mentions_in, without_code
from tui_agent.permissions.secret_files import is_secret_file
from tui_agent.regular_files import open_regular

__all__ = ["MemoryReader", "Origin"]

MAX_FILE_BYTES: Final = 100_000
MAX_TOTAL_BYTES: Final = 300_000
_MOST_DEPTH: Final = 4  # of imports
_MOST_IMPORTS: Final = 50  # of one file
_MOST_RULES: Final = 300  # files of one folder of rules
_LINK: Final = "it is a link that leads out of this folder, which is not trusted; it is not read"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a file comes from. `within` is the folder that it may not lead out of without the user's word (None: anywhere).

    `is_above` is that others may have put the file there. `chain` are the files that import each other up to it. `rules_of` is
    the folder that globs of a rule begin at (None: it is no rule).
    """

    kind: MemoryKind = "Project"
    within: Path | None = None
    is_above: bool = False
    chain: tuple[str, ...] = ()
    reason: LoadReason = "session_start"
    globs: tuple[str, ...] = ()
    rules_of: Path | None = None


@dataclass(slots=True, kw_only=True)
class MemoryReader:
    """Reads files. `approved` are files outside of the project that the user agreed to; `excludes` are globs of files that do
    not count; `denied` says why a rule forbids to read a file.
    """

    home: Path
    is_trusted: bool = False
    approved: frozenset[str] = frozenset()
    excludes: tuple[str, ...] = ()
    denied: Callable[[str], str | None] = lambda _path: None
    files: list[MemoryFile] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    rules: list[PathRule] = field(default_factory=list)
    outside: list[OutsideImport] = field(default_factory=list)
    _seen: set[tuple[int, int]] = field(default_factory=set)
    _left: int = field(default_factory=lambda: MAX_TOTAL_BYTES)

    def take(self) -> Memory:
        """Return what was read since the last time."""
        found = Memory(tuple(self.files), tuple(self.problems), tuple(self.rules), tuple(self.outside))
        for held in (self.files, self.problems, self.rules, self.outside):
            held.clear()
        return found

    # --- one file ----------------------------------------------------------------------------------------------------

    def read(self, path: Path, origin: Origin) -> bool:
        """Read one file if it is there; True when it exists, readable or not."""
        if self.excludes and fits(path, self.excludes, Path("/")):
            return False
        try:
            handle = self._open(path, origin)
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as error:
            self.problems.append(f"{path}: {error.strerror or error}")
            return True
        if handle is None:
            return True
        try:
            facts = os.fstat(handle)
            if origin.is_above and hasattr(os, "geteuid") and facts.st_uid not in (0, os.geteuid()):
                self.problems.append(f"{path}: somebody else's; it is not read")
            else:
                self._take(path, origin, facts, _read(handle, min(MAX_FILE_BYTES, self._left) + 1))
        except OSError as error:
            self.problems.append(f"{path}: {error.strerror or error}")
        finally:
            os.close(handle)
        return True

    def _open(self, path: Path, origin: Origin) -> int | None:
        """Open a regular file at the place that its name leads to; None where the user has to agree first.

        Raises:
            OSError: it leads out of a folder that is not trusted, or cannot be opened as a regular file.
        """
        if origin.within is None:
            return open_regular(path, follow_links=True)
        real, top = os.path.realpath(path), os.path.realpath(origin.within)
        if not Path(real).is_relative_to(top):
            if not os.path.lexists(path):
                raise FileNotFoundError
            if not self.is_trusted:
                raise OSError(_LINK)
            if not self._may_leave(path, real, origin):
                return None
        return open_regular(real)

    def _may_leave(self, path: Path, real: str, origin: Origin) -> bool:
        """Whether a file of a trusted project may be one outside of it. Memory files may; imports and rules are asked about."""
        if (not origin.chain and origin.rules_of is None) or real in self.approved:
            return True
        self.outside.append(OutsideImport(origin.chain[-1] if origin.chain else str(path), real))
        return False

    def _take(self, path: Path, origin: Origin, facts: os.stat_result, data: bytes) -> None:
        identity = (facts.st_dev, facts.st_ino)
        if identity in self._seen:
            return
        limit = min(MAX_FILE_BYTES, self._left)
        is_cut = len(data) > limit
        if is_cut:
            self.problems.append(f"{path}: only the first {limit:,} of {facts.st_size:,} bytes are used")
            # A cut may fall into the middle of a character; whole lines end before it.
            data = data[:limit].rpartition(b"\n")[0] or data[:limit]
        try:
            text = data.decode("utf-8-sig", "ignore" if is_cut else "strict")
        except UnicodeDecodeError as error:
            self._seen.add(identity)
            self.problems.append(f"{path}: not UTF-8 text (byte {error.start})")
            return
        text = text.replace("\r\n", "\n")
        if origin.rules_of is not None and not origin.chain:
            text, globs = self._without_header(path, text)
            if globs and origin.reason != "path_glob_match":
                self.rules.append(PathRule(path, globs, origin.rules_of, origin.kind, origin.within))
                return
        self._seen.add(identity)
        self._left -= len(data)
        text = _without_comments(text)
        if text.strip():
            importer = origin.chain[-1] if origin.chain else ""
            reason: LoadReason = "include" if importer else origin.reason
            self.files.append(MemoryFile(str(path), text, is_cut, origin.kind, importer, reason, origin.globs))
            self._import(path, text, origin)

    def _without_header(self, path: Path, text: str) -> tuple[str, tuple[str, ...]]:
        """Return the text of a rule and the globs of its header."""
        header = read_front_matter(text)
        fields = HeaderFields(header)
        globs = fields.globs("paths") or fields.globs("globs")
        self.problems += (f"{path}: {problem}" for problem in (header.problem, *fields.problems) if problem)
        return header.body, globs

    # --- what it imports ---------------------------------------------------------------------------------------------

    def _import(self, path: Path, text: str, origin: Origin) -> None:
        for wanted in self._imports(path, text):
            real = os.path.realpath(wanted)
            chain = (*origin.chain, str(path))
            ring = [os.path.realpath(one) for one in chain]
            if real in ring:
                way = " → ".join((*chain[ring.index(real) :], str(wanted)))
                self.problems.append(f"{path}: it imports itself: {way}; the import is left out")
            elif len(chain) > _MOST_DEPTH:
                self.problems.append(f"{path}: imports {wanted}, which would be the {len(chain)}th in a row; left out")
            elif why := self._refusal(wanted, real):
                self.problems.append(f"{path}: imports {wanted}: {why}")
            else:
                self.read(wanted, replace(origin, chain=chain, is_above=False))

    def _imports(self, path: Path, text: str) -> Iterator[Path]:
        """Yield the files that a text imports. What is not there is text, or, where it looks like a path, a problem."""
        for mention in mentions_in(without_code(text))[:_MOST_IMPORTS] if "@" in text else ():
            for reading in mention.readings:
                wanted = self._target(path, reading.path)
                if os.path.lexists(wanted) and not wanted.is_dir():
                    yield wanted
                    break
            else:
                if mention.plain_path:
                    self.problems.append(f"{path}: imports {mention.plain_path}, which is not there")

    def _target(self, path: Path, written: str) -> Path:
        if written.startswith("~/"):
            return self.home / written[2:]
        return Path(os.path.normpath(path.parent / written))

    def _refusal(self, wanted: Path, real: str) -> str:
        for face in (str(wanted), real):
            if is_secret_file(face):
                return "it may hold secrets; it is not read"
            if why := self.denied(face):
                return f"{why}; it is not read"
        return ""

    # --- folders -----------------------------------------------------------------------------------------------------

    def read_rules(self, folder: Path, origin: Origin) -> bool:
        """Read the rules of a folder, those in its subfolders too; those with `paths` count later. True when there are any."""
        names = sorted(_markdown_in(folder))
        if len(names) > _MOST_RULES:
            self.problems.append(f"{folder}: only the first {_MOST_RULES} of {len(names)} rules are read")
        found = [self.read(name, origin) for name in names[:_MOST_RULES]]
        return any(found)

    def read_rule(self, rule: PathRule) -> None:
        """Read a rule that counts now."""
        origin = Origin(rule.kind, rule.within, reason="path_glob_match", globs=rule.globs, rules_of=rule.base)
        self.read(rule.path, origin)


def _markdown_in(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))[:50]
        yield from (Path(place, name) for name in names if name.endswith(".md"))


def _read(handle: int, size: int) -> bytes:
    data = b""
    while len(data) < size and (piece := os.read(handle, size - len(data))):
        data += piece
    return data


def _without_comments(text: str) -> str:
    """Remove HTML comments that stand on lines of their own, as notes to human readers; code blocks keep theirs."""
    return "\n".join(_kept_lines(text.split("\n"))) if "<!--" in text else text


def _kept_lines(lines: list[str]) -> Iterator[str]:
    fence = ""
    is_comment = False
    for line in lines:
        bare = line.strip()
        if is_comment:
            is_comment = "-->" not in bare
            continue
        if fence:
            if bare.startswith(fence) and not bare.strip(fence[0]):
                fence = ""
        elif bare.startswith(("```", "~~~")):
            fence = bare[: len(bare) - len(bare.lstrip(bare[0]))]
        elif bare.startswith("<!--") and (bare.endswith("-->") or "-->" not in bare):
            is_comment = "-->" not in bare
            continue
        yield line
