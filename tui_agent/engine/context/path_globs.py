"""Whether a file is one that globs are about, as in the `paths` of skills and of rules: `src/**/*.ts`, `*.{ts,tsx}`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

__all__ = ["fits"]

_MOST_CHOICES: Final = 64
_LONGEST: Final = 500
_MOST_STARS: Final = 12  # more cost time that grows with the length of the path
_BRACES: Final = re.compile(r"\{([^{}]*)\}")


def fits(path: Path, globs: Sequence[str], base: Path) -> bool:
    """Whether a file fits any glob; these begin at `base`, and one without a slash fits at any depth below it."""
    if not path.is_relative_to(base):
        return False
    name = path.relative_to(base).as_posix()
    return any(pattern.fullmatch(name) for glob in globs for pattern in _patterns(glob))


@lru_cache(maxsize=1024)
def _patterns(glob: str) -> tuple[re.Pattern[str], ...]:
    if len(glob) > _LONGEST or glob.count("*") > _MOST_STARS:
        return ()
    return tuple(re.compile(_expression(one), re.DOTALL) for one in _choices(glob))


def _choices(glob: str) -> list[str]:
    """Return a glob without braces for each choice that its braces leave; too many are taken as written."""
    done, waiting = [], [glob]
    while waiting:
        one = waiting.pop()
        found = _BRACES.search(one)
        if found is None:
            done.append(one)
        else:
            waiting += [f"{one[: found.start()]}{choice}{one[found.end() :]}" for choice in found[1].split(",")]
        if len(done) + len(waiting) > _MOST_CHOICES:
            return [glob]
    return done


def _expression(glob: str) -> str:
    glob = glob.removeprefix("./").removeprefix("/") if "/" in glob.strip("/") or glob.startswith("/") else f"**/{glob}"
    if glob.endswith("/"):
        glob += "**"
    parts: list[str] = []
    at = 0
    while at < len(glob):
        if glob.startswith("**/", at):
            parts.append(r"(?:[^/]+/)*")
            at += 3
        elif glob.startswith("**", at):
            parts.append(r".*")
            at += 2
        elif glob[at] == "*":
            parts.append(r"[^/]*")
            at += 1
        elif glob[at] == "?":
            parts.append(r"[^/]")
            at += 1
        else:
            parts.append(re.escape(glob[at]))
            at += 1
    return "".join(parts)
