"""What the model is to act on without a message of the user's: news of background hooks, a command that wants an answer."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["WakeUps"]


class WakeUps:
    """Texts that wait for the model; an empty one only has it look at the news there is. `follow` hears of each."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._followers: list[Callable[[], object]] = []

    def __len__(self) -> int:
        return len(self._texts)

    def follow(self, take: Callable[[], object]) -> None:
        """Have `take` called whenever something new waits."""
        self._followers.append(take)

    def add(self, text: str = "") -> None:
        """Let something wait."""
        self._texts.append(text)
        for take in self._followers:
            take()

    def take(self) -> list[str]:
        """Return what waits, and forget it."""
        texts, self._texts = self._texts, []
        return texts
