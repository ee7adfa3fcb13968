"""`sessions list`: what was recorded, newest first."""

from __future__ import annotations

from pathlib import Path

from tui_agent.headless.output import CliOutput
from tui_agent.headless.slash_text import session_line
from tui_agent.journal.store import list_sessions
from tui_agent.queries import RecordedSession
from tui_agent.settings.standard_paths import state_home

__all__ = ["print_sessions"]


def print_sessions(cwd: Path | None, output: CliOutput, *, as_json: bool = False) -> int:
    """Print the sessions of a folder, or of all: id, time of the last change, and how it began."""
    for info in list_sessions(state_home(), cwd):
        if as_json:
            output.json(
                {
                    "id": info.id,
                    "cwd": info.cwd,
                    "started": info.started,
                    "changed": info.changed,
                    "first_message": info.first_message,
                    "journal": str(info.folder.journal),
                }
            )
            continue
        session = RecordedSession(info.id, info.cwd, info.started, info.changed, info.first_message)
        output.text(session_line(session, has_folder=cwd is None))
    return 0
