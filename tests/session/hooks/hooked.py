"""Hooks in a project's settings, and a session on a scripted model that hears them."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from scripted_model import calls
from session_front import Front, begin

from tui_agent.events import Notice


def script(place: Path, name: str, text: str) -> dict[str, Any]:
    """Put a script where people keep them and return the handler that names it."""
    file = place / ".claude" / "hooks" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text.replace("/usr/bin/env python3", sys.executable))
    file.chmod(0o755)
    return {"type": "command", "command": f'"$CLAUDE_PROJECT_DIR"/.claude/hooks/{name}', "timeout": 20}


def settings(place: Path, **events: Any) -> None:
    """Write hooks into the project's settings: `Event=[(matcher, handler), …]`, and whatever else."""
    hooks = {
        event: [{"matcher": matcher, "hooks": [handler]} for matcher, handler in groups]
        for event, groups in events.items()
    }
    file = place / ".claude" / "settings.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps({"hooks": hooks}, indent=2))


def shell(command: str, **more: Any) -> dict[str, Any]:
    return {"type": "command", "command": command, **more}


def bash(command: str, use_id: str = "", index: int = 0) -> Any:
    return calls(index, "Bash", {"command": command}, use_id)


def printing(output: Any) -> dict[str, Any]:
    return shell(f"cat <<'E'\n{json.dumps(output)}\nE")


async def said(fronts: list[Front], place: Path, *scripts: Any, text: str = "go", **options: Any) -> Front:
    """Begin a session, say one thing, and wait for the end."""
    fronts.append(front := await begin(place, *scripts, **options))
    front.session.submit(text)
    await asyncio.wait_for(front.session.wait_idle(), 30)
    return front


def warnings(front: Front) -> list[str]:
    return [event.text for event in front.of(Notice) if event.level != "info"]
