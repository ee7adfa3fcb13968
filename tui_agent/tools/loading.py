"""The tools of one conversation: the pool of the moment, and which of the deferred tools the model has been given so far.

It is what tool uses find their tool in, what ToolSearch searches, and what a request takes its tool list from. Tools of
servers come and go by their source, between two requests as well. Activated tools stand behind all others, in the order of
their activation, so that what a prompt cache holds stays as it is.

The system prompt of a conversation names the deferred tools that there were when it began: to change it would cost the cached
conversation behind it. What has come or gone since is told with the next message, by `take_news`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

from tui_agent.tools.agents import AgentType
from tui_agent.tools.base import PromptContext, Tool
from tui_agent.tools.mcp_tool import McpTool
from tui_agent.tools.registry import ToolPool
from tui_agent.tools.search import Searchable, find_tools

__all__ = ["LoadedTools"]

AnyTool = Tool[Any, Any, Any]

_START: Final = ""  # the source of what the pool that was given held


class LoadedTools:
    """Implements `execution.available_tools.AvailableTools` and `services.ToolFinder`.

    `on_activate` hears the names of newly activated tools; `on_change`, which names a change of a source has added to the
    pool and which it has removed. `context` is what tools see of the session when they describe themselves. Its `tool_names`
    stay those of the start: what is built in must not change with a server.
    """

    def __init__(
        self,
        pool: ToolPool,
        *,
        context: PromptContext | None = None,
        on_activate: Callable[[tuple[str, ...]], object] = lambda _names: None,
        on_change: Callable[[tuple[str, ...], tuple[str, ...]], object] = lambda _added, _removed: None,
    ) -> None:
        self._pool = pool
        self.context = context or PromptContext(tool_names=pool.names)
        self._on_activate = on_activate
        self._on_change = on_change
        self._sources: dict[str, tuple[McpTool, ...]] = {_START: pool.foreign}
        self._activated: dict[str, None] = {}  # names, also of tools that are not there at the moment
        self._listed: tuple[str, ...] | None = None  # the deferred tools that the system prompt names
        self._told: tuple[str, ...] = ()  # the tools of servers that the model knows of

    @property
    def pool(self) -> ToolPool:
        """The tools that there are at this moment."""
        return self._pool

    # --- what there is -----------------------------------------------------------------------------------------------

    def set_source(self, source: str, tools: Iterable[McpTool]) -> None:
        """Replace all tools of a server, or add a server. Call it from the event loop's thread.

        Uses that are under way go on with the tool they found.
        """
        self._sources[source] = tuple(tools)
        self._renew()

    def remove_source(self, source: str) -> None:
        """Take a server's tools away. Nothing happens if it has none."""
        if self._sources.pop(source, None) is not None:
            self._renew()

    def _renew(self) -> None:
        old = set(self._pool.names)
        self._pool = self._pool.with_foreign(tool for tools in self._sources.values() for tool in tools)
        now = self._pool.names
        added = tuple(name for name in now if name not in old)
        removed = tuple(sorted(old.difference(now)))
        if added or removed:
            self._on_change(added, removed)

    # --- for requests ------------------------------------------------------------------------------------------------

    def describe_for(self, model: str) -> None:
        """Have tools describe themselves for this model from now on."""
        self.context = replace(self.context, model=model)

    @property
    def core_count(self) -> int:
        """How many of the tools a request carries are built in and always there: a cache mark goes on the last of them."""
        return len(self._pool.core)

    def schemas(self) -> list[dict[str, Any]]:
        """Return the tool list of the next request."""
        deferred = {tool.name: tool for tool in self._pool.deferred}
        activated = tuple(deferred[name] for name in self._activated if name in deferred)
        return self._pool.schemas(self.context, activated=activated)

    def prompts(self) -> list[str]:
        """Return what the built-in tools that every request carries add to the system prompt, which never changes."""
        return self._pool.prompts(self.context)

    def listed(self) -> Sequence[str]:
        """Return the names of deferred tools for the system prompt: those at the conversation's first request."""
        if self._listed is None:
            self._listed = tuple(self.deferred)
            self._told = self._pool.foreign_names
        return self._listed

    def take_news(self) -> tuple[Sequence[str], Sequence[str]]:
        """Return, once, which deferred tools have come, and which tools have gone, since the model was last told.

        Nothing before the first request, whose system prompt tells it all.
        """
        if self._listed is None:
            return (), ()
        known, self._told = self._told, self._pool.foreign_names
        deferred = set(self.deferred)
        added = [name for name in self._told if name not in known and name in deferred]
        return added, [name for name in known if name not in self._told]

    # --- for tool uses -----------------------------------------------------------------------------------------------

    @property
    def tools(self) -> Sequence[AnyTool]:
        """All tools that can be called, in the pool's order."""
        return self._pool.tools

    def get(self, name: str) -> AnyTool | None:
        """Return the tool of this name or alias."""
        return self._pool.get(name)

    def on_use(self, tool: AnyTool) -> None:
        """Activate a deferred tool that is called: whoever calls it wants its schema."""
        self._activate([tool.name])

    @property
    def names(self) -> Sequence[str]:
        """The canonical names of all tools, deferred ones too."""
        return self._pool.names

    def nearest(self, name: str) -> list[str]:
        """Return canonical names that look like `name`, the closest first."""
        return self._pool.nearest(name)

    # --- for searching -----------------------------------------------------------------------------------------------

    @property
    def deferred(self) -> Sequence[str]:
        """The names of all deferred tools, sorted, whether activated meanwhile or not."""
        return sorted(tool.name for tool in self._pool.deferred)

    @property
    def activated(self) -> Sequence[str]:
        """The names of the deferred tools that requests carry, in the order of their activation."""
        deferred = set(self.deferred)
        return [name for name in self._activated if name in deferred]

    def find(self, query: str, limit: int) -> Sequence[str]:
        """Return names of tools: those that `select:A,B` or a name says, else at most `limit` by words, the best first."""
        everything = [Searchable(tool, tool.describe(self.context)) for tool in self._pool.tools]
        names = set(self.deferred)
        return find_tools(query, everything, [one for one in everything if one.tool.name in names], limit)

    def activate(self, names: Sequence[str]) -> list[dict[str, Any]]:
        """Let later requests carry these tools, and return their schemas as the API gets them."""
        self._activate(names)
        return self._pool.schemas_of(self._known(names), self.context)

    def guidance(self, names: Sequence[str]) -> list[str]:
        """Return what these tools would have said in the system prompt, where anything."""
        return [text for text in (tool.guide(self.context) for tool in self._known(names)) if text]

    def restore(self, names: Iterable[str]) -> None:
        """Take up a recorded conversation: activate without a word. What is not there counts when it comes."""
        self._activated |= dict.fromkeys(names)

    def describe_agents(self, types: tuple[AgentType, ...]) -> None:
        """Have tools name these types of agents from now on; only where a conversation begins."""
        self.context = replace(self.context, agent_types=types)

    def reset(self) -> None:
        """Begin a new conversation."""
        self._activated.clear()
        self._listed = None

    def _activate(self, names: Sequence[str]) -> None:
        deferred = set(self.deferred)
        new = tuple(dict.fromkeys(name for name in names if name in deferred and name not in self._activated))
        if new:
            self.restore(new)
            self._on_activate(new)

    def _known(self, names: Sequence[str]) -> list[AnyTool]:
        return [tool for name in names if (tool := self._pool.get(name)) is not None]
