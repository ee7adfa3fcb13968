"""What is wrong in a file of settings."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Problem"]


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a settings file that was left out: which file, which line (from one), and why.

    `is_whole_file` is that nothing of the file could be read.
    """

    file: str
    line: int
    text: str
    is_whole_file: bool = False

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text}"
