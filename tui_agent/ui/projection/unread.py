"""How much came below while a user reads further up: messages and tool uses, not the parts that a reply is drawn in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tui_agent.ui.projection.blocks import Block

__all__ = ["Unread"]


class Unread:
    """Counts what is new since `start`. `has_more` says that something grew that was there before."""

    def __init__(self) -> None:
        self.number = 0
        self.has_more = False
        self._group = ""  # the message whose parts count no more

    def start(self, blocks: Sequence[Block]) -> None:
        """Count anew: all that is there now has been seen, or could have been."""
        self.number, self.has_more = 0, False
        self._group = blocks[-1].group if blocks else ""

    def count(self, blocks: Sequence[Block], first: int) -> None:
        """Count the blocks from `first` on."""
        for position in range(first, len(blocks)):
            block = blocks[position]
            if block.kind == "turn" or (block.group and block.group == self._group):
                self.has_more = True
                continue
            self.number += 1
            self._group = block.group or self._group
