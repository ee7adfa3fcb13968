"""Which files the tool uses of a reply have read or changed: what lies beside them, or is about them, counts from then on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tui_agent.execution.execution_context import ToolOutcome
from tui_agent.tools.workspace import Workspace

__all__ = ["worked_on"]


def worked_on(calls: Sequence[tuple[Mapping[str, Any], ToolOutcome]], workspace: Workspace) -> list[str]:
    """Return the absolute paths of these files, each once."""
    return list(dict.fromkeys(path for _, outcome in calls for path in _paths(outcome, workspace)))


def _paths(outcome: ToolOutcome, workspace: Workspace) -> Iterator[str]:
    use = outcome.use
    if outcome.is_error or use is None or use.tool is None:
        return
    try:
        claims = use.tool.claims(use.parsed())
    except Exception:  # noqa: BLE001 - a tool that cannot tell what it touches tells nothing
        return
    for path in (*claims.reads, *claims.writes):
        yield workspace.absolute(path)
