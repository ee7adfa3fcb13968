"""What each permission mode is called on the screen, and in which colour."""

from __future__ import annotations

from typing import Final

from tui_agent.permissions.modes import LABELS

__all__ = ["MODES"]

MODES: Final = {
    "default": ("default", "$foreground-muted"),
    "acceptEdits": (LABELS["acceptEdits"], "$text-success"),
    "plan": (LABELS["plan"], "$text-primary"),
    "dontAsk": (LABELS["dontAsk"], "$text-warning"),
    "bypassPermissions": (LABELS["bypassPermissions"], "$text-error"),
}
