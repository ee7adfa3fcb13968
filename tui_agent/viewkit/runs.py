"""Styled pieces of text, and laying them out as lines.

A view thinks in *runs* (some text in one style, perhaps clickable); here they are wrapped, cut or shortened to a width and
handed to a `LinesBuilder`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Final, NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from tui_agent.emoji_sequences import JOINER, behind_emoji
from tui_agent.viewkit.view import Line, LinesBuilder, Rendered
from tui_agent.viewkit.wrap import cells_to, cut_cells, wrap_cells

__all__ = ["Run", "add_runs", "crop", "fit_path", "fit_runs", "line_of", "slice_runs"]

_LEAST_PATH: Final = 8


class Run(NamedTuple):
    """Text of one style; `hit` is the action and argument of a click on it."""

    text: str
    style: Style
    hit: tuple[str, str] | None = None


def slice_runs(runs: Iterable[Run], spans: Sequence[tuple[int, int]]) -> list[list[Run]]:
    """Cut `runs` into the runs of each span; spans are ranges of characters, in order and without overlap."""
    out: list[list[Run]] = [[] for _ in spans]
    at = number = 0
    for run in runs:
        stop = at + len(run.text)
        while number < len(spans):
            first, last = spans[number]
            if first >= stop:
                break
            piece = run.text[max(first - at, 0) : last - at] if last > at else ""
            if piece:
                out[number].append(run if len(piece) == len(run.text) else Run(piece, run.style, run.hit))
            if last > stop:
                break
            number += 1
        at = stop
    return out


def add_runs(
    builder: LinesBuilder,
    runs: Sequence[Run],
    width: int,
    *,
    first: Sequence[Segment] = (),
    rest: Sequence[Segment] | None = None,
    gutter: int | None = None,
    joiner: str = "\n",
    is_cut: bool = False,
    fill: Style | None = None,
    head: str | None = None,
) -> None:
    """Lay one logical line out in lines of at most `width` cells.

    Args:
        builder: takes the lines.
        runs: the text, without newlines and tabs.
        width: cells for prefix and text together.
        first: what stands before the text on its first line.
        rest: the same on further lines, as wide; blanks when None.
        gutter: how many cells of `first` are no text (all, when None); of further lines the prefix never is.
        joiner: how the first line hangs together with the line before (`LinesBuilder.add`).
        is_cut: cut at the width, as a terminal does with a program's output, instead of wrapping at blanks.
        fill: style of the blanks that make every line `width` cells wide; None leaves lines short.
        head: what the part of `first` that is text says in the logical text, where that differs; as many characters.
    """
    indent = sum(segment.cell_length for segment in first) if first else 0
    text = runs[0].text if len(runs) == 1 else "".join([run.text for run in runs])
    if len(runs) > 1 and not text.isascii():
        runs = _with_whole_emoji(runs, text)
    spans = (cut_cells if is_cut else wrap_cells)(text, width - indent)
    pieces = [runs] if spans == [(0, len(text))] else slice_runs(runs, spans)
    prefix: Sequence[Segment] = first
    margin = indent if gutter is None else gutter
    if head is None:
        painted = "".join([segment.text for segment in first]) if margin < indent else ""
        head = painted[cells_to(painted, 0, margin) :]
    end = spans[0][0]
    for number, (start, stop) in enumerate(spans):
        if number:
            joiner = text[end:start]
            prefix = rest if rest is not None else (Segment(" " * indent),)
            margin, head = indent, ""
        end = stop
        segments = [*prefix]
        at = indent
        hits: list[tuple[int, int, tuple[str, str]]] = []
        for piece, style, hit in pieces[number]:
            segments.append(Segment(piece, style))
            cells = cell_len(piece)
            if hit is not None:
                hits.append((at, at + cells, hit))
            at += cells
        if fill is not None and at < width:
            segments.append(Segment(" " * (width - at), fill))
        builder.add(segments, gutter=margin, joiner=joiner, text=head + text[start:stop])
        for hit_start, hit_stop, (action, argument) in hits:
            builder.hit(hit_start, hit_stop, action, argument)


def _with_whole_emoji(runs: Sequence[Run], text: str) -> Sequence[Run]:
    """Return the runs of `text` with each emoji all in one of them: in parts it would take the cells of all its parts."""
    edges = list(accumulate(len(run.text) for run in runs))
    cuts = behind_emoji(text, edges)
    if cuts == edges:
        return runs
    starts = [0, *accumulate(cuts, max)]
    return [
        Run(text[start:stop], run.style, run.hit)
        for run, start, stop in zip(runs, starts, cuts, strict=False)
        if stop > start
    ]


def fit_runs(runs: Sequence[Run], width: int) -> list[Run]:
    """Return `runs` shortened to `width` cells, the cut marked by an ellipsis."""
    total = sum(cell_len(run.text) for run in runs)
    if total <= width:
        return list(runs)
    out: list[Run] = []
    left = width - 1
    if left < 0:
        return out
    for run in runs:
        cells = cell_len(run.text)
        if cells > left:
            out.append(Run(run.text[: cells_to(run.text, 0, left)] + "…", run.style, run.hit))
            return out
        out.append(run)
        left -= cells
    return out


def fit_path(runs: Sequence[Run], width: int) -> list[Run]:
    """Return `runs` shortened to `width` cells at the start of the first, which is a path: its end says most."""
    over = sum(cell_len(run.text) for run in runs) - width
    if over <= 0 or not runs:
        return list(runs)
    path, *rest = runs
    room = cell_len(path.text) - over - 1
    if room < _LEAST_PATH:
        return fit_runs([Run("…" + path.text.rpartition("/")[2], path.style, path.hit), *rest], width)
    cut = next(at for at in range(len(path.text) + 1) if cell_len(path.text[at:]) <= room)
    slash = path.text.find("/", cut)
    return [Run("…" + path.text[slash if slash >= 0 else cut :].lstrip(JOINER), path.style, path.hit), *rest]


def line_of(runs: Sequence[Run], width: int) -> Line:
    """Return one line that shows as much of `runs` as fits."""
    return Line(tuple(Segment(run.text, run.style) for run in fit_runs(runs, width) if run.text))


def crop(rendered: Rendered, width: int) -> Rendered:
    """Cut lines to `width` cells: for views asked to draw in less room than they need to stay readable."""
    lines = []
    for line in rendered.lines:
        kept: list[Segment] = []
        left = width
        for segment in line.segments:
            if segment.cell_length > left:
                kept.append(Segment(segment.text[: cells_to(segment.text, 0, left)], segment.style))
                break
            kept.append(segment)
            left -= segment.cell_length
        lines.append(Line(tuple(kept), line.start, min(line.gutter, width)))
    hits = [hit for hit in rendered.hits if hit.stop <= width]
    return Rendered(lines, hits, rendered.text)
