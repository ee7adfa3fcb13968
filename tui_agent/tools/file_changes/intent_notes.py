"""The note of a change that is under way: a file in the program's own folder, locked for as long as its program works on it."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import secrets
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Final

from tui_agent.tools.file_changes.intent_steps import Intent

__all__ = ["FOLDER", "Note", "locked", "noted"]

FOLDER: Final = "intents"
_TRIES: Final = 5


class Note:
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
            _sync_folder_of(done)


@contextlib.contextmanager
def noted(intent: Intent, state: Path | None) -> Iterator[Note | None]:
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
    note = Note(path, is_durable=is_durable)
    try:
        yield note
    finally:
        if not note.is_left:
            with contextlib.suppress(OSError):
                os.unlink(note.path)  # noqa: PTH108
        with contextlib.suppress(OSError):
            os.close(handle)


def _write_note(intent: Intent, folder: Path, *, is_durable: bool) -> tuple[str, int]:
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
                    _sync_folder_of(path)
                return path, handle
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(path)  # noqa: PTH108
            os.close(handle)
            raise
        os.close(handle)
    raise OSError(f"no note of the change could be kept in {folder}")


def _sync_folder_of(path: str) -> None:
    with contextlib.suppress(OSError):  # some file systems cannot
        handle = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)  # noqa: PTH120
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextlib.contextmanager
def locked(path: Path) -> Iterator[int | None]:
    """Open a note that nobody holds; None where somebody does, or where it is gone."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        is_there = path.exists() and os.path.samestat(os.fstat(handle), path.stat())
        yield handle if is_there else None
    finally:
        os.close(handle)
