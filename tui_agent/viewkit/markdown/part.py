"""A leaf of Markdown as a view: drawn whole once it is closed, and with no more work than its new lines while it is open."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final

from rich.segment import Segment
from rich.style import Style

from tui_agent.viewkit.markdown.fence import CodeLines
from tui_agent.viewkit.markdown.frame import Frame, add_gap, frame_of
from tui_agent.viewkit.markdown.inline import inline_lines
from tui_agent.viewkit.markdown.leaf import Leaf, is_long
from tui_agent.viewkit.markdown.table import TableLines
from tui_agent.viewkit.runs import Run, add_runs, crop
from tui_agent.viewkit.view import LinesBuilder, Palette, Rendered, RenderState
from tui_agent.viewkit.wrap import WIDEST_PROSE, expand_tabs

__all__ = ["MarkdownPart"]

ReadLines = Callable[[str, Style, Palette], list[list[Run]]]

_NARROWEST: Final = 16
_LONGEST_RULE: Final = 40
_TAG: Final = re.compile(r"</?[A-Za-z][\w-]*(?:[\s/>]|\Z)|<!--")
_NOT_UNDERLINED: Final = Style(underline=False)


class MarkdownPart:
    """A leaf as a view. It changes only while it is open."""

    def __init__(self, leaf: Leaf) -> None:
        self.leaf = leaf
        self.version = 0
        self._growing: _Growing | None = None

    @property
    def kind(self) -> str:
        """What it is: `text`, `heading`, `fence` …"""
        return self.leaf.kind

    @property
    def is_open(self) -> bool:
        """Whether more may come."""
        return self.leaf.is_open

    @property
    def source(self) -> str:
        """Its lines as they were written, without the signs of what they stand in: bars, bullets, fences."""
        return "\n".join(self.leaf.lines)

    def close(self) -> None:
        """Take note that the leaf is whole."""
        self._growing = None
        self.version += 1

    def render(self, width: int, state: RenderState) -> Rendered:
        """Return the leaf's lines at `width`, the blank line above it first where there is one."""
        return self.render_with(None, width, state)

    def render_with(
        self,
        partial: str | None,
        width: int,
        state: RenderState,
        *,
        is_joined: bool = False,
        read: ReadLines = inline_lines,
    ) -> Rendered:
        """Return the lines, and those of the line that is being written, which only code takes.

        `read` reads the text of a paragraph.
        """
        cells = max(width, _NARROWEST)
        if self.leaf.is_open and is_long(self.leaf):
            key = (cells, state)
            if self._growing is None or self._growing.key != key:
                self._growing = _Growing(self.leaf, key)
            rendered = self._growing.render(partial, is_joined=is_joined)
        else:
            rendered = _draw(self.leaf, cells, state, read)
        return rendered if width >= _NARROWEST else crop(rendered, width)


class _Growing:
    """The lines of code or a table that is open. Each `render` adds the new ones, and draws the unfinished last one again."""

    def __init__(self, leaf: Leaf, key: tuple[int, RenderState]) -> None:
        self.key = key
        self._leaf = leaf
        self._builder = LinesBuilder()
        width, state = key
        frame = frame_of(leaf, width, state)
        if leaf.gap:
            add_gap(self._builder, leaf, width, state)
        self._code = CodeLines(self._builder, leaf, width, state, frame) if leaf.kind != "table" else None
        self._table = TableLines(self._builder, width, state, frame) if leaf.kind == "table" else None
        self._drawn = 0
        self._whole = self._builder.mark()

    def render(self, partial: str | None, *, is_joined: bool) -> Rendered:
        leaf = self._leaf
        self._builder.rewind(self._whole)
        if self._table is not None:
            self._table.grow(leaf.lines, has_head=not leaf.is_continued)
        elif self._code is not None:
            for number in range(self._drawn, len(leaf.lines)):
                line = leaf.lines[number]
                self._code.add_next(line, is_joined=number in leaf.joined)
            self._drawn = len(leaf.lines)
        self._whole = self._builder.mark()
        if partial and self._code is not None:
            self._code.add_next(partial, is_joined=is_joined, is_partial=True)
        return self._builder.build()


def _draw(leaf: Leaf, width: int, state: RenderState, read: ReadLines) -> Rendered:
    builder = LinesBuilder()
    if leaf.gap:
        add_gap(builder, leaf, width, state)
    frame = frame_of(leaf, width, state)
    palette = state.palette
    match leaf.kind:
        case "text" | "heading":
            _add_text(builder, leaf, frame, min(width, WIDEST_PROSE), palette, read)
        case "fence" | "code":
            lines = leaf.lines or [""]
            CodeLines(builder, leaf, width, state, frame).add_all(lines, leaf.joined)
        case "table":
            TableLines(builder, width, state, frame).add_all(leaf.lines, has_head=not leaf.is_continued)
        case "math":
            for number, line in enumerate(leaf.lines):
                first = frame.rest if number else frame.first
                runs = [Run(expand_tabs(line), _style(leaf, frame, palette))]
                add_runs(builder, runs, width, first=first, rest=frame.rest, gutter=frame.gutter)
        case "rule":
            rule = ("-" if state.is_ascii else "─") * min(_LONGEST_RULE, width - frame.cells)
            segments = (*frame.first, Segment(rule, palette.border))
            builder.add(segments, gutter=frame.gutter, text=frame.head + "-" * len(rule))
        case "empty":
            builder.add(frame.first, gutter=frame.gutter, text=frame.head)
    return builder.build()


def _add_text(builder: LinesBuilder, leaf: Leaf, frame: Frame, width: int, palette: Palette, read: ReadLines) -> None:
    source = _joined(leaf.lines)
    if frame.task:
        source = source[len("[ ] ") :]
    first, head = frame.first, frame.head
    for runs in read(source, _style(leaf, frame, palette), palette):
        if frame.task and leaf.containers[-1].number is not None and first is frame.first:
            is_done = frame.task.startswith("☑")
            runs = [Run(frame.task, palette.success if is_done else palette.muted), *runs]
        add_runs(builder, runs, width, first=first, rest=frame.rest, gutter=frame.gutter, head=head)
        first, head = frame.rest, " " * len(head)


def _joined(lines: Sequence[str]) -> str:
    """Return the lines of a paragraph as one text; lines of tags keep their breaks, which would say nothing in HTML."""
    if not any(line.startswith("<") for line in lines):
        return "\n".join(lines)
    out = lines[0]
    for above, line in pairwise(lines):
        is_break = (_TAG.match(above) or _TAG.match(line)) and not above.endswith("\\")
        out += ("  \n" if is_break else "\n") + line
    return out


def _style(leaf: Leaf, frame: Frame, palette: Palette) -> Style:
    """Return the look of a leaf's text. Headings of each level differ by more than their colour."""
    if leaf.kind != "heading":
        return palette.quote if frame.is_quoted else palette.text
    plain = palette.heading + _NOT_UNDERLINED
    match leaf.level:
        case 1:
            return palette.heading + Style(underline=True)
        case 2:
            return plain
        case 3:
            return plain + Style(italic=True)
        case 4:
            return palette.strong
        case 5:
            return palette.strong + Style(italic=True)
        case _:
            return palette.emphasis
