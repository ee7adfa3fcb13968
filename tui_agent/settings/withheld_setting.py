"""One thing that the files of a folder want and that is held back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

__all__ = ["WITHHELD_HEADINGS", "WithheldKind", "WithheldSetting"]

WithheldKind = Literal["hook", "rule", "environment", "folder", "sandbox", "other"]

WITHHELD_HEADINGS: Final[dict[WithheldKind, str]] = {
    "hook": "Run commands automatically",
    "environment": "Set environment variables",
    "rule": "Let these run without asking you",
    "folder": "Work in more folders",
    "sandbox": "Change the sandbox",
    "other": "Change other settings",
}
"""What each kind would do. What can do most harm stands first."""


@dataclass(frozen=True, slots=True)
class WithheldSetting:
    """One thing that is held back: its kind, what it is (foreign text as written, but for secrets), and where it stands."""

    kind: WithheldKind
    text: str
    file: str
    line: int
