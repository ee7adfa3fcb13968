"""What an agent did, as part of the tool use that it works for: a line about it, and the last of its conversation, folded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from tui_agent.text import clean_line
from tui_agent.viewkit.plain import TextView
from tui_agent.viewkit.stacking import indented, stack
from tui_agent.viewkit.tool_text import count, duration, tokens
from tui_agent.viewkit.view import Rendered, RenderState

if TYPE_CHECKING:
    from tui_agent.ui.projection.blocks import Block, ShownAgent

__all__ = ["agent_view"]

_SHOWN: Final = 12  # blocks: while the agent works they are drawn again with each of its steps
_INDENT: Final = 2

Render = Callable[["Block", int, RenderState], Rendered]


def agent_view(agents: Sequence[ShownAgent], width: int, state: RenderState, render: Render) -> Rendered:
    """Draw the agents that a tool use has started, the oldest first. `render` draws a block."""
    return stack([_agent(agent, width, replace(state, is_open=False), render) for agent in agents])


def _agent(agent: ShownAgent, width: int, state: RenderState, render: Render) -> Rendered:
    parts = [TextView(_words(agent), "strong").render(width, state)]
    blocks = agent.parts
    room = max(1, width - _INDENT)
    if len(blocks) > _SHOWN:
        earlier = f"… {count(len(blocks) - _SHOWN, 'earlier part')}"
        parts.append(indented(TextView(earlier, "faint").render(room, state), _INDENT))
    parts += [indented(render(block, room, state), _INDENT) for block in blocks[-_SHOWN:]]
    whole = stack(parts)
    return Rendered(whole.lines, (), whole.text)  # a click opens or folds the tool use, not what is within it


def _words(agent: ShownAgent) -> str:
    """Return who it is, how it stands, and how much it has done."""
    about = f": {clean_line(agent.description, 200)}" if agent.description else ""
    stands = {"": agent.talk or "works", "done": "done", "failed": "failed", "interrupted": "interrupted"}
    took = duration(agent.ended_ms - agent.started_ms) if agent.ended_ms is not None else ""
    uses = count(agent.use_count, "tool use") if agent.use_count else ""
    spent = f"{tokens(agent.tokens)} tokens" if agent.tokens else ""
    cost = f"${agent.cost_usd:.2f}" if agent.cost_usd >= 0.005 else ""
    detail = clean_line(agent.detail, 200)
    label = f" “{clean_line(agent.label, 60)}”" if agent.label else ""
    name = f"{clean_line(agent.name, 60)}{label}{about}"
    return " · ".join(
        part for part in (name, stands.get(agent.outcome, "ended"), uses, spent, cost, took, detail) if part
    )
