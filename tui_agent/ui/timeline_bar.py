"""The bar of one tool use on its turn's time line: what it was doing in each slice of what is drawn. Pure; knows no widget."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal

from tui_agent.ui.projection.time_axis import TimeAxis
from tui_agent.ui.projection.timeline import Span, length, overlap, union

if TYPE_CHECKING:
    from tui_agent.viewkit.tool_use import ToolUse

__all__ = ["GLYPHS", "MEANINGS", "Slice", "bar", "runs_until"]

# empty: not there yet, or over · arriving: its arguments were being written · queued: waited for its turn · early: ran while
# the model was still talking · running: ran after that · asking: waited for the user · held: done, but results before it
# were not, so that it was not handed over yet · break: nothing ran for long, and most of that is left out
Slice = Literal["empty", "arriving", "queued", "early", "running", "asking", "held", "break"]

GLYPHS: Final[dict[Slice, str]] = {
    "empty": " ", "arriving": "·", "queued": "░", "early": "▓", "running": "█", "asking": "┄", "held": "▁",
    "break": "┊",
}  # fmt: skip

MEANINGS: Final[dict[Slice, str]] = {
    "arriving": "being written by the model",
    "queued": "waits for its turn",
    "early": "ran while the model was still talking",
    "running": "ran",
    "asking": "waits for you",
    "held": "done; held for order",
    "break": "nothing ran: shortened",
}

_SHORTEST_MS: Final = 1.0  # a run that took less is drawn as if it had taken this


def runs_until(use: ToolUse, now_ms: float) -> list[Span]:
    """Return when the tool really ran, the run that is still open included."""
    if use.running_since_ms is None:
        return use.runs
    return [*use.runs, (use.running_since_ms, max(now_ms, use.running_since_ms))]


def bar(use: ToolUse, time_axis: TimeAxis, stream: Sequence[Span], now_ms: float, width: int) -> list[Slice]:
    """Return what the tool was doing in each of `width` equal slices of `time_axis`.

    A slice in which it ran at all shows that, however short: a tool that took a millisecond still has its mark.
    """
    step = max(time_axis.length, _SHORTEST_MS) / max(width, 1)
    runs = runs_until(use, now_ms)
    drawn = [time_axis.span(run) for run in runs]
    marks = union((began, max(ended, began + _SHORTEST_MS)) for began, ended in drawn)
    early = [time_axis.span(span) for span in overlap(union(_at_least(runs)), union(stream))]
    rest = {
        kind: [time_axis.span(span) for span in spans] for kind, spans in _other_spans(use, union(runs), now_ms).items()
    }
    breaks = {min(int(place / step), width - 1) for place in time_axis.breaks}
    slices: list[Slice] = []
    for index in range(width):
        piece = [(index * step, (index + 1) * step)]
        if ran := length(overlap(marks, piece)):
            slices.append("early" if length(overlap(early, piece)) * 2 > ran else "running")
        elif index in breaks:
            slices.append("break")
        else:
            shares: dict[Slice, float] = {kind: length(overlap(spans, piece)) for kind, spans in rest.items()}
            most = max(shares, key=lambda kind: shares[kind])
            slices.append(most if shares[most] else "empty")
    return slices


def _at_least(runs: Sequence[Span]) -> list[Span]:
    return [(began, max(ended, began + _SHORTEST_MS)) for began, ended in runs]


def _other_spans(use: ToolUse, runs: list[Span], now_ms: float) -> dict[Slice, list[Span]]:
    """Return what the tool's time went to apart from running."""
    over = use.phase in ("dropped", "yielded")
    queued = use.queued_ms if use.queued_ms is not None else (use.started_ms if over else now_ms)
    found: dict[Slice, list[Span]] = {"arriving": union([(use.started_ms, queued)])}
    if use.queued_ms is not None:
        began = next((moment for moment in (use.executing_ms, use.completed_ms) if moment is not None), now_ms)
        found["queued"] = union([(use.queued_ms, began)])
    if use.executing_ms is not None:
        # Between its runs an executing tool does one thing only: it waits for the user.
        until = use.completed_ms if use.completed_ms is not None else now_ms
        found["asking"] = _gaps((use.executing_ms, until), runs)
    if use.completed_ms is not None:
        found["held"] = union([(use.completed_ms, use.yielded_ms if use.yielded_ms is not None else now_ms)])
    return found


def _gaps(whole: Span, taken: Sequence[Span]) -> list[Span]:
    """Return what is left of `whole` between the spans `taken`."""
    left: list[Span] = []
    at = whole[0]
    for start, stop in taken:
        left.append((at, min(start, whole[1])))
        at = max(at, stop)
    left.append((at, whole[1]))
    return union(left)
