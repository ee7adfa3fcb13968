"""What was cut last, to be put back: a ring, newest first, as in readline."""

from __future__ import annotations

from collections import deque
from typing import Final, Literal

__all__ = ["KillRing"]

KEPT: Final = 60


class KillRing:
    """Texts that were cut. Those cut one after the other, with nothing else between, are one text."""

    def __init__(self) -> None:
        self._texts: deque[str] = deque(maxlen=KEPT)

    def __len__(self) -> int:
        return len(self._texts)

    def add(self, text: str, *, joins: Literal["before", "after"] | None = None) -> None:
        """Take what was cut. `joins` puts it before or after the newest text instead of making it a new one."""
        if not text:
            return
        if joins is None or not self._texts:
            self._texts.appendleft(text)
        else:
            self._texts[0] = text + self._texts[0] if joins == "before" else self._texts[0] + text

    @property
    def newest(self) -> str:
        """The text to put back; empty where nothing was cut."""
        return self._texts[0] if self._texts else ""

    def turn(self) -> str:
        """Go on to the text before, behind which the newest one takes the last place, and return it."""
        self._texts.rotate(-1)
        return self.newest
