"""The call itself: progress passed on as it comes, and exactly one result."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import asdict
from typing import Any

from tui_agent.execution.errors import ToolFailure
from tui_agent.tools.base import Progress, Result, Tool, ToolContext, ToolInput

__all__ = ["call_tool"]


async def call_tool(
    tool: Tool[Any, Any], input: ToolInput, ctx: ToolContext, on_progress: Callable[[dict[str, Any]], object]
) -> Result[Any]:
    """Run a tool to its end and return its one result. `on_progress` is called at once and never waited for.

    Raises:
        ToolFailure: it gave no result, or several.
        Exception: whatever the tool raises.
    """
    results: list[Result[Any]] = []
    stream = tool.call(input, ctx)
    try:
        async for item in stream:
            if isinstance(item, Progress):
                on_progress({**asdict(item), "tail": list(item.tail)})
            else:
                results.append(item)
    finally:
        await _close(stream)
    if len(results) != 1:
        count = "no result" if not results else f"{len(results)} results"
        raise ToolFailure("execution", f"{tool.name} gave {count} where one is due; this is a fault of the tool.")
    return results[0]


async def _close(stream: AsyncIterator[Any]) -> None:
    close = getattr(stream, "aclose", None)
    if close is not None:
        await close()
