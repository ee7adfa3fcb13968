"""The conversation as lines: which block is at a line, how each is drawn, and what is kept of that. No widget.

A block is drawn when it comes near the window, once for each of its versions, widths and states; until then its height is a
guess, or what it was before. `settle` makes the blocks around the window exact without moving the line being read.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Final

from textual.strip import Strip

from tui_agent.ui.projection.blocks import Block
from tui_agent.ui.transcript.block_views import (
    estimate_height,
    is_foldable,
    is_the_persons,
    opens_by_itself,
    render_block,
    turn_time,
    with_end,
)
from tui_agent.ui.transcript.heights import Heights
from tui_agent.ui.transcript.selection import line_of_offset
from tui_agent.viewkit.view import Line, Palette, Rendered, RenderState

if TYPE_CHECKING:
    from tui_agent.ui.transcript.finding import SearchQuery

__all__ = ["Drawn", "Mark", "TranscriptLayout"]

KEPT: Final = 1500  # drawn blocks that are remembered
KEPT_LINES: Final = 2_500  # lines of drawn blocks that are remembered, those near the window apart
NEAR: Final = (
    200  # blocks drawn last, which are remembered however long they are: more than a window and its margins have
)
KEPT_PAINTED: Final = 200  # painted lines that outlive a new drawing of their block: more than a window has
MOST_PAINTED: Final = 600  # painted lines that are remembered of one block
_LINE_KINDS: Final = frozenset({"tool", "thinking"})

_CARRIED: Final = "-"
Key = tuple[int, int, bool, str]
Mark = tuple[int, int, str]  # cells of a line, from and up to; and what they are: the palette's field for it, or `here`
Dress = tuple[int, bool, tuple[Mark, ...]]  # number of the line, whether the cursor is there, what is marked


@dataclass(slots=True)
class Drawn:
    """A block as it was drawn: for which version, width and folding; and how its lines were painted so far.

    A line is painted in several dresses: under the cursor, with some of its cells marked. The host says which. `matches` are
    where a query is found in its text.
    """

    key: Key
    rendered: Rendered
    painted: dict[Dress, tuple[Line, Strip]] = field(default_factory=dict)
    size: int = 0  # lines, when it was drawn
    matches: tuple[SearchQuery, list[tuple[int, int]]] | None = None

    def find(self, query: SearchQuery) -> list[tuple[int, int]]:
        """Return where a query is found in the text, in order."""
        if self.matches is None or self.matches[0] is not query:
            self.matches = query, query.spans(self.rendered.text)
        return self.matches[1]

    def keep(self, dress: Dress, line: Line, strip: Strip) -> Strip:
        """Remember a painted line."""
        if len(self.painted) >= MOST_PAINTED:
            for oldest in list(islice(self.painted, MOST_PAINTED // 2)):
                del self.painted[oldest]
        self.painted[dress] = (line, strip)
        return strip


class TranscriptLayout:
    """Positions and drawings of a list of blocks. `blocks` is only read; say by `grow` and `change` what happened to it."""

    def __init__(self, palette: Palette) -> None:
        self.blocks: Sequence[Block] = ()
        self.heights = Heights()
        self.width = 80
        self.is_detailed = False
        self._opens_changes = True
        self._palette = palette
        self._folding: dict[str, bool] = {}
        self._exact: set[int] = set()
        self._drawn: OrderedDict[int, Drawn] = OrderedDict()
        self._drawn_lines = 0
        self._near: OrderedDict[int, Drawn] = OrderedDict()  # whose painted lines are remembered too

    @property
    def kept_lines(self) -> int:
        """How many lines of drawn blocks are remembered."""
        return self._drawn_lines

    # --- what happened -----------------------------------------------------------------------------------------------

    def reset(self, blocks: Sequence[Block]) -> None:
        """Start anew with these blocks."""
        self.blocks = blocks
        self.heights.clear()
        self._folding.clear()
        self._forget()
        self.grow()

    def grow(self) -> None:
        """Take in blocks that were added at the end."""
        for position in range(len(self.heights), len(self.blocks)):
            height = estimate_height(self.blocks[position], self.width)
            self.heights.append(height + self._gap(position) if height else 0)

    def change(self, position: int) -> None:
        """The block at this position looks different now."""
        self._exact.discard(position)

    def resize(self, width: int) -> None:
        """Draw for another width. Heights stay as they were until their blocks come near the window."""
        if width != self.width:
            self.width = width
            self._exact.clear()

    def recolour(self, palette: Palette) -> None:
        """Draw in other colours."""
        self._palette = palette
        self._forget_drawn()

    def show_details(self, is_detailed: bool) -> None:
        """Open everything that can be opened, or fold it again; single foldings are forgotten."""
        self.is_detailed = is_detailed
        self._folding.clear()
        self._exact.clear()

    def open_changes(self, is_wanted: bool) -> None:
        """Say whether changes to files are open as long as nobody has folded them."""
        self._opens_changes = is_wanted
        self._exact.clear()

    # --- folding -----------------------------------------------------------------------------------------------------

    def is_open(self, position: int) -> bool:
        """Whether the block shows what is below its title."""
        block = self.blocks[position]
        if not is_foldable(block):
            return False
        opens = self.is_detailed or is_the_persons(block) or (self._opens_changes and opens_by_itself(block))
        return self._folding.get(block.id, opens)

    def toggle(self, position: int) -> None:
        """Fold or unfold."""
        self.open(position, not self.is_open(position))

    def open(self, position: int, is_wanted: bool) -> None:
        """Open or fold a block."""
        if is_foldable(self.blocks[position]):
            self._folding[self.blocks[position].id] = is_wanted
            self.change(position)

    # --- drawing -----------------------------------------------------------------------------------------------------

    def draw(self, position: int) -> Drawn:
        """Return the drawing of a block, made when there is none that fits."""
        block = self.blocks[position]
        is_open = self.is_open(position)
        ending = self._ending(position)
        key = (block.version, self.width, is_open, ending)
        drawn = self._drawn.get(position)
        if drawn is not None and drawn.key == key:
            self._drawn.move_to_end(position)
            self._stay_near(position, drawn)
            return drawn
        state = RenderState(palette=self._palette, is_open=is_open)
        rendered = Rendered(()) if ending == _CARRIED else render_block(block, self.width, state)
        if ending and ending != _CARRIED:
            rendered = with_end(rendered, ending, self.width, state) or rendered
        fresh = Drawn(key, rendered, size=len(rendered.lines))
        if drawn is not None and drawn.key[1] == self.width:
            # A block that streams is mostly what it was: lines that did not change stay painted.
            lines = rendered.lines
            recent = list(islice(reversed(drawn.painted.items()), KEPT_PAINTED))
            fresh.painted = {
                dress: entry
                for dress, entry in reversed(recent)
                if dress[0] < len(lines) and lines[dress[0]] == entry[0]
            }
        self._remember(position, fresh)
        return fresh

    def _ending(self, position: int) -> str:
        """Return what stands at the right end of a reply's last line: the time of the turn that ends there.

        The end of a turn that has nothing else to say, and whose time the reply carries, is `_CARRIED`: it takes no line.
        """
        block = self.blocks[position]
        if block.kind == "text":
            following = self.blocks[position + 1] if position + 1 < len(self.blocks) else None
            return turn_time(following) if following is not None and _is_only_time(following) else ""
        if position and _is_only_time(block) and self.blocks[position - 1].kind == "text":
            lines = self.draw(position - 1).rendered.lines
            return _CARRIED if lines and lines[-1].tail else ""
        return ""

    def _remember(self, position: int, fresh: Drawn) -> None:
        """Keep a drawing, and let go of those that were not looked at for longest where there is too much of it."""
        before = self._drawn.pop(position, None)
        self._drawn_lines += fresh.size - (before.size if before is not None else 0)
        self._drawn[position] = fresh
        self._stay_near(position, fresh)
        while len(self._drawn) > KEPT or (self._drawn_lines > KEPT_LINES and len(self._drawn) > NEAR):
            _, gone = self._drawn.popitem(last=False)
            self._drawn_lines -= gone.size

    def gap(self, position: int) -> int:
        """Return how many empty lines stand above the block."""
        height = self.heights[position]
        return min(height, self._gap(position)) if height else 0

    def measure(self, position: int) -> int:
        """Make the height of a block exact, and return by how much it grew."""
        if position in self._exact:
            return 0
        self._exact.add(position)
        lines = len(self.draw(position).rendered.lines)
        return self.heights.set(position, lines + self._gap(position) if lines else 0)

    def measure_height(self, position: int) -> int:
        """Return the exact height of a block."""
        self.measure(position)
        return self.heights[position]

    def settle(self, top: int, page: int, *, at_end: bool) -> int:
        """Make the blocks of the window, and of a page above and below, exact.

        Args:
            top: the line at the top of the window.
            page: its height.
            at_end: whether it shows the end, whatever happens.

        Returns:
            The line that is now at the top: the same line of the same block as before.
        """
        count = len(self.blocks)
        if not count:
            return 0
        if at_end:
            self._settle_up(count - 1, 2 * page)
            return max(0, self.heights.total - page)
        position, offset = self.heights.find(top)
        if position >= count:
            position, offset = count - 1, self.heights[count - 1]
        self.measure(position)
        offset = min(offset, max(0, self.heights[position] - 1))
        left = 2 * page + offset
        following = position
        while left > 0 and following < count:
            self.measure(following)
            left -= self.heights[following]
            following += 1
        if left > page:  # the end came into view from below: what is above it counts
            self._settle_up(count - 1, 2 * page)
        self._settle_up(position - 1, page)
        return max(0, min(self.heights.before(position) + offset, self.heights.total - page))

    def _settle_up(self, position: int, lines: int) -> None:
        while lines > 0 and position >= 0:
            self.measure(position)
            lines -= self.heights[position]
            position -= 1

    # --- places ------------------------------------------------------------------------------------------------------

    def place_of(self, line: int) -> tuple[int, int]:
        """Return the block at a line and the offset into its text of what is painted there; above its text, -1."""
        position, offset = self.heights.find(line)
        if position >= len(self.blocks):
            return position, 0
        rendered = self.draw(position).rendered
        number = offset - self.gap(position)
        if not rendered.lines or number < 0 or (number == 0 and not rendered.lines[0].segments):
            return position, -1
        return position, rendered.lines[min(number, len(rendered.lines) - 1)].start

    def line_of(self, place: tuple[int, int]) -> int:
        """Return the line at which a place is painted now."""
        position, offset = place
        if position >= len(self.blocks):
            return self.heights.total
        self.measure(position)
        rendered = self.draw(position).rendered
        first = self.heights.before(position)
        return first + (self.gap(position) + line_of_offset(rendered, offset) if offset >= 0 else 0)

    def _gap(self, position: int) -> int:
        """Blocks of one line stand together, parts of a reply are as close as they were written; else an empty line."""
        before = position - 1
        while before >= 0 and self.heights[before] == 0:
            before -= 1
        if before < 0:
            return 0
        block, above = self.blocks[position], self.blocks[before]
        if block.kind in _LINE_KINDS and above.kind in _LINE_KINDS:
            return 0
        if block.kind == "text" and block.group == above.group and above.kind == "text":
            return 0  # a part of a reply brings its own
        if block.kind == "turn" and not block.text and above.kind in ("turn", "error"):
            return 0
        return 0 if _is_only_time(block) else 1

    def _forget(self) -> None:
        self._forget_drawn()
        self._exact.clear()

    def _stay_near(self, position: int, drawn: Drawn) -> None:
        """Note that a block is needed now. Painted lines are several times as large as drawn ones: those of others go."""
        self._near[position] = drawn
        self._near.move_to_end(position)
        if len(self._near) > NEAR:
            self._near.popitem(last=False)[1].painted.clear()

    def _forget_drawn(self) -> None:
        self._near.clear()
        self._drawn.clear()
        self._drawn_lines = 0


def _is_only_time(block: Block) -> bool:
    """Whether it is the end of a turn of which nothing is to be said but how long it took."""
    return block.kind == "turn" and block.outcome in ("", "done") and not block.length
