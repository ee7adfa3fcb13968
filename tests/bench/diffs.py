"""What it costs to open a large diff and to turn a page of it, beside a small one; and how long a key may wait meanwhile.

Processor time of drawing, and of working out where everything stands, which a large diff does in a thread of its own.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

from measuring import Finding, spread
from rich.segment import Segment

from tui_agent.changes import FileChange
from tui_agent.ui.projection.blocks import Block
from tui_agent.ui.transcript.block_views import render_block
from tui_agent.viewkit import diff_work
from tui_agent.viewkit.diff import DiffView
from tui_agent.viewkit.palette import DARK
from tui_agent.viewkit.tool_use import ToolUse
from tui_agent.viewkit.view import Line, RenderState

RUNS = 9
PAGE = 40
WIDTHS = {"one column": 80, "two columns": 160}
STATE = RenderState(DARK)
OPEN_LIMIT_MS = 120.0  # 10,000 hunks, in a thread
SHOW_RATIO = 1.5  # of showing a prepared diff, and of a page, to the same at 200 lines
SLACK_MS = 2.0
OPEN_STATE = RenderState(DARK, is_open=True)


def measure() -> list[Finding]:
    """Return for each layout what opening costs, and what showing and paging cost compared with 200 lines."""
    found: list[Finding] = []
    for layout, width in WIDTHS.items():
        for lines, every in ((20_000, 10), (20_000, 2), (20_000, 1)):
            case, small = Case(lines, width, every), Case(200, width, every)
            what = f"{len(case.change.hunks):,} hunks in {lines:,} lines, {layout}"
            found += [
                Finding(f"opening {what}", case.prepare * 1000, OPEN_LIMIT_MS, "ms", spread(case.prepares)),
                Finding("  in the conversation, with a page in its middle", case.open * 1000, OPEN_LIMIT_MS, "ms"),
                Finding("  the first page of it, to that of 200 lines", case.show / small.limit(small.show), 1.0, "x"),
                Finding("  a page in its middle, the same", case.page / small.limit(small.page), 1.0, "x"),
            ]
    return found


class Case:
    """One change at one width; times are medians of seconds of processor time."""

    def __init__(self, lines: int, width: int, every: int) -> None:
        before = "".join(f"value_{n} = {n}  # the number itself\n" for n in range(lines))
        after = "".join(f"value_{n} = {n}{' + 1' * (n % every == 0)}  # the number itself\n" for n in range(lines))
        self.change = FileChange.between("/w/values.py", before, after)
        self._width = width
        self.view = DiffView(self.change, decisions={}, current=0)
        self.prepares = timed(self._prepare)
        self.prepare = statistics.median(self.prepares)
        self.open = statistics.median(timed(self._opened))
        self.show = statistics.median(timed(lambda: self._paged(0)))
        height = len(self.view.render(width, STATE).lines)
        self.page = statistics.median(timed(lambda: self._paged(height // 2)))

    @staticmethod
    def limit(seconds: float) -> float:
        return seconds * SHOW_RATIO + SLACK_MS / 1000

    def _prepare(self) -> None:
        diff_work._recent.clear()
        self.view.prepare(self._width)

    def _opened(self) -> list[Line]:
        """Draw the change as a tool use in the conversation that nobody has folded."""
        diff_work._recent.clear()
        tool = ToolUse(id="t", name="Write", is_input_whole=True, phase="yielded", changes=(self.change,))
        lines = render_block(Block(id="t", kind="tool", tool=tool), self._width, OPEN_STATE).lines
        return list(lines[len(lines) // 2 : len(lines) // 2 + PAGE])

    def _paged(self, start: int) -> list[tuple[Segment, ...]]:
        lines = self.view.render(self._width, STATE).lines
        page: list[Line] = [lines[at] for at in range(start, min(start + PAGE, len(lines)))]
        return [line.segments for line in page]


def timed(work: Callable[[], object]) -> list[float]:
    work()
    found = []
    for _ in range(RUNS):
        began = time.process_time()
        work()
        found.append(time.process_time() - began)
    return found


if __name__ == "__main__":
    print(*measure(), sep="\n")
