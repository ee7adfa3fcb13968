"""Where the model's own notes on a project lie: outside of it, one folder for each, beginning with MEMORY.md."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Final

from tui_agent.settings.load import Settings
from tui_agent.settings.standard_paths import claude_dir, main_checkout

__all__ = ["notes_file", "notes_folder"]

_LONGEST: Final = 200


def notes_folder(settings: Settings) -> Path:
    """Return the folder; it may not exist."""
    moved = settings.values.auto_memory_directory
    if moved:
        return Path(moved).expanduser()
    return claude_dir() / "projects" / _name(str(main_checkout(settings.project_root))) / "memory"


def notes_file(settings: Settings) -> Path:
    """Return the file that is read at the start of a conversation; it may not exist."""
    return notes_folder(settings) / "MEMORY.md"


def _name(path: str) -> str:
    """Return a path as Claude Code names folders after it."""
    name = re.sub(r"[^A-Za-z0-9]", "-", path)
    if len(name) <= _LONGEST:
        return name
    return f"{name[:_LONGEST]}-{hashlib.sha256(path.encode('utf-8', 'surrogateescape')).hexdigest()[:8]}"
