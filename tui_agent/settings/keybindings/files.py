"""Where a user's bindings of keys stand. Imports nothing heavy: it is asked at every start."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tui_agent.settings import standard_paths

__all__ = ["keybindings_file", "keybindings_files"]

_NAME: Final = "keybindings.json"


def keybindings_file() -> Path:
    """Return the user's own file; it may not exist yet."""
    return standard_paths.config_dir() / _NAME


def keybindings_files() -> tuple[Path, ...]:
    """Return the files that are read, the weakest first: that of Claude Code, then their own."""
    return standard_paths.claude_dir() / _NAME, keybindings_file()
