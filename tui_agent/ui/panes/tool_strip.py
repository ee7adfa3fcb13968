"""The tools of the turn as a strip between conversation and prompt: a row for each that runs, waits or has just ended.

It grows while the turn runs and never shrinks, so that the conversation does not jump; when the turn is over, a line is left of
it, which stands in the rule above the prompt.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.content import Content
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from tui_agent.ui.panes.tools import ToolPane
from tui_agent.ui.render_style import render_state
from tui_agent.viewkit.tool_text import count, duration

if TYPE_CHECKING:
    from tui_agent.ui.panes.tool_turn import TurnRows
    from tui_agent.ui.projection.projection import Projection
    from tui_agent.viewkit.tool_use import ToolUse

__all__ = ["ToolStrip", "summary"]

_MOST: Final = 8  # rows
_ENDED: Final = 2  # rows for what has just ended, besides what runs and waits
_SHARE: Final = 4  # of the window's height: the strip takes at most this part of it
_DEEPEST: Final = 3
_LEFT: Final = 1  # a blank on both sides
_RULE: Final = 1  # a line above, which tells it from the conversation
_SHORT_MS: Final = 50  # less time saved is not worth a word
_TICK_S: Final = 0.1
_SLOW_TICK_S: Final = 1.0  # with reduced motion


def summary(turn: TurnRows, now_ms: float) -> Content:
    """Return the tools of a turn in a line: `6 tools · 1 failed · 3.2s · saved 0.5s`."""
    parts: list[Content | tuple[str, str]] = [(count(len(turn), "tool"), "$foreground-muted")]
    for word, style in (("failed", "$text-error"), ("refused", "$text-warning"), ("stopped", "$text-warning")):
        if turn.states[word]:
            parts.append((f"{turn.states[word]} {word}", style))
    parts.append((duration(turn.spans.ran), "$foreground-muted"))
    saved = turn.saved_ms(now_ms)
    if saved >= _SHORT_MS:
        parts.append((f"saved {duration(saved)}", "$foreground-muted"))
    return Content(" · ").join([Content.styled(*part) if isinstance(part, tuple) else part for part in parts])


class ToolStrip(Widget):
    """Shows tool uses of one turn. `clock` gives milliseconds on the events' clock."""

    def __init__(self, *, clock: Callable[[], float] | None = None, id: str | None = None) -> None:
        super().__init__(id=id)
        self._clock = clock or (lambda: time.monotonic() * 1000)
        self._projection: Projection | None = None
        self._turn: TurnRows | None = None
        self._rows: list[tuple[ToolUse, int]] = []  # with their depths
        self._looks: Sequence[tuple[str, str]] = ()  # which they are, and how they stand
        self._base: Style | None = None
        self._height = 0
        self._is_wanted = False
        self._is_time_still = False
        self._ticker: Timer | None = None

    def on_mount(self) -> None:
        """Make the clock that ticks while something runs."""
        is_still = self.app.animation_level == "none"
        self._ticker = self.set_interval(_SLOW_TICK_S if is_still else _TICK_S, self.refresh, pause=True)

    def want(self, is_wanted: bool) -> None:
        """Say whether the layout has a strip."""
        if is_wanted != self._is_wanted:
            self._is_wanted = is_wanted
            self._fit()

    def hold_time(self, is_still: bool) -> None:
        """Say whether the clock stands still, as in a recording that is paused."""
        self._is_time_still = is_still
        self._set_ticking()

    def refresh_from(self, projection: Projection, turn: TurnRows | None) -> None:
        """Show the tools of this turn, as they are now."""
        if turn is not self._turn:
            self._height = 0
        self._projection, self._turn = projection, turn
        self._fit()

    @property
    def summary(self) -> Content | None:
        """What is left of the strip when the turn is over."""
        projection, turn = self._projection, self._turn
        if projection is None or turn is None or not len(turn):
            return None
        return summary(turn, projection.now_ms)

    def _fit(self) -> None:
        """Choose the rows, and grow where they need it."""
        projection, turn = self._projection, self._turn
        is_shown = self._is_wanted and projection is not None and projection.status.is_busy
        if not is_shown or projection is None or turn is None or not len(turn) or turn.info.ended_ms is not None:
            self._rows, self._height = [], 0
        else:
            ids = turn.info.tool_ids
            open_ids = [name for name in projection.unfinished_tools if name in turn.tools]
            ended = min(len(ids) - len(open_ids), _ENDED)
            most = max(1, min(_MOST, self.app.size.height // _SHARE))
            self._height = min(max(self._height, len(open_ids) + ended), most)
            self._rows = _as_tree([turn.tools[name] for name in _chosen(ids, open_ids, self._height)])
        if self.display != bool(self._rows):
            self.display = bool(self._rows)
        if self._rows:
            self.styles.height = self._height + _RULE
        # How they get on shows with the next tick, that there are others, or that one has ended, at once.
        looks = [(use.id, use.phase) for use, _ in self._rows]
        if not self._set_ticking() or looks != self._looks or self.app.animation_level == "none":
            self._looks = looks
            self.refresh()

    def _set_ticking(self) -> bool:
        """Have the clock tick while something runs; return whether it does."""
        if self._ticker is None:
            return False
        ticks = any(use.phase == "executing" for use, _ in self._rows) and not self._is_time_still
        if ticks:
            self._ticker.resume()
        else:
            self._ticker.pause()
        return ticks

    def notify_style_update(self) -> None:
        """Forget the old style."""
        super().notify_style_update()
        self._base = None

    def render_line(self, y: int) -> Strip:
        if self._base is None:
            self._base = self.rich_style  # which takes long to make
        width, base = self.size.width, self._base
        projection, turn = self._projection, self._turn
        if y >= len(self._rows) or projection is None or turn is None:
            return Strip.blank(width, base)
        from tui_agent.ui.panes.tool_rows import paint  # with the first tool, not with the first frame
        from tui_agent.ui.panes.tool_turn import ToolRow

        use, depth = self._rows[y]
        now = max(self._clock(), projection.now_ms) if projection.status.is_busy else projection.now_ms
        row = ToolRow("use", use.id, turn, use, depth)
        is_still = self.app.animation_level == "none"
        segments = paint(row, max(1, width - 2 * _LEFT), now, render_state(self.app), is_still=is_still)
        painted = [Segment(text, base + style if style else base) for text, style, _ in segments]
        blank = Segment(" " * _LEFT, base)
        return Strip([blank, *painted, blank]).adjust_cell_length(width, base)

    def on_click(self, event: events.Click) -> None:
        """Show the tool use in the conversation."""
        place = event.get_content_offset(self)
        if place is not None and 0 <= place.y < len(self._rows):
            self.post_message(ToolPane.Jumped(self._rows[place.y][0].id))


def _chosen(ids: list[str], open_ids: list[str], height: int) -> list[str]:
    """Return the tool uses that are shown, in their order: what is not over, and what came last of the rest."""
    chosen = dict.fromkeys(open_ids[:height])
    for name in reversed(ids[-4 * _MOST :]):
        if len(chosen) >= height:
            break
        chosen[name] = None
    places = {name: place for place, name in enumerate(ids[-200:])}
    return sorted(chosen, key=lambda name: places.get(name, -1))


def _as_tree(uses: Sequence[ToolUse]) -> list[tuple[ToolUse, int]]:
    """Return tool uses depth-first with their depths: each below its parent, at depth 0 where that is not among them."""
    children: dict[str, list[ToolUse]] = {use.id: [] for use in uses}
    roots: list[ToolUse] = []
    seen: set[str] = set()
    for use in uses:
        (children[use.parent_id] if use.parent_id in seen else roots).append(use)
        seen.add(use.id)

    def below(siblings: list[ToolUse], depth: int) -> Iterator[tuple[ToolUse, int]]:
        for use in siblings:
            yield use, min(depth, _DEEPEST)
            yield from below(children[use.id], depth + 1)

    return list(below(roots, 0))
