"""One thing that the files of a folder want and that is held back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["WithheldKind", "WithheldSetting"]

WithheldKind = Literal["hook", "rule", "environment", "folder", "sandbox", "other"]


@dataclass(frozen=True, slots=True)
class WithheldSetting:
    """One thing that is held back: its kind, what it is (foreign text as written, but for secrets), and where it stands."""

    kind: WithheldKind
    text: str
    file: str
    line: int
