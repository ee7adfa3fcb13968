"""What `doctor` found, one thing at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Finding"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. A `warning` limits what works; with a `problem` the work cannot be done."""

    level: Literal["ok", "warning", "problem"]
    subject: str
    text: str
