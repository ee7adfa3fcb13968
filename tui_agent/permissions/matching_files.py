"""The files in some folders that match, found by looking, so that a sandbox can treat each of them by its place.

Looking costs a look at each folder: what was found in one is kept until the folder changes. Links are found, not followed.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from tui_agent.permissions.path_context import PathContext
from tui_agent.permissions.paths import PathPattern, segment_regex
from tui_agent.permissions.secret_files import is_secret_file

__all__ = ["FileMatcher", "MatchingFiles", "PatternMatcher", "SecretMatcher", "TooManyFilesError"]

_MOST_FOLDERS: Final = 25_000  # at some microseconds each, every time
_MOST_ENTRIES: Final = 500_000
_MOST_MATCHES: Final = 400
_MOST_S: Final = 3.0  # of one look; what was found in that time is kept for the next one
_YOUNG_NS: Final = 100_000_000  # a folder that changed so shortly before it was read may change again in the same tick
_OTHERS: Final = frozenset({"node_modules", "site-packages"})
_LEADING_STARS: Final = re.compile(r"(?:\*\*+/)+")


class TooManyFilesError(Exception):
    """There is more to look at, or more that matches, than can be held; the text says of what. `found` matches so far."""

    def __init__(self, text: str, found: tuple[str, ...] = ()) -> None:
        super().__init__(text)
        self.found = found


class FileMatcher(Protocol):
    """What is looked for."""

    @property
    def key(self) -> Hashable:
        """What was found stays valid as long as this is equal."""
        ...

    def matches(self, path: str, name: str) -> bool:
        """Whether what lies at a real path is looked for; nothing above it is."""
        ...

    def skips(self, path: str, name: str) -> bool:
        """Whether a folder needs no look."""
        ...


@dataclass(frozen=True, slots=True)
class _Folder:
    """What was found in one folder: when it last changed, the folders in it, what matches."""

    mtime_ns: int
    inode: int
    read_ns: int
    entries: int
    folders: tuple[str, ...]
    matches: tuple[str, ...]

    def is_still(self, found: os.stat_result) -> bool:
        is_same = (found.st_mtime_ns, found.st_ino) == (self.mtime_ns, self.inode)
        return is_same and self.read_ns - self.mtime_ns > _YOUNG_NS


class MatchingFiles:
    """Finds what matches below folders. One for each kind of matcher; may be used from several threads.

    `most_matches` and `most_s` bound one look, the latter in seconds.
    """

    def __init__(self, *, most_matches: int | None = None, most_s: float = _MOST_S) -> None:
        self._most_matches = most_matches
        self._most_s = most_s
        self._lock = threading.Lock()
        self._known: dict[str, _Folder] = {}
        self._key: Hashable = None

    def find(self, matcher: FileMatcher, folders: Iterable[str]) -> tuple[str, ...]:
        """Return the real paths of what matches in `folders`, which are real paths; of a folder that does, only itself.

        Blocks: for microseconds per folder, for much longer the first time.

        Raises:
            TooManyFilesError: see the class.
        """
        with self._lock:
            if matcher.key != self._key:
                self._key, self._known = matcher.key, {}
            found: dict[str, _Folder] = {}
            try:
                matches = self._walk(matcher, tuple(folders), found)
            except TooManyFilesError:
                self._known.update(found)
                raise
            self._known = found
            return matches

    def _walk(self, matcher: FileMatcher, roots: tuple[str, ...], found: dict[str, _Folder]) -> tuple[str, ...]:
        deadline = time.monotonic() + self._most_s
        most = _MOST_MATCHES if self._most_matches is None else self._most_matches
        matches = [root for root in roots if matcher.matches(root, os.path.basename(root))]  # noqa: PTH119
        waiting = [root for root in roots if root not in matches]
        entries = 0
        while waiting:
            path = waiting.pop()
            folder = None if path in found else self._scan(path, matcher)
            if folder is None:
                continue
            found[path] = folder
            entries += folder.entries
            matches += folder.matches
            waiting += folder.folders
            if len(found) > _MOST_FOLDERS or entries > _MOST_ENTRIES or time.monotonic() > deadline:
                raise TooManyFilesError("the working folders hold too many files to look through", tuple(matches))
            if len(matches) > most:
                raise TooManyFilesError(
                    f"there are more than {most} of them in the working folders", tuple(matches[:most])
                )
        return tuple(matches)

    def _scan(self, path: str, matcher: FileMatcher) -> _Folder | None:
        folders: list[str] = []
        matches: list[str] = []
        entries = 0
        try:
            found = os.stat(path, follow_symlinks=False)  # noqa: PTH116
            before = self._known.get(path)
            if before is not None and before.is_still(found):
                return before
            now = time.time_ns()
            with os.scandir(path) as inside:
                for entry in inside:
                    entries += 1
                    if matcher.matches(entry.path, entry.name):
                        matches.append(entry.path)
                    elif entry.is_dir(follow_symlinks=False) and not matcher.skips(path, entry.name):
                        folders.append(entry.path)
                    if entries > _MOST_ENTRIES:
                        raise TooManyFilesError("the working folders hold too many files to look through")
        except OSError:
            return None  # what cannot be looked at from here cannot be from the sandbox
        return _Folder(found.st_mtime_ns, found.st_ino, now, entries, tuple(folders), tuple(matches))


class SecretMatcher:
    """Files that are there to hold secrets. Copies of other people's programs come with such, which are no secrets."""

    key: Hashable = None

    def matches(self, path: str, name: str) -> bool:  # noqa: ARG002 - see `FileMatcher`
        """See `FileMatcher`. A folder may be called so as well."""
        return is_secret_file(path) and not os.path.isdir(path)  # noqa: PTH112

    def skips(self, path: str, name: str) -> bool:
        """See `FileMatcher`."""
        return name in _OTHERS or (name == "objects" and path.endswith("/.git"))


class PatternMatcher:
    """What the patterns of rules match. Most are about names alone, wherever they occur; others about whole paths."""

    def __init__(self, patterns: Sequence[PathPattern], where: PathContext) -> None:
        self._key = tuple(patterns), where.cwd, where.home, where.is_case_blind
        flags = re.DOTALL | (re.IGNORECASE if where.is_case_blind else 0)
        self._paths: list[tuple[str, re.Pattern[str]]] = []
        by_base: dict[str, list[str]] = {}
        for pattern in patterns:
            base = where.resolve(pattern.start(where)).rstrip("/") + "/"
            name = _name_of(pattern)
            if name is not None:
                by_base.setdefault(base, []).append(segment_regex(name))
            else:
                self._paths.append((base, re.compile(pattern.regex.pattern, flags)))
        self._names = [
            (base, re.compile("|".join(f"(?:{one})" for one in names), flags)) for base, names in by_base.items()
        ]

    @property
    def key(self) -> Hashable:
        """See `FileMatcher`."""
        return self._key

    def matches(self, path: str, name: str) -> bool:
        """See `FileMatcher`."""
        for base, regex in self._names:
            if regex.fullmatch(name) and path.startswith(base):
                return True
        return any(path.startswith(base) and regex.fullmatch(path[len(base) :]) for base, regex in self._paths)

    def skips(self, path: str, name: str) -> bool:
        """See `FileMatcher`. The names of git's objects are its own."""
        return name == "objects" and path.endswith("/.git")


def _name_of(pattern: PathPattern) -> str | None:
    """Return the name that a pattern is about, wherever below its anchor that is; None where it is about more."""
    if pattern.ups:
        return None
    rest = pattern.rest
    stars = _LEADING_STARS.match(rest)
    is_loose = stars is not None or (pattern.anchor == "cwd" and not pattern.is_allow)
    rest = (rest[stars.end() :] if stars else rest).removesuffix("/**").rstrip("/")
    return rest if is_loose and rest and rest != "**" and not any(sign in rest for sign in "/{") else None
