"""Fenced code in Markdown: plain while it grows, line by line; coloured once it is closed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Final

from rich.segment import Segment

from tui_agent.text import clean
from tui_agent.viewkit.code import code_runs, tokenize
from tui_agent.viewkit.markdown.scanner import Opening, closes_fence
from tui_agent.viewkit.plain import add_text
from tui_agent.viewkit.runs import add_runs
from tui_agent.viewkit.view import LinesBuilder, Palette, Rendered, RenderState

__all__ = ["FenceLines", "GrowingLines", "add_code", "fence_code", "render_fence"]

_MARGIN: Final = "  "


def fence_code(lines: Sequence[str], opening: Opening) -> str:
    """Return the code between a fence's first line and its last, which may be missing."""
    stop = len(lines)
    if stop > 1 and closes_fence(opening.marker, lines[-1]):
        stop -= 1
    return "\n".join(_dedent(line, opening.indent) for line in lines[1:stop])


def render_fence(code: str, info: str, width: int, state: RenderState, *, gap: bool = False) -> Rendered:
    """Return a closed fence's lines; the first word of `info` names the language."""
    builder = LinesBuilder()
    if gap:
        builder.add(())
    add_code(builder, code, info, width, state.palette)
    return builder.build()


def add_code(
    builder: LinesBuilder, code: str, info: str, width: int, palette: Palette, *, prefix: Sequence[Segment] = ()
) -> None:
    """Add a block of code behind `prefix`, on the ground of code from its margin to the right edge."""
    first = (*prefix, Segment(_MARGIN, palette.code_block))
    language = (clean(info).split() or [""])[0].strip("{}.,").lower()
    for tokens in tokenize(code, language):
        add_runs(
            builder,
            code_runs(tokens, palette, palette.code_block),
            width,
            first=first,
            rest=first,
            is_code=True,
            fill=palette.code_block,
        )


class GrowingLines:
    """Lines of text that still grows. Each `render` adds the new ones and draws the unfinished last one again."""

    def __init__(self, key: tuple[int, Palette], *, gap: bool, skipped: int = 0) -> None:
        self.key = key
        self._builder = LinesBuilder()
        if gap:
            self._builder.add(())
        self._drawn = skipped
        self._whole = self._builder.mark()

    def render(self, lines: Sequence[str], partial: str) -> Rendered:
        """Return the lines so far: of the whole source lines `lines`, and of the one being written."""
        self._builder.rewind(self._whole)
        for line in islice(lines, self._drawn, None):
            self._add(self._builder, line)
        self._drawn = max(self._drawn, len(lines))
        self._whole = self._builder.mark()
        if partial:
            self._add(self._builder, partial)
        return self._builder.build()

    def _add(self, builder: LinesBuilder, line: str) -> None:
        width, palette = self.key
        add_text(builder, line, palette.text, width)


class FenceLines(GrowingLines):
    """The lines of a fence that is still open, on the ground of code."""

    def __init__(self, key: tuple[int, Palette], opening: Opening, *, gap: bool) -> None:
        super().__init__(key, gap=gap, skipped=1)
        self._opening = opening

    def _add(self, builder: LinesBuilder, line: str) -> None:
        width, palette = self.key
        add_code(builder, _dedent(line, self._opening.indent), "", width, palette)


def _dedent(line: str, indent: int) -> str:
    """Remove up to `indent` blanks from the start of a line, as many as its fence's opener has."""
    return line[min(indent, len(line) - len(line.lstrip(" "))) :] if indent else line
