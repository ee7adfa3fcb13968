"""How the lines of the tool pane look: painting, without the widget that scrolls them.

Every column has its place whatever stands in it, so that nothing moves when a time grows or a state changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from tui_agent.text import clean_line
from tui_agent.ui.panes.tool_details import size
from tui_agent.ui.timeline_bar import GLYPHS, Slice, bar, runs_until
from tui_agent.ui.transcript.tool_views import view_for
from tui_agent.viewkit.runs import Run, line_of
from tui_agent.viewkit.tool_text import count, duration
from tui_agent.viewkit.tool_view import phase_glyph

if TYPE_CHECKING:
    from tui_agent.ui.panes.tool_turn import ToolRow, TurnRows
    from tui_agent.ui.projection.time_axis import TimeAxis
    from tui_agent.viewkit.tool_use import ToolUse
    from tui_agent.viewkit.view import Palette, RenderState

__all__ = ["SPINNER", "counts", "paint"]

SPINNER: Final = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_WIDEST_BAR: Final = 40
_NARROWEST_BAR: Final = 12  # fewer cells say nothing
_NARROWEST_WITH_BAR: Final = 44  # the right column of a window of 150 columns
_NARROWEST_WITH_BOTH: Final = 53  # with less, the bar says how long; the time itself is in the conversation
_NARROWEST_WITH_TIME: Final = 32
_WORD: Final = 8  # `arriving`
_TIME: Final = 6  # `1m 05s`
_TITLE_SHARE: Final = 24  # cells of the title before the bar gets more than its least


def counts(running: int, waiting: int, queued: int) -> str:
    """Return `3 run · 1 wait`: what runs, what waits for the user, and what waits for its turn."""
    parts = ((running, "run"), (waiting, "wait"), (queued, "queued"))
    return " · ".join(f"{number} {word}" for number, word in parts if number)


def paint(
    row: ToolRow,
    width: int,
    now_ms: float,
    state: RenderState,
    time_axis: TimeAxis | None = None,
    *,
    is_still: bool = False,
) -> list[Segment]:
    """Return the row's line at exactly `width` cells.

    Args:
        time_axis: the time line of the row's turn; None counts it.
        is_still: leave out what moves without anything having changed.
    """
    palette = state.palette
    match row.kind:
        case "use" if row.use is not None:
            line = _paint_use(row, row.use, width, now_ms, state, time_axis, is_still=is_still)
        case "job" if row.use is not None:
            line = _paint_job(row.use, width, now_ms, state)
        case "tail":
            line = _paint_below(row, "└ ", palette.muted, width, state)
        case "detail":
            line = _paint_below(row, "│ ", palette.muted, width, state)
        case "turn":
            line = _paint_turn(row.turn, width, state)
        case _:
            line = [Segment("╌" * width, palette.border)]
    return Segment.adjust_line_length(line, width)


def _paint_use(
    row: ToolRow,
    use: ToolUse,
    width: int,
    now_ms: float,
    state: RenderState,
    time_axis: TimeAxis | None,
    *,
    is_still: bool,
) -> list[Segment]:
    """Return one tool use as a line: state, title, word and time, and its bar on the turn's time line."""
    palette = state.palette
    glyph, word, style_name = phase_glyph(use, is_ascii=state.is_ascii)
    style: Style = getattr(palette, style_name)
    if use.phase == "executing" and not is_still:
        glyph = SPINNER[int(now_ms / 100) % len(SPINNER)]
    cells = bar_width(width)
    has_time = width >= (_NARROWEST_WITH_BOTH if cells else _NARROWEST_WITH_TIME)
    right = _word_and_time(use, word, now_ms, has_time=has_time)
    indent = "  " * row.depth
    room = max(width - len(indent) - cell_len(glyph) - 2 - cell_len(right) - (cells + 3 if cells else 0), 1)
    view = view_for(use.name)
    name = Run(view.name(use) + " ", palette.strong)
    subject = view.shorten(view.subject(use, state), max(1, room - cell_len(name.text)))
    line = line_of([name, *subject], room)
    segments = [Segment(indent), Segment(glyph + " ", style), *line.segments, Segment(" " * (room - line.width))]
    segments.append(Segment(" " + right, style))
    if cells:
        segments.append(Segment(" ▕", palette.faint))
        segments += _bar(row.turn, use, time_axis or row.turn.time_axis(now_ms), cells, now_ms, palette)
        segments.append(Segment("▏", palette.faint))
    return segments


def bar_width(width: int) -> int:
    """Return how many cells of a line are the bar's; none where there is no room for one."""
    if width < _NARROWEST_WITH_BAR:
        return 0
    return min(max(width - 2 * _TITLE_SHARE - _WORD - _TIME - 7, width // 6, _NARROWEST_BAR), _WIDEST_BAR)


def _paint_job(job: ToolUse, width: int, now_ms: float, state: RenderState) -> list[Segment]:
    """Return a background job as a line: what runs, and for how long."""
    palette = state.palette
    glyph = "&" if state.is_ascii else "◍"
    right = f"background {duration(max(0.0, now_ms - job.started_ms)):>{_TIME}}"
    room = max(width - cell_len(glyph) - 2 - cell_len(right), 1)
    view = view_for(job.name)
    line = line_of([Run(view.name(job) + " ", palette.strong), *view.subject(job, state)], room)
    return [
        Segment(glyph + " ", palette.accent),
        *line.segments,
        Segment(" " * (room - line.width)),
        Segment(" " + right, palette.accent),
    ]


def _paint_below(row: ToolRow, mark: str, style: Style, width: int, state: RenderState) -> list[Segment]:
    runs = [Run("  " * row.depth + "  " + mark, state.palette.faint), Run(clean_line(row.text, 400), style)]
    return list(line_of(runs, width).segments)


def _paint_turn(turn: TurnRows, width: int, state: RenderState) -> list[Segment]:
    """Return an earlier turn as a line: `▸ turn 3 · 12 tools · 41.0s · 1 failed`."""
    palette, info = state.palette, turn.info
    mark = ("v" if turn.is_open else ">") if state.is_ascii else ("▾" if turn.is_open else "▸")
    words = f" · {count(len(turn), 'tool')}"
    if info.ended_ms is not None:
        words += f" · {duration(max(0.0, info.ended_ms - info.started_ms))}"
    runs = [Run(f"{mark} ", palette.muted), Run(f"turn {turn.number}", palette.text), Run(words, palette.muted)]
    for word, style in (("failed", palette.error), ("refused", palette.warning), ("stopped", palette.warning)):
        if turn.states[word]:
            runs.append(Run(f" · {turn.states[word]} {word}", style))
    if info.outcome not in ("", "done"):
        runs.append(Run(f" · {clean_line(info.outcome, 30)}", palette.warning))
    return list(line_of(runs, width).segments)


def _word_and_time(use: ToolUse, word: str, now_ms: float, *, has_time: bool) -> str:
    """Return what stands right of the title: always as many cells, so that words and times stand below each other."""
    time = ""
    if use.phase == "completed" and word.startswith("done"):
        word = "held"  # its result waits for those before it
    if use.phase == "streaming":
        time = size(len(use.input_text)) if use.input_text else ""
    elif use.phase in ("executing", "completed", "yielded"):
        time = duration(use.run_ms or sum(stop - start for start, stop in runs_until(use, now_ms)))
    if not has_time:
        return ("asks you" if use.phase == "waiting" else word).ljust(_WORD)
    if use.phase == "waiting":
        return word.ljust(_WORD + _TIME + 1)
    return f"{word:<{_WORD}} {time:>{_TIME}}"


def _bar(
    turn: TurnRows, use: ToolUse, time_axis: TimeAxis, width: int, now_ms: float, palette: Palette
) -> list[Segment]:
    slices = bar(use, time_axis, turn.info.stream_until(now_ms), now_ms, width)
    styles: dict[Slice, Style] = {
        "empty": palette.faint, "arriving": palette.faint, "queued": palette.muted, "early": palette.accent,
        "running": palette.running, "asking": palette.waiting, "held": palette.muted, "break": palette.faint,
    }  # fmt: skip
    return [Segment(GLYPHS[kind], styles[kind]) for kind in slices]
