"""What a tool use is called, and what has become of it, in words on one line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from tui_agent.text import clean, clean_line
from tui_agent.viewkit.tool_text import count, display_path, duration, one_line

if TYPE_CHECKING:
    from tui_agent.events import ToolResultReady

__all__ = ["outcome_words", "result_text", "use_title"]

# The argument that says what a call is about: the first of these that it has.
_SUBJECTS: Final = (
    "command", "file_path", "notebook_path", "pattern", "path", "url", "query", "description", "subject", "skill", "task_id",
    "prompt",
)  # fmt: skip
_PATHS: Final = frozenset({"file_path", "notebook_path", "path"})
_BY_USER: Final = "The user "
_BEGINNING: Final = 40
_LONGEST: Final = 120
_SHOWN: Final = 160
_ERRORS: Final = {
    "denied": "refused",
    "aborted": "stopped",
    "timeout": "timed out",
    "hook": "stopped by a hook",
}


def use_title(name: str, input: Mapping[str, Any], base: str = "") -> str:
    """Return the tool and what it is used on: `Bash pytest -q`, `Grep total in shop`."""
    key = next((key for key in _SUBJECTS if isinstance(input.get(key), str) and input[key]), "")
    if not key:
        return clean_line(name, 60)
    subject = str(input[key])
    shown = clean_line(display_path(subject, base), _LONGEST) if key in _PATHS else one_line(subject, _LONGEST)
    where = input.get("path") if key == "pattern" else None
    place = f" in {clean_line(display_path(where, base), _LONGEST)}" if isinstance(where, str) and where else ""
    return f"{clean_line(name, 60)} {shown}{place}"


def result_text(content: str | list[dict[str, Any]]) -> str:
    """Return a result as text, uncleaned; what is no text is named."""
    if isinstance(content, str):
        return content
    return "\n".join(
        str(block.get("text", "")) if block.get("type") == "text" else f"({block.get('type')})" for block in content
    )


def outcome_words(event: ToolResultReady) -> str:
    """Return how a tool use ended: `done, 3.2s, 14 lines, the last: 15 passed`, `failed: no such file`."""
    took = f", {duration(event.duration_ms)}" if event.duration_ms >= 50 else ""
    text = result_text(event.content)
    if event.is_error:
        kind = event.error_kind or ""
        if kind in ("aborted", "denied") and _BY_USER in text[:_BEGINNING]:
            return f"{_ERRORS[kind]}{took}"  # by the user, who knows
        plain = text.replace("<tool_use_error>", "").replace("</tool_use_error>", "")
        said, *more = [line for line in clean(plain).splitlines() if line.strip()] or [""]
        last = f"; {count(len(more), 'line')}, the last: {clean_line(more[-1], _SHOWN)}" if more else ""
        return f"{_ERRORS.get(kind, 'failed')}{took}: {clean_line(said, _SHOWN)}{last}"
    lines = [line for line in clean(text).splitlines() if line.strip()]
    if event.name != "Bash" or not lines:
        return f"done{took}"
    if len(lines) == 1:
        return f"done{took}: {clean_line(lines[0], _SHOWN)}"
    return f"done{took}, {count(len(lines), 'line')}, the last: {clean_line(lines[-1], _SHOWN)}"
