"""MCP servers in lines of text, cleaned."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from tui_agent.text import clean_line, reveal

if TYPE_CHECKING:
    from tui_agent.queries import McpReport, McpServerRow

__all__ = ["mcp_lines", "server_line", "server_lines", "state_words"]

_STATES: Final = {
    "connected": "connected",
    "idle": "idle",
    "connecting": "connecting",
    "failed": "failed",
    "sign-in": "needs you to sign in",
    "held": "not started",
    "off": "off",
}


def mcp_lines(report: McpReport | None) -> Iterator[str]:
    """Yield a line for each server, and what is wrong with the files."""
    if report is None:
        return
    yield from map(server_line, report.servers)
    if not report.servers:
        yield "There are no MCP servers here; `tui-agent mcp add --help` says how to add one."
    yield from (f"! {clean_line(problem, 300)}" for problem in report.problems)


def server_line(row: McpServerRow) -> str:
    """Return a server in one line."""
    return f"{row.name}: {reveal(clean_line(row.target, 200))} ({row.transport}, {row.scope}): {state_words(row)}"


def state_words(row: McpServerRow) -> str:
    """Return how a server fares, in words."""
    words = _STATES.get(row.state, row.state)
    if row.state in ("connected", "idle"):
        return f"{words}, {len(row.tools)} tools"
    return f"{words}: {clean_line(row.reason, 300)}" if row.reason else words


def server_lines(row: McpServerRow) -> Iterator[str]:
    """Yield all that is known of a server."""
    yield f"{row.name}: {state_words(row)}"
    yield f"  where      {row.scope}{f' {row.label}' if row.label else ''}, {row.file}:{row.line}"
    yield f"  {row.transport:10} {reveal(clean_line(row.target, 500))}"
    for name, value in row.variables:
        yield f"  sets       {reveal(clean_line(f'{name}={value}', 200))}"
    if row.server_name:
        yield f"  server     {row.server_name} {row.server_version}, protocol {row.protocol}"
    for problem in row.problems:
        yield f"  problem    {clean_line(problem, 300)}"
    for title, entries in (
        ("tools", [(tool.name, tool.description) for tool in row.tools]),
        ("resources", [(resource.uri, resource.name) for resource in row.resources]),
        ("prompts", [(f"/{prompt.command} {prompt.hint}".rstrip(), prompt.description) for prompt in row.prompts]),
    ):
        if entries:
            yield f"  {title}"
            for name, words in entries:
                yield f"    {clean_line(name, 200)}  {clean_line(words, 120)}".rstrip()
    if row.log and row.state != "connected":
        yield "  log"
        yield from (f"    {line}" for line in row.log[-10:])
