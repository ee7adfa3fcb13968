"""Answers about agents: types and agents as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tui_agent.engine.agents.agent import Agent
from tui_agent.queries import AgentRow, AgentsReport, AgentTypeRow
from tui_agent.subagents.catalog import AgentCatalog
from tui_agent.subagents.definition import AgentDefinition

__all__ = ["agents_report"]


def agents_report(catalog: AgentCatalog, working: Iterable[Agent]) -> AgentsReport:
    """Return what there is."""
    own = {f"{one.file}: {note}" for one in (*catalog.types, *catalog.others) for note in one.problems}
    return AgentsReport(
        types=tuple(_types(catalog)),
        working=tuple(map(_row, working)),
        left_out=tuple(text for text in map(str, catalog.problems) if text not in own),
        held_back=catalog.held_back,
    )


def _types(catalog: AgentCatalog) -> Iterator[AgentTypeRow]:
    for one in catalog.types:
        yield _type(one, is_hidden=False)
    for one in catalog.others:
        yield _type(one, is_hidden=True)


def _type(one: AgentDefinition, *, is_hidden: bool) -> AgentTypeRow:
    return AgentTypeRow(
        name=one.name,
        description=one.description,
        place=f"{one.source} {one.source_label}".strip(),
        file=one.file,
        tools=one.tools_text,
        model=one.model,
        is_read_only=one.is_read_only,
        is_hidden=is_hidden,
        notes=one.problems,
    )


def _row(agent: Agent) -> AgentRow:
    identity, ledger = agent.identity, agent.ledger
    return AgentRow(
        id=agent.id,
        type=agent.type,
        description=identity.description,
        label=identity.label,
        parent_id=identity.parent_id,
        tool_uses=ledger.tool_uses,
        tokens=ledger.tokens,
        duration_ms=ledger.duration_ms,
        is_background=agent.is_background,
    )
