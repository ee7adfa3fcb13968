"""The types of agents and the agents at work, as lines of a screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui_agent.text import clean_line
from tui_agent.viewkit.tool_text import count, duration, tokens

if TYPE_CHECKING:
    from tui_agent.queries import AgentTypeRow
    from tui_agent.ui.projection.agents import AgentThread

__all__ = ["agent_facts", "agent_name", "agent_state", "type_facts"]

_STATES = {"": "working", "done": "done", "failed": "failed", "interrupted": "stopped"}


def agent_name(agent: AgentThread) -> str:
    """Return who it is and what it is to do."""
    label = f" “{clean_line(agent.label, 60)}”" if agent.label else ""
    about = f": {clean_line(agent.description, 200)}" if agent.description else ""
    return f"{clean_line(agent.name, 60)}{label}{about}"


def agent_state(agent: AgentThread) -> str:
    """Return how it stands, in a word."""
    return _STATES.get(agent.outcome, agent.outcome)


def agent_facts(agent: AgentThread, now_ms: float, room: int | None = None) -> str:
    """Return what it has done and used: tool uses, tokens, cost, time.

    What does not fit into `room` cells is left out: tokens first, then cost, tool uses and time.
    """
    ended = agent.ended_ms if agent.ended_ms is not None else now_ms
    facts = {
        "uses": count(agent.use_count, "tool use") if agent.use_count else "",
        "tokens": f"{tokens(agent.tokens)} tokens" if agent.tokens else "",
        "cost": f"${agent.cost_usd:.2f}" if agent.cost_usd >= 0.005 else "",
        "time": duration(max(0.0, ended - agent.started_ms)) if agent.started_ms else "",
    }
    shown = " · ".join(filter(None, facts.values()))
    for name in ("tokens", "cost", "uses", "time"):
        if room is None or len(shown) <= room:
            break
        del facts[name]
        shown = " · ".join(filter(None, facts.values()))
    return shown


def type_facts(row: AgentTypeRow) -> str:
    """Return where a type comes from and what it works with."""
    parts = (
        clean_line(row.place, 60),
        "only reads" if row.is_read_only else "",
        f"with {clean_line(row.model, 60)}" if row.model and row.model != "inherit" else "",
        f"tools: {clean_line(row.tools, 200)}",
        "hidden by one of the same name" if row.is_hidden else "",
    )
    return " · ".join(filter(None, parts))
