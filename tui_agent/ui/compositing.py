"""Painting what changed and nothing else.

Textual's own compositor renders every widget that meets the smallest rectangle round all changes: a line of the conversation
and the activity line below it are enough to have half the screen rendered, cut up and compared again, at every frame. Here
each changed region is given to the widgets that are seen in it, and only its lines are asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from rich.segment import Segment
from textual._compositor import Compositor, CompositorUpdate
from textual.geometry import Region

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult
    from textual.strip import Strip

__all__ = ["ExactCompositor", "PatchUpdate"]


class PatchUpdate(CompositorUpdate):
    """Strips to be written, each at its place: column, row, strip."""

    def __init__(self, patches: list[tuple[int, int, Strip]]) -> None:
        self.patches = patches

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for x, y, strip in self.patches:
            yield Segment(_move(x, y), None, [])
            yield from strip

    def render_segments(self, console: Console) -> str:
        """Return what to write to the terminal."""
        return "".join([_move(x, y) + strip.render(console) for x, y, strip in self.patches])


class ExactCompositor(Compositor):
    """Textual's compositor, but for updates of parts of the screen."""

    def render_partial_update(self) -> PatchUpdate | None:  # type: ignore[override]
        """Render the regions that changed since the last update; None when there are none."""
        screen = self.size.region
        changed = [region.intersection(screen) for region in self._dirty_regions]
        self._dirty_regions.clear()
        patches = [
            (region.x, y, strip)
            for region, strips in self._render_regions(disjoint(changed))
            for y, strip in zip(region.line_range, strips, strict=False)
        ]
        return PatchUpdate(patches) if patches else None

    def _render_regions(self, wanted: list[Region]) -> Iterator[tuple[Region, list[Strip]]]:
        """Yield parts of the regions with their lines: what lies in front is asked first, and what it covers is done."""
        for widget, (region, clip) in self.visible_widgets.items():
            if not wanted:
                return
            shown = region.intersection(clip)
            rest: list[Region] = []
            for part in wanted:
                common = part.intersection(shown)
                if common:
                    yield common, widget.render_lines(common.translate(-region.offset))
                    rest += without(part, common)
                else:
                    rest.append(part)
            wanted = rest


def disjoint(regions: Iterable[Region]) -> list[Region]:
    """Return regions that cover the same cells, each cell once. Lines below each other come as one region."""
    found: list[Region] = []
    for region in sorted(_joined(regions), key=lambda region: -region.area):
        parts = [region]
        for other in found:
            parts = [rest for part in parts for rest in without(part, part.intersection(other))]
        found += parts
    return found


def _joined(regions: Iterable[Region]) -> list[Region]:
    """Return regions that cover the same cells, those of the same columns joined where they touch."""
    found: list[Region] = []
    for region in sorted(filter(None, regions), key=lambda region: (region.x, region.width, region.y)):
        last = found[-1] if found else None
        if last is not None and last.column_span == region.column_span and region.y <= last.bottom:
            found[-1] = Region(last.x, last.y, last.width, max(last.bottom, region.bottom) - last.y)
        else:
            found.append(region)
    return found


def without(region: Region, hole: Region) -> list[Region]:
    """Return up to four regions that cover a region but for a hole in it, which may be empty."""
    if not hole:
        return [region]
    parts = (
        Region(region.x, region.y, region.width, hole.y - region.y),
        Region(region.x, hole.bottom, region.width, region.bottom - hole.bottom),
        Region(region.x, hole.y, hole.x - region.x, hole.height),
        Region(hole.right, hole.y, region.right - hole.right, hole.height),
    )
    return [part for part in parts if part]


def _move(x: int, y: int) -> str:
    return f"\x1b[{y + 1};{x + 1}H"
