"""What stands in the tool pane, line by line: data and painting, without the widget that scrolls it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from tui_agent.text import clean_line
from tui_agent.ui.timeline import time_saved
from tui_agent.ui.timeline_bar import GLYPHS, Slice, bar, runs_until
from tui_agent.ui.tool_views import view_for
from tui_agent.viewkit.runs import Run, line_of
from tui_agent.viewkit.tool_text import duration
from tui_agent.viewkit.tool_view import phase_glyph

if TYPE_CHECKING:
    from tui_agent.ui.projection import Projection, TurnInfo
    from tui_agent.viewkit.tool_view import ToolUse
    from tui_agent.viewkit.view import Palette, RenderState

__all__ = ["Row", "RowKind", "counts", "is_ticking", "paint", "rows_of_jobs", "rows_of_turn", "saved_ms"]

RowKind = Literal["use", "tail", "gap", "job"]

SPINNER: Final = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_WIDEST_BAR: Final = 24
_NARROWEST_WITH_BAR: Final = 40
_RIGHT: Final = 10
_DEEPEST_INDENT: Final = 4


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the pane: a tool use, what a running one printed last, the gap before a later turn, or a background job."""

    kind: RowKind
    use: ToolUse
    turn: TurnInfo
    depth: int = 0


def rows_of_turn(turn: TurnInfo, tools: dict[str, ToolUse]) -> list[Row]:
    """Return the turn's rows: children below the tool that started them, the live tail below a running tool."""
    uses = [tools[name] for name in turn.tool_ids if name in tools]
    children: dict[str | None, list[ToolUse]] = {}
    known = {use.id for use in uses}
    for use in uses:
        children.setdefault(use.parent_id if use.parent_id in known else None, []).append(use)
    rows: list[Row] = []

    def add(parent: str | None, depth: int) -> None:
        for use in children.get(parent, ()):
            rows.append(Row("use", use, turn, depth))
            if use.phase == "executing" and _tail(use):
                rows.append(Row("tail", use, turn, depth))
            add(use.id, min(depth + 1, _DEEPEST_INDENT))

    add(None, 0)
    return rows


def rows_of_jobs(jobs: Iterable[ToolUse], turn: TurnInfo) -> list[Row]:
    """Return the rows of background jobs, each with its live tail; they belong to no turn, so any will do."""
    rows: list[Row] = []
    for job in jobs:
        rows.append(Row("job", job, turn))
        if _tail(job):
            rows.append(Row("tail", job, turn))
    return rows


def _tail(use: ToolUse) -> str:
    """Return the newest line that a running tool has to show."""
    progress = use.progress or {}
    lines = [line for line in map(str, progress.get("tail") or ()) if line.strip()]
    return lines[-1] if lines else str(progress.get("message") or "")


def is_ticking(use: ToolUse) -> bool:
    """Whether what is shown of it changes with time alone."""
    return use.phase in ("executing", "waiting")


def counts(uses: Iterable[ToolUse]) -> str:
    """Return `3 run · 1 wait`: what runs, what waits for the person, and what waits for its turn."""
    phases = [use.phase for use in uses]
    parts = (
        (phases.count("executing"), "run"),
        (phases.count("waiting"), "wait"),
        (phases.count("queued"), "queued"),
    )
    return " · ".join(f"{number} {word}" for number, word in parts if number)


def saved_ms(projection: Projection, turn: TurnInfo, now_ms: float) -> float:
    """Return the milliseconds that early start and running side by side saved in this turn."""
    runs = [
        span
        for name in turn.tool_ids
        if name in projection.tools
        for span in runs_until(projection.tools[name], now_ms)
    ]
    return time_saved(runs, turn.stream_until(now_ms))


def paint(row: Row, width: int, now_ms: float, state: RenderState, *, is_still: bool = False) -> list[Segment]:
    """Return the row's line at exactly `width` cells. `is_still` leaves out what moves without anything having changed."""
    match row.kind:
        case "use":
            line = _paint_use(row, width, now_ms, state, is_still=is_still)
        case "job":
            line = _paint_job(row, width, now_ms, state)
        case "tail":
            line = _paint_tail(row, width, state)
        case "gap":
            line = [Segment("╌" * width, state.palette.border)]
    return Segment.adjust_line_length(line, width)


def _paint_use(row: Row, width: int, now_ms: float, state: RenderState, *, is_still: bool) -> list[Segment]:
    """Return one tool use as a line: state, title, word and time, and its bar on the turn's time line."""
    palette, use = state.palette, row.use
    glyph, word, style_name = phase_glyph(use, is_ascii=state.is_ascii)
    style: Style = getattr(palette, style_name)
    if use.phase == "executing" and not is_still:
        glyph = SPINNER[int(now_ms / 100) % len(SPINNER)]
    right = _word_and_time(use, word, now_ms)
    bar_width = 0 if width < _NARROWEST_WITH_BAR else min(max(width // 6, 6), _WIDEST_BAR)
    indent = "  " * row.depth
    room = max(width - len(indent) - cell_len(glyph) - 2 - cell_len(right) - (bar_width + 3 if bar_width else 0), 1)
    view = view_for(use.name)
    title = [Run(view.name(use) + " ", palette.strong), *view.subject(use, state)]
    line = line_of(title, room)
    segments = [Segment(indent), Segment(glyph + " ", style), *line.segments, Segment(" " * (room - line.width))]
    segments.append(Segment(" " + right, style))
    if bar_width:
        segments.append(Segment(" ▕", palette.faint))
        segments += _bar(row, bar_width, now_ms, palette)
        segments.append(Segment("▏", palette.faint))
    return segments


def _paint_job(row: Row, width: int, now_ms: float, state: RenderState) -> list[Segment]:
    """Return a background job as a line: what runs, and for how long."""
    palette, job = state.palette, row.use
    glyph = "&" if state.is_ascii else "◍"
    right = f"background {duration(max(0.0, now_ms - job.started_ms)):>5}"
    room = max(width - cell_len(glyph) - 2 - cell_len(right), 1)
    view = view_for(job.name)
    line = line_of([Run(view.name(job) + " ", palette.strong), *view.subject(job, state)], room)
    return [
        Segment(glyph + " ", palette.accent),
        *line.segments,
        Segment(" " * (room - line.width)),
        Segment(" " + right, palette.accent),
    ]


def _paint_tail(row: Row, width: int, state: RenderState) -> list[Segment]:
    runs = [
        Run("  " * row.depth + "  └ ", state.palette.faint),
        Run(clean_line(_tail(row.use), 400), state.palette.muted),
    ]
    return list(line_of(runs, width).segments)


def _word_and_time(use: ToolUse, word: str, now_ms: float) -> str:
    """Return what stands right of the title, right-aligned so that times of rows stand below each other."""
    if use.phase == "completed" and word.startswith("done"):
        word = "held"  # its result waits for those before it
    if use.phase in ("executing", "completed", "yielded"):
        ran = use.run_ms or sum(stop - start for start, stop in runs_until(use, now_ms))
        word = f"{word} {duration(ran):>5}"
    return word.rjust(_RIGHT)


def _bar(row: Row, width: int, now_ms: float, palette: Palette) -> list[Segment]:
    turn = row.turn
    end = turn.ended_ms if turn.ended_ms is not None else now_ms
    slices = bar(row.use, (turn.started_ms, end), turn.stream_until(now_ms), now_ms, width)
    styles: dict[Slice, Style] = {
        "empty": palette.faint, "arriving": palette.faint, "queued": palette.muted, "early": palette.accent,
        "running": palette.running, "asking": palette.waiting, "held": palette.muted,
    }  # fmt: skip
    return [Segment(GLYPHS[kind], styles[kind]) for kind in slices]
