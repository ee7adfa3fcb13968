"""`sessions list`: what was recorded, newest first."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from tui_agent.headless.output import CliOutput
from tui_agent.journal.store import list_sessions
from tui_agent.settings.places import state_home
from tui_agent.text import clean_line

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
        changed = datetime.fromtimestamp(info.changed, UTC).astimezone().strftime("%Y-%m-%d %H:%M")
        where = "" if cwd is not None else f"  {clean_line(info.cwd, 60)}"
        output.text(f"{info.id}  {changed}{where}  {clean_line(info.first_message, 80) or '(no message)'}")
    return 0
