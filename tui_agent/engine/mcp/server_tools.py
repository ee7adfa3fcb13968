"""From what a server has to tools of the pool."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from tui_agent.mcp.catalog import ToolInfo
from tui_agent.mcp.faults import CallTimeoutError, McpFault, SignInNeededError
from tui_agent.mcp.host import CallProgress
from tui_agent.tools.base import ErrorKind, Progress, ToolError
from tui_agent.tools.mcp_tool import McpAnswer, McpHints, McpTool

if TYPE_CHECKING:
    from tui_agent.mcp.managed_server import ManagedServer

__all__ = ["fault_text", "server_tools"]

_CHARS_PER_TOKEN: Final = 4
_MOST_RESULT_CHARS: Final = 500_000


def server_tools(server: ManagedServer, *, output_tokens: int) -> list[McpTool]:
    """Return the tools of a server, none where nothing is known of it yet.

    `output_tokens` limits a result, where a tool does not raise its own limit.
    """
    if server.catalog is None:
        return []
    return [_tool(server, info, output_tokens) for info in server.catalog.tools]


def _tool(server: ManagedServer, info: ToolInfo, output_tokens: int) -> McpTool:
    async def call(name: str, input: dict[str, Any], on_progress: Callable[[Progress], None]) -> McpAnswer:
        try:
            result = await server.call_tool(name, input, lambda progress: on_progress(_progress(progress)))
        except McpFault as fault:
            kind: ErrorKind = "timeout" if isinstance(fault, CallTimeoutError) else "execution"
            raise ToolError(fault_text(server.config.name, fault), kind=kind) from fault
        return McpAnswer(content=result.content, structured=result.structured, is_error=result.is_error)

    meta = info.meta
    wanted = meta.get("anthropic/maxResultSizeChars")
    own = wanted if isinstance(wanted, int) and not isinstance(wanted, bool) and wanted > 0 else 0
    return McpTool(
        server=server.config.name,
        tool=info.name,
        description=info.description or info.title,
        schema=info.schema,
        call_server=call,
        hints=McpHints(
            is_read_only=info.is_read_only,
            is_destructive=info.is_destructive,
            is_always_loaded=server.config.is_always_loaded or meta.get("anthropic/alwaysLoad") is True,
            must_ask=meta.get("anthropic/requiresUserInteraction") is True,
            search_hint=info.title,
            max_result_chars=min(own, _MOST_RESULT_CHARS) or output_tokens * _CHARS_PER_TOKEN,
        ),
    )


def fault_text(name: str, fault: McpFault) -> str:
    """Return what is wrong with a server, as a sentence for the model and the user."""
    text = f"The MCP server {name}: {fault}".rstrip(".")
    if isinstance(fault, SignInNeededError):
        return f"{text}. The user has to sign in first, by /mcp or `tui-agent mcp login {name}`."
    return f"{text}."


def _progress(progress: CallProgress) -> Progress:
    share = f"{progress.done:g} of {progress.total:g}" if progress.total else f"{progress.done:g}"
    return Progress(message=f"{progress.message} ({share})" if progress.message else share)
