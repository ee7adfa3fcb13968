"""How tall each of many things is, and which of them is at a given line: sums kept in a Fenwick tree.

Appending, changing a height, the sum before a position and the search for a line take time in the logarithm of the number of
things, so that a conversation of ten thousand blocks scrolls like one of ten.
"""

from __future__ import annotations

__all__ = ["Heights"]


class Heights:
    """A growing list of heights in lines; zero is allowed."""

    def __init__(self) -> None:
        self._heights: list[int] = []
        self._sums: list[int] = [0]  # 1-based: node i sums the heights of the i & -i positions that end at i

    @classmethod
    def zeros(cls, count: int) -> Heights:
        """Return so many heights, all zero, at once."""
        heights = cls()
        heights._heights = [0] * count
        heights._sums = [0] * (count + 1)
        return heights

    def __len__(self) -> int:
        return len(self._heights)

    def __getitem__(self, position: int) -> int:
        return self._heights[position]

    @property
    def total(self) -> int:
        """The height of all together."""
        return self.before(len(self._heights))

    def append(self, height: int) -> None:
        """Add one at the end."""
        self._heights.append(height)
        node = len(self._heights)
        total, child, first = height, node - 1, node - (node & -node)
        while child > first:
            total += self._sums[child]
            child -= child & -child
        self._sums.append(total)

    def set(self, position: int, height: int) -> int:
        """Change a height and return by how much it grew."""
        grown = height - self._heights[position]
        if grown:
            self._heights[position] = height
            node = position + 1
            while node < len(self._sums):
                self._sums[node] += grown
                node += node & -node
        return grown

    def before(self, position: int) -> int:
        """Return the line at which the thing at `position` begins."""
        total = 0
        while position > 0:
            total += self._sums[position]
            position -= position & -position
        return total

    def find(self, line: int) -> tuple[int, int]:
        """Return the position of what covers `line`, and which of its own lines that is.

        A line below everything gives `(len(self), lines below the end)`.
        """
        position, left = 0, max(0, line)
        step = 1 << (len(self._heights).bit_length())
        while step:
            following = position + step
            if following < len(self._sums) and self._sums[following] <= left:
                position = following
                left -= self._sums[following]
            step >>= 1
        return position, left

    def clear(self) -> None:
        """Forget all."""
        self._heights.clear()
        del self._sums[1:]
