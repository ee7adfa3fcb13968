"""Sizes of files in words."""

from __future__ import annotations

__all__ = ["size_text"]


def size_text(size: int) -> str:
    """Return a number of bytes as people read it: `812 B`, `1.2 KB`, `34 MB`."""
    value = float(size)
    for unit in ("B", "KB", "MB", "GB"):
        if value < 999.5:
            return f"{size} B" if unit == "B" else f"{value:.1f} {unit}" if value < 9.95 else f"{value:.0f} {unit}"
        value /= 1024
    return f"{value:.1f} TB"
