"""A call as a user types it to see what it would get: a tool, and its one main text or its whole input as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final

from tui_agent.text import sound_json

__all__ = ["MAIN_FIELDS", "TriedCallError", "main_field", "tool_named", "tried_input"]

MAIN_FIELDS: Final = {
    "Bash": "command", "Monitor": "command", "Read": "file_path", "Edit": "file_path", "Write": "file_path",
    "MultiEdit": "file_path", "NotebookEdit": "notebook_path", "NotebookRead": "notebook_path", "Grep": "path", "Glob": "path",
    "LS": "path", "WebFetch": "url", "WebSearch": "query", "Agent": "subagent_type", "Skill": "skill",
}  # fmt: skip


class TriedCallError(ValueError):
    """What was typed is no input; the text says why."""


def main_field(tool: str) -> str:
    """Return the name of a tool's one main text; empty for a tool that has none, or none that is known."""
    return MAIN_FIELDS.get(tool, "")


def tool_named(text: str, names: Iterable[str]) -> str:
    """Return the tool that a user means by `text`, whatever its case; `text` itself where there is none."""
    wanted = text.strip().lower()
    return next((name for name in (*names, *MAIN_FIELDS) if name.lower() == wanted), text.strip())


def tried_input(tool: str, text: str) -> dict[str, Any]:
    """Return the input that a user means.

    Raises:
        TriedCallError: it is neither an object of JSON nor the one main text of a tool that has one.
    """
    text = text.strip()
    field = main_field(tool)
    if text.startswith("{") and not (field == "command" and not _is_object(text)):
        try:
            value = sound_json(json.loads(text))
        except (ValueError, RecursionError) as error:
            raise TriedCallError(f"not JSON: {error}") from None
        if isinstance(value, dict):
            return value
    if not text:
        return {}
    if not field:
        raise TriedCallError(f"{tool} has no one main text: write its input as JSON, in curly brackets")
    return {field: text}


def _is_object(text: str) -> bool:
    """Whether a text is JSON: a command may begin with a curly bracket too."""
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False
