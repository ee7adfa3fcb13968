"""Changes of several files made whole or not at all, whatever happens: a full disk, a killed program, a lost machine.

Before anything is touched, a note of what is going to happen (an *intent*) is written to the program's own folder. Then every
new content is staged beside its target, every old file is kept under a second name, and only then do the new ones take their
places. Renaming the note from `.json` to `.done` is the moment from which the change counts. What goes wrong before is
taken back at once; a program that was killed leaves its note, and the next start takes back what it says (`recover`), or
only tidies up where the change counts already. Kept files return as the very files they were, with mode and times.

A running program holds a lock on its note, so that another one's start leaves it alone; the lock dies with the program.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import logging
import os
import secrets
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from tui_agent.tools import atomic

__all__ = ["StrandedError", "Write", "carry_out", "recover"]

FOLDER: Final = "intents"
_LOG = logging.getLogger(__name__)
_TRIES: Final = 5
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


class StrandedError(OSError):
    """A change failed half-way and could not be taken back; the next start tries again."""


class MovedError(OSError):
    """A file is not the one any more that its change was made for; nothing was written."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} changed meanwhile")
        self.path: Final = path


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
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
class _Intent:
    """All of a change: its files, and the folders made for them, outermost first."""

    steps: tuple[_Step, ...]
    folders: tuple[str, ...] = ()
    began: float = field(default_factory=time.time)
    version: int = _VERSION

    @classmethod
    def of(cls, writes: Sequence[Write]) -> _Intent:
        is_single = len(writes) == 1  # taking one name is one step: there is no half-way to come back from
        return cls(
            steps=tuple(
                _Step(
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
    def from_json(cls, data: Any) -> _Intent:  # noqa: ANN401 - JSON from the disk, checked here
        if data["version"] != _VERSION:
            raise KeyError("version")
        return cls(
            steps=tuple(_Step(**{name: str(value) for name, value in step.items()}) for step in data["steps"]),
            folders=tuple(map(str, data["folders"])),
            began=float(data["began"]),
        )


def carry_out(writes: Sequence[Write], state: Path | None) -> list[os.stat_result]:
    """Write all files or none, and return the status of each as written; blocks.

    `state` is the program's own folder. Without one, a program that is killed half-way leaves what there is; every other
    failure is taken back all the same.

    Raises:
        FileExistsError: a new file's name is taken.
        MovedError: an existing file is not the one any more that `Write.status` describes.
        StrandedError: it failed, and taking it back failed too.
        OSError: it failed; everything is as it was.
    """
    intent = _Intent.of(writes)
    with _noted(intent, state) as note:
        try:
            statuses = _stage(intent, writes)
            _install(intent, writes)
            if note is not None and len(writes) > 1:
                note.settle()
        except BaseException as error:
            _take_back_after(error, intent, note)
            raise
        is_tidy = _tidy(intent)
        if note is not None:
            note.is_left = not is_tidy
    return statuses


def recover(state: Path) -> tuple[str, ...]:
    """Finish with what programs that were killed left half done; return what to tell the person, if anything.

    Never raises. Notes of programs that still run are left alone.
    """
    told: list[str] = []
    try:
        notes = sorted((state / FOLDER).iterdir())
    except OSError:
        return ()
    for path in notes:
        if path.suffix in (".json", ".done"):
            with contextlib.suppress(OSError), _locked(path) as handle:
                if handle is not None:
                    told.append(_recover_one(path, handle))
    return tuple(filter(None, told))


# --- the change itself ----------------------------------------------------------------------------------------------


def _stage(intent: _Intent, writes: Sequence[Write]) -> list[os.stat_result]:
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


def _install(intent: _Intent, writes: Sequence[Write]) -> None:
    """Let the new files take their places."""
    for step, write in zip(intent.steps, writes, strict=True):
        if write.status is not None and not _is_still(write.status, step.target):
            raise MovedError(step.target)
        if step.is_new:
            atomic.install_new(step.temporary, step.target)
        else:
            os.replace(step.temporary, step.target)  # noqa: PTH105
    _sync_folders(intent)


def _take_back_after(error: BaseException, intent: _Intent, note: _Note | None) -> None:
    try:
        left = _take_back(intent)
    except OSError as trouble:
        if note is not None:
            note.is_left = True
        raise StrandedError(trouble.errno, f"{error}; and taking it back failed: {trouble}") from error
    if left:
        if note is not None:
            note.is_left = True  # so that the person is told where the old content is
        raise StrandedError(None, f"{error}; somebody else has changed {', '.join(left)} meanwhile") from error


def _take_back(intent: _Intent) -> list[str]:
    """Undo whatever was done, from any point on, also when it was begun before; return targets that are somebody else's now.

    Raises:
        OSError: something could not be undone.
    """
    left: list[str] = []
    for step in reversed(intent.steps):
        if step.is_new:
            if _is_ours(step):
                _unlink(step.target)
        elif step.kept and os.path.lexists(step.kept):
            now = _hash_of(step.target)
            if now == step.before_hash:
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


def _is_ours(step: _Step) -> bool:
    """Whether a new file's name is held by what this change put there."""
    try:
        there = os.lstat(step.target)
    except OSError:
        return False
    try:
        staged = os.lstat(step.temporary)
    except OSError:
        return _hash_of(step.target) == step.after_hash  # where there are no hard links it was renamed
    is_placeholder = there.st_size == 0 and staged.st_size > 0 and there.st_ctime_ns >= staged.st_ctime_ns
    return os.path.samestat(there, staged) or is_placeholder


def _tidy(intent: _Intent) -> bool:
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


def _sync_folders(intent: _Intent) -> None:
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


def _is_still(before: os.stat_result, path: str) -> bool:
    try:
        now = os.stat(path)  # noqa: PTH116
    except FileNotFoundError:
        return False
    return os.path.samestat(before, now) and (before.st_size, before.st_mtime_ns) == (now.st_size, now.st_mtime_ns)


def _hash_of(path: str) -> str:
    """Return the hash of a file's content; empty when there is no such file."""
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except FileNotFoundError:
        return ""


def _unlink(path: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)  # noqa: PTH108


# --- the note -------------------------------------------------------------------------------------------------------


class _Note:
    """The note of a change that is under way, held open and locked."""

    def __init__(self, path: str, *, is_durable: bool) -> None:
        self.path = path
        self.is_left = False  # for the next start, which has something to do
        self._is_durable = is_durable

    def settle(self) -> None:
        """Let the change count."""
        done = os.path.splitext(self.path)[0] + ".done"  # noqa: PTH122
        os.rename(self.path, done)  # noqa: PTH104
        self.path = done
        if self._is_durable:
            atomic.sync_folder(done)


@contextlib.contextmanager
def _noted(intent: _Intent, state: Path | None) -> Iterator[_Note | None]:
    """Keep a note of a change until it is over. A change of one file goes ahead without where it cannot be written."""
    is_durable = len(intent.steps) > 1  # one file is whole in any case; its note only tells what to tidy up
    try:
        found = None if state is None else _write_note(intent, state / FOLDER, is_durable=is_durable)
    except OSError:
        if is_durable:
            raise
        found = None
    if found is None:
        yield None
        return
    path, handle = found
    note = _Note(path, is_durable=is_durable)
    try:
        yield note
    finally:
        if not note.is_left:
            with contextlib.suppress(OSError):
                os.unlink(note.path)  # noqa: PTH108
        os.close(handle)


def _write_note(intent: _Intent, folder: Path, *, is_durable: bool) -> tuple[str, int]:
    """Write and lock a note; return its path and its open file."""
    if not folder.is_dir():
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    text = json.dumps(asdict(intent)).encode()  # odd bytes of names travel as lone surrogates, escaped
    for _ in range(_TRIES):
        path = os.path.join(folder, f"{secrets.token_hex(8)}.json")  # noqa: PTH118
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:  # another program's start looks at it at this very moment, and throws it away as it is empty
            os.close(handle)
            continue
        try:
            if os.fstat(handle).st_nlink:
                rest = memoryview(text)
                while rest:
                    rest = rest[os.write(handle, rest) :]
                if is_durable:
                    os.fsync(handle)
                    atomic.sync_folder(path)
                return path, handle
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(path)  # noqa: PTH108
            os.close(handle)
            raise
        os.close(handle)
    raise OSError(f"no note of the change could be kept in {folder}")


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[int | None]:
    """Open a note that nobody holds; None where somebody does, or where it is gone."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        is_there = path.exists() and os.path.samestat(os.fstat(handle), path.stat())
        yield handle if is_there else None
    finally:
        os.close(handle)


def _recover_one(path: Path, handle: int) -> str:
    """Finish with one note; return what the person should know, or nothing."""
    try:
        data = json.loads(_read(handle))
    except ValueError:
        path.unlink()  # cut off while it was written: nothing had been touched yet
        return ""
    try:
        intent = _Intent.from_json(data)
    except (KeyError, TypeError, ValueError):
        return f"{path} tells of a change that was cut off, in a way that this version cannot read."
    if path.suffix == ".done":
        if _tidy(intent):
            path.unlink()
        return ""
    names = ", ".join(step.target for step in intent.steps)
    change = f"A change from {time.strftime('%H:%M', time.localtime(intent.began))}"
    try:
        was_begun = any(_hash_of(step.target) == step.after_hash for step in intent.steps)
        left = _take_back(intent)
    except OSError as error:
        reason = error.strerror or str(error)
        return (
            f"{change} was cut off and cannot be taken back yet ({reason}); the next start tries again. Files: {names}."
        )
    path.unlink()
    if kept := [f"{step.target} (as it was: {step.kept})" for step in intent.steps if step.target in left]:
        return f"{change} was cut off and taken back, except where somebody has changed files since: {', '.join(kept)}."
    if was_begun and len(intent.steps) > 1:
        return f"{change} was cut off half-way; all its files are as they were before: {names}."
    return ""


def _read(handle: int) -> bytes:
    with open(handle, "rb", closefd=False) as file:
        return file.read()
