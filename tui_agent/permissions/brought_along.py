"""What a folder, or a link, brings along when it is moved or copied: protected names in it end up where programs obey them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Final

from tui_agent.permissions.path_context import PathContext
from tui_agent.permissions.protected_paths import HOLDERS, may_be_protected, protected_reason

__all__ = ["why_not_brought_along"]

_MOST_ENTRIES: Final = 20_000


def why_not_brought_along(source: str, targets: Sequence[str], where: PathContext, *, is_moved: bool) -> str:
    """Return why moving or copying `source` to, or into, one of the targets needs a user; empty where it does not.

    What is not there, or is no folder and no link, brings nothing along: its own name is judged as every path is.
    """
    bases = [one for target in targets for one in (target, f"{target.rstrip('/')}/{os.path.basename(source)}")]  # noqa: PTH119
    if os.path.islink(source):  # noqa: PTH114 - text
        named = next((one for one in bases if os.path.basename(one).casefold() in HOLDERS), "")  # noqa: PTH119
        return f"a link would take the place of `{where.shown(named)}`" if named else ""
    if not os.path.isdir(source):  # noqa: PTH112 - text
        return ""
    seen = 0
    is_home = any(where.lies_in(where.home, base) for base in bases)
    for below, names in _below(source):
        seen += len(names)
        if seen > _MOST_ENTRIES:
            return f"`{where.shown(source)}` holds too many files to look for protected ones"
        for name in names:
            if not (is_home or may_be_protected(name)):
                continue
            places = [os.path.normpath(f"{base}/{below}/{name}") for base in bases]
            places += [os.path.normpath(f"{source}/{below}/{name}")] if is_moved else []
            if reason := next(filter(None, (protected_reason(place, where) for place in places)), None):
                return f"`{where.shown(source)}` brings a protected file along: {reason}"
    return ""


def _below(folder: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each folder in a folder, itself too, as its path from there, and the names in it. Links are not followed."""
    for path, folders, names in os.walk(folder):
        yield os.path.relpath(path, folder), [*folders, *names]
