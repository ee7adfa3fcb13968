"""Which file `/memory` opens: what a folder tells the model at the start of each session."""

from __future__ import annotations

from pathlib import Path
from typing import Final

__all__ = ["memory_file"]

_NAMES: Final = ("CLAUDE.md", ".claude/CLAUDE.md", "AGENTS.md")


def memory_file(folder: Path) -> Path:
    """Return the first of these files that the folder has; the one to make where it has none."""
    return next((path for name in _NAMES if (path := folder / name).is_file()), folder / _NAMES[0])
