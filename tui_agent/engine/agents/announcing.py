"""The answer of an agent in the background: kept in a file, and told to the one that started it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

from tui_agent.execution.errors import cut_middle
from tui_agent.text import clean_line
from tui_agent.tools.agents import AgentReport

__all__ = ["announcement", "begin_answer", "keep_answer"]

_MOST_CHARS: Final = 30_000


def begin_answer(path: Path) -> None:
    """Make the file that an answer will be in; blocks.

    Raises:
        OSError: it cannot be made.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.write_text("", encoding="utf-8")


async def keep_answer(path: Path, report: AgentReport) -> None:
    """Write an answer to its file; what cannot be written is told all the same."""
    text = report.text or report.detail
    try:
        await asyncio.to_thread(path.write_text, text, encoding="utf-8", errors="replace")
    except OSError:
        return


def announcement(report: AgentReport, description: str, path: Path) -> str:
    """Return what the one that started it is told."""
    who = f"Agent {report.agent_id} ({report.type}: {clean_line(description, 200)})"
    if report.outcome == "done":
        head = f"{who} has ended. Its answer:"
    else:
        head = f"{who} did not finish: {report.detail or report.outcome}"
        head += " It said last:" if report.text.strip() else ""
    text = report.text.strip()
    if len(text) > _MOST_CHARS:
        text = f"{cut_middle(text, _MOST_CHARS)}\n(The whole answer is in {path}.)"
    return "\n\n".join(filter(None, (head, text, *report.notes)))
