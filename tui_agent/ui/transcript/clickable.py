"""Words that do something when clicked. The action travels as data beside the text, never as markup made of it."""

from __future__ import annotations

from textual.content import Content
from textual.style import Style

__all__ = ["clickable"]


def clickable(words: str | Content, action: str, *arguments: object) -> Content:
    """Return `words` such that a click runs `action` (`screen.open`) with these arguments."""
    content = Content(words) if isinstance(words, str) else words
    return content.stylize(Style.from_meta({"@click": (action, arguments)}))
