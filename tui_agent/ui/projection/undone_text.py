"""What the conversation says when the user has taken back what the session did to a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui_agent.text import clean_line

if TYPE_CHECKING:
    from tui_agent.events import EditUndone

__all__ = ["undone_words"]


def undone_words(event: EditUndone, base: str) -> str:
    """Return the sentence; paths are shown relative to `base`."""
    path = clean_line(event.path.removeprefix(base.rstrip("/") + "/") if base else event.path)
    if not event.after_hash:
        return f"Undone: {path}, which this session created, was removed."
    if event.left:
        places = "1 place" if event.left == 1 else f"{event.left} places"
        return f"Undone in part: {path}; {places} that others have changed too stay{'s' * (event.left == 1)}."
    return f"Undone: {path} (+{event.change.added} −{event.change.removed} lines)."
