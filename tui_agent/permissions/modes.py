"""The modes a session can be in: their order, their names for people, and when they may be used.

Imports nothing: the command line names the modes before anything else is there.
"""

from __future__ import annotations

from typing import Final, Literal

__all__ = ["LABELS", "MODES", "Mode", "mode_from_setting", "next_mode"]

Mode = Literal["default", "acceptEdits", "plan", "dontAsk", "bypassPermissions"]
MODES: Final[tuple[Mode, ...]] = ("default", "acceptEdits", "plan", "dontAsk", "bypassPermissions")
LABELS: Final[dict[Mode, str]] = {
    "default": "⏸ manual mode on",
    "acceptEdits": "⏵⏵ accept edits on",
    "plan": "⏸ plan mode on",
    "dontAsk": "⏵⏵ don't ask on",
    "bypassPermissions": "⏵⏵ bypass permissions on",
}
_CYCLE: Final[tuple[Mode, ...]] = ("default", "acceptEdits", "plan", "bypassPermissions")
_SETTINGS: Final[dict[str, Mode]] = {
    "default": "default",
    "manual": "default",
    "auto": "default",
    "acceptEdits": "acceptEdits",
    "plan": "plan",
    "dontAsk": "dontAsk",
    "bypassPermissions": "bypassPermissions",
}


def next_mode(mode: Mode, *, is_bypass_enabled: bool = False) -> Mode:
    """Return the mode after this one; bypass takes part only where it was asked for at the start, dontAsk never."""
    cycle = [one for one in _CYCLE if one != "bypassPermissions" or is_bypass_enabled]
    return cycle[(cycle.index(mode) + 1) % len(cycle)] if mode in cycle else cycle[0]


def mode_from_setting(name: str) -> Mode | None:
    """Return the mode a setting or a flag means, or None where there is none of that name."""
    return _SETTINGS.get(name)
