"""Where sessions are kept on disk, and how one is found again.

`<state>/sessions/<folder>/<session id>/journal.jsonl`, where `<folder>` is the start directory with every character that is not
a letter or digit as `-`, and a short hash so that two directories never share one. Large tool results lie beside the
journal in `results/`.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tui_agent.private_folders import make_private
from tui_agent.regular_files import open_regular, read_regular
from tui_agent.text import clean_line

__all__ = [
    "SessionFolder",
    "SessionInfo",
    "delete_session",
    "find_session",
    "list_sessions",
    "newest_session",
    "rename_session",
    "session_info",
]

JOURNAL = "journal.jsonl"
_TITLE = "title.txt"
_LONGEST_NAME = 80
_LONGEST_TITLE = 200
_ANSWERS = frozenset(
    {"text_delta", "tool_use_started", "assistant_message_completed"}
)  # after which no message goes back


@dataclass(frozen=True, slots=True)
class SessionFolder:
    """The folder of one session. Nothing is made on disk before `create`."""

    path: Path

    @classmethod
    def new(cls, state: Path, cwd: Path) -> SessionFolder:
        """Name a folder for a new session started in `cwd`."""
        return cls(_folder_of(state, cwd) / str(uuid.uuid4()))

    @property
    def id(self) -> str:
        """The session's id."""
        return self.path.name

    @property
    def journal(self) -> Path:
        """The file of events."""
        return self.path / JOURNAL

    @property
    def results(self) -> Path:
        """Where results too large for the conversation are kept whole."""
        return self.path / "results"

    @property
    def versions(self) -> Path:
        """Where it is kept what files held before the session changed them, and as it left them."""
        return self.path / "versions"

    @property
    def title(self) -> str:
        """What the user called the session; empty where they did not."""
        try:
            text = read_regular(self.path / _TITLE, 4 * _LONGEST_TITLE)
        except OSError:
            return ""
        return clean_line(text.decode("utf-8", "replace"), _LONGEST_TITLE)

    def create(self) -> None:
        """Make the folder, readable by its owner alone.

        Raises:
            OSError: it cannot be made.
        """
        make_private(self.path)


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """What a list of sessions shows. `started` and `changed` are seconds since the epoch."""

    folder: SessionFolder
    cwd: str
    started: float
    changed: float
    first_message: str
    title: str = ""

    @property
    def id(self) -> str:
        """The session's id."""
        return self.folder.id


def list_sessions(state: Path, cwd: Path | None = None) -> list[SessionInfo]:
    """Return recorded sessions, newest first: those started in `cwd`, or all. What cannot be read is left out."""
    root = state / "sessions"
    parents = [_folder_of(state, cwd)] if cwd is not None else _children(root)
    found = [info for parent in parents for folder in _children(parent) if (info := _describe(SessionFolder(folder)))]
    return sorted(found, key=lambda info: info.changed, reverse=True)


def session_info(folder: SessionFolder) -> SessionInfo | None:
    """Return what a list says of one session; None where it cannot be read."""
    return _describe(folder)


def newest_session(state: Path, cwd: Path) -> SessionFolder | None:
    """Return the session of this directory that was written to last."""
    found = list_sessions(state, cwd)
    return found[0].folder if found else None


def find_session(state: Path, session_id: str) -> SessionFolder | None:
    """Return the session with this id, or the only one whose id begins with it, or the newest with this title."""
    return _by_id(state, session_id) or _by_title(state, session_id)


def _by_id(state: Path, session_id: str) -> SessionFolder | None:
    if not re.fullmatch(r"[0-9A-Za-z-]{4,64}", session_id):
        return None
    parents = _children(state / "sessions")
    # An exact one needs no look at all the others: a list asks for each of its sessions.
    exact = [folder for parent in parents if ((folder := parent / session_id) / JOURNAL).is_file()]
    chosen = exact or [
        folder
        for parent in parents
        for folder in _children(parent)
        if folder.name.startswith(session_id) and (folder / JOURNAL).is_file()
    ]
    return SessionFolder(chosen[0]) if len(chosen) == 1 else None


def _by_title(state: Path, title: str) -> SessionFolder | None:
    wanted = clean_line(title, _LONGEST_TITLE).lower()
    if not wanted:
        return None
    folders = (SessionFolder(folder) for parent in _children(state / "sessions") for folder in _children(parent))
    found = [info for folder in folders if folder.title.lower() == wanted and (info := _describe(folder))]
    return max(found, key=lambda info: info.changed).folder if found else None


def rename_session(folder: SessionFolder, title: str) -> str:
    """Keep what the user calls a session, and return it as it is kept; an empty title takes it away.

    Raises:
        OSError: it cannot be written.
    """
    title, file = clean_line(title, _LONGEST_TITLE), folder.path / _TITLE
    if not title:
        file.unlink(missing_ok=True)
        return ""
    handle, name = tempfile.mkstemp(dir=folder.path, prefix=".title-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as out:
            out.write(title + "\n")
        Path(name).replace(file)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return title


def delete_session(folder: SessionFolder) -> None:
    """Delete a session with all that is kept of it.

    Raises:
        OSError: it cannot be deleted.
        BlockingIOError: it is open, here or in another window.
    """
    with os.fdopen(open_regular(folder.journal, follow_links=True), "rb") as journal:
        fcntl.flock(journal, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder.path)


def _folder_of(state: Path, cwd: Path) -> Path:
    text = os.path.realpath(cwd)
    name = re.sub(r"[^A-Za-z0-9]", "-", text)[-_LONGEST_NAME:]
    digest = hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:8]
    return state / "sessions" / f"{name}-{digest}"


def _children(folder: Path) -> list[Path]:
    try:
        return [child for child in folder.iterdir() if child.is_dir()]
    except OSError:
        return []


def _describe(folder: SessionFolder) -> SessionInfo | None:
    try:
        changed = folder.journal.stat().st_mtime
        cwd, started, first = "", 0.0, ""
        for event in _head(folder.journal):
            if event.get("type") == "session_started" and not cwd:
                cwd, started = str(event.get("cwd", "")), float(event.get("time", 0.0))
            elif event.get("agent_id"):
                continue
            elif event.get("type") == "user_message_sent":
                first = first or str(event.get("text", ""))
            elif event.get("type") == "message_withdrawn":
                first = ""
            elif first and event.get("type") in _ANSWERS:
                break
    except (OSError, ValueError, TypeError):
        return None
    return SessionInfo(folder, cwd, started, changed, first, folder.title) if cwd else None


def _head(path: Path, most: int = 50) -> Iterator[dict[str, Any]]:
    """Yield the first events as plain data, far enough to know what the session is about."""
    with os.fdopen(open_regular(path, follow_links=True), encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines):
            if number >= most or not line.endswith("\n"):
                return
            data = json.loads(line)
            if isinstance(data, dict):
                yield data
