"""Read a journal back. A line that was being written when the program died is cut off; a damaged one elsewhere is skipped."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from tui_agent.event_json import EventFormatError, from_json
from tui_agent.events import Event

__all__ = ["JournalError", "Recording", "read_events"]


class JournalError(Exception):
    """The file is not a journal, or cannot be read; the text says which and names it."""


@dataclass(frozen=True, slots=True)
class Recording:
    """What a journal holds. `intact_bytes` is the length up to the end of its last whole line; `problems` name skipped ones."""

    events: list[Event]
    intact_bytes: int
    is_torn: bool = False
    problems: tuple[str, ...] = ()


def read_events(path: Path) -> Recording:
    """Read all events of a journal.

    Raises:
        JournalError: it is missing, unreadable, or holds no event at all.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise JournalError(f"cannot read {path}: {error.strerror or error}") from error
    intact = data.rfind(b"\n") + 1
    events: list[Event] = []
    problems: list[str] = []
    offset = 0
    last_good = 0
    for number, line in enumerate(data[:intact].split(b"\n")[:-1], start=1):
        offset += len(line) + 1
        if not line.strip():
            continue
        try:
            events.append(from_json(json.loads(line)))
            last_good = offset
        except (ValueError, RecursionError) as error:
            reason = str(error) if isinstance(error, EventFormatError) else "not JSON"
            problems.append(f"{path}:{number}: {reason}")
    if not events:
        raise JournalError(f"{path} holds no recorded events" + (f" ({problems[0]})" if problems else ""))
    # A crash can also leave a whole line of garbage at the very end (a block that reached the disk half written).
    return Recording(events, min(intact, last_good), is_torn=last_good < len(data), problems=tuple(problems))
