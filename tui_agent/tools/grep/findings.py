"""What a search found, as the model and programs get it: the part that is shown, and the count of all the rest."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tui_agent.tools.grep.input import GrepInput

__all__ = ["Findings", "FoundLine", "result_text", "to_data"]


@dataclass(frozen=True, slots=True)
class FoundLine:
    """One line of a file. `is_match` is False for context; `number` is 0 for a remark; `text` may be cut."""

    path: str
    number: int
    text: str
    is_match: bool


@dataclass(slots=True)
class Findings:
    """The outcome of a search. `total` counts all entries (lines in content mode, files otherwise), shown or not.

    Paths are relative to the working folder where they lie in it. `groups` are the positions in `lines` before which
    unshown lines lie between two places. `cut` are the positions of matching lines that were too long, with the path that
    ripgrep printed. `problems` is what ripgrep complained of, a line each; `unsettled` are files that are left out because
    they were not there any more, or not with those lines.
    """

    input: GrepInput
    lines: list[FoundLine] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    groups: set[int] = field(default_factory=set)
    cut: dict[int, bytes] = field(default_factory=dict)
    total: int = 0
    matches: int = 0
    file_count: int = 0
    is_timed_out: bool = False
    is_all_ignored: bool = False  # every file there is ignored, so that ignored ones were searched
    problems: str = ""
    unsettled: list[str] = field(default_factory=list)

    @property
    def shown(self) -> int:
        """How many entries are shown."""
        return len(self.lines) if self.input.output_mode == "content" else len(self.files)

    @property
    def left_out(self) -> int:
        """How many entries follow those shown."""
        return max(0, self.total - self.input.offset - self.shown)


def result_text(found: Findings) -> str:
    """Return what the model gets."""
    mode = found.input.output_mode
    if not found.total:
        head = "No files found" if mode == "files_with_matches" else "No matches found"
        return "\n".join([head, *_notices(found)])
    if not found.shown:
        return "\n".join([f"No entries at this offset: there are {found.total:,}.", *_notices(found)])
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
        unit = unit if found.left_out > 1 else unit.removesuffix("s")
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
    if found.is_all_ignored:
        out.append("[Every file there is ignored by .gitignore; they were searched all the same.]")
    if found.unsettled:
        out.append(
            f"[Left out, as they changed while they were searched: {', '.join(found.unsettled[:3])}. Search again.]"
        )
    if found.problems:
        lines = found.problems.splitlines()
        more = f" (and {len(lines) - 3} more)" if len(lines) > 3 else ""
        out.append(f"[Not everything could be searched: {'; '.join(lines[:3])}{more}]")
    return out


def _plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
