"""The steps of a change of several files, and the way back from any of them.

New content is staged beside its target and the old file kept under a second name; only then do the new ones take their
places. Nothing here remembers how far it came: `take_back` looks at the disk.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from tui_agent.tools.changing import atomic

__all__ = ["Intent", "MovedError", "Step", "Write", "hash_of", "install", "stage", "take_back", "tidy"]

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
class Step:
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

    steps: tuple[Step, ...]
    folders: tuple[str, ...] = ()
    began: float = field(default_factory=time.time)
    version: int = _VERSION

    @classmethod
    def of(cls, writes: Sequence[Write]) -> Intent:
        is_single = len(writes) == 1  # taking one name is one step: there is no half-way to come back from
        return cls(
            steps=tuple(
                Step(
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
            steps=tuple(Step(**{name: str(value) for name, value in step.items()}) for step in data["steps"]),
            folders=tuple(map(str, data["folders"])),
            began=float(data["began"]),
        )


def stage(intent: Intent, writes: Sequence[Write]) -> list[os.stat_result]:
    """Do all that shows nowhere yet, and may need room on the disk."""
    for folder in intent.folders:
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder)  # noqa: PTH102 - plain calls throughout: what happens on the disk is the point here
    statuses = [
        atomic.stage(step.temporary, write.data, like=None if step.is_new else step.target)
        for step, write in zip(intent.steps, writes, strict=True)
    ]
    for step in intent.steps:
        if step.kept:
            atomic.keep_aside(step.target, step.kept)
    if len(intent.steps) > 1:
        _sync_folders(intent)
    return statuses


def install(intent: Intent, writes: Sequence[Write]) -> None:
    """Let the new files take their places."""
    for step, write in zip(intent.steps, writes, strict=True):
        if write.status is not None and not _is_still(write.status, step.target):
            raise MovedError(step.target)
        if step.is_new:
            atomic.install_new(step.temporary, step.target)
        else:
            os.replace(step.temporary, step.target)  # noqa: PTH105
    _sync_folders(intent)


def take_back(intent: Intent) -> list[str]:
    """Undo whatever was done, from any point on, also when it was begun before; return targets that are somebody else's now.

    Raises:
        OSError: something could not be undone.
    """
    left: list[str] = []
    is_single = len(intent.steps) == 1  # once it has its name it is whole, and may long have been worked on
    for step in reversed(intent.steps):
        if step.is_new:
            match _made(step):
                case "placeholder":
                    _unlink(step.target)
                case "ours" if not is_single:
                    _unlink(step.target)
                case "changed" if not is_single:
                    left.append(step.target)
        elif step.kept and os.path.lexists(step.kept):
            now = hash_of(step.target)
            if now == step.before_hash or _is_same(step.kept, step.target):  # ours has not taken its place
                _unlink(step.kept)
            elif now in (step.after_hash, ""):
                os.replace(step.kept, step.target)  # noqa: PTH105
            else:
                left.append(step.target)
        _unlink(step.temporary)
    for folder in reversed(intent.folders):
        with contextlib.suppress(OSError):  # somebody else's files are in it, or it was never made
            os.rmdir(folder)  # noqa: PTH106
    _sync_folders(intent)
    return left


def _made(step: Step) -> Literal["nothing", "placeholder", "ours", "changed"]:
    """Say what this change has put where a new file is to be; what somebody else has put there counts as nothing."""
    try:
        there = os.lstat(step.target)
    except OSError:
        return "nothing"
    try:
        staged = os.lstat(step.temporary)
    except OSError:  # never made; or renamed, where there are no hard links
        return "ours" if hash_of(step.target) == step.after_hash else "nothing"
    if os.path.samestat(there, staged):
        return "ours" if hash_of(step.target) == step.after_hash else "changed"
    is_empty = there.st_size == 0 and staged.st_size > 0
    return "placeholder" if is_empty and there.st_ctime_ns >= staged.st_ctime_ns else "nothing"


def tidy(intent: Intent) -> bool:
    """Remove what is only left over of a change that counts; return whether all of it is gone."""
    is_tidy = True
    for step in intent.steps:
        for name in filter(None, (step.kept, step.temporary)):
            try:
                _unlink(name)
            except OSError as error:
                _LOG.debug("%s could not be removed", name, exc_info=error)
                is_tidy = False
    return is_tidy


def _sync_folders(intent: Intent) -> None:
    places = (*(step.target for step in intent.steps), *intent.folders)
    for folder in dict.fromkeys(os.path.dirname(place) for place in places):  # noqa: PTH120
        atomic.sync_folder(os.path.join(folder, ""))  # noqa: PTH118


def _missing_folders(target: str) -> list[str]:
    """Return the folders that must be made for a file, outermost first."""
    missing: list[str] = []
    folder = os.path.dirname(target)  # noqa: PTH120
    while folder and not os.path.lexists(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)  # noqa: PTH120
    return missing[::-1]


def _is_same(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other)  # noqa: PTH121
    except FileNotFoundError:
        return False


def _is_still(before: os.stat_result, path: str) -> bool:
    try:
        now = os.stat(path)  # noqa: PTH116
    except FileNotFoundError:
        return False
    return os.path.samestat(before, now) and (before.st_size, before.st_mtime_ns) == (now.st_size, now.st_mtime_ns)


def hash_of(path: str) -> str:
    """Return the hash of a file's content; empty when there is no such file."""
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except FileNotFoundError:
        return ""


def _unlink(path: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)  # noqa: PTH108
