"""What `.gitignore` says of links and empty folders, which ripgrep does not list. Blocks."""

from __future__ import annotations

import os
from typing import Final

from tui_agent.regular_files import open_regular
from tui_agent.tools.shared_search.globs import matches

__all__ = ["IgnoreRules"]

_MOST_BYTES: Final = 200_000  # of a `.gitignore`


class IgnoreRules:
    """The rules of the `.gitignore` files from a folder's repository down; without a repository, from the folder down."""

    def __init__(self, top: str) -> None:
        self._start: Final = _repository(top) or top
        self._known: dict[str, tuple[str, ...]] = {}

    def covers(self, path: str, *, is_folder: bool) -> bool:
        """Whether the last rule that matches a path below the top ignores it; folders above it are taken to be listed."""
        start = self._start.rstrip("/") + "/"
        parts = path.removeprefix(start).split("/")
        verdict = False
        for depth in range(len(parts)):
            folder = start + "/".join(parts[:depth])
            for rule in self._rules(folder):
                is_negative = rule.startswith("!")
                if matches(rule[is_negative:], "/".join(parts[depth:]), is_folder=is_folder):
                    verdict = not is_negative
        return verdict

    def _rules(self, folder: str) -> tuple[str, ...]:
        known = self._known.get(folder)
        if known is None:
            known = self._known[folder] = _read(os.path.join(folder, ".gitignore"))  # noqa: PTH118
        return known


def _repository(folder: str) -> str | None:
    """Return the nearest folder, from this one up, that holds a repository."""
    while not os.path.lexists(os.path.join(folder, ".git")):  # noqa: PTH118
        parent = os.path.dirname(folder)  # noqa: PTH120
        if parent == folder:
            return None
        folder = parent
    return folder


def _read(path: str) -> tuple[str, ...]:
    try:
        with open(open_regular(path), "rb") as file:  # noqa: PTH123
            text = file.read(_MOST_BYTES).decode("utf-8", "surrogateescape")
    except OSError:
        return ()
    lines = (line.removesuffix("\r").rstrip(" ") for line in text.split("\n"))
    return tuple(line for line in lines if line and not line.startswith("#"))
