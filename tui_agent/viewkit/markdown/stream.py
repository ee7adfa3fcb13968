"""Markdown that grows: closed parts that never change again, and one open part at the end.

Feeding costs what is fed. A host draws a closed part once per width, and of the open part only what it shows: a fence adds
its new lines to those it has drawn and takes its colours when it closes; everything else is parsed anew, which is why the
parts are small: a block, or one item of a list.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tui_agent.text import clean
from tui_agent.viewkit.markdown.fence import FenceLines, GrowingLines, fence_code, render_fence
from tui_agent.viewkit.markdown.render import render_markdown
from tui_agent.viewkit.markdown.scanner import Opening, closes_fence, open_part, stays_open
from tui_agent.viewkit.plain import TextView
from tui_agent.viewkit.runs import crop
from tui_agent.viewkit.view import LinesBuilder, Rendered, RenderState

__all__ = ["MarkdownPart", "MarkdownStream", "MarkdownView"]

_NARROWEST: Final = 16
_LARGEST: Final = 60_000  # characters of one part; the parser would hold up the screen with more
_LARGEST_OPEN: Final = 6_000  # the same while the part grows and is parsed again and again
_LONGEST_TEXT: Final = 4_000  # characters after which lines without a blank one between become another part
_LONGEST_LINE: Final = 8_000  # characters after which prose without a line break is taken as a line
_TABLE_RULE: Final = re.compile(r"[ \t|:-]*-[ \t|:-]*")
_UNDERLINE: Final = frozenset("-= ")


class MarkdownPart:
    """A top-level block of Markdown (of a list: one item), as a view. It changes only while it is open.

    `version` goes up with every change, `gap` says whether a blank line stands above it (the first line drawn, then).
    """

    def __init__(self, opening: Opening, *, gap: bool) -> None:
        self.opening = opening
        self.gap = gap
        self.is_open = True
        self.version = 0
        self.number: int | None = None  # an ordered item's, counted from the first of its list
        self.lines: list[str] = []  # whole lines, cleaned
        self.size = 0  # their characters
        self.pending: list[str] = []  # pieces of the line being written, raw
        self._growing: GrowingLines | None = None

    @property
    def source(self) -> str:
        """The Markdown of this part so far."""
        partial = self.partial
        return "\n".join([*self.lines, partial] if partial else self.lines)

    @property
    def partial(self) -> str:
        """The line being written, as far as it may be shown."""
        if not self.is_open or not self.pending:
            return ""
        return clean("".join(self.pending).removesuffix("\r")).replace("\n", " ")

    def render(self, width: int, state: RenderState) -> Rendered:
        """Return the part's lines at `width`."""
        cells = max(width, _NARROWEST)
        rendered = (self._fence if self.opening.kind == "fence" else self._parsed)(cells, state)
        return rendered if width >= _NARROWEST else crop(rendered, width)

    def decide(self, opening: Opening, *, gap: bool) -> None:
        """Take the part for what its first line, whole now, says it is."""
        self.opening = opening
        self.gap = gap
        self._growing = None

    def add(self, line: str) -> None:
        """Add a whole line."""
        self.lines.append(line)
        self.size += len(line) + 1
        self.version += 1

    @property
    def is_full(self) -> bool:
        """Whether the part should end at the next line: prose may, a table may not."""
        if self.opening.kind != "text" or self.size < _LONGEST_TEXT:
            return False
        return len(self.lines) < 2 or "|" not in self.lines[0] or not _TABLE_RULE.fullmatch(self.lines[1])

    def close(self) -> None:
        """End the part: blank lines at its end go, and nothing is added any more."""
        self.is_open = False
        self.pending = []
        self._growing = None
        if self.opening.kind != "fence":
            while self.lines and not self.lines[-1].strip():
                self.lines.pop()
        self.version += 1

    def _fence(self, width: int, state: RenderState) -> Rendered:
        if not self.is_open:
            code = fence_code(self.lines, self.opening)
            return render_fence(code, self.opening.info, width, state, gap=self.gap)
        key = (width, state.palette)
        if self._growing is None or self._growing.key != key:
            self._growing = FenceLines(key, self.opening, gap=self.gap)
        partial = self.partial
        if partial and not partial.strip().strip(self.opening.marker[0]):
            partial = ""  # may become the closing line
        return self._growing.render(self.lines, partial)

    def _plain(self, width: int, state: RenderState) -> Rendered:
        """Return the source as it stands, at the cost of its new lines: what is this large is parsed when it is whole."""
        key = (width, state.palette)
        if self._growing is None or self._growing.key != key:
            self._growing = GrowingLines(key, gap=self.gap)
        return self._growing.render(self.lines, self.partial)

    def _parsed(self, width: int, state: RenderState) -> Rendered:
        if self.is_open and self.size + sum(map(len, self.pending)) > _LARGEST_OPEN:
            return self._plain(width, state)
        partial = self.partial
        if partial and self.lines and not set(partial) - _UNDERLINE:
            partial = ""  # a dash or two below a paragraph: a list to come, not yet the underline of a heading
        source = "\n".join([*self.lines, partial] if partial else self.lines)
        builder = LinesBuilder()
        if self.gap:
            builder.add(())
        if len(source) > _LARGEST:
            builder.extend(TextView(source).render(width, state))
        else:
            render_markdown(builder, source, width, state, number=self.number)
        return builder.build()


class MarkdownStream:
    """Splits growing Markdown into parts.

    `parts` only ever grows at its end and holds closed parts; `tail` is the open one, or None. What the pieces fed are does
    not matter: the same text gives the same parts. Text is cleaned on its way in.
    """

    def __init__(self, text: str = "") -> None:
        self.parts: list[MarkdownPart] = []
        self.tail: MarkdownPart | None = None
        self._pending: list[str] = []  # pieces of the line being written, and how many characters they are
        self._pending_size = 0
        self._has_blank = False  # since the last line that was not
        self._count: tuple[str, int] | None = None  # an ordered list's delimiter and its last number
        if text:
            self.feed(text)

    @property
    def all_parts(self) -> Sequence[MarkdownPart]:
        """The closed parts and the open one."""
        return self.parts if self.tail is None else [*self.parts, self.tail]

    def feed(self, text: str) -> None:
        """Add text to the end."""
        if not text:
            return
        first, *rest = text.split("\n")
        self._write(first)
        for piece in rest:
            self._end_line()
            self._write(piece)
        if self.tail is None and any(not piece.isspace() for piece in self._pending):
            self.tail = MarkdownPart(Opening("text"), gap=bool(self.parts))
        if self.tail is not None:
            self.tail.pending = self._pending
            self.tail.version += 1

    def finish(self) -> None:
        """End the text: the last line is whole now, and the open part closes."""
        if self._pending:
            self._end_line()
        self._close()

    def _write(self, text: str) -> None:
        """Go on with the line being written. One that grows beyond all measure is broken at a blank; code never is."""
        while text:
            before, self._pending_size = self._pending_size, self._pending_size + len(text)
            self._pending.append(text)
            text = ""
            is_code = self.tail is not None and self.tail.lines and self.tail.opening.kind == "fence"
            if before <= _LONGEST_LINE < self._pending_size and not is_code:
                line = "".join(self._pending)
                cut = line.rfind(" ", 1, _LONGEST_LINE)
                if cut > 0:
                    self._pending[:] = [line[:cut]]
                    text = line[cut + 1 :]
                    self._end_line()

    def _end_line(self) -> None:
        line = "".join(self._pending).removesuffix("\r")
        self._pending.clear()
        self._pending_size = 0
        for part in clean(line).split("\n"):
            self._take(part)

    def _take(self, line: str) -> None:
        """Take a whole line."""
        tail = self.tail
        if tail is not None and tail.lines:
            if tail.opening.kind == "fence":
                tail.add(line)
                if closes_fence(tail.opening.marker, line):
                    self._close()
                return
            if not tail.is_full and stays_open(tail.opening, line):
                tail.add(line)
                self._has_blank = not line.strip()
                return
            self._close()
        if not line.strip():
            self._has_blank = True
            return
        self._open(line)

    def _open(self, line: str) -> None:
        opening = open_part(line)
        if self.tail is None:
            self.tail = MarkdownPart(opening, gap=False)
        part = self.tail  # made for the line while it was being written, perhaps
        part.decide(opening, gap=self._gap(opening))
        if opening.number is not None:
            follows = self._count is not None and self._count[0] == opening.marker and self._is_after_item()
            number = self._count[1] + 1 if follows and self._count is not None else opening.number
            self._count = (opening.marker, number)
            part.number = number
        elif opening.kind != "item":
            self._count = None
        part.add(line)
        self._has_blank = False
        if opening.kind == "heading":
            self._close()

    def _gap(self, opening: Opening) -> bool:
        if not self.parts:
            return False
        kinds = {opening.kind, self.parts[-1].opening.kind}
        if kinds == {"item"} and self.parts[-1].opening.marker == opening.marker:
            return self._has_blank
        return self._has_blank or "fence" in kinds or opening.kind == "heading"

    def _is_after_item(self) -> bool:
        return bool(self.parts) and self.parts[-1].opening.kind == "item"

    def _close(self) -> None:
        if self.tail is not None and self.tail.lines:
            self.tail.close()
            self.parts.append(self.tail)
        self.tail = None


@dataclass(frozen=True, slots=True)
class MarkdownView:
    """Markdown that is all there, as one view."""

    source: str

    def render(self, width: int, state: RenderState) -> Rendered:
        """Return the lines of all parts."""
        stream = MarkdownStream(self.source)
        stream.finish()
        builder = LinesBuilder()
        for part in stream.parts:
            builder.extend(part.render(width, state))
        return builder.build()
