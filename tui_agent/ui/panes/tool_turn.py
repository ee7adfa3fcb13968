"""The tool uses of one turn as lines: a tree, with what a running one printed last and the details that were opened.

Pure; knows no widget. The work for a change is in proportion to the tool uses that changed and their own children.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

from tui_agent.ui.panes.tool_details import details, tail
from tui_agent.ui.panes.tool_filter import ToolFilter
from tui_agent.ui.projection.time_axis import TimeAxis
from tui_agent.ui.projection.turn_spans import TurnSpans
from tui_agent.ui.transcript.heights import Heights
from tui_agent.viewkit.tool_view import phase_glyph

if TYPE_CHECKING:
    from tui_agent.ui.projection.state import TurnInfo
    from tui_agent.viewkit.tool_use import ToolUse

__all__ = ["RowKind", "Shown", "ToolRow", "TurnRows"]

RowKind = Literal["use", "tail", "detail", "job", "turn", "gap"]

_DEEPEST_INDENT: Final = 4


@dataclass(frozen=True, slots=True)
class ToolRow:
    """One line: a tool use, what a running one printed last, a detail of it, a job, an earlier turn, or the line above these.

    `key` is what the user chooses by: the id of the tool use or job, or that of the turn.
    """

    kind: RowKind
    key: str
    turn: TurnRows
    use: ToolUse | None = None
    depth: int = 0
    text: str = ""


@dataclass(slots=True)
class Shown:
    """What the user wants to see: which tool uses, and of which the details."""

    filter: ToolFilter = field(default_factory=ToolFilter)
    opened: set[str] = field(default_factory=set)


class TurnRows:
    """The tool uses of one turn as a tree, and what is known of its time. `number` counts turns from 1."""

    def __init__(self, info: TurnInfo, number: int, tools: dict[str, ToolUse], shown: Shown) -> None:
        self.info = info
        self.number = number
        self.key = f"turn:{number}"
        self._is_open = False
        self.spans = TurnSpans()
        self.running: dict[str, None] = {}  # those whose run is still open
        self.states: Counter[str] = Counter()  # by their words
        self.tools = tools
        self._shown = shown
        self._heights = Heights()  # of the tool uses that no other one of the turn started, with all below them
        self._roots: list[str] = []
        self._root_of: dict[str, int] = {}
        self._children: dict[str, list[str]] = {}
        self._known_runs: dict[str, int] = {}
        self._known_state: dict[str, str] = {}
        self._known_phase: dict[str, str] = {}
        self._phases: Counter[str] = Counter()
        self._known_ids = 0
        self._known_stream = 0
        self._order: dict[str, list[str]] = {}  # by agent: results are handed over in the order of one agent's uses
        self._first_unsettled: dict[str, int] = {}
        self._lines: dict[str, int] = {}  # how many lines a tool use takes itself, as far as `_heights` counts them
        self._known_rows: dict[int, list[ToolRow]] = {}  # by root; each frame looks at several lines of one

    def __len__(self) -> int:
        return self._known_ids

    @property
    def is_open(self) -> bool:
        """Whether the tool uses of an earlier turn are shown: when the user wants it, and while a filter looks for some."""
        return self._is_open or bool(self._shown.filter)

    def toggle(self) -> None:
        """Open or fold it."""
        self._is_open = not self._is_open

    @property
    def height(self) -> int:
        """How many lines its tool uses take."""
        return self._heights.total

    # --- what changed --------------------------------------------------------------------------------------------------------

    def grow(self) -> None:
        """Take in tool uses that are new, and when the model talked since."""
        for name in self.info.tool_ids[self._known_ids :]:
            self._known_ids += 1
            use = self.tools.get(name)
            if use is None:
                continue
            self._order.setdefault(use.agent_id, []).append(name)
            parent = use.parent_id if use.parent_id in self._root_of else None
            if parent is None:
                self._root_of[name] = len(self._roots)
                self._roots.append(name)
                self._heights.append(0)
            else:
                self._root_of[name] = self._root_of[parent]
                self._children.setdefault(parent, []).append(name)
            self.change(use)
        for span in self.info.stream[self._known_stream :]:
            self.spans.add_stream(span)
        self._known_stream = len(self.info.stream)

    def change(self, use: ToolUse) -> bool:
        """Take in that a tool use changed; False when it is none of this turn's."""
        place = self._root_of.get(use.id)
        if place is None:
            return False
        if not use.agent_id:  # an agent's runs lie in that of the tool use which it works for
            for run in use.runs[self._known_runs.get(use.id, 0) :]:
                self.spans.add_run(run)
            self._known_runs[use.id] = len(use.runs)
        if use.running_since_ms is not None and not use.agent_id:
            self.running[use.id] = None
        else:
            self.running.pop(use.id, None)
        known, state = self._known_state.get(use.id), phase_glyph(use)[1]
        if known != state:
            if known is not None:
                self.states[known] -= 1
            self.states[state] += 1
            self._known_state[use.id] = state
        phase = self._known_phase.get(use.id)
        if phase != use.phase:
            if phase is not None:
                self._phases[phase] -= 1
            self._phases[use.phase] += 1
            self._known_phase[use.id] = use.phase
        self._remeasure(use, place)
        return True

    @property
    def tally(self) -> tuple[int, int, int]:
        """How many run, wait for the user, and wait for their turn."""
        return self._phases["executing"], self._phases["waiting"], self._phases["queued"]

    @property
    def is_ticking(self) -> bool:
        """Whether what is shown changes with time alone. What waits for the user stands still until they answer."""
        return self._phases["executing"] > 0

    def measure(self) -> None:
        """Count all lines anew, as another filter shows others."""
        for place in range(len(self._roots)):
            self._measure(place)

    def _remeasure(self, use: ToolUse, place: int) -> None:
        """Count the lines of a tool use that has changed; an agent may have used hundreds of others below the same root."""
        self._known_rows.pop(place, None)
        if self._shown.filter or self._shown.opened:
            self._measure(place)
            return
        own = 2 if use.phase == "executing" and tail(use) else 1
        more = own - self._lines.get(use.id, 0)
        if more:
            self._lines[use.id] = own
            self._heights.set(place, self._heights[place] + more)

    def _measure(self, place: int) -> None:
        self._known_rows.pop(place, None)
        rows = self._rows_of(place)
        self._lines.update(Counter(row.key for row in rows))
        self._heights.set(place, len(rows))

    # --- lines -------------------------------------------------------------------------------------------------------

    def row(self, line: int) -> ToolRow | None:
        """Return what stands in a line of the turn."""
        place, offset = self._heights.find(line)
        if place >= len(self._roots):
            return None
        rows = self._rows_of(place)
        return rows[offset] if offset < len(rows) else None

    def line_of(self, key: str) -> int | None:
        """Return the line a tool use stands in; None where the filter hides it."""
        place = self._root_of.get(key)
        if place is None:
            return None
        before = self._heights.before(place)
        return next(
            (
                before + number
                for number, row in enumerate(self._rows_of(place))
                if row.key == key and row.kind == "use"
            ),
            None,
        )

    def _rows_of(self, place: int) -> list[ToolRow]:
        if self._shown.opened:  # what one of them waits for may be below another root
            return list(self._below(self._roots[place], 0))
        rows = self._known_rows.get(place)
        if rows is None:
            rows = self._known_rows[place] = list(self._below(self._roots[place], 0))
        return rows

    def _below(self, name: str, depth: int) -> Iterator[ToolRow]:
        use, shown = self.tools[name], self._shown
        children = [row for child in self._children.get(name, ()) for row in self._below(child, depth + 1)]
        if shown.filter and not children and not shown.filter.takes(use):
            return
        indent = min(depth, _DEEPEST_INDENT)
        yield ToolRow("use", name, self, use, indent)
        if use.phase == "executing" and tail(use):
            yield ToolRow("tail", name, self, use, indent, tail(use))
        if name in shown.opened:
            for text in details(use, self.before(use)):
                yield ToolRow("detail", name, self, use, indent, text)
        yield from children

    def before(self, use: ToolUse) -> ToolUse | None:
        """Return what a tool use waits for: of those before it that are not handed over yet, the first."""
        if use.phase not in ("queued", "completed"):
            return None
        ids = self._order.get(use.agent_id, [])
        first = self._first_unsettled.get(use.agent_id, 0)
        while first < len(ids) and self._is_settled(ids[first]):
            first += 1
        self._first_unsettled[use.agent_id] = first
        return self.tools.get(ids[first]) if first < len(ids) and ids[first] != use.id else None

    def _is_settled(self, name: str) -> bool:
        use = self.tools.get(name)
        return use is None or use.phase in ("yielded", "dropped")

    # --- time --------------------------------------------------------------------------------------------------------

    def _open_runs(self) -> list[float]:
        uses = (self.tools[name] for name in self.running)
        return [use.running_since_ms for use in uses if use.running_since_ms is not None]

    def saved_ms(self, now_ms: float) -> float:
        """Return the milliseconds that early start and running side by side saved."""
        return self.spans.saved(self._open_runs(), self.info.stream_since_ms, now_ms)

    def time_axis(self, now_ms: float) -> TimeAxis:
        """Return the turn's time line as it is drawn."""
        info = self.info
        end = info.ended_ms if info.ended_ms is not None else max(now_ms, info.started_ms)
        return self.spans.time_axis((info.started_ms, end), self._open_runs(), info.stream_since_ms)
