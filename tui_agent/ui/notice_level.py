"""How much something that the user is told matters."""

from __future__ import annotations

from typing import Literal

__all__ = ["Level"]

Level = Literal["brief", "info", "warning", "error"]
"""`brief` is shown for a moment in the status line; everything else stays in the conversation."""
