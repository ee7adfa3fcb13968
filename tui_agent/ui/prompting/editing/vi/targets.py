"""Where a motion begins, and where it leads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

__all__ = ["Motion", "MotionWalk", "Reach", "Target"]

Reach = Literal["exclusive", "inclusive", "linewise"]


@dataclass(frozen=True, slots=True)
class MotionWalk:
    """A motion about to be made: over which text, from where, how often, and what for.

    The offset of a newline, or of the text's end, is the place behind a line's last character. A cursor that rests is never
    there, unless the line is empty; on its way a motion may be.
    """

    text: str
    at: int
    count: int = 0  # 0: none was given
    is_operated: bool = False  # an operator waits for it
    is_visual: bool = False  # something is selected, which may go on behind the end of a line

    @property
    def times(self) -> int:
        """How often, where no count means once."""
        return max(1, self.count)


@dataclass(frozen=True, slots=True)
class Target:
    """Where a motion leads, and what an operator takes of the way: with its end, without it, or whole lines."""

    at: int
    reach: Reach = "exclusive"


Motion = Callable[[MotionWalk], Target | None]
"""None where it leads nowhere, which drops an operator that waits for it."""
