"""The steps of a change of several files, and the way back from any of them.

New content is staged beside its target and the old file kept under a second name; only then do the new ones take their
places. Nothing here remembers how far it came: `take_back` looks at the disk.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import stat
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from tui_agent.nofollow import Folders, LinkInPath, status
from tui_agent.tools.file_changes import atomic

__all__ = ["Intent", "IntentStep", "MovedError", "Write", "hash_of", "install", "stage", "take_back", "tidy"]

_LOG = logging.getLogger(__name__)
_VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class Write:
    """One file to write.

    `target` is the real path, links resolved. `before_hash` is the hash of what it holds now, empty for a new file.
    """

    target: str
    data: bytes
    before_hash: str
    status: os.stat_result | None = None  # the file as it was when its content was judged; None for a new one


class MovedError(OSError):
    """A file is not the one any more that its change was made for; nothing was written."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} changed meanwhile")
        self.path: Final = path


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentStep:
    """What happens to one file. `kept` is the second name of the old one; empty where taking back needs none."""

    target: str
    temporary: str
    kept: str
    before_hash: str
    after_hash: str

    @property
    def is_new(self) -> bool:
        return not self.before_hash


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """All of a change: its files, and the folders made for them, outermost first."""

    steps: tuple[IntentStep, ...]
    folders: tuple[str, ...] = ()
    began: float = field(default_factory=time.time)
    version: int = _VERSION

    @classmethod
    def of(cls, writes: Sequence[Write]) -> Intent:
        is_single = len(writes) == 1  # taking one name is one step: there is no half-way to come back from
        return cls(
            steps=tuple(
                IntentStep(
                    target=write.target,
                    temporary=atomic.name_beside(write.target, "tmp"),
                    kept="" if is_single or not write.before_hash else atomic.name_beside(write.target, "old"),
                    before_hash=write.before_hash,
                    after_hash=hashlib.sha256(write.data).hexdigest(),
                )
                for write in writes
            ),
            folders=tuple(dict.fromkeys(folder for write in writes for folder in _missing_folders(write.target))),
        )

    @classmethod
    def from_json(cls, data: Any) -> Intent:  # noqa: ANN401 - JSON from the disk, checked here
        if data["version"] != _VERSION:
            raise KeyError("version")
        return cls(
            steps=tuple(IntentStep(**{name: str(value) for name, value in step.items()}) for step in data["steps"]),
            folders=tuple(map(str, data["folders"])),
            began=float(data["began"]),
        )


def stage(intent: Intent, writes: Sequence[Write], folders: Folders) -> list[os.stat_result]:
    """Do all that shows nowhere yet, and may need room on the disk."""
    for folder in intent.folders:
        with contextlib.suppress(FileExistsError):
            folders.make(folder)
    statuses = [
        atomic.stage(folders, step.temporary, write.data, like=None if step.is_new else step.target)
        for step, write in zip(intent.steps, writes, strict=True)
    ]
    for step in intent.steps:
        if step.kept:
            atomic.keep_aside(folders, step.target, step.kept)
    if len(intent.steps) > 1:
        _sync_folders(intent, folders)
    return statuses


def install(intent: Intent, writes: Sequence[Write], folders: Folders) -> None:
    """Let the new files take their places."""
    folders.check()
    for step, write in zip(intent.steps, writes, strict=True):
        if write.status is not None and not _is_still(write.status, step.target, folders):
            raise MovedError(step.target)
        if step.is_new:
            atomic.install_new(folders, step.temporary, step.target)
        else:
            folders.replace(step.temporary, step.target)
    _sync_folders(intent, folders)


def take_back(intent: Intent, folders: Folders, *, is_recovery: bool = False) -> list[str]:
    """Undo whatever was done, from any point on, also when it was begun before; return targets that are somebody else's now.

    `is_recovery` says that it is done for a program that is gone: what is out of reach then counts as somebody else's.

    Raises:
        OSError: something could not be undone.
    """
    left: list[str] = []
    is_single = len(intent.steps) == 1  # once it has its name it is whole, and may long have been worked on
    for step in reversed(intent.steps):
        try:
            is_left = _take_back_one(step, folders, is_single=is_single)
        except LinkInPath as error:  # its folder has been moved away since; nothing is followed
            _LOG.debug("%s is out of reach", step.target, exc_info=error)
            is_left = is_recovery
        if is_left:
            left.append(step.target)
    for folder in reversed(intent.folders):
        with contextlib.suppress(OSError):  # somebody else's files are in it, or it was never made
            folders.remove(folder)
    _sync_folders(intent, folders)
    return left


def _take_back_one(step: IntentStep, folders: Folders, *, is_single: bool) -> bool:
    """Undo what was done for one file; return whether it is somebody else's now."""
    is_left = False
    if step.is_new:
        match _made(step, folders):
            case "placeholder":
                _unlink(step.target, folders)
            case "ours" if not is_single:
                _unlink(step.target, folders)
            case "changed" if not is_single:
                is_left = True
    elif step.kept and _status(step.kept, folders) is not None:
        now = hash_of(folders, step.target)
        if now == step.before_hash or _is_same(step.kept, step.target, folders):  # ours has not taken its place
            _unlink(step.kept, folders)
        elif now in (step.after_hash, ""):
            folders.replace(step.kept, step.target)
        else:
            is_left = True
    _unlink(step.temporary, folders)
    return is_left


def _made(step: IntentStep, folders: Folders) -> Literal["nothing", "placeholder", "ours", "changed"]:
    """Say what this change has put where a new file is to be; what somebody else has put there counts as nothing."""
    there, staged = _status(step.target, folders), _status(step.temporary, folders)
    if there is None:
        return "nothing"
    if staged is None:  # never made; or renamed, where there are no hard links
        return "ours" if hash_of(folders, step.target) == step.after_hash else "nothing"
    if os.path.samestat(there, staged):
        return "ours" if hash_of(folders, step.target) == step.after_hash else "changed"
    is_empty = there.st_size == 0 and staged.st_size > 0
    return "placeholder" if is_empty and there.st_ctime_ns >= staged.st_ctime_ns else "nothing"


def tidy(intent: Intent, folders: Folders) -> bool:
    """Remove what is only left over of a change that counts; return whether all of it is gone."""
    is_tidy = True
    for step in intent.steps:
        for name in filter(None, (step.kept, step.temporary)):
            try:
                _unlink(name, folders)
            except OSError as error:
                _LOG.debug("%s could not be removed", name, exc_info=error)
                is_tidy = False
    return is_tidy


def _sync_folders(intent: Intent, folders: Folders) -> None:
    places = (*(step.target for step in intent.steps), *intent.folders)
    for folder in dict.fromkeys(os.path.dirname(place) for place in places):  # noqa: PTH120
        atomic.sync_folder(folders, folder)


def _missing_folders(target: str) -> list[str]:
    """Return the folders that must be made for a file, outermost first."""
    missing: list[str] = []
    folder = os.path.dirname(target)  # noqa: PTH120
    while True:
        try:
            status(folder)
        except FileNotFoundError:
            missing.append(folder)
            folder = os.path.dirname(folder)  # noqa: PTH120
        except OSError:  # making the first of them says what is wrong
            return missing[::-1]
        else:
            return missing[::-1]


def _status(path: str, folders: Folders) -> os.stat_result | None:
    """Return the status of what is there; None where nothing is.

    Raises:
        OSError: the folder cannot be opened, or is a link by now.
    """
    try:
        return folders.status(path)
    except (FileNotFoundError, NotADirectoryError):
        return None


def _is_same(one: str, other: str, folders: Folders) -> bool:
    first, second = _status(one, folders), _status(other, folders)
    return first is not None and second is not None and os.path.samestat(first, second)


def _is_still(before: os.stat_result, path: str, folders: Folders) -> bool:
    now = _status(path, folders)
    if now is None or not os.path.samestat(before, now):
        return False
    return (before.st_size, before.st_mtime_ns) == (now.st_size, now.st_mtime_ns)


def hash_of(folders: Folders, path: str) -> str:
    """Return the hash of a file's content: empty when there is no such file, `?` for what is no regular file.

    Raises:
        OSError: it cannot be read.
    """
    try:
        found = folders.status(path)
        data = atomic.read(folders, path) if stat.S_ISREG(found.st_mode) else None
    except (FileNotFoundError, NotADirectoryError):
        return ""
    return "?" if data is None else hashlib.sha256(data).hexdigest()


def _unlink(path: str, folders: Folders) -> None:
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        folders.unlink(path)
