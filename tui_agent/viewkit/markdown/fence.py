"""Code in Markdown, on a ground of its own: by itself when it is whole, and line by line while it grows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from rich.segment import Segment
from rich.style import Style

from tui_agent.text import clean
from tui_agent.viewkit.code import Token, code_runs, knows_language, language_of, tokenize
from tui_agent.viewkit.growing_code import GrowingCode
from tui_agent.viewkit.markdown.frame import Frame
from tui_agent.viewkit.markdown.leaf import Leaf
from tui_agent.viewkit.runs import Run, add_runs, fit_runs
from tui_agent.viewkit.view import LinesBuilder, RenderState

__all__ = ["CodeLines", "language_and_name"]

_MARGIN: Final = "  "
_NAME: Final = re.compile(r"(?:title|file(?:name)?|name|path)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|(\S+))")
_PLACE: Final = re.compile(r"(?:\d+:\d+:)?(\S+)\Z")  # lines and a path, as some write them


def language_and_name(info: str) -> tuple[str, str]:
    """Return what a fence's first line says of its language, and of the file that the code is of; each may be empty.

    Understands `py`, `{.python}`, `python title="a.py"`, `python:src/a.py` and `src/a.py`.
    """
    info = clean(info).strip()
    named = _NAME.search(info)
    name = next((text for text in named.groups() if text), "") if named else ""
    word = (info.split() or [""])[0].strip("{},").removeprefix(".")
    if word and not knows_language(word):
        language, colon, path = word.partition(":")
        if colon and knows_language(language):
            word, name = language, name or path
        elif "=" in word:
            word = ""
        elif "." in word or "/" in word:
            place = _PLACE.match(word)
            name = name or (place[1] if place else word)
            word = ""
    return (word.lower() or language_of(name)), name


class CodeLines:
    """Draws lines of code behind a frame, on the ground of code from its margin to the right edge."""

    def __init__(self, builder: LinesBuilder, leaf: Leaf, width: int, state: RenderState, frame: Frame) -> None:
        palette = state.palette
        ground = palette.code_block
        self._builder = builder
        self._width = width
        self._palette = palette
        self._looks: dict[str, Style] = {}
        self._growing: GrowingCode | None = None
        self._first = (*frame.first, Segment(_MARGIN, ground))
        self._rest = (*frame.rest, Segment(_MARGIN, ground))
        self._more = (*frame.rest, Segment("> " if state.is_ascii else "↳ ", ground + palette.token("c")))
        self.language, self._name = language_and_name(leaf.info) if leaf.kind == "fence" else ("", "")
        if self._name and not leaf.is_continued:
            self._add_name()

    def _add_name(self) -> None:
        ground = self._palette.code_block
        indent = sum(segment.cell_length for segment in self._rest)
        runs = fit_runs([Run(self._name, ground + self._palette.token("c"))], self._width - indent)
        shown = LinesBuilder()
        add_runs(shown, runs, self._width, first=self._first, fill=ground)
        self._builder.add(shown.lines[0].segments, gutter=self._width, text="")
        self._first = self._rest

    def add(self, tokens: Sequence[Token], *, is_joined: bool = False, is_partial: bool = False) -> None:
        """Add a line; one that `is_joined` goes on in the one above, one that is partial will be taken away again."""
        ground = self._palette.code_block
        first = self._more if is_joined else self._first
        if not is_partial:
            self._first = self._rest
        add_runs(
            self._builder,
            code_runs(tokens, self._palette, ground, looks=self._looks),
            self._width,
            first=first,
            rest=self._more,
            joiner="" if is_joined else "\n",
            fill=ground,
        )

    def add_next(self, line: str, *, is_joined: bool = False, is_partial: bool = False) -> None:
        """Add the next line of code that grows, in the colours it will have as far as they can be told."""
        if self._growing is None:
            self._growing = GrowingCode(self.language)
        self.add(self._growing.line(line, is_partial=is_partial), is_joined=is_joined, is_partial=is_partial)

    def add_all(self, lines: Sequence[str], joined: set[int]) -> None:
        """Add code that is whole, in the colours of its language."""
        for number, tokens in enumerate(tokenize("\n".join(lines), self.language)):
            self.add(tokens, is_joined=number in joined)
