"""Which lines of a file one read shows: cut to a page that fits the conversation, whole files and streamed ones alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import BinaryIO, Final

from tui_agent.comparing import split_lines

__all__ = ["LINE_CHARS", "PAGE_LINES", "Page", "page_of", "stream_page"]

PAGE_LINES: Final = 2000
LINE_CHARS: Final = 2000
_PIECE: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class Page:
    """Some lines of a file, without their endings. `start` is the 1-based number of the first.

    `total` is how many lines the file has, None where it was too large to count; `has_more` says that lines follow.
    """

    lines: tuple[str, ...]
    start: int
    total: int | None
    has_more: bool

    @property
    def is_whole(self) -> bool:
        """Whether the file is shown from its first line to its last."""
        return self.total == 0 or (self.start == 1 and not self.has_more)

    def numbered(self) -> str:
        """Return the lines as the model gets them: number, tab, text."""
        return "\n".join(f"{number}\t{_cut(line)}" for number, line in enumerate(self.lines, self.start))


def page_of(text: str, offset: int, limit: int | None, budget: int) -> Page:
    """Return the page of a whole text that begins at line `offset` (1-based).

    It has at most `limit` lines (None: `PAGE_LINES`) and, beyond the first, no more than fit `budget` characters as the model
    gets them.
    """
    every = split_lines(text)
    wanted = every[offset - 1 : offset - 1 + (limit or PAGE_LINES)]
    lines: list[str] = []
    used = 0
    for number, raw in enumerate(wanted, offset):
        line = raw.removesuffix("\n").removesuffix("\r")
        used += min(len(line), LINE_CHARS + 60) + len(str(number)) + 2
        if lines and used > budget:
            break
        lines.append(line)
    return Page(tuple(lines), offset, len(every), offset - 1 + len(lines) < len(every))


def stream_page(file: BinaryIO, offset: int, limit: int | None, budget: int) -> Page:
    """Return a page of an open UTF-8 file that is too large to load. Never holds more than the page itself."""
    lines: list[str] = []
    used = 0
    for number in range(1, offset + (limit or PAGE_LINES) + 1):
        raw = _read_line(file)
        if raw is None:
            return Page(tuple(lines), offset, number - 1, has_more=False)
        if number < offset:
            continue
        line = raw.decode("utf-8", "replace").removesuffix("\n").removesuffix("\r")
        used += min(len(line), LINE_CHARS + 60) + len(str(number)) + 2
        if len(lines) >= (limit or PAGE_LINES) or (lines and used > budget):
            break
        lines.append(line)
    return Page(tuple(lines), offset, None, has_more=True)


def _read_line(file: BinaryIO) -> bytes | None:
    """Read a line, keeping no more of it than will be shown."""
    line = file.readline(_PIECE)
    if not line:
        return None
    piece = line
    while piece and not piece.endswith(b"\n"):
        piece = file.readline(_PIECE)
    return line


def _cut(line: str) -> str:
    if len(line) <= LINE_CHARS:
        return line
    return f"{line[:LINE_CHARS]}… [line cut: {LINE_CHARS:,} of {len(line):,} characters]"
