"""What a session used and cost, by model, by agent and by turn, from its events. Knows no widget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tui_agent import events
from tui_agent.events import Event

__all__ = ["AgentSpent", "CostReducer", "Spent", "TurnSpent"]

_LABEL: int = 200  # characters of a message that a turn is known by


@dataclass(slots=True)
class Spent:
    """Tokens and dollars of some requests. With `has_unknown` the price of some is not known, and `cost_usd` without them."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost_usd: float = 0.0
    has_unknown: bool = False

    def add(self, event: events.UsageReported) -> None:
        """Count one request in."""
        self.requests += 1
        self.input_tokens += event.input_tokens
        self.output_tokens += event.output_tokens
        self.cache_read_tokens += event.cache_read_tokens
        self.cache_write_tokens += event.cache_write_tokens
        self.cost_usd += event.cost_usd or 0.0
        self.has_unknown = self.has_unknown or event.cost_usd is None

    @property
    def prompt_tokens(self) -> int:
        """All that was sent, wherever it was read from."""
        return self.input_tokens + self.cache_read_tokens + self.cache_write_tokens


@dataclass(slots=True)
class TurnSpent(Spent):
    """One turn: what was asked (foreign text, its beginning), and how long it took."""

    label: str = ""
    duration_ms: float = 0.0


@dataclass(slots=True)
class AgentSpent(Spent):
    """One agent, and what it is called (foreign text)."""

    label: str = ""


class CostReducer:
    """Follows a session's events. What was spent before a conversation was cleared stays counted.

    What an agent spends counts for the turn that it works in.
    """

    def __init__(self) -> None:
        self._models: dict[str, Spent] = {}
        self._agents: dict[str, AgentSpent] = {}
        self._turns: list[TurnSpent] = []
        self._is_running = False
        self._label = ""
        self.total = Spent()
        self.limit_usd: float | None = None

    @property
    def models(self) -> Mapping[str, Spent]:
        """By model, in the order of their first use."""
        return self._models

    @property
    def agents(self) -> Mapping[str, AgentSpent]:
        """By agent, without the main conversation, in the order in which they began. The models count them too."""
        return self._agents

    @property
    def turns(self) -> Sequence[TurnSpent]:
        """By turn, oldest first. What is spent between two turns counts for the one before."""
        return self._turns

    def apply(self, event: Event) -> None:
        """Take in one event; most say nothing about it."""
        match event:
            case events.UserMessageSent(agent_id="", text=text):
                self._label = text[:_LABEL]
                if self._is_running and self._turns and not self._turns[-1].label:
                    self._turns[-1].label = self._label
            case events.TurnStarted(agent_id=""):
                self._is_running = True
                self._turns.append(TurnSpent(label=self._label))
                self._label = ""
            case events.TurnFinished(agent_id="", duration_ms=duration):
                self._is_running = False
                if self._turns:
                    self._turns[-1].duration_ms = duration
            case events.UsageReported(model=model):
                for spent in (self.total, self._models.setdefault(model, Spent()), *self._turns[-1:]):
                    spent.add(event)
                if event.agent_id:
                    self._agent(event.agent_id).add(event)
            case events.AgentStarted(agent_id=agent_id, name=name, description=description):
                self._agent(agent_id).label = f"{name}: {description}" if description else name
            case events.SpendingLimitChanged(limit_usd=limit):
                self.limit_usd = limit
            case _:
                pass

    def _agent(self, agent_id: str) -> AgentSpent:
        return self._agents.setdefault(agent_id, AgentSpent(label=agent_id))
