"""Folders as people write them."""

from __future__ import annotations

from pathlib import Path

from rich.cells import cell_len

from tui_agent.text import clean_line

__all__ = ["short_path"]


def short_path(path: str, room: int) -> str:
    """Return a folder as people write it, its beginning left out when there is little room."""
    home = str(Path.home())
    text = clean_line(path)
    if text == home or text.startswith(home + "/"):
        text = "~" + text[len(home) :]
    while cell_len(text) > room and "/" in text.removeprefix("…/"):
        text = "…/" + text.removeprefix("…/").partition("/")[2]
    return text
