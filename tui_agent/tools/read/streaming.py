"""Pages of files that are too large to load: found by counting line feeds in pieces, never holding more than the page."""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterator
from threading import Event
from typing import BinaryIO, Final

from tui_agent.tools.encodings import NotTextError, decode, is_binary
from tui_agent.tools.files import WHOLE_FILE_LIMIT, FileProblem, open_regular
from tui_agent.tools.read.pages import LINE_CHARS, TextPage, fill
from tui_agent.tools.resolved_path import ResolvedPath

__all__ = ["Given", "stream_page"]

_PIECE: Final = 1 << 20
_SAMPLE: Final = 8192
_WIDE_BOMS: Final = (b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")
_CHAR_BYTES: Final = 4  # of one character, at most


class Given(Exception):  # noqa: N818 - no error of the file's
    """Nobody waits for the page any more."""


def stream_page(
    path: ResolvedPath, offset: int, limit: int | None, budget: int, stopped: Event
) -> tuple[TextPage, os.stat_result]:
    """Return the page of a file that begins at line `offset` (1-based), in time proportional to what lies before it.

    `limit` and `budget` are those of `pages.page_of`; lengths of cut lines are in bytes. A file that grows is read up to the
    size that it had; `stopped` gives the search up.

    Raises:
        FileProblem: it is not text, or cannot be read.
        Given: `stopped` was set.
    """
    handle, status = open_regular(path)
    with open(handle, "rb", buffering=0) as raw:  # noqa: PTH123 - opened with care above
        file = _Bounded(raw, max(status.st_size, WHOLE_FILE_LIMIT), stopped)
        try:
            return _page(file, offset, limit, budget), status
        except OSError as error:
            raise FileProblem("unreadable", f"it cannot be read ({error.strerror})") from error


class _Bounded:
    """A file that is read in pieces, up to its bound. `at` is the position of what `read` gives next."""

    def __init__(self, file: BinaryIO, size: int, stopped: Event) -> None:
        self._file = file
        self._size = size
        self._stopped = stopped
        self.at = 0

    def read(self, most: int) -> bytes:
        if self._stopped.is_set():
            raise Given
        data = self._file.read(max(0, min(most, self._size - self.at))) or b""
        self.at += len(data)
        return data

    def seek(self, at: int) -> None:
        self._file.seek(at)
        self.at = at


def _page(file: _Bounded, offset: int, limit: int | None, budget: int) -> TextPage:
    sample = file.read(_SAMPLE)
    if is_binary(sample) or sample.startswith(_WIDE_BOMS):
        raise FileProblem(
            "binary", f"it is not text in UTF-8 or a like encoding, and has more than {WHOLE_FILE_LIMIT:,} bytes"
        )
    file.seek(3 if sample.startswith(b"\xef\xbb\xbf") else 0)
    passed = _skip_lines(file, offset - 1)
    start = file.at
    if passed < offset - 1:
        return TextPage((), offset, passed, has_more=False)
    wanted = limit or budget  # a line takes at least a character
    encoding = _encoding_of(file, start, budget)
    for longest in (budget, LINE_CHARS):
        file.seek(start)
        lines = _Lines(file, longest, encoding)
        filled = fill(lines, offset, wanted, budget, longest)
        if not filled.is_cut and (len(filled.lines) == wanted or lines.is_over):
            break
    shown = len(filled.lines)
    if not shown:
        return TextPage((), offset, passed, has_more=False)
    file.seek(lines.ends[shown - 1])
    has_more = bool(file.read(1))
    return TextPage(filled.lines, offset, None, has_more, shown == wanted or not has_more, filled.is_cut)


def _skip_lines(file: _Bounded, count: int) -> int:
    """Put the file behind its first `count` lines; return how many there were. An unended last line counts as one."""
    passed = 0
    is_open = False
    while passed < count and (piece := file.read(_PIECE)):
        newlines = piece.count(b"\n")
        is_open = not piece.endswith(b"\n")
        if passed + newlines < count:
            passed += newlines
            continue
        at = 0
        for _ in range(count - passed):
            at = piece.find(b"\n", at) + 1
        file.seek(file.at - len(piece) + at)
        return count
    return passed + is_open if passed < count else passed


def _encoding_of(file: _Bounded, start: int, budget: int) -> str:
    """Tell the encoding from what the page may show of the file."""
    data = file.read(budget * _CHAR_BYTES)
    file.seek(start)
    if b"\0" in data:
        raise FileProblem("binary", "it is not text: it holds control characters that text does not")
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data)  # a character that the end cuts in two is none the worse
    except UnicodeDecodeError:
        try:
            return decode(data[: data.rfind(b"\n") + 1] or data).encoding
        except NotTextError:
            pass
    return "utf-8"


class _Lines:
    """The lines from the file's position on: no more of each than is shown, and its length in bytes.

    `ends` are the positions behind those that were given; `is_over` says that there are no more.
    """

    def __init__(self, file: _Bounded, longest: int, encoding: str) -> None:
        self._file = file
        self._longest = longest
        self._encoding = encoding
        self.ends: list[int] = []
        self.is_over = False

    def __iter__(self) -> Iterator[tuple[str, int]]:
        data, at, begin = b"", 0, self._file.at
        while True:
            found = data.find(b"\n", at)
            kept = data[at : found if found >= 0 else len(data)]
            length = len(kept)
            at = found + 1
            while found < 0 and (piece := self._file.read(_PIECE)):
                data, begin = piece, self._file.at - len(piece)
                found = piece.find(b"\n")
                part = piece[:found] if found >= 0 else piece
                kept += part if len(kept) <= self._longest * _CHAR_BYTES else b""
                length += len(part)
                at = found + 1
            if found < 0 and not length:
                self.is_over = True
                return
            self.ends.append(begin + at if found >= 0 else self._file.at)
            yield self._shown(kept, length)
            if found < 0:
                self.is_over = True
                return

    def _shown(self, kept: bytes, length: int) -> tuple[str, int]:
        if len(kept) == length and kept.endswith(b"\r"):
            kept, length = kept[:-1], length - 1
        text = kept.decode(self._encoding, "replace")
        return (text, len(text)) if len(kept) == length else (text[: self._longest], length)
