"""The tools that a model may name, as the execution of tool uses sees them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from tui_agent.tools.base import Tool

__all__ = ["AvailableTools"]


class AvailableTools(Protocol):
    """The tools of a conversation; `tools.registry.ToolPool` and `tools.loading.LoadedTools` are both."""

    @property
    def names(self) -> Sequence[str]:
        """The canonical names of all of them."""
        ...

    def get(self, name: str) -> Tool[Any, Any, Any] | None:
        """Return the tool of this canonical name or alias."""
        ...

    def nearest(self, name: str) -> list[str]:
        """Return canonical names that look like `name`, the closest first."""
        ...

    def on_use(self, tool: Tool[Any, Any, Any]) -> None:
        """A use of this tool begins: whoever calls a deferred tool wants its schema from now on."""
        ...
