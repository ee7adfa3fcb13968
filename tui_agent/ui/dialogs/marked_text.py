"""Marking a part of a text in what is painted of it, however that was wrapped."""

from __future__ import annotations

from dataclasses import replace

from rich.segment import Segment
from rich.style import Style

from tui_agent.viewkit.view import Line, Rendered

__all__ = ["with_mark"]


def with_mark(rendered: Rendered, part: str, style: Style) -> Rendered:
    """Return the lines with `style` over the first place where they show `part`; as they are where they do not.

    Blanks do not count: a line may have been wrapped at one, and gutters have none that matter.
    """
    wanted = "".join(part.split())
    lines = list(rendered.lines)
    places = [
        (number, at)
        for number, line in enumerate(lines)
        for at, character in enumerate(line.text)
        if at >= line.gutter and not character.isspace()
    ]
    shown = "".join(lines[number].text[at] for number, at in places)
    start = shown.find(wanted) if wanted else -1
    if start < 0:
        return rendered
    first, last = places[start], places[start + len(wanted) - 1]
    for number in range(first[0], last[0] + 1):
        begin = first[1] if number == first[0] else lines[number].gutter
        end = last[1] + 1 if number == last[0] else len(lines[number].text.rstrip())
        lines[number] = _marked(lines[number], begin, end, style)
    return Rendered(lines, rendered.hits, rendered.text)


def _marked(line: Line, begin: int, end: int, style: Style) -> Line:
    segments: list[Segment] = []
    at = 0
    for segment in line.segments:
        text, own = segment.text, segment.style or Style()
        cuts = [0, min(max(begin - at, 0), len(text)), min(max(end - at, 0), len(text)), len(text)]
        styles = (own, own + style, own)
        segments.extend(
            Segment(text[left:right], each)
            for left, right, each in zip(cuts, cuts[1:], styles, strict=False)
            if left < right
        )
        at += len(text)
    return replace(line, segments=tuple(segments))
