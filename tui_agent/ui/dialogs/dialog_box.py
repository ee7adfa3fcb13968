"""The box of a dialog: as high as what is in it, and where that is more than there is room for, parts of it give way."""

from __future__ import annotations

from typing import Final

from textual.containers import Vertical
from textual.geometry import Size
from textual.layout import ArrangeResult, WidgetPlacement
from textual.layouts.vertical import VerticalLayout
from textual.widget import Widget

__all__ = ["YIELDS", "DialogBox"]

YIELDS: Final = "-yields"
"""The class of a part that gives way: it scrolls by itself, so that what cannot, as answers, keeps its height."""

_LEAST: Final = 2  # lines that are left to a part that gives way


class _YieldingLayout(VerticalLayout):
    """One below the other. What is too much for the height goes: blank lines first, then lines of the parts that give way.

    Both go from below, so that the first part, what it is all about, keeps its lines longest.
    """

    def arrange(self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True) -> ArrangeResult:
        places = list(super().arrange(parent, children, size, greedy))
        if not size.height or not places:  # no height: it is asked how high all of it would be
            return places
        last = places[-1]
        missing = last.region.bottom - size.height
        places[-1] = last._replace(margin=last.margin._replace(bottom=min(last.margin.bottom, max(0, -missing))))
        for number in reversed(range(len(places))):
            above = places[number - 1].region.bottom if number else 0
            missing -= _pull_up(places, number, min(missing, places[number].region.y - above))
        for number in reversed(range(len(places))):
            region = places[number].region
            if places[number].widget.has_class(YIELDS):
                less = _pull_up(places, number + 1, min(missing, region.height - _LEAST))
                places[number] = places[number]._replace(region=region._replace(height=region.height - less))
                missing -= less
        return places


def _pull_up(places: list[WidgetPlacement], start: int, lines: int) -> int:
    """Move what stands from `start` on up by `lines`, where that is more than none, and return by how many."""
    if lines <= 0:
        return 0
    places[start:] = [place._replace(region=place.region.translate((0, -lines))) for place in places[start:]]
    return lines


class DialogBox(Vertical):
    """The box. Its height is that of its parts at the width they get, beside the scroll bar where room is kept for one."""

    def __init__(self, *, id: str | None = "dialog", classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._layout = _YieldingLayout()

    @property
    def layout(self) -> VerticalLayout:
        return self._layout

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002 - not mine
        bar = self.styles.scrollbar_size_vertical if self.styles.scrollbar_gutter == "stable" else 0
        # Within the room there is: where none is given, Textual leaves out what limits the height of parts.
        places = self.arrange(Size(max(1, width - bar), container.height)).placements
        docked = sum(place.region.height for place in places if place.fixed)
        return docked + max(
            (place.region.bottom + place.margin.bottom for place in places if not place.fixed), default=0
        )
