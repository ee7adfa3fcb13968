"""What went along with a message, in lines below it: files that were read, pictures, and what was not attached and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from rich.segment import Segment

from tui_agent.text import clean_line
from tui_agent.viewkit.plain import TextView
from tui_agent.viewkit.thumbnail import add_thumbnail, shrunk
from tui_agent.viewkit.view import LinesBuilder, Rendered, RenderState

__all__ = ["attached_height", "attached_lines"]

_THUMBNAIL: Final = (28, 20)  # pixels; two of them, one above the other, take a cell
_WORDS: Final = {"file": "Read", "folder": "Listed", "image": "Image", "skill": "Skill", "refused": "Not attached"}
_INDENT: Final = 2


def attached_height(facts: Sequence[Mapping[str, Any]]) -> int:
    """Return about how many lines these take."""
    return sum(1 + (_THUMBNAIL[1] // 2 if fact.get("preview") else 0) for fact in facts)


def attached_lines(facts: Sequence[Mapping[str, Any]], width: int, state: RenderState) -> Rendered:
    """Draw one line for each; below a picture, a small one of it."""
    palette = state.palette
    built = LinesBuilder()
    for fact in facts:
        kind, name, note = (clean_line(str(fact.get(key, "")), 400) for key in ("kind", "name", "note"))
        is_refused = kind == "refused"
        mark, style = ("! ", "warning") if is_refused else ("└ ", "muted")
        said = f"{_WORDS.get(kind, 'Attached')} {name}"
        if note:
            said += f": {note}" if is_refused else f" ({note})"
        for number, line in enumerate(TextView(said, style).render(max(4, width - _INDENT), state).lines):
            head = Segment(mark if not number else " " * _INDENT, getattr(palette, style))
            built.add((head, *line.segments), gutter=_INDENT)
        if preview := shrunk(fact.get("preview"), *_THUMBNAIL):
            picture = LinesBuilder()
            add_thumbnail(picture, preview, width - _INDENT, state)
            for line in picture.lines:
                built.add((Segment(" " * _INDENT), *line.segments), gutter=_INDENT + line.gutter)
    return built.build()
