"""What every view is made of: lines of styled cells, the places in them that can be clicked, and the text behind them.

A view turns data into `Rendered` for a width; it is a pure function of data, width and `RenderState`, so that hosts may
cache what it gives. The transcript paints it line by line; `ViewWidget` hosts the same view in panes and dialogs.

Behind the painted cells stands the *logical text*: what a user copies. It has no gutters, no padding, and a line that was
wrapped for the width is one line in it. `LinesBuilder` keeps the two in step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

__all__ = ["Hit", "Line", "LinesBuilder", "Palette", "RenderState", "Rendered", "View"]


@dataclass(frozen=True, slots=True)
class Line:
    """One painted line. `gutter` is how many cells on its left are no text (numbers, glyphs, bars, indentation).

    The cells after the gutter, without trailing blanks, are the logical characters from `start` on; the last `tail` characters
    are no text either.
    """

    segments: tuple[Segment, ...]
    start: int = 0
    gutter: int = 0
    tail: int = 0

    @property
    def text(self) -> str:
        """The painted characters, gutter included."""
        return "".join(segment.text for segment in self.segments)

    @property
    def width(self) -> int:
        """The painted width in cells."""
        return sum(segment.cell_length for segment in self.segments)


@dataclass(frozen=True, slots=True)
class Hit:
    """A place that does something: cells `start` to `stop` of line `line` (0-based). `action` is the host's word for it.

    Actions hosts know: `toggle` (fold or unfold), `link` (argument: the address), `jump` (a tool use id), `stop` (a tool
    use id).
    """

    line: int
    start: int
    stop: int
    action: str
    argument: str = ""


@dataclass(slots=True)
class Rendered:
    """A view at one width. `lines` may grow at its end while a block streams; hosts read its length anew each time."""

    lines: Sequence[Line]
    hits: Sequence[Hit] = ()
    text: str = ""

    @property
    def length(self) -> int:
        """How many characters `text` has; known also where the text itself is made only when it is asked for."""
        return len(self.text)


@dataclass(frozen=True, slots=True)
class Palette:
    """The styles views may use, by meaning; made from the theme (`viewkit.palette`), never written into a view.

    `syntax` maps a Pygments token's short name (`k`, `s`, `c1` …, as in HTML output) to a style; a missing one falls back to
    its parent's (`c1` → `c`), then to `text`.
    """

    name: str
    is_dark: bool
    text: Style
    muted: Style
    faint: Style
    strong: Style
    emphasis: Style
    accent: Style
    error: Style
    warning: Style
    success: Style
    running: Style
    waiting: Style
    link: Style
    heading: Style
    quote: Style
    code: Style
    code_block: Style
    user: Style
    border: Style
    gutter: Style
    added: Style
    removed: Style
    added_word: Style
    removed_word: Style
    added_gutter: Style
    removed_gutter: Style
    match: Style
    odd: Style
    selection: Style
    cursor: Style
    syntax: dict[str, Style] = field(default_factory=dict, compare=False, hash=False)

    def token(self, short_name: str) -> Style:
        """Return the style of a Pygments token by its short name."""
        while short_name:
            found = self.syntax.get(short_name)
            if found is not None:
                return found
            short_name = short_name[:-1]
        return self.text


@dataclass(frozen=True, slots=True)
class RenderState:
    """What may change how the same data looks: folding, focus, colours. Hosts cache by it."""

    palette: Palette
    is_open: bool = False
    is_current: bool = False  # the block cursor is on it
    is_ascii: bool = False  # the terminal cannot be trusted with symbols


class View(Protocol):
    """Anything that can be painted in a column of cells."""

    def render(self, width: int, state: RenderState) -> Rendered:
        """Return the view at `width` cells (at least 1). Pure: the same data, width and state give the same lines."""
        ...


class LinesBuilder:
    """Collects lines and the logical text behind them."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.hits: list[Hit] = []
        self._parts: list[str] = []
        self._length = 0

    def add(
        self,
        segments: Sequence[Segment],
        *,
        gutter: int = 0,
        joiner: str = "\n",
        text: str | None = None,
    ) -> Line:
        r"""Add one painted line.

        `joiner` says how it hangs together with the line before it in the logical text: `"\n"` for a line of its own,
        `" "` where a blank was dropped to wrap, `""` where a long word was cut. `text` is what the cells after the gutter
        say in the logical text, where that is known or differs: a character for each that is painted.
        """
        if self.lines and joiner:
            self._parts.append(joiner)
            self._length += len(joiner)
        line = Line(tuple(segments), self._length, gutter)
        body = (_after(line.text, gutter) if text is None else text).rstrip()
        self._parts.append(body)
        self._length += len(body)
        self.lines.append(line)
        return line

    def add_text(self, text: str, style: Style, *, gutter: int = 0, joiner: str = "\n") -> Line:
        """Add a line of one style."""
        return self.add((Segment(text, style),), gutter=gutter, joiner=joiner)

    def hit(self, start: int, stop: int, action: str, argument: str = "") -> None:
        """Make cells of the line added last do something."""
        self.hits.append(Hit(len(self.lines) - 1, start, stop, action, argument))

    def extend(self, rendered: Rendered) -> None:
        """Append another view's lines below these."""
        if self.lines and rendered.lines:
            self._parts.append("\n")
            self._length += 1
        first, base = len(self.lines), self._length
        self.lines += [Line(line.segments, base + line.start, line.gutter) for line in rendered.lines]
        self.hits += [Hit(first + hit.line, hit.start, hit.stop, hit.action, hit.argument) for hit in rendered.hits]
        self._parts.append(rendered.text)
        self._length += len(rendered.text)

    def mark(self) -> tuple[int, int, int, int]:
        """Return where the collection stands, for `rewind`."""
        return len(self.lines), len(self.hits), len(self._parts), self._length

    def rewind(self, mark: tuple[int, int, int, int]) -> None:
        """Drop everything added since `mark`."""
        lines, hits, parts, self._length = mark
        del self.lines[lines:], self.hits[hits:], self._parts[parts:]

    def build(self) -> Rendered:
        """Return what was collected; its lines and hits are the builder's own lists and grow with it."""
        return Rendered(self.lines, self.hits, "".join(self._parts))


def _after(text: str, cells: int) -> str:
    """Return the characters of `text` behind its first `cells` cells."""
    if cells <= 0:
        return text
    if text.isascii():
        return text[cells:]
    used = 0
    for index, character in enumerate(text):
        if used >= cells:
            return text[index:]
        used += cell_len(character)
    return ""
