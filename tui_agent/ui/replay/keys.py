"""The keys of a replay. They hold on every screen that was recorded, whatever a key means there."""

from __future__ import annotations

from typing import Final

from textual.binding import Binding

__all__ = ["ACTIONS", "REPLAY_KEYS"]

REPLAY_KEYS: Final[tuple[Binding, ...]] = (
    Binding("space", "play", "Pause or play; at the end: play again", priority=True),
    Binding("right", "step(1)", "Next step", priority=True),
    Binding("left", "step(-1)", "Previous step", priority=True),
    Binding("full_stop", "nudge(1)", "Next recorded event", priority=True),
    Binding("comma", "nudge(-1)", "Previous recorded event", priority=True),
    Binding("right_square_bracket", "turn(1)", "Next turn", priority=True),
    Binding("left_square_bracket", "turn(-1)", "Start of this turn, then of the previous one", priority=True),
    Binding("plus,equals_sign", "speed(1)", "Faster", priority=True),
    Binding("minus", "speed(-1)", "Slower", priority=True),
    Binding("home", "edge(0)", "Start", priority=True),
    Binding("end", "edge(1)", "End", priority=True),
    Binding("g", "ask_place", "Go to a time, a turn or a percentage: 1:23, turn 2, 40%", priority=True),
    Binding("q", "leave", "Leave", priority=True),
)
ACTIONS: Final = frozenset(binding.action.partition("(")[0] for binding in REPLAY_KEYS)
