"""What stands to the left of a leaf: the bars of quotes, the bullets and numbers of items, and room below them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from rich.segment import Segment
from rich.style import Style

from tui_agent.viewkit.markdown.leaf import Container, Leaf
from tui_agent.viewkit.view import LinesBuilder, RenderState

__all__ = ["Frame", "frame_of"]

_LEAST_TEXT: Final = 8  # cells that nesting leaves for text
_BULLETS: Final = ("•", "◦", "▪")
_TASKS: Final = {"[ ] ": "☐ ", "[x] ": "☑ ", "[X] ": "☑ "}


@dataclass(slots=True)
class Frame:
    """What stands before a leaf's first line and before all others, `cells` wide.

    The first `gutter` cells are no text; what the others say in the logical text is `head`.
    """

    first: tuple[Segment, ...] = ()
    rest: tuple[Segment, ...] = ()
    cells: int = 0
    gutter: int = 0
    head: str = ""
    is_quoted: bool = False
    task: str = ""  # the box that the frame shows in place of the text's own


def frame_of(leaf: Leaf, width: int, state: RenderState) -> Frame:
    """Return the frame of a leaf; outer levels go where they leave no room for text."""
    if not leaf.containers:
        return Frame()
    task = _task(leaf, state)
    first: list[tuple[Segment, str, bool]] = []
    rest: list[Segment] = []
    for number, container in enumerate(leaf.containers):
        is_new = number >= leaf.shared and not leaf.is_continued
        box = task if number == len(leaf.containers) - 1 else ""
        shown, said = _sign(container, state, box, is_new=is_new)
        first.append((shown, said, container.is_quote))
        rest.append(shown if container.is_quote else Segment(" " * len(shown.text)))
    cells = sum(len(segment.text) for segment in rest)
    while first and cells > width - _LEAST_TEXT:
        cells -= len(rest.pop(0).text)
        first.pop(0)
    bars = [number for number, (_, _, is_quote) in enumerate(first) if is_quote]
    behind = bars[-1] + 1 if bars else 0
    return Frame(
        tuple(shown for shown, _, _ in first),
        tuple(rest),
        cells,
        sum(len(segment.text) for segment in rest[:behind]),
        "".join(said for _, said, _ in first[behind:]),
        any(container.is_quote for container in leaf.containers),
        task,
    )


def add_gap(builder: LinesBuilder, leaf: Leaf, width: int, state: RenderState) -> None:
    """Add the blank line above a leaf, with the bars of the quotes that go on across it."""
    bars = [_sign(container, state, "", is_new=False)[0] for container in leaf.containers[: leaf.shared]]
    cells = sum(len(bar.text) for bar in bars)
    while bars and cells > width - _LEAST_TEXT:
        cells -= len(bars.pop(0).text)
    while bars and not bars[-1].text.strip():
        cells -= len(bars.pop().text)
    builder.add(bars, gutter=cells, text="")


def _sign(container: Container, state: RenderState, task: str, *, is_new: bool) -> tuple[Segment, str]:
    """Return a container's sign and what it says in the logical text."""
    palette = state.palette
    if container.is_quote:
        return Segment("| " if state.is_ascii else "▎ ", palette.border), ""
    if container.number is not None:
        sign = said = f"{container.number:>{container.digits}}{container.marker} "
    else:
        sign = "- " if state.is_ascii else _BULLETS[container.depth % len(_BULLETS)] + " "
        said = "- "
    if not is_new:
        return Segment(" " * len(sign)), " " * len(sign)
    style: Style = palette.accent
    if task and container.number is None:
        sign = said = task
        style = palette.success if task.startswith("☑") else palette.muted
    return Segment(sign, style), said


def _task(leaf: Leaf, state: RenderState) -> str:
    """Return the box of an item that begins with one, where the terminal has boxes."""
    if state.is_ascii or leaf.kind != "text" or leaf.is_continued or len(leaf.containers) == leaf.shared:
        return ""
    return "" if leaf.containers[-1].is_quote or not leaf.lines else _TASKS.get(leaf.lines[0][:4], "")
