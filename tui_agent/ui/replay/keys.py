"""The keys of a replay. They hold on every screen that was recorded, whatever a key means there."""

from __future__ import annotations

from typing import Final

from textual.binding import Binding

__all__ = ["ACTIONS", "REPLAY_KEYS"]

REPLAY_KEYS: Final[tuple[Binding, ...]] = (
    Binding("space", "play", "Pause, or go on; at the end: again", priority=True),
    Binding("right", "step(1)", "To the next step", priority=True),
    Binding("left", "step(-1)", "To the step before", priority=True),
    Binding("full_stop", "nudge(1)", "One recorded event on", priority=True),
    Binding("comma", "nudge(-1)", "One recorded event back", priority=True),
    Binding("right_square_bracket", "turn(1)", "To the next turn", priority=True),
    Binding("left_square_bracket", "turn(-1)", "To the beginning of this turn, then of the one before", priority=True),
    Binding("plus,equals_sign", "speed(1)", "Faster", priority=True),
    Binding("minus", "speed(-1)", "Slower", priority=True),
    Binding("home", "edge(0)", "To the beginning", priority=True),
    Binding("end", "edge(1)", "To the end", priority=True),
    Binding("g", "ask_place", "Go to a time, a turn, a part: 1:23, turn 2, 40%", priority=True),
    Binding("q", "leave", "Leave", priority=True),
)
ACTIONS: Final = frozenset(binding.action.partition("(")[0] for binding in REPLAY_KEYS)
