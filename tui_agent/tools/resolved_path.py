"""Where paths lead, found out once for each use of a tool: what permissions judge is what the tool opens.

Between the judgement and the use of a path a folder in it may be exchanged for a link, by the model's own commands or by a
program of the repository. So a path is resolved at the first look of a tool use at it. Rules are applied to where it led then,
and everything that the use opens is opened there, through no link that has come since.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Final

from tui_agent import nofollow

__all__ = ["MovedPath", "ResolvedPath", "ResolvedPaths", "resolve"]


class MovedPath(OSError):  # noqa: N818 - what happened to the path, no fault of the program
    """A path does not lead where it led when it was judged. `reason` says so in a sentence without its full stop."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason: Final = reason


@dataclass(frozen=True, slots=True)
class ResolvedPath:
    """An absolute path and where it led, links resolved, when it was first looked at.

    `is_link` says that its last name was a link itself. `anchor` is the nearest folder on the way to `real` that was there,
    and `anchor_id` its device and number; None where it could not be looked at, or where links lead in a circle. `file_id` is
    the same of the regular file that was there, if one was, and `has_several_names` says that this has others.
    """

    path: str
    real: str
    is_link: bool
    anchor: str
    anchor_id: tuple[int, int] | None
    file_id: tuple[int, int] | None = None
    has_several_names: bool = False

    @contextmanager
    def held(self) -> Iterator[tuple[int, str]]:
        """Hold the folder open that the path led into, and yield its descriptor and the name in it.

        The name may have become a link: open it with `O_NOFOLLOW`.

        Raises:
            MovedPath: the path leads elsewhere now.
            OSError: there is no such folder.
        """
        folder, _, name = self.real.rpartition("/")
        folder = folder or "/"
        try:
            handle = nofollow.open_folder(folder)
        except nofollow.LinkInPath as error:
            raise self.problem() from error
        try:
            if folder != self.anchor:
                self.check()
            elif self.anchor_id is not None:
                found = os.fstat(handle)
                if (found.st_dev, found.st_ino) != self.anchor_id:
                    raise self.problem()
            yield handle, name or "."
        finally:
            with suppress(OSError):
                os.close(handle)

    def open(self, flags: int) -> int:
        """Do what `os.open` does, at the place that the path led to.

        Raises:
            MovedPath: it leads elsewhere now.
            OSError: as from `os.open`.
        """
        with self.held() as (folder, name):
            try:
                handle = os.open(name, flags | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
            except OSError as error:
                if error.errno in (errno.ELOOP, errno.EMLINK):
                    raise self.problem() from error
                raise
        try:
            found = os.fstat(handle)
            # Rules were asked about all names of the file that was there.
            is_shared = stat.S_ISREG(found.st_mode) and found.st_nlink > 1
            if is_shared and (found.st_dev, found.st_ino) != self.file_id:
                raise MovedPath(f"{self.real} is another file now, which has other names too")
        except BaseException:
            os.close(handle)
            raise
        return handle

    def status(self) -> os.stat_result:
        """Return the status of what is at the place that the path led to.

        Raises:
            MovedPath: it leads elsewhere now.
            OSError: there is nothing.
        """
        with self.held() as (folder, name):
            found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if stat.S_ISLNK(found.st_mode):
            raise self.problem()
        return found

    def check(self) -> None:
        """Check that the path leads where it led.

        Raises:
            MovedPath: it does not.
        """
        if self.anchor_id is None:
            return
        try:
            is_same = nofollow.identity(self.anchor) == self.anchor_id
        except OSError as error:
            raise self.problem() from error
        if not is_same:
            raise self.problem()

    def problem(self) -> OSError:
        """Return an error that says what has become of the path: a `MovedPath`, unless it led nowhere from the beginning."""
        if self.anchor_id is None:
            return OSError(errno.ELOOP, os.strerror(errno.ELOOP), self.path)
        at = ""
        for name in self.real.split("/")[1:]:
            at += f"/{name}"
            try:
                target = os.readlink(at)  # noqa: PTH115
            except OSError:
                continue
            return MovedPath(f"{at} is now a link to {target}; {self._what_was(at)} when this was judged")
        if not os.path.lexists(self.anchor):
            return MovedPath(f"{self.anchor} is gone; it was a folder when this was judged")
        return MovedPath(f"{self.anchor} is no longer the folder that it was when this was judged")

    def _what_was(self, at: str) -> str:
        if self.anchor == at or self.anchor.startswith(f"{at}/"):
            return "it was a folder"
        return "it was none" if at == self.real else "it was not there"


def resolve(path: str) -> ResolvedPath:
    """Look where an absolute path leads. Blocks; never raises."""
    try:
        folder, name = os.path.split(path)
        real = os.path.join(os.path.realpath(folder), name).rstrip("/") or "/"  # noqa: PTH118
        is_link = os.path.islink(real)  # noqa: PTH114
        real = os.path.realpath(real) if is_link else real
    except ValueError:  # no file can be called that
        return ResolvedPath(path, path, is_link=False, anchor="/", anchor_id=None)
    if is_link and os.path.islink(real):  # noqa: PTH114
        return ResolvedPath(path, real, is_link, "/", None)
    file_id, has_several = _file_at(real)
    anchor = os.path.dirname(real)  # noqa: PTH120
    while True:
        try:
            return ResolvedPath(path, real, is_link, anchor, nofollow.identity(anchor), file_id, has_several)
        except (FileNotFoundError, NotADirectoryError):
            anchor = os.path.dirname(anchor)  # noqa: PTH120
        except OSError:
            return ResolvedPath(path, real, is_link, anchor, None)


def _file_at(real: str) -> tuple[tuple[int, int] | None, bool]:
    """Return what tells the regular file at a path from others, None where there is none; and whether it has more names."""
    try:
        found = os.lstat(real)
    except (OSError, ValueError):
        return None, False
    return ((found.st_dev, found.st_ino), found.st_nlink > 1) if stat.S_ISREG(found.st_mode) else (None, False)


class ResolvedPaths:
    """The paths of one tool use, each as it was at the first look at it."""

    def __init__(self) -> None:
        self._known: dict[str, ResolvedPath] = {}

    def __getitem__(self, path: str) -> ResolvedPath:
        """Return where an absolute path led at the first look at it. Blocks at the first."""
        known = self._known.get(path)
        return known if known is not None else self._known.setdefault(path, resolve(path))

    @property
    def reals(self) -> dict[str, str]:
        """Where each path led that was looked at so far."""
        return {path: found.real for path, found in self._known.items()}

    @property
    def files(self) -> dict[str, tuple[int, int] | None]:
        """What tells a file with several names from others, by the real path that it was found at; None for all else."""
        return {one.real: one.file_id if one.has_several_names else None for one in self._known.values()}
