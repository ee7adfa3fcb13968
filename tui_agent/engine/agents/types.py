"""The types of agents as the model is told of them."""

from __future__ import annotations

from collections.abc import Callable

from tui_agent.subagents.catalog import AgentCatalog
from tui_agent.tools.agents import AgentType

__all__ = ["agent_types"]


def agent_types(catalog: AgentCatalog, is_denied: Callable[[str], bool] = lambda _name: False) -> tuple[AgentType, ...]:
    """Return the types that no rule forbids, sorted by name."""
    return tuple(
        AgentType(one.name, one.description, one.tools_text) for one in catalog.types if not is_denied(one.name)
    )
