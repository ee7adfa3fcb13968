"""What Tab makes of a command of the shell: the rest of one that was given before, or of a file's name."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Final

__all__ = ["completions"]

_MOST_FILES: Final = 5000  # of a folder that are looked at
_MOST: Final = 200
_WORD: Final = re.compile(r"""(?:[^\s"'\\;&|<>()]|\\.|"(?:[^"\\]|\\.)*"?|'[^']*'?)*\Z""", re.DOTALL)


def completions(command: str, folder: str, earlier: Sequence[str]) -> list[str]:
    """Return what a command that ends at the cursor may become, the likeliest first.

    Args:
        command: the command up to the cursor.
        folder: where it would run.
        earlier: commands that were given before, newest first.
    """
    before = (
        [text for text in dict.fromkeys(earlier) if text.startswith(command) and text != command] if command else []
    )
    match = _WORD.search(command)
    word = match.group() if match else ""
    head = command[: len(command) - len(word)]
    is_argument = bool(head.strip()) or "/" in word
    files = [head + name for name in _files(word, folder)] if is_argument else []
    return [*files, *before][:_MOST]


def _files(word: str, folder: str) -> list[str]:
    """Return the names that a word may be the beginning of, written as the shell wants them; folders end with a slash."""
    typed = _unquoted(word)
    place, beginning = os.path.split(typed)
    base = Path(folder) / os.path.expanduser(place)  # noqa: PTH111 - `~name` of whoever
    try:
        with os.scandir(base) as entries:
            found = [
                (entry.name, entry.is_dir())
                for entry in islice(entries, _MOST_FILES)
                if entry.name.startswith(beginning) and (beginning.startswith(".") or not entry.name.startswith("."))
            ]
    except OSError:
        return []
    lead = f"{place}/" if place and not place.endswith("/") else place
    home, lead = ("~/", lead[2:]) if lead.startswith("~/") else ("", lead)
    names = (lead + name + ("/" if is_folder else "") for name, is_folder in sorted(found) if name.isprintable())
    return [home + _quoted(name) for name in names]


def _unquoted(word: str) -> str:
    for ending in ("", '"', "'"):
        try:
            parts = shlex.split(word + ending)
        except ValueError:
            continue
        return "".join(parts)
    return word


def _quoted(name: str) -> str:
    """Quote what needs it; the slash of a folder stays outside, so that its files can be named next."""
    bare = name.rstrip("/")
    return shlex.quote(bare) + name[len(bare) :] if bare else name
