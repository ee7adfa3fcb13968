"""What a list of sessions tells of each: what the user wrote, how many turns, what it cost, the branch.

A journal may be long, so it is read once: what was found is kept beside it, with how far was read. What was written since is
read from there on. Only lines of the few kinds that matter are parsed. What is kept can be thrown away at any time.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from tui_agent.conversation_fold import spoken_text
from tui_agent.journal.load import is_main_line
from tui_agent.journal.store import SessionFolder
from tui_agent.regular_files import open_regular, read_regular

__all__ = ["Summary", "summarize"]

FILE: Final = "summary.json"
_VERSION: Final = 1
_MOST_BYTES: Final = 4_000_000
_MESSAGE_CHARS: Final = 1_000  # of each message that are kept
_ALL_CHARS: Final = 60_000  # of all messages
_REPLY_CHARS: Final = 600
_KINDS: Final = {
    kind: f'"type":"{kind}"'.encode()
    for kind in (
        "user_message_sent", "message_withdrawn", "usage_reported", "branch_changed", "turn_finished", "model_changed",
        "session_started", "assistant_message_completed",
    )
}  # fmt: skip
_HEAD_BYTES: Final = 60  # the type stands near the beginning of a line


@dataclass(slots=True)
class Summary:
    """One session in short. `messages` are the beginnings of what the user wrote, oldest first; texts are foreign.

    `cost_usd` is None as long as no request had a known price.
    """

    messages: list[str] = field(default_factory=list)
    turns: int = 0
    cost_usd: float | None = None
    branch: str = ""
    model: str = ""
    last_reply: str = ""
    read_bytes: int = 0

    def mentions(self, words: list[str]) -> bool:
        """Whether each of some words, in small letters, stands in one of the messages."""
        text = "\n".join(self.messages).lower()
        return all(word in text for word in words)


def summarize(folder: SessionFolder) -> Summary:
    """Return what a session's journal says in short; reads what is new in it. Not for the event loop.

    Raises:
        OSError: the journal cannot be read.
    """
    kept = folder.path / FILE
    size = folder.journal.stat().st_size
    summary = _kept(kept)
    if summary is None or summary.read_bytes > size:
        summary = Summary()
    if summary.read_bytes < size:
        before = summary.read_bytes
        _read(folder.journal, summary)
        if summary.read_bytes > before:
            _keep(kept, summary)
    return summary


def _read(journal: Path, summary: Summary) -> None:
    reply = b""
    with os.fdopen(open_regular(journal, follow_links=True), "rb") as lines:
        lines.seek(summary.read_bytes)
        for line in lines:
            if not line.endswith(b"\n"):
                break  # it is being written
            summary.read_bytes += len(line)
            head = line[:_HEAD_BYTES]
            kind = next((kind for kind, mark in _KINDS.items() if mark in head), "")
            if kind and kind != "usage_reported" and not is_main_line(line):
                continue  # what an agent does is part of the turn that it works for; what it costs counts
            if kind == "assistant_message_completed":
                reply = line
            elif kind:
                _take(summary, kind, _parsed(line))
    if reply:
        _take(summary, "assistant_message_completed", _parsed(reply))


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def _take(summary: Summary, kind: str, data: dict[str, Any]) -> None:
    match kind, data:
        case "user_message_sent", {"text": str(text)}:
            room = _ALL_CHARS - sum(map(len, summary.messages))
            if room > 0:
                summary.messages.append(text[: min(_MESSAGE_CHARS, room)])
        case "message_withdrawn", _:
            del summary.messages[-1:]
        case "turn_finished", _:
            summary.turns += 1
        case "usage_reported", {"cost_usd": float() | int() as cost}:
            summary.cost_usd = (summary.cost_usd or 0.0) + cost
        case "branch_changed", {"branch": str(branch)}:
            summary.branch = branch
        case (("model_changed" | "session_started"), {"model": str(model)}):
            summary.model = model
        case "assistant_message_completed", {"content": list(content)}:
            text = spoken_text(block for block in content if isinstance(block, dict)).strip()
            summary.last_reply = text[:_REPLY_CHARS] or summary.last_reply
        case _:
            pass


def _kept(file: Path) -> Summary | None:
    """Return what is kept, None where it is missing, of another version, or damaged."""
    try:
        data = json.loads(read_regular(file, _MOST_BYTES))
        if data.pop("version") != _VERSION:
            return None
        summary = Summary(**data)
        is_whole = isinstance(summary.read_bytes, int) and all(isinstance(text, str) for text in summary.messages)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
    return summary if is_whole else None


def _keep(file: Path, summary: Summary) -> None:
    """Keep it, whole or not at all; where that cannot be, it is read anew the next time."""
    with contextlib.suppress(OSError):
        handle, name = tempfile.mkstemp(dir=file.parent, prefix=".summary-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as out:
                json.dump({"version": _VERSION, **asdict(summary)}, out, ensure_ascii=False)
            Path(name).replace(file)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
