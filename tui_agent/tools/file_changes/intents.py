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
import json
import os
import time
from collections.abc import Sequence
from pathlib import Path

from tui_agent.nofollow import Folders
from tui_agent.tools.file_changes.intent_notes import FOLDER, Note, locked, noted
from tui_agent.tools.file_changes.intent_steps import (
    Intent,
    MovedError,
    Write,
    hash_of,
    install,
    stage,
    take_back,
    tidy,
)

__all__ = ["MovedError", "StrandedError", "Write", "carry_out", "recover"]


class StrandedError(OSError):
    """A change failed half-way and could not be taken back; the next start tries again."""


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
    intent = Intent.of(writes)
    with Folders() as folders, noted(intent, state) as note:
        try:
            statuses = stage(intent, writes, folders)
            install(intent, writes, folders)
            if note is not None and len(writes) > 1:
                note.settle()
        except BaseException as error:
            _take_back_after(error, intent, note, folders)
            raise
        is_tidy = tidy(intent, folders)
        if note is not None:
            note.is_left = not is_tidy
    return statuses


def recover(state: Path) -> tuple[str, ...]:
    """Finish with what programs that were killed left half done; return what to tell the user, if anything.

    Never raises. Notes of programs that still run are left alone.
    """
    told: list[str] = []
    try:
        notes = sorted((state / FOLDER).iterdir())
    except OSError:
        return ()
    for path in notes:
        if path.suffix in (".json", ".done"):
            with contextlib.suppress(OSError), locked(path) as handle:
                if handle is not None:
                    told.append(_recover_one(path, handle))
    return tuple(filter(None, told))


def _take_back_after(error: BaseException, intent: Intent, note: Note | None, folders: Folders) -> None:
    try:
        left = take_back(intent, folders)
    except OSError as trouble:
        if note is not None:
            note.is_left = True
        raise StrandedError(trouble.errno, f"{error}; and taking it back failed: {trouble}") from error
    if left:
        if note is not None:
            note.is_left = True  # so that the user is told where the old content is
        raise StrandedError(None, f"{error}; something else has changed {', '.join(left)} meanwhile") from error


def _recover_one(path: Path, handle: int) -> str:
    """Finish with one note; return what the user should know, or nothing."""
    try:
        data = json.loads(_read(handle))
    except ValueError:
        path.unlink()  # cut off while it was written: nothing had been touched yet
        return ""
    try:
        intent = Intent.from_json(data)
    except (KeyError, TypeError, ValueError):
        return f"{path} tells of a change that was cut off, in a way that this version cannot read."
    with Folders() as folders:
        return _finish(path, intent, folders)


def _finish(path: Path, intent: Intent, folders: Folders) -> str:
    if path.suffix == ".done":
        if tidy(intent, folders):
            path.unlink()
        return ""
    names = ", ".join(step.target for step in intent.steps)
    change = f"A change from {time.strftime('%Y-%m-%d %H:%M', time.localtime(intent.began))}"
    try:
        was_begun = any(hash_of(folders, step.target) == step.after_hash for step in intent.steps)
        left = take_back(intent, folders, is_recovery=True)
    except OSError as error:
        reason = error.strerror or str(error)
        return f"{change} was cut off and cannot be undone yet ({reason}); the next start tries again. Files: {names}."
    path.unlink()
    kept = [
        step.target + (f" (as it was: {step.kept})" if step.kept else "")
        for step in intent.steps
        if step.target in left
    ]
    if kept:
        return f"{change} was cut off and taken back, except where files have changed since: {', '.join(kept)}."
    if was_begun and len(intent.steps) > 1:
        return f"{change} was cut off half-way; all its files are as they were before: {names}."
    return ""


def _read(handle: int) -> bytes:
    with open(handle, "rb", closefd=False) as file:
        return file.read()
