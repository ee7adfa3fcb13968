"""What a key led to, as the holder of the text is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Mode", "ViRequest", "ViStep"]

Mode = Literal["INSERT", "REPLACE", "NORMAL", "VISUAL", "V-LINE"]
ViRequest = Literal["undo", "redo", "older", "newer", "search"]


@dataclass(frozen=True, slots=True)
class ViStep:
    """What a key led to. `is_taken` is False where it means nothing here and may mean something elsewhere."""

    text: str
    cursor: int
    request: ViRequest | None = None
    times: int = 1  # how often it is wished for
    is_taken: bool = True
