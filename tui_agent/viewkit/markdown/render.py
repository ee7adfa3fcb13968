"""Markdown blocks as lines: walks the parser's tokens and keeps the prefixes of the lists and quotes around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from rich.segment import Segment
from rich.style import Style

from tui_agent.text import clean
from tui_agent.viewkit.markdown.fence import add_code
from tui_agent.viewkit.markdown.inline import inline_runs
from tui_agent.viewkit.markdown.table import Align, add_table
from tui_agent.viewkit.plain import add_text
from tui_agent.viewkit.runs import Run, add_runs
from tui_agent.viewkit.view import LinesBuilder, RenderState

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

__all__ = ["parse", "render_markdown"]

_LEAST_TEXT: Final = 8  # cells that nesting leaves for text
_BULLETS: Final = ("•", "◦", "▪")
_APART: Final = frozenset({"fence", "code_block", "table_open", "heading_open", "hr"})
_DEEPEST: Final = 40


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    # HTML off: tags are shown as the text they are, and `Vec<T>` stays whole. Link definitions would vanish and, parts being
    # parsed one by one, be of no use to the links: they too are shown, their addresses ready to be clicked.
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": _DEEPEST})
    return parser.enable(["table", "strikethrough"]).disable("reference")


def parse(source: str) -> list[Token]:
    """Return the parser's tokens of cleaned Markdown."""
    return _parser().parse(source)


def render_markdown(
    builder: LinesBuilder, source: str, width: int, state: RenderState, *, number: int | None = None
) -> None:
    """Add `source` (cleaned) as lines. `number` takes the place of the first ordered item's own."""
    tokens = parse(source)
    if any(token.level >= _DEEPEST - 2 for token in tokens):
        add_text(builder, source, state.palette.text, width)  # the parser drops what is nested deeper
        return
    _Blocks(builder, source, width, state, number).walk(tokens)


@dataclass(slots=True)
class _Container:
    """A list item or quote around a block: what stands before its first line, and before all others."""

    first: Segment
    rest: Segment
    is_quote: bool = False
    is_used: bool = False


@dataclass(slots=True)
class _List:
    """A list that is being walked: the number of its next item, or the bullet of all."""

    number: int | None
    bullet: str


class _Blocks:
    def __init__(self, builder: LinesBuilder, source: str, width: int, state: RenderState, number: int | None) -> None:
        self._builder = builder
        self._source = source.split("\n")
        self._width = width
        self._state = state
        self._palette = state.palette
        self._number = number
        self._containers: list[_Container] = []
        self._lists: list[_List] = []
        self._style = state.palette.text
        self._last = ""  # the type of the block above, empty at the start

    def walk(self, tokens: Sequence[Token]) -> None:
        """Add all blocks."""
        index = 0
        while index < len(tokens):
            token = tokens[index]
            match token.type:
                case "paragraph_open" | "heading_open":
                    self._separate(token)
                    self._text(tokens[index + 1], self._heading_style(token))
                    index += 2
                case "fence" | "code_block":
                    self._separate(token)
                    prefix, _ = self._prefix()
                    code = token.content.removesuffix("\n")
                    add_code(self._builder, code, token.info, self._width, self._palette, prefix=prefix)
                case "hr":
                    self._separate(token)
                    prefix, cells = self._prefix()
                    rule = Segment("─" * min(40, self._width - cells), self._palette.border)
                    self._builder.add((*prefix, rule), gutter=cells)
                case "table_open":
                    self._separate(token)
                    index = self._table(tokens, index)
                case _:
                    self._container(token)
            index += 1

    def _container(self, token: Token) -> None:
        palette = self._palette
        match token.type:
            case "bullet_list_open":
                depth = sum(1 for known in self._lists if known.number is None)
                bullet = "-" if self._state.is_ascii else _BULLETS[depth % len(_BULLETS)]
                self._lists.append(_List(None, bullet))
            case "ordered_list_open":
                start = int(token.attrs.get("start", 1))
                if self._number is not None and not self._lists:
                    start, self._number = self._number, None
                self._lists.append(_List(start, ""))
            case "list_item_open":
                self._separate(token)
                marker = self._marker(self._lists[-1])
                self._containers.append(_Container(Segment(marker, palette.accent), Segment(" " * len(marker))))
                self._last = ""
            case "list_item_close":
                if not self._containers[-1].is_used:  # an empty item is an item
                    prefix, _ = self._prefix()
                    self._builder.add(prefix)
                self._containers.pop()
                self._last = "item"
            case "blockquote_open":
                self._separate(token)
                bar = Segment("| " if self._state.is_ascii else "▎ ", palette.border)
                self._containers.append(_Container(bar, bar, is_quote=True))
                self._style = palette.quote
                self._last = ""
            case "blockquote_close":
                self._containers.pop()
                if not any(container.is_quote for container in self._containers):
                    self._style = palette.text
                self._last = "quote"
            case "bullet_list_close" | "ordered_list_close":
                self._lists.pop()
                self._last = "list"
            case _:
                pass  # closing tokens of what was handled whole

    def _marker(self, within: _List) -> str:
        if within.number is None:
            return within.bullet + " "
        within.number += 1
        return f"{within.number - 1}. "

    def _separate(self, token: Token) -> None:
        """Leave a line free where the source does, and around what stands apart."""
        above, self._last = self._last, token.type
        if not above:
            return
        line = token.map[0] if token.map else 0
        is_apart = not self._containers and (above in _APART or token.type in _APART)
        if is_apart or (0 < line <= len(self._source) and not self._source[line - 1].strip(" >\t")):
            bars, cells = self._prefix(is_blank=True)
            self._builder.add(bars, gutter=cells)

    def _prefix(self, *, is_blank: bool = False) -> tuple[list[Segment], int]:
        """Return what stands before the next line, and its cells; outer levels go where they leave no room for text."""
        segments: list[Segment] = []
        for container in self._containers:
            segments.append(container.rest if container.is_used or is_blank else container.first)
            if not is_blank:
                container.is_used = True
        cells = sum(segment.cell_length for segment in segments)
        while segments and cells > self._width - _LEAST_TEXT:
            cells -= segments.pop(0).cell_length
        if is_blank:
            while segments and not segments[-1].text.strip():
                cells -= segments.pop().cell_length
        return segments, cells

    def _gutter(self) -> int:
        """Return how much of a prefix is no text: everything up to the innermost quote's bar."""
        cells = total = 0
        for container in self._containers:
            total += container.first.cell_length
            if container.is_quote:
                cells = total
        return cells

    def _heading_style(self, token: Token) -> Style:
        match token.tag:
            case "h1":
                return self._palette.heading + Style(underline=True)
            case "h2" | "h3":
                return self._palette.heading
            case "p":
                return self._style
            case _:
                return self._palette.strong + Style(italic=True)

    def _text(self, inline: Token, style: Style) -> None:
        lines = inline_runs(inline.children or (), style, self._palette)
        if self._containers and not self._containers[-1].is_used and self._lists:
            lines[0] = self._task(lines[0])
        for runs in lines:
            gutter = self._gutter()
            prefix, cells = self._prefix()
            rest, _ = self._prefix()
            add_runs(self._builder, runs, self._width, first=prefix, rest=rest, gutter=min(gutter, cells))

    def _task(self, runs: list[Run]) -> list[Run]:
        """Turn `[ ]` and `[x]` at the start of an item into boxes."""
        text = runs[0].text if runs else ""
        if text[:4] not in {"[ ] ", "[x] ", "[X] "}:
            return runs
        is_done = text[1] != " "
        glyph = f"[{'x' if is_done else ' '}] " if self._state.is_ascii else "☑ " if is_done else "☐ "
        style = self._palette.success if is_done else self._palette.muted
        return [Run(glyph, style), Run(text[4:], runs[0].style, runs[0].hit), *runs[1:]]

    def _table(self, tokens: Sequence[Token], index: int) -> int:
        """Add the table that opens at `index` and return where it closes."""
        rows: list[list[list[Run]]] = []
        aligns: list[Align] = []
        while tokens[index].type != "table_close":
            token = tokens[index]
            if token.type == "tr_open":
                rows.append([])
            elif token.type in {"th_open", "td_open"}:
                is_head = token.type == "th_open"
                if is_head:
                    aligns.append(_align(str(token.attrs.get("style", ""))))
                style = self._palette.strong if is_head else self._style
                lines = inline_runs(tokens[index + 1].children or (), style, self._palette)
                rows[-1].append([run for line in lines for run in line])
            index += 1
        prefix, _ = self._prefix()
        columns = len(rows[0])
        body = [(row + [[] for _ in range(columns)])[:columns] for row in rows[1:]]
        add_table(self._builder, rows[0], body, aligns, self._width, self._palette, prefix=prefix)
        return index


def _align(style: str) -> Align:
    match clean(style).rpartition(":")[2]:
        case "center":
            return "center"
        case "right":
            return "right"
        case _:
            return "left"
