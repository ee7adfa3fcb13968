"""The tools of one conversation: its pool, and which of the deferred tools the model has been given so far.

It is what tool uses find their tool in, what ToolSearch searches, and what a request takes its tool list from. Activated
tools stand behind all others, in the order of their activation, so that what a prompt cache holds stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

from tui_agent.tools.base import PromptContext, Tool
from tui_agent.tools.registry import ToolPool
from tui_agent.tools.search import Searchable, find_tools

__all__ = ["LoadedTools"]

AnyTool = Tool[Any, Any]


class LoadedTools:
    """Implements `execution.toolbox.Pool` and `services.ToolFinder`.

    `on_activate` hears the names of newly activated tools. `context` is what tools see of the session when they describe
    themselves.
    """

    def __init__(
        self,
        pool: ToolPool,
        *,
        context: PromptContext | None = None,
        on_activate: Callable[[tuple[str, ...]], object] = lambda _names: None,
    ) -> None:
        self.pool: Final = pool
        self.context = context or PromptContext(tool_names=pool.names)
        self._on_activate = on_activate
        self._deferred: Final = {tool.name: tool for tool in pool.deferred}
        self._activated: dict[str, AnyTool] = {}

    # --- for requests ------------------------------------------------------------------------------------------------

    def describe_for(self, model: str) -> None:
        """Have tools describe themselves for this model from now on."""
        self.context = replace(self.context, model=model)

    @property
    def core_count(self) -> int:
        """How many of the tools a request carries are built in and always there: a cache mark goes on the last of them."""
        return len(self.pool.core)

    def schemas(self) -> list[dict[str, Any]]:
        """Return the tool list of the next request."""
        return self.pool.schemas(self.context, activated=tuple(self._activated.values()))

    def prompts(self) -> list[str]:
        """Return what the tools that were there from the start add to the system prompt, which never changes."""
        return self.pool.prompts(self.context)

    # --- for tool uses -----------------------------------------------------------------------------------------------

    @property
    def tools(self) -> Sequence[AnyTool]:
        """All tools that can be called, in the pool's order."""
        return self.pool.tools

    def get(self, name: str) -> AnyTool | None:
        """Return the tool of this name or alias. A deferred one is activated by that: whoever calls it wants its schema."""
        tool = self.pool.get(name)
        if tool is not None:
            self._activate([tool.name])
        return tool

    @property
    def names(self) -> Sequence[str]:
        """The canonical names of all tools, deferred ones too."""
        return self.pool.names

    def nearest(self, name: str) -> list[str]:
        """Return canonical names that look like `name`, the closest first."""
        return self.pool.nearest(name)

    def adapt(self, name: str, raw: dict[str, Any]) -> tuple[AnyTool, dict[str, Any]]:
        """Return the tool behind a name or alias, and `raw` as that tool's own input.

        Raises:
            KeyError: there is no such tool.
        """
        return self.pool.adapt(name, raw)

    # --- for searching -----------------------------------------------------------------------------------------------

    @property
    def deferred(self) -> Sequence[str]:
        """The names of all deferred tools, sorted, whether activated meanwhile or not."""
        return sorted(self._deferred)

    @property
    def activated(self) -> Sequence[str]:
        """The names of the deferred tools that requests carry, in the order of their activation."""
        return list(self._activated)

    def find(self, query: str, limit: int) -> Sequence[str]:
        """Return names of tools: those that `select:A,B` or a name says, else at most `limit` by words, the best first."""
        everything = [Searchable(tool, tool.describe(self.context)) for tool in self.pool.tools]
        deferred = [one for one in everything if one.tool.name in self._deferred]
        return find_tools(query, everything, deferred, limit)

    def activate(self, names: Sequence[str]) -> list[dict[str, Any]]:
        """Let later requests carry these tools, and return their schemas as the API gets them."""
        self._activate(names)
        return self.pool.schemas_of(self._known(names), self.context)

    def guidance(self, names: Sequence[str]) -> list[str]:
        """Return what these tools would have said in the system prompt, where anything."""
        return [text for text in (tool.guide(self.context) for tool in self._known(names)) if text]

    def restore(self, names: Iterable[str]) -> None:
        """Take up a recorded conversation: activate without a word. What no longer exists is left out."""
        self._activated |= {name: self._deferred[name] for name in names if name in self._deferred}

    def reset(self) -> None:
        """Begin a new conversation."""
        self._activated.clear()

    def _activate(self, names: Sequence[str]) -> None:
        new = tuple(dict.fromkeys(name for name in names if name in self._deferred and name not in self._activated))
        if new:
            self.restore(new)
            self._on_activate(new)

    def _known(self, names: Sequence[str]) -> list[AnyTool]:
        return [tool for name in names if (tool := self.pool.get(name)) is not None]
