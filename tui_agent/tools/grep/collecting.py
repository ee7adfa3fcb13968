"""Taking in what ripgrep prints, as it comes: only what can be shown is kept and read, all the rest is counted.

ripgrep searches in several threads and prints file after file in no order. What is shown comes in the order of the paths,
as one thread would print it; so of the files seen so far those are kept that the first `offset` + `head_limit` lines lie in.
"""

from __future__ import annotations

import bisect
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from tui_agent.tools.files import shown
from tui_agent.tools.grep.findings import Findings, FoundLine
from tui_agent.tools.grep.input import GrepInput
from tui_agent.tools.grep.long_lines import beginning
from tui_agent.tools.shared_search.globs import accepts
from tui_agent.tools.shared_search.result_check import ResultCheck
from tui_agent.tools.shared_search.ripgrep import without_dot

__all__ = ["Collector", "collector"]

_MOST_BYTES: Final = 2_000_000  # of what is kept where no limit was asked for
_MATCHES: Final = re.compile(rb"^\d+:|^[^\d-]", re.MULTILINE)  # a remark of ripgrep's own counts, as on a binary file
# What stands in the place of the lines, and of the path above them, of a binary file that was named itself.
_REMARK: Final = re.compile(rb"\A(.*?): ([^\n]* \(found [^\n]*\))\n+", re.DOTALL)
_LINE: Final = re.compile(rb"(\d+)([:-])(.*)", re.DOTALL)


class Collector:
    """Takes ripgrep's output piece by piece. Files that must not be read, or that no glob names, are passed over.

    `folder` is what ripgrep's paths are relative to, `base` what shown paths are relative to where they lie in it. `alias`
    gives the path of a file that ripgrep knows by another one.
    """

    def __init__(
        self,
        input: GrepInput,
        folder: str,
        base: str,
        is_denied: Callable[[str], bool],
        alias: Mapping[bytes, bytes],
        settled: ResultCheck | None,
    ) -> None:
        self._alias: Final = alias
        self._settled: Final = settled
        self.findings: Final = Findings(input)
        self._last = b""  # the file that was found last
        self._input: Final = input
        self._globs: Final = input.globs
        self._folder: Final = folder.rstrip("/") + "/"
        self._base: Final = base.rstrip("/") + "/"
        self._is_denied: Final = is_denied
        self._rest = b""

    def add(self, data: bytes) -> None:
        """Take in a piece of output, cut anywhere."""
        raise NotImplementedError

    def finish(self) -> Findings:
        """Return the outcome; nothing is added afterwards."""
        raise NotImplementedError

    def so_far(self) -> str:
        """Say in a few words what was found up to now."""
        found, matches = self.findings, ""
        if not found.file_count:
            return "nothing found so far"
        if self._input.output_mode != "files_with_matches":
            matches = f"{found.matches:,} {'match' if found.matches == 1 else 'matches'} in "
        files = f"{found.file_count:,} {'file' if found.file_count == 1 else 'files'}"
        return f"{matches}{files} so far · {self.short(self._last)}"

    def take_file(self, path: bytes) -> bool:
        """Whether a file that matched counts; asked once for each."""
        name = self._name(path)
        if self._is_denied(self._folder + name) or (self._globs and not accepts(self._globs, name)):
            return False
        self.findings.file_count += 1
        self._last = path
        return True

    def short(self, path: bytes) -> str:
        """Return a path of ripgrep's as it is shown."""
        return shown((self._folder + self._name(path)).removeprefix(self._base))

    def _name(self, path: bytes) -> str:
        return os.fsdecode(without_dot(self._alias.get(path, path)))

    def is_settled(self, path: bytes) -> bool:
        """Whether a found file lies where it was found; one that does not is not told of."""
        return self._settled is None or self._settled.is_there(self._name(path))

    def window(self, entries: list[Any]) -> list[Any]:
        """Return the entries between `offset` and `head_limit`."""
        stop = self._input.offset + self._input.head_limit if self._input.head_limit else None
        return entries[self._input.offset : stop]


@dataclass(slots=True, eq=False)
class _Body:
    """The lines found in one file: `parts` hold the first `kept` of them, `lines` counts all. Without gaps."""

    path: bytes
    key: bytes
    parts: list[bytes] = field(default_factory=list)
    kept: int = 0
    lines: int = 0


class _Lines(Collector):
    """Content mode: below each path, which a NUL ends, numbered lines; an empty line ends a file."""

    def __init__(
        self,
        input: GrepInput,
        folder: str,
        base: str,
        is_denied: Callable[[str], bool],
        alias: Mapping[bytes, bytes],
        settled: ResultCheck | None,
    ) -> None:
        super().__init__(input, folder, base, is_denied, alias, settled)
        self._has_context: Final = any(input.context_lines)
        self._needed: Final = input.offset + input.head_limit if input.head_limit else None
        self._bodies: list[_Body] = []  # in the order of paths
        self._kept_lines = 0
        self._kept_bytes = 0
        self._ceiling: bytes | None = None  # the key of a file that was dropped: none from there on can be shown
        self._body: _Body | None = None
        self._is_in_body = False

    def add(self, data: bytes) -> None:
        data = self._rest + data
        at = 0
        while True:
            if not self._is_in_body:
                end = data.find(b"\0", at)
                if end < 0:
                    break
                self._open(self._without_remarks(data[at:end]))
                at = end + 1
            end = data.find(b"\n\n", at)
            if end < 0:
                # the last line's own end stays: it may be half of what ends the file
                cut = data.rfind(b"\n", at, len(data) - 1) + 1
                if cut:
                    self._feed(data[at:cut])
                    at = cut
                break
            self._feed(data[at : end + 1])
            self._close()
            at = end + 2
        self._rest = data[at:]

    def finish(self) -> Findings:
        if not self._is_in_body:
            self._without_remarks(self._rest)
        elif self._rest.endswith(b"\n"):
            self._feed(self._rest)
        self._close()
        skipped = 0
        for body in self._bodies:
            if skipped + body.lines <= self._input.offset:
                skipped += body.lines
                continue
            self._show(body, self._input.offset - skipped)
            skipped = self._input.offset
            if self._is_full() or body.kept < body.lines:
                break
        return self.findings

    def _without_remarks(self, path: bytes) -> bytes:
        """Take in the remarks in front of a path."""
        while (remark := _REMARK.match(path)) is not None:
            self._open(remark[1])
            self._feed(remark[2] + b"\n")
            self._close()
            path = path[remark.end() :]
        return path

    def _open(self, path: bytes) -> None:
        self._is_in_body = True
        self._body = None
        if not self.take_file(path):
            return
        # by folders, not by characters: `a/b` comes before `a-b`
        body = self._body = _Body(path, path.replace(b"/", b"\0"))
        if self._ceiling is None or body.key < self._ceiling:
            bisect.insort(self._bodies, body, key=lambda other: other.key)
        else:
            body.kept = -1  # only counted

    def _feed(self, part: bytes) -> None:
        """Take in whole lines of the file that is read just now."""
        body, findings = self._body, self.findings
        if body is None:
            return
        count = part.count(b"\n")
        if self._has_context:
            count -= part.count(b"\n--\n") + part.startswith(b"--\n")
            findings.matches += len(_MATCHES.findall(part))
        else:
            findings.matches += count
        findings.total += count
        if body.kept < 0:
            return
        self._kept_lines += count
        body.lines += count
        if body.kept == body.lines - count and not self._has_enough(body.kept):
            self._drop_behind(body)
            if self._kept_bytes <= _MOST_BYTES:
                body.parts.append(part)
                body.kept += count
                self._kept_bytes += len(part)

    def _close(self) -> None:
        """The file is at its end."""
        self._is_in_body = False
        self._body = None
        if self._bodies:
            self._drop_behind(self._bodies[0])

    def _drop_behind(self, body: _Body) -> None:
        """Drop the last files, though none up to `body`, that cannot be shown any more."""
        while (last := self._bodies[-1]) is not body:
            if not self._has_enough(self._kept_lines - last.lines) and self._kept_bytes <= _MOST_BYTES:
                break
            self._bodies.pop()
            self._ceiling = last.key
            self._kept_lines -= last.lines
            self._kept_bytes -= sum(map(len, last.parts))

    def _has_enough(self, lines: int) -> bool:
        return self._needed is not None and lines >= self._needed

    def _is_full(self) -> bool:
        return bool(self._input.head_limit) and len(self.findings.lines) >= self._input.head_limit

    def _show(self, body: _Body, skip: int) -> None:
        """Read the lines of one file into the outcome, without the first `skip`."""
        findings = self.findings
        name = self.short(body.path)
        if self._settled is not None and not self._settled.holds(self._name(body.path), _texts(body)):
            findings.unsettled.append(name)
            return
        is_gap = self._has_context
        for raw in b"".join(body.parts).split(b"\n")[:-1]:
            if raw == b"--":
                is_gap = True
                continue
            if skip > 0:
                skip -= 1
                is_gap = False
                continue
            if self._is_full():
                return
            if is_gap and findings.lines:
                findings.groups.add(len(findings.lines))
            is_gap = False
            found = _LINE.fullmatch(raw)
            remark = raw.removeprefix(body.path + b": ")
            number, kind, text = found.groups() if found else (b"0", b":", remark)
            line = text.decode("utf-8", "replace").removesuffix("\r")
            shortened = beginning(line) if found else None
            if shortened is not None and kind == b":":
                findings.cut[len(findings.lines)] = body.path
            findings.lines.append(FoundLine(name, int(number), shortened or line, is_match=kind == b":"))


def _texts(body: _Body) -> Iterator[bytes]:
    """Yield the lines that are kept of a file, without their numbers."""
    for raw in b"".join(body.parts).split(b"\n")[:-1]:
        found = _LINE.fullmatch(raw)
        if found is not None:
            yield found[3]


class _Files(Collector):
    """Paths only, in their order."""

    def __init__(
        self,
        input: GrepInput,
        folder: str,
        base: str,
        is_denied: Callable[[str], bool],
        alias: Mapping[bytes, bytes],
        settled: ResultCheck | None,
    ) -> None:
        super().__init__(input, folder, base, is_denied, alias, settled)
        self._found: list[bytes] = []

    def add(self, data: bytes) -> None:
        *paths, self._rest = (self._rest + data).split(b"\0")
        self._found += [path for path in paths if self.take_file(path)]
        self.findings.total = self.findings.matches = len(self._found)

    def finish(self) -> Findings:
        self._found.sort(key=lambda path: path.replace(b"/", b"\0"))
        self.findings.files = [self.short(path) for path in self.window(self._found) if self.is_settled(path)]
        return self.findings


class _Counts(Collector):
    """Matching lines of each file, in the order of the files' paths; the totals cover all of them."""

    def __init__(
        self,
        input: GrepInput,
        folder: str,
        base: str,
        is_denied: Callable[[str], bool],
        alias: Mapping[bytes, bytes],
        settled: ResultCheck | None,
    ) -> None:
        super().__init__(input, folder, base, is_denied, alias, settled)
        self._found: list[tuple[bytes, int]] = []

    def add(self, data: bytes) -> None:
        data = self._rest + data
        at = 0
        while (middle := data.find(b"\0", at)) >= 0 and (end := data.find(b"\n", middle)) >= 0:
            path, count = data[at:middle], int(data[middle + 1 : end])
            at = end + 1
            if self.take_file(path):
                self._found.append((path, count))
                self.findings.total += 1
                self.findings.matches += count
        self._rest = data[at:]

    def finish(self) -> Findings:
        self._found.sort(key=lambda found: found[0].replace(b"/", b"\0"))
        entries = [entry for entry in self.window(self._found) if self.is_settled(entry[0])]
        self.findings.files = [self.short(path) for path, _ in entries]
        self.findings.counts = [count for _, count in entries]
        return self.findings


def collector(
    input: GrepInput,
    *,
    folder: str,
    base: str,
    is_denied: Callable[[str], bool],
    alias: Mapping[bytes, bytes] = MappingProxyType({}),
    settled: ResultCheck | None = None,
) -> Collector:
    """Return what collects the output of this search. `settled` looks at what is shown once more."""
    kinds = {"content": _Lines, "files_with_matches": _Files, "count": _Counts}
    return kinds[input.output_mode](input, folder, base, is_denied, alias, settled)
