"""Markdown that grows: closed parts that never change again, and what is still open at the end.

Feeding costs what is fed. A host draws a closed part once per width, and of what is open only what it shows: code and tables
add their new lines to those they have drawn, prose is parsed anew, and no paragraph is long. The line that is being written
is shown as what it would be if it ended here, unless there is nothing in it yet but signs that may come to mean anything.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from rich.style import Style

from tui_agent.text import clean
from tui_agent.viewkit.markdown.blocks import BlockParser
from tui_agent.viewkit.markdown.inline import GrowingText, as_if_closed
from tui_agent.viewkit.markdown.leaf import is_long, split_row
from tui_agent.viewkit.markdown.part import MarkdownPart
from tui_agent.viewkit.runs import Run
from tui_agent.viewkit.stacking import stack
from tui_agent.viewkit.view import LinesBuilder, Palette, Rendered, RenderState

__all__ = ["MarkdownPart", "MarkdownStream", "MarkdownTail", "MarkdownView"]

_LONGEST_LINE: Final = 4_000  # characters after which a line goes on in another
_DELIMITERS_BEGUN: Final = re.compile(r"[|:\- ]*")  # what may become the line below the head of a table
_UNDECIDED: Final = re.compile(r"[-=+*_#`~|:$\\\[>\s]*|[\s>]*\d{1,9}[.)]?")


class MarkdownStream:
    """Splits growing Markdown into parts.

    `parts` only ever grows at its end and holds closed parts; `tail` shows what is open, or is None. What the pieces fed are
    does not matter: the same text gives the same parts. Text is cleaned on its way in.
    """

    def __init__(self, text: str = "") -> None:
        self.parts: list[MarkdownPart] = []
        self._parser = BlockParser()
        self._open: MarkdownPart | None = None
        self._tail = MarkdownTail(self)
        self._pending: list[str] = []  # pieces of the line being written, and how many characters they are
        self._pending_size = 0
        self._is_joined = False  # the line being written goes on in the one above
        if text:
            self.feed(text)

    @property
    def tail(self) -> MarkdownTail | None:
        """What may still change."""
        return self._tail if self._open is not None or self.partial else None

    @property
    def open_part(self) -> MarkdownPart | None:
        """The part that is open, as far as its lines are whole."""
        return self._open

    @property
    def partial(self) -> str:
        """The line being written, cleaned; empty while there is nothing in it to show."""
        if not self._pending:
            return ""
        line = clean("".join(self._pending).removesuffix("\r")).replace("\n", " ")
        leaf = self._open.leaf if self._open is not None else None
        if leaf is not None and leaf.kind in {"fence", "code"}:
            return line if line.strip() else ""
        return "" if _UNDECIDED.fullmatch(line) else line

    def feed(self, text: str) -> None:
        """Add text to the end."""
        if not text:
            return
        if "\n" not in text:
            self._write(text)
        else:
            first, *rest = text.split("\n")
            self._write(first)
            for piece in rest:
                self._end_line()
                self._write(piece)
        self._tail.version += 1

    def finish(self) -> None:
        """End the text: the last line is whole now, and what is open closes."""
        if self._pending:
            self._end_line()
        self._parser.finish()
        self._collect()

    def preview(self) -> BlockParser | None:
        """Return what the blocks would be if the line that is being written ended here; None when nothing is."""
        partial = self.partial
        after = self._parser.preview(partial, is_joined=self._is_joined) if partial else None
        if not partial and not _DELIMITERS_BEGUN.fullmatch("".join(self._pending)):
            return None
        columns = _columns_begun(after or self._parser)
        if not columns:
            return after
        delimiters = "|" + "-|" * columns
        if after is None:
            return self._parser.preview(delimiters)
        after.take(delimiters)
        return after

    def _write(self, text: str) -> None:
        """Go on with the line being written. One that grows beyond all measure goes on in another: prose from a blank on."""
        while text:
            self._pending.append(text)
            self._pending_size += len(text)
            text = ""
            if self._pending_size > _LONGEST_LINE:
                line = "".join(self._pending)
                is_code = self._open is not None and self._open.leaf.kind in {"fence", "code"}
                blank = -1 if is_code else line.rfind(" ", 1, _LONGEST_LINE)
                cut = blank if blank > 0 else _LONGEST_LINE
                self._pending[:] = [line[:cut]]
                self._end_line()
                self._is_joined = True
                text = line[cut + (blank > 0) :]

    def _end_line(self) -> None:
        line = "".join(self._pending).removesuffix("\r")
        is_joined, self._is_joined = self._is_joined, False
        self._pending.clear()
        self._pending_size = 0
        for number, part in enumerate(clean(line).split("\n")):
            self._parser.take(part, is_joined=is_joined and not number)
        self._collect()

    def _collect(self) -> None:
        """Take over the leaves that are whole now, and the one that is open."""
        parser = self._parser
        for leaf in parser.closed:
            part = self._open if self._open is not None and self._open.leaf is leaf else MarkdownPart(leaf)
            part.close()
            self.parts.append(part)
        parser.closed.clear()
        if parser.leaf is None:
            self._open = None
        elif self._open is None or self._open.leaf is not parser.leaf:
            self._open = MarkdownPart(parser.leaf)


def _columns_begun(parser: BlockParser) -> int:
    """Return how many columns a table has of which the head alone is written, so that its bars do not flash up; 0: none."""
    leaf = parser.leaf
    if leaf is None or leaf.kind != "text" or leaf.containers or not leaf.lines or not leaf.lines[-1].startswith("| "):
        return 0
    is_second = len(leaf.lines) > 1 and leaf.lines[-2].startswith("|")
    return 0 if is_second else len(split_row(leaf.lines[-1]))


class MarkdownTail:
    """The open end of a stream as a view."""

    def __init__(self, stream: MarkdownStream) -> None:
        self.version = 0
        self._stream = stream
        self._texts = GrowingText(), GrowingText()  # of the part that is open, and of what the line written now begins

    @property
    def source(self) -> str:
        """What is open, as `MarkdownPart.source` gives it, and the line that is being written."""
        part, partial = self._stream.open_part, self._stream.partial
        return "\n".join(filter(None, (part.source if part is not None else "", partial)))

    def render(self, width: int, state: RenderState) -> Rendered:
        """Return the lines of the part that is open and of the line that is being written."""
        part, after = self._stream.open_part, self._stream.preview()
        if after is None:
            return self._draw(part, 0, width, state) if part is not None else Rendered(())
        leaves = after.closed if after.leaf is None else [*after.closed, after.leaf]
        drawn: list[Rendered] = []
        if part is not None and is_long(part.leaf):
            first, *leaves = leaves  # it stands in for what is drawn already
            partial = first.lines[0] if first.lines else None
            if partial and part.kind == "fence" and not partial.strip().strip(part.leaf.marker[0]):
                partial = None  # may become the closing line
            drawn.append(part.render_with(partial, width, state, is_joined=bool(first.joined)))
        drawn += [self._draw(MarkdownPart(leaf), number, width, state) for number, leaf in enumerate(leaves)]
        return drawn[0] if len(drawn) == 1 else stack(drawn)

    def _draw(self, part: MarkdownPart, number: int, width: int, state: RenderState) -> Rendered:
        text = self._texts[min(number, 1)]

        def read(source: str, base: Style, palette: Palette) -> list[list[Run]]:
            return text.lines(as_if_closed(source) if part.is_open else source, base, palette)

        return part.render_with(None, width, state, read=read)


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
