"""What the tool pane says of one tool use below its line: what it printed last, and where its time went."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tui_agent.text import clean_line
from tui_agent.ui.transcript.tool_views import view_for
from tui_agent.viewkit.tool_text import duration

if TYPE_CHECKING:
    from tui_agent.viewkit.tool_use import ToolUse

__all__ = ["details", "size", "tail"]

_STAGES: Final = {
    "lookup": "look-up", "validate": "check", "pre_hooks": "hooks before", "permission": "permission", "call": "call",
    "store": "store", "post_hooks": "hooks after", "result": "result",
}  # fmt: skip


def tail(use: ToolUse) -> str:
    """Return the newest line that a running tool has to show."""
    progress = use.progress or {}
    lines = [line for line in map(str, progress.get("tail") or ()) if line.strip()]
    return lines[-1] if lines else str(progress.get("message") or "")


def size(characters: int) -> str:
    """Return an amount of text as `812 B` or `12 KB`."""
    return f"{characters} B" if characters < 1000 else f"{characters / 1000:.0f} KB"


def details(use: ToolUse, blocker: ToolUse | None) -> list[str]:
    """Return lines about a tool use: where its time went, its stages, and why it waits. `blocker` is what it waits for."""
    lines = [" · ".join(_times(use)) or "just arrived"]
    if use.stages:
        lines.append(" · ".join(_stage(*stage) for stage in use.stages))
    if why := _why(use, blocker):
        lines.append(why)
    return lines


def _times(use: ToolUse) -> list[str]:
    parts: list[str] = []
    if use.queued_ms is not None:
        parts.append(f"written in {_ms(use.queued_ms - use.started_ms)}")
        began = use.executing_ms if use.executing_ms is not None else use.completed_ms
        if began is not None:
            parts.append(f"queued {_ms(began - use.queued_ms)}")
    ran = use.run_ms or sum(stop - start for start, stop in use.runs)
    if ran or use.completed_ms is not None:
        parts.append(f"ran {_ms(ran)}")
    if use.waited_ms:
        parts.append(f"waited for you {_ms(use.waited_ms)}")
    if use.completed_ms is not None and use.yielded_ms is not None:
        parts.append(f"held {_ms(use.yielded_ms - use.completed_ms)}")
    return parts


def _stage(name: str, outcome: str, ms: float) -> str:
    words = f"{_STAGES.get(name, clean_line(name, 20))} {_ms(ms)}"
    return words if outcome == "ok" else f"{words} ({clean_line(outcome, 30)})"


def _ms(ms: float) -> str:
    return f"{max(ms, 0.0):.0f} ms" if ms < 1000 else duration(ms)


def _why(use: ToolUse, blocker: ToolUse | None) -> str:
    """Return why it does not go on. Whether there is a reason to tell depends on the tool use alone, the words on others."""
    if use.waiting_since_ms is not None:
        return "waits for your answer"
    name = view_for(blocker.name).name(blocker) if blocker is not None else "one"
    if use.phase == "completed":
        return f"held: results keep their order, and {name} is not done yet"
    if use.phase == "queued":
        return f"queued: it cannot run beside {name}, or the limit of parallel tools is reached"
    return ""
