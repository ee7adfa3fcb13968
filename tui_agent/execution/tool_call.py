"""Calls a tool: passes progress on as it comes, and insists on exactly one result."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import asdict
from typing import Any

from tui_agent.execution.errors import ToolFailure
from tui_agent.execution.input_checks import Checked
from tui_agent.tools.base import Progress, Result, ToolContext

__all__ = ["call_tool"]


async def call_tool(checked: Checked, ctx: ToolContext, on_progress: Callable[[dict[str, Any]], object]) -> Result[Any]:
    """Run a tool to its end and return its one result. `on_progress` is called at once and never waited for.

    Raises:
        ToolFailure: it gave no result, or several.
        Exception: whatever the tool raises.
    """
    result: Result[Any] | None = None
    count = 0
    stream = checked.tool.call(checked.input, checked.plan, ctx)
    try:
        async for item in stream:
            if isinstance(item, Progress):
                on_progress({**asdict(item), "tail": list(item.tail)})
            else:
                result = item
                count += 1
    finally:
        await _close(stream)
    if result is None or count != 1:
        given = f"{count} results" if count else "no result"
        raise ToolFailure("execution", f"{checked.tool.name} gave {given} instead of one; this is a bug in the tool.")
    return result


async def _close(stream: AsyncIterator[Any]) -> None:
    close = getattr(stream, "aclose", None)
    if close is not None:
        await close()
