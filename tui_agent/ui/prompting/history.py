"""What was typed before: a file of JSON lines that several running programs may add to at once.

Each entry is one line, written by one `write` to a file opened for appending, so that concurrent sessions neither lose nor mix
entries; what another session adds is seen at the next start. A line that is not JSON is passed over.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tui_agent.private_folders import make_private
from tui_agent.regular_files import open_regular

__all__ = ["MOST_REMEMBERED", "HistoryEntry", "PromptHistory"]

_READ_BYTES: Final = 512 * 1024  # of the end of the file: years of prompts
MOST_REMEMBERED: Final = 100_000  # characters; a longer entry is a document and stays out
_CHUNK: Final = 2000  # lines that are read at a go, between which other threads have their turn


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One prompt, when it was sent (seconds since the epoch, 0 where nobody knows), in which folder, and if in this run."""

    text: str
    time: float = 0.0
    folder: str = ""
    is_own: bool = False


class PromptHistory:
    """Earlier prompts, and a place among them. `path` None keeps them for this run only.

    Going back shows those of `folder` first, newest to oldest, then those of other folders.
    """

    def __init__(self, path: Path | None, *, folder: str | None = None, clock: Callable[[], float] = time.time) -> None:
        self.folder: Final = str(Path.cwd()) if folder is None else folder
        self.clock: Final = clock
        self._path = path
        self._entries: list[HistoryEntry] | None = None
        self._all: list[HistoryEntry] = []  # of the file, as far as it was read for a search
        self._read_to = 0
        self._walk: list[str] = []
        self._beginning = ""
        self._at = 0
        self._draft = ""

    def add(self, text: str) -> None:
        """Remember a prompt that was sent. Problems with the file are not worth an interruption: the run goes on without."""
        self.rest()
        entries = self._load()
        if not text.strip() or len(text) > MOST_REMEMBERED or (entries and entries[-1].text == text):
            return
        entry = HistoryEntry(text, round(self.clock(), 3), self.folder, is_own=True)
        entries.append(entry)
        if self._path is None:
            return
        from tui_agent.secrets.process import process_masker  # a key that was typed stays out of the file

        fields = {"text": process_masker().mask(text), "time": entry.time, "folder": self.folder}
        line = json.dumps(fields, ensure_ascii=False) + "\n"
        try:
            make_private(self._path.parent)
            file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK, 0o600)
            try:
                os.write(file, line.encode("utf-8", "surrogatepass"))
            finally:
                os.close(file)
        except OSError:
            self._path = None

    # --- walking -----------------------------------------------------------------------------------------------------

    def back(self, shown: str) -> str | None:
        """Return the prompt before the one shown, None when there is none. What is shown is kept to come back to.

        A draft that begins with `!` goes back through commands of the shell alone.
        """
        if self._at == 0:
            self._draft = shown
            beginning = "!" if shown.startswith("!") else ""
            if not self._walk or beginning != self._beginning:
                self._walk, self._beginning = self._order(beginning), beginning
        if self._at >= len(self._walk):
            return None
        self._keep(shown)
        self._at += 1
        return self._walk[self._at - 1]

    def forward(self, shown: str) -> str | None:
        """Return the prompt after the one shown, at last the draft; None when the draft is shown already."""
        if self._at == 0:
            return None
        self._keep(shown)
        self._at -= 1
        return self._walk[self._at - 1] if self._at else self._draft

    def _keep(self, shown: str) -> None:
        """Keep what the user made of an earlier prompt, until something is sent."""
        if self._at:
            self._walk[self._at - 1] = shown

    @property
    def is_browsing(self) -> bool:
        """Whether an earlier prompt is shown."""
        return self._at > 0

    def rest(self) -> None:
        """Start from the newest again."""
        self._at, self._draft, self._walk = 0, "", []

    def _order(self, beginning: str) -> list[str]:
        entries = [entry for entry in reversed(self._load()) if entry.text.startswith(beginning)]
        here = [entry.text for entry in entries if entry.folder == self.folder]
        elsewhere = [entry.text for entry in entries if entry.folder != self.folder]
        return _without_repeats([*here, *elsewhere])

    # --- all of them -------------------------------------------------------------------------------------------------

    def newest(self) -> list[HistoryEntry]:
        """Return what is at hand without reading the whole file, newest first."""
        return self._load()[::-1]

    def all(self) -> list[HistoryEntry]:
        """Return every entry, newest first. Reads the whole file: call it in a thread."""
        loaded = self._load()
        own = [entry for entry in loaded if entry.is_own]
        if self._path is None:
            return loaded[::-1]
        known = {(entry.text, entry.time) for entry in own}
        read, self._read_to = _read(self._path, self._read_to)
        self._all += read  # what was added since it was read last
        return [*reversed(own), *(entry for entry in reversed(self._all) if (entry.text, entry.time) not in known)]

    def _load(self) -> list[HistoryEntry]:
        if self._entries is None:
            self._entries = _read(self._path, -_READ_BYTES)[0] if self._path is not None else []
        return self._entries


def _read(path: Path, start: int) -> tuple[list[HistoryEntry], int]:
    """Return the entries from byte `start` on (negative: from the end), and up to which byte these were."""
    try:
        with os.fdopen(open_regular(path, follow_links=True), "rb") as file:
            size = file.seek(0, os.SEEK_END)
            start = max(0, size + start) if start < 0 else start
            file.seek(start)
            content = file.read()
    except OSError:
        return [], max(0, start)
    lines = content.split(b"\n")
    found: list[HistoryEntry] = []
    for first in range(0, len(lines), _CHUNK):
        found += _entries(lines[first : first + _CHUNK])
        if len(lines) > _CHUNK:
            time.sleep(0)
    whole = start + content.rfind(b"\n") + 1  # a line that is just being written is read again
    return [entry for number, entry in enumerate(found) if not number or found[number - 1].text != entry.text], whole


def _entries(lines: Iterable[bytes]) -> Iterable[HistoryEntry]:
    for line in lines:
        try:
            fields = json.loads(line)
        except (ValueError, RecursionError):
            continue
        text = fields.get("text") if isinstance(fields, dict) else None
        if isinstance(text, str) and text:
            when, folder = fields.get("time"), fields.get("folder")
            yield HistoryEntry(
                text,
                float(when) if isinstance(when, int | float) else 0.0,
                folder if isinstance(folder, str) else "",
            )


def _without_repeats(texts: list[str]) -> list[str]:
    return [text for number, text in enumerate(texts) if not number or texts[number - 1] != text]
