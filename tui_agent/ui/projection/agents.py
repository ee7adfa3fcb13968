"""The part of the projection that is about agents: each has a thread of its own, shown at the tool use that started it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from tui_agent.ui.projection.state import Dirty
from tui_agent.ui.projection.thread import Thread

if TYPE_CHECKING:
    from tui_agent.events import AgentEnded, AgentStarted, UsageReported
    from tui_agent.ui.projection.block_reducer import MarkdownFeed
    from tui_agent.ui.projection.blocks import Block

__all__ = ["AgentReducer", "AgentThread", "split_key", "use_key"]

_DEEPEST = 32  # agents that started each other; a damaged recording may say that they did so in a circle


def use_key(agent_id: str, tool_use_id: str) -> str:
    """Return what a tool use is known by on the screen: its id, and among those of an agent the agent's as well."""
    return f"{agent_id}\x1f{tool_use_id}" if agent_id else tool_use_id


def split_key(key: str) -> tuple[str, str]:
    """Return the agent and the id that a key was made of."""
    agent_id, _, tool_use_id = key.rpartition("\x1f")
    return agent_id, tool_use_id


class AgentThread(Thread):
    """One agent, from its first event on. `name`, `description` and `label` are foreign text.

    `use` is the key of the tool use that started it, empty as long as that is not known. `outcome` is that of `AgentEnded`,
    empty while it works. Times are milliseconds on the events' clock.
    """

    def __init__(self, agent_id: str, markdown: Callable[[], MarkdownFeed]) -> None:
        super().__init__(markdown)
        self.id = agent_id
        self.name = agent_id
        self.description = ""
        self.label = ""
        self.tokens = 0
        self.cost_usd = 0.0
        self.is_background = False
        self.worktree = ""
        self.parent_id = ""
        self.use = ""
        self.outcome = ""
        self.detail = ""
        self.started_ms = 0.0
        self.ended_ms: float | None = None
        self.use_count = 0

    @property
    def title(self) -> str:
        """What it is known by: what the model calls it, else its type (foreign text)."""
        return self.label or self.name

    @property
    def parts(self) -> Sequence[Block]:
        """Its own conversation."""
        return self.blocks.all

    def start(self, event: AgentStarted) -> None:
        """It began."""
        self.name, self.description = event.name or self.id, event.description
        self.parent_id, self.use = event.parent_agent_id, use_key(event.parent_agent_id, event.tool_use_id)
        self.label, self.worktree = event.label, event.worktree
        self.is_background = event.is_background
        self.started_ms = event.monotonic_ms

    def go_on(self, event: AgentStarted) -> None:
        """A message continues it: it works again, and the time that it rested does not count."""
        rested = event.monotonic_ms - self.ended_ms if self.ended_ms is not None else 0.0
        self.started_ms += rested
        self.outcome, self.detail, self.ended_ms = "", "", None
        self.is_background = event.is_background

    def spend(self, event: UsageReported) -> None:
        """A request of it was answered."""
        prompt = event.input_tokens + event.cache_read_tokens + event.cache_write_tokens
        self.tokens += prompt + event.output_tokens
        self.cost_usd += event.cost_usd or 0.0

    def end(self, outcome: str, now_ms: float, detail: str = "") -> None:
        """It is over."""
        self.rest(now_ms)
        self.outcome, self.detail, self.ended_ms = outcome, detail, now_ms


class AgentReducer:
    """All agents by id, in the order of their first events."""

    def __init__(self, markdown: Callable[[], MarkdownFeed]) -> None:
        self._markdown = markdown
        self._threads: dict[str, AgentThread] = {}
        self._waiting: dict[str, list[AgentThread]] = {}  # by the tool use that started them, until it is shown
        self._changed: dict[str, None] = {}

    @property
    def all(self) -> Mapping[str, AgentThread]:
        """The agents by id."""
        return self._threads

    def thread(self, agent_id: str) -> AgentThread:
        """Return an agent's thread; it is about to change."""
        thread = self._threads.get(agent_id)
        if thread is None:
            thread = self._threads[agent_id] = AgentThread(agent_id, self._markdown)
        if agent_id not in self._changed:
            self._changed[agent_id] = None
            thread.begin(Dirty())
        return thread

    def start(self, event: AgentStarted, block_of: Callable[[str, str], Block | None]) -> None:
        """An agent began; `block_of` gives the block that an agent shows a tool use in."""
        thread = self.thread(event.agent_id)
        if thread.use:
            thread.go_on(event)
            return
        thread.start(event)
        block = block_of(thread.parent_id, thread.use)
        if block is not None:
            block.agents.append(thread)
        else:
            self._waiting.setdefault(thread.use, []).append(thread)

    def end(self, event: AgentEnded) -> None:
        """An agent is over."""
        self.thread(event.agent_id).end(event.outcome, event.monotonic_ms, event.detail)

    def shown(self, block: Block) -> None:
        """A tool use is shown now: agents that it has started stand there."""
        if self._waiting:
            block.agents += self._waiting.pop(block.id, ())

    @property
    def changed(self) -> Iterable[str]:
        """The agents to which something happened since `take_changed` was last called."""
        return self._changed

    def take_changed(self) -> Iterator[str]:
        """Yield the keys of the tool uses to whose agents something happened since the last call, and of those above them."""
        changed, self._changed = self._changed, {}
        for agent_id in changed:
            thread = self._threads.get(agent_id)
            if thread is not None:
                thread.blocks.settle()
            for _ in range(_DEEPEST):
                if thread is None or not thread.use:
                    break
                yield thread.use
                thread = self._threads.get(thread.parent_id)

    def abandon(self, now_ms: float) -> None:
        """End those that nobody is going to end."""
        for agent_id, thread in self._threads.items():
            if not thread.outcome:
                self.thread(agent_id).end("interrupted", now_ms)

    def clear(self) -> None:
        """Forget all of them."""
        self._threads.clear()
        self._waiting.clear()
        self._changed.clear()
