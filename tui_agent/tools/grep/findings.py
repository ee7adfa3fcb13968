"""What a search found: the part that is shown, and the count of all the rest."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from tui_agent.tools.files import shown
from tui_agent.tools.grep.input import GrepInput
from tui_agent.tools.grep.ripgrep import Line, parse_line

__all__ = ["Findings", "collector", "result_text", "to_data"]

_MOST_CHARS: Final = 2_000_000  # of what is shown where no limit was asked for


@dataclass(slots=True)
class Findings:
    """The outcome of a search. `total` counts all entries (lines in content mode, files otherwise), shown or not.

    Paths are relative to the working folder where they lie in it. `groups` are the positions in `lines` before which
    unshown lines lie between two places.
    """

    input: GrepInput
    lines: list[Line] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    groups: set[int] = field(default_factory=set)
    total: int = 0
    matches: int = 0
    file_count: int = 0
    is_timed_out: bool = False
    problems: str = ""

    @property
    def shown(self) -> int:
        """How many entries are shown."""
        return len(self.lines) if self.input.output_mode == "content" else len(self.files)

    @property
    def left_out(self) -> int:
        """How many entries follow those shown."""
        return max(0, self.total - self.input.offset - self.shown)


class Collector:
    """Takes ripgrep's output as it comes, and keeps what is shown. Files that must not be read are passed over."""

    separator = b"\n"

    def __init__(self, input: GrepInput, base: str, is_denied: Callable[[str], bool]) -> None:
        self.findings: Final = Findings(input)
        self._input: Final = input
        self._base: Final = base.rstrip("/") + "/"
        self._is_denied: Final = is_denied
        self._known: dict[bytes, bool] = {}

    def add(self, pieces: list[bytes]) -> None:
        """Take in some pieces of output."""
        raise NotImplementedError

    def finish(self, *, is_timed_out: bool, problems: str) -> Findings:
        """Return the outcome."""
        self.findings.is_timed_out = is_timed_out
        self.findings.problems = problems
        return self.findings

    def so_far(self) -> str:
        """Say in a few words what was found up to now."""
        return f"{self.findings.matches:,} matches in {self.findings.file_count:,} files so far"

    def is_readable(self, path: bytes) -> bool:
        """Whether a file that matched may be shown; asked once for each file."""
        known = self._known.get(path)
        if known is None:
            known = self._known[path] = not self._is_denied(os.fsdecode(path))
            self.findings.file_count += known
        return known

    def short(self, path: str) -> str:
        """Return the path as it is shown."""
        return shown(path.removeprefix(self._base))

    def window(self, entries: list[Any]) -> list[Any]:
        """Return the entries between `offset` and `head_limit`."""
        stop = self._input.offset + self._input.head_limit if self._input.head_limit else None
        return entries[self._input.offset : stop]


class _Lines(Collector):
    """Content mode: entries are lines, kept up to the limit and counted beyond it."""

    def __init__(self, input: GrepInput, base: str, is_denied: Callable[[str], bool]) -> None:
        super().__init__(input, base, is_denied)
        self._chars = 0
        self._is_gap = False

    def add(self, pieces: list[bytes]) -> None:
        findings, limit = self.findings, self._input.head_limit
        for raw in pieces:
            path, found, rest = raw.partition(b"\0")
            if not found:
                self._is_gap = self._is_gap or raw == b"--"
                continue
            if not self.is_readable(path):
                continue
            at = findings.total
            findings.total += 1
            findings.matches += rest.lstrip(b"0123456789").startswith(b":")
            if at < self._input.offset or (limit and len(findings.lines) >= limit) or self._chars > _MOST_CHARS:
                continue
            line = parse_line(raw)
            if line is None:  # a remark of ripgrep's own, on a binary file for example
                line = Line(os.fsdecode(path), 0, rest.decode("utf-8", "replace").strip(": "), is_match=True)
            if self._is_gap and findings.lines:
                findings.groups.add(len(findings.lines))
            self._is_gap = False
            self._chars += len(line.text)
            findings.lines.append(Line(self.short(line.path), line.number, line.text, line.is_match))


class _Files(Collector):
    """Paths only, in the order of their names."""

    separator = b"\0"

    def add(self, pieces: list[bytes]) -> None:
        for raw in pieces:
            if raw and self.is_readable(raw):
                self.findings.files.append(self.short(os.fsdecode(raw)))
                self.findings.total += 1
                self.findings.matches += 1

    def finish(self, *, is_timed_out: bool, problems: str) -> Findings:
        self.findings.files = self.window(sorted(self.findings.files))
        return super().finish(is_timed_out=is_timed_out, problems=problems)


class _Counts(Collector):
    """Matching lines of each file, in the order of the files' names; the totals cover all of them."""

    def __init__(self, input: GrepInput, base: str, is_denied: Callable[[str], bool]) -> None:
        super().__init__(input, base, is_denied)
        self._found: list[tuple[str, int]] = []

    def add(self, pieces: list[bytes]) -> None:
        for raw in pieces:
            path, found, count = raw.partition(b"\0")
            if found and count.isdigit() and self.is_readable(path):
                self._found.append((self.short(os.fsdecode(path)), int(count)))
                self.findings.total += 1
                self.findings.matches += int(count)

    def finish(self, *, is_timed_out: bool, problems: str) -> Findings:
        shown = self.window(sorted(self._found))
        self.findings.files = [path for path, _ in shown]
        self.findings.counts = [count for _, count in shown]
        return super().finish(is_timed_out=is_timed_out, problems=problems)


def collector(input: GrepInput, *, base: str, is_denied: Callable[[str], bool]) -> Collector:
    """Return what collects the output of this search. `base` is the folder that shown paths are relative to."""
    kinds = {"content": _Lines, "files_with_matches": _Files, "count": _Counts}
    return kinds[input.output_mode](input, base, is_denied)


def result_text(found: Findings) -> str:
    """Return what the model gets."""
    mode = found.input.output_mode
    if not found.total:
        head = "No files found" if mode == "files_with_matches" else "No matches found"
        return "\n".join([head, *_notices(found)])
    if not found.shown:
        return f"No entries at this offset: there are {found.total:,}."
    match mode:
        case "content":
            lines = _content_lines(found)
            unit = "lines"
        case "count":
            lines = [f"{path}:{count}" for path, count in zip(found.files, found.counts, strict=True)]
            unit = "files"
        case "files_with_matches":
            lines = [f"Found {_plural(found.total, 'file')}", *found.files]
            unit = "files"
    if found.left_out:
        lines.append(f"… and {found.left_out:,} more {unit} (offset={found.input.offset + found.shown} reads on)")
    if mode == "count":
        lines.append(f"Found {_plural(found.matches, 'matching line')} in {_plural(found.file_count, 'file')}.")
    return "\n".join([*lines, *_notices(found)])


def to_data(found: Findings) -> dict[str, Any]:
    """Return the structured output, as hooks and scripts read it."""
    data: dict[str, Any] = {
        "mode": found.input.output_mode,
        "numFiles": found.file_count,
        "filenames": found.files or list(dict.fromkeys(line.path for line in found.lines)),
        "numMatches": found.matches,
        "truncated": found.left_out > 0,
        "moreEntries": found.left_out,
        "timedOut": found.is_timed_out,
    }
    if found.input.output_mode == "content":
        data["content"] = "\n".join(_content_lines(found))
        data["numLines"] = len(found.lines)
        data["matches"] = [
            {"file": line.path, "line": line.number, "text": line.text, "isMatch": line.is_match}
            for line in found.lines
        ]
    elif found.input.output_mode == "count":
        data["counts"] = dict(zip(found.files, found.counts, strict=True))
    return data


def _content_lines(found: Findings) -> list[str]:
    out: list[str] = []
    for at, line in enumerate(found.lines):
        if at in found.groups:
            out.append("--")
        sign = ":" if line.is_match else "-"
        number = f"{line.number}{sign}" if found.input.line_numbers and line.number else ""
        out.append(f"{line.path}{sign}{number}{line.text}")
    return out


def _notices(found: Findings) -> list[str]:
    out: list[str] = []
    if found.is_timed_out:
        out.append(
            "[The search took too long and was stopped; this is what it found so far. Narrow path, glob or type.]"
        )
    if found.problems:
        lines = found.problems.splitlines()
        more = f" (and {len(lines) - 3} more)" if len(lines) > 3 else ""
        out.append(f"[Not everything could be searched: {'; '.join(lines[:3])}{more}]")
    return out


def _plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
