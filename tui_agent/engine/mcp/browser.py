"""Opening an address in the user's browser, away from this terminal."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from typing import Final
from urllib.parse import urlsplit

from tui_agent.programs import find_program

__all__ = ["open_address"]

_PROGRAMS: Final = ("open",) if sys.platform == "darwin" else ("xdg-open", "wslview", "gio")


async def open_address(url: str) -> bool:
    """Open an http or https address; False where there is no way to, or it is another kind of address."""
    if urlsplit(url).scheme not in ("http", "https") or any(character.isspace() for character in url):
        return False
    return await asyncio.to_thread(_open, url)


def _open(url: str) -> bool:
    for name in _PROGRAMS:
        if program := find_program(name):
            words = [program, "open", url] if name == "gio" else [program, url]
            nothing = subprocess.DEVNULL
            try:
                subprocess.Popen(words, stdin=nothing, stdout=nothing, stderr=nothing, cwd="/", start_new_session=True)
            except OSError:
                continue
            return True
    return False
