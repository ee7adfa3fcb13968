"""Painting what changed and nothing else.

Textual's own compositor renders every widget that meets the smallest rectangle round all changes: a line of the conversation
and the activity line below it are enough to have half the screen rendered, cut up and compared again, at every frame. Here
each changed region is given to the widgets that are seen in it, and only its lines are asked for. Of these, what the terminal
does not display already is written (`displayed_rows`).

Nor does it reckon with terminals that count the cells of a text otherwise: vowel signs of Hindi or Tamil and new emoji take a
cell more in one of them than in another. Whatever stands behind such a text in its line is put at its place anew, so that the
text is cut off where its widget ends and moves nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from rich.segment import Segment
from textual._compositor import Compositor, CompositorUpdate, LayoutUpdate
from textual.geometry import Region, Size
from textual.strip import Strip

from tui_agent.ui.displayed_rows import DisplayedRows

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

__all__ = ["ExactCompositor", "FullUpdate", "PatchUpdate"]

# Characters that terminals may count otherwise: all but those of Europe, China, Japan and Korea, and signs and lines.
_UNSURE: Final = re.compile(
    "[^\x00-\u02ff\u0370-\u0482\u048a-\u058f\u10a0-\u10ff\u1e00-\u200c\u200e-\u262f\u2638-\u2689\u2690-\u3029\u3030-\u3098"
    "\u309b-\u4dbf\u4e00-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff01-\uffee\U00020000-\U0003ffff]"
)
# Strips that were looked at, as most of a frame's are those of the frame before; held, so that no other gets the same id.
_judged: Final[dict[int, tuple[Strip, bool]]] = {}
_MOST_JUDGED: Final = 500
_KEEP_TO_LINE, _GO_ON_BELOW = "\x1b[?7l", "\x1b[?7h"  # what comes to the edge of the screen, and what is usual


class PatchUpdate(CompositorUpdate):
    """Strips to be displayed, each at its place: column, row, strip. `size` is the screen's, `displayed` what it shows."""

    def __init__(self, patches: list[tuple[int, int, Strip]], size: Size, displayed: DisplayedRows) -> None:
        self.patches = patches
        self._screen_size = size
        self._displayed = displayed

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for x, y, strip in self.patches:
            yield Segment(_move(x, y), None, [])
            yield from strip

    def render_segments(self, console: Console) -> str:
        """Return what to write to the terminal."""
        moves, changes = self._displayed.show(self._screen_size, self.patches)
        return moves + "".join([_placed(x, y, strip, console) for x, y, strip in changes])


class FullUpdate(LayoutUpdate):
    """All of the screen: each strip begins where it stands, however far the terminal thinks that the one before it went."""

    def __init__(self, strips: list[Iterable[Strip]], region: Region, displayed: DisplayedRows) -> None:
        super().__init__(strips, region)
        self._displayed = displayed

    def render_segments(self, console: Console) -> str:
        """Return what to write to the terminal."""
        self._displayed.show_all(self.region.size, self.strips)
        written: list[str] = []
        for y, line in enumerate(self.strips, self.region.y):
            x, is_there = self.region.x, False
            for strip in line:
                is_sure = not is_unsure(strip)
                written.append(strip.render(console) if is_there and is_sure else _placed(x, y, strip, console))
                x, is_there = x + strip.cell_length, is_sure
        return "".join(written)


class ExactCompositor(Compositor):
    """Textual's compositor, but for updates of parts of the screen. `displayed` is what was written to the terminal."""

    def __init__(self) -> None:
        super().__init__()
        self.displayed = DisplayedRows(is_unsure)

    def render_full_update(self, simplify: bool = False) -> FullUpdate:
        """Render all of the screen."""
        update = super().render_full_update(simplify)
        return FullUpdate(update.strips, update.region, self.displayed)

    def render_partial_update(self) -> PatchUpdate | None:  # type: ignore[override]
        """Render the regions that changed since the last update; None when there are none."""
        screen = self.size.region
        changed = [region.intersection(screen) for region in self._dirty_regions]
        self._dirty_regions.clear()
        patches = self._patches(changed)
        behind = [
            Region(end, y, screen.right - end, 1)
            for x, y, strip in patches
            if (end := x + strip.cell_length) < screen.right and is_unsure(strip)
        ]
        if behind:  # from left to right: each covers what came too far of the one before it
            patches += sorted(self._patches(behind), key=lambda patch: patch[:2])
        return PatchUpdate(patches, self.size, self.displayed) if patches else None

    def _patches(self, regions: Iterable[Region]) -> list[tuple[int, int, Strip]]:
        return [
            (region.x, y, strip)
            for region, strips in self._render_regions(disjoint(regions))
            for y, strip in zip(region.line_range, strips, strict=False)
        ]

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


def is_unsure(strip: Strip) -> bool:
    """Whether terminals may count the cells of a strip otherwise than the program does."""
    known = _judged.get(id(strip))
    if known is not None and known[0] is strip:
        return known[1]
    if len(_judged) >= _MOST_JUDGED:
        _judged.clear()
    found = _UNSURE.search(strip.text) is not None
    _judged[id(strip)] = (strip, found)
    return found


def _placed(x: int, y: int, strip: Strip, console: Console) -> str:
    """Return what puts a strip at its place. One that may turn out shorter than it should gets a clean ground first."""
    if not is_unsure(strip):
        return _move(x, y) + strip.render(console)
    ground = Strip.blank(strip.cell_length, next((segment.style for segment in strip if segment.style), None))
    place = _move(x, y)
    return f"{_KEEP_TO_LINE}{place}{ground.render(console)}{place}{strip.render(console)}{_GO_ON_BELOW}"


def _move(x: int, y: int) -> str:
    return f"\x1b[{y + 1};{x + 1}H"
