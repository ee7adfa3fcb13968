"""Lists of commands that stand beside the tests, one a line, with remarks behind a `#` at the beginning of one."""

from __future__ import annotations

from pathlib import Path


def listed(name: str) -> list[str]:
    """Return the commands of a list; `␤` stands for a line break in one."""
    lines = Path(__file__).with_name(name).read_text("utf-8").splitlines()
    return [line.replace("␤", "\n") for line in lines if line and not line.startswith("#")]
