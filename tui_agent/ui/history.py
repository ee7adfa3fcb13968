"""What was typed before: a file of JSON lines that several running programs may add to at once.

Each entry is one line, written by one `write` to a file opened for appending, so that concurrent sessions neither lose nor mix
entries; what another session adds is seen at the next start. A line that is not JSON is passed over.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Final

__all__ = ["PromptHistory"]

_READ_BYTES: Final = 512 * 1024  # of the end of the file: years of prompts
_LONGEST: Final = 100_000  # characters; a longer entry is a document and stays out


class PromptHistory:
    """Earlier prompts, and a place among them. `path` None keeps them for this run only."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._entries: list[str] | None = None
        self._at = 0
        self._draft = ""

    def add(self, text: str) -> None:
        """Remember a prompt that was sent. Problems with the file are not worth an interruption: the run goes on without."""
        self.rest()
        entries = self._load()
        if not text.strip() or len(text) > _LONGEST or (entries and entries[-1] == text):
            return
        entries.append(text)
        if self._path is None:
            return
        line = json.dumps({"text": text, "time": round(time.time(), 3)}, ensure_ascii=False) + "\n"
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                os.write(file, line.encode("utf-8", "surrogatepass"))
            finally:
                os.close(file)
        except OSError:
            self._path = None

    def back(self, draft: str) -> str | None:
        """Return the prompt before the one shown, None when there is none. The first step keeps `draft` to come back to."""
        entries = self._load()
        if self._at == 0:
            self._draft = draft
        if self._at >= len(entries):
            return None
        self._at += 1
        return entries[-self._at]

    def forward(self) -> str | None:
        """Return the prompt after the one shown, at last the draft; None when the draft is shown already."""
        if self._at == 0:
            return None
        self._at -= 1
        return self._load()[-self._at] if self._at else self._draft

    @property
    def is_browsing(self) -> bool:
        """Whether an earlier prompt is shown."""
        return self._at > 0

    def rest(self) -> None:
        """Start from the newest again."""
        self._at, self._draft = 0, ""

    def _load(self) -> list[str]:
        if self._entries is None:
            self._entries = list(_read(self._path)) if self._path is not None else []
        return self._entries


def _read(path: Path) -> list[str]:
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _READ_BYTES))
            lines = file.read().split(b"\n")
    except OSError:
        return []
    found: list[str] = []
    for line in lines:
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        text = entry.get("text") if isinstance(entry, dict) else None
        if isinstance(text, str) and text and (not found or found[-1] != text):
            found.append(text)
    return found
