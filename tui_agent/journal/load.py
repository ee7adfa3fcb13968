"""Read a journal back. A line that was being written when the program died is cut off; a damaged one elsewhere is skipped."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tui_agent.event_json import SCHEMA_VERSION, EventFormatError, from_json
from tui_agent.events import Event
from tui_agent.regular_files import open_regular

__all__ = ["PASSED_STAGES", "JournalError", "Recording", "is_main_line", "read_ending", "read_events"]

# How a tool use went through its stages: most of a journal, and of no use to whoever takes up a session that is over.
PASSED_STAGES: Final = ("tool_stage_started", "tool_stage_ended")
_ENDING_BYTES: Final = 256_000  # of a journal's end: more than a screen shows
_BEGINNING: Final = b'"type":"session_started"'
_MESSAGE: Final = b'"type":"user_message_sent"'
# How a line begins that names its agent; those of version 1 do not.
_AGENT: Final = re.compile(rb'\{"v":\d+,"type":"\w+","session_id":"[^"]*","agent_id":"([^"]*)"')
_TYPE_WITHIN: Final = 40  # bytes of a line in which its type stands


class JournalError(Exception):
    """The file is not a journal, or cannot be read; the text says which and names it."""


@dataclass(frozen=True, slots=True)
class Recording:
    """What a journal holds. `intact_bytes` is the length up to the end of its last whole line; `problems` name skipped ones."""

    events: list[Event]
    intact_bytes: int
    is_torn: bool = False
    problems: tuple[str, ...] = ()


def read_events(path: Path, *, but: Collection[str] = ()) -> Recording:
    """Read all events of a journal, those of the types `but` left out.

    Raises:
        JournalError: it is missing, unreadable, or holds no event at all.
    """
    versions = range(1, SCHEMA_VERSION + 1)
    left_out = tuple(b'{"v":%d,"type":"%s"' % (version, kind.encode()) for kind in but for version in versions)
    events: list[Event] = []
    problems: list[str] = []
    offset = last_good = 0
    is_torn = False
    try:
        with os.fdopen(open_regular(path, follow_links=True), "rb") as file:
            for number, line in enumerate(file, start=1):
                if not line.endswith(b"\n"):
                    is_torn = True
                    break
                offset += len(line)
                if line.startswith(left_out) and line.endswith(b"}\n"):
                    last_good = offset
                elif line.strip():
                    try:
                        events.append(_event(line))
                        last_good = offset
                    except (ValueError, RecursionError) as error:
                        reason = str(error) if isinstance(error, EventFormatError) else "not JSON"
                        problems.append(f"{path}:{number}: {reason}")
    except OSError as error:
        raise JournalError(f"cannot read {path}: {error.strerror or error}") from error
    if not events:
        raise JournalError(f"{path} holds no recorded events" + (f" ({problems[0]})" if problems else ""))
    # A crash can also leave a whole line of garbage at the very end (a block that reached the disk half written).
    return Recording(events, last_good, is_torn=is_torn or last_good < offset, problems=tuple(problems))


def read_ending(path: Path, most: int = _ENDING_BYTES) -> list[Event]:
    """Read how a journal begins and ends: enough to show its end at once, while all of it is read.

    Of the last `most` bytes it begins with a message of the user, where there is one. What cannot be read is left out.
    """
    try:
        with os.fdopen(open_regular(path, follow_links=True), "rb") as file:
            first = file.readline()
            start = max(file.tell(), path.stat().st_size - most)
            file.seek(start)
            *lines, _torn = file.read(most).split(b"\n")
    except OSError:
        return []
    if start > len(first):
        lines = lines[1:]
        first_message = next((n for n, line in enumerate(lines) if _is_message(line)), 0)
        lines = lines[first_message:]
    events: list[Event] = []
    for line in ([first] if _BEGINNING in first[:_TYPE_WITHIN] else []) + lines:
        if any(kind.encode() in line[:_TYPE_WITHIN] for kind in PASSED_STAGES):
            continue
        try:
            events.append(_event(line))
        except (ValueError, RecursionError):
            continue  # whoever reads all of it says so
    return events


def is_main_line(line: bytes) -> bool:
    """Whether a journal's line is an event of the main conversation; only its beginning is looked at."""
    found = _AGENT.match(line)
    return found is None or not found[1]


def _is_message(line: bytes) -> bool:
    return _MESSAGE in line[:_TYPE_WITHIN] and is_main_line(line)


def _event(line: bytes) -> Event:
    return from_json(json.loads(line))
