"""What one run may use, in three layers: every tool that exists, those this run admits, and the pool in its fixed order.

Tools are imported when a pool is built, from the list in `catalog`. One whose feature is off is not imported at all: its
name is in no schema, and a call of it is a call of an unknown tool. Permission modes stop calls; they never change a pool.

A pool does not change: when tools of servers come or go, `with_foreign` makes another one, in which everything built in is
as it was. `loading.LoadedTools` holds the pool of the moment, and knows which deferred tools a conversation has looked up.
"""

from __future__ import annotations

import difflib
import importlib
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, Final

from tui_agent.tools.base import PromptContext, ShellEffect, Tool
from tui_agent.tools.catalog import CatalogEntry, entries
from tui_agent.tools.inputs.schema import api_schema
from tui_agent.tools.mcp_tool import McpTool

__all__ = ["SIMPLE_TOOLS", "TOOL_SEARCH", "ToolPool", "load_tool"]

AnyTool = Tool[Any, Any, Any]

SIMPLE_TOOLS: Final = frozenset({"Bash", "Edit", "Read"})
TOOL_SEARCH: Final = "ToolSearch"

_OFF: Final = frozenset({"false", "0", "no", "off"})
_AUTO: Final = re.compile(r"auto(?::(\d{1,3}))?")
_AUTO_PERCENT: Final = 10
_CHARS_PER_TOKEN: Final = 4
_USUAL_CONTEXT_TOKENS: Final = 200_000


class ToolPool:
    """The tools of one run: built-in ones sorted by name, then those of MCP servers sorted by name, never mixed.

    `core` are the built-in tools that every request carries, in this order and ahead of all others, so that a prompt cache
    which ends with them serves whatever is added behind. `upfront` are the rest of what every request carries, and
    `deferred` what a model has to look up. `admits` says whether this run may use a tool of a server, by name. Of two tools
    of one name the built-in one counts, else the first.
    """

    def __init__(
        self,
        builtin: Iterable[AnyTool],
        *,
        mcp: Iterable[McpTool] = (),
        deferred: Collection[str] = (),
        admits: Callable[[str], bool] = lambda _name: True,
    ) -> None:
        own = {tool.name: tool for tool in builtin}
        foreign: dict[str, McpTool] = {}
        for guest in mcp:
            if guest.name not in own:
                foreign.setdefault(guest.name, guest)
        self._builtin: Final = tuple(own.values())
        self._admits: Final = admits
        self._by_name: Final[dict[str, AnyTool]] = {
            **{name: own[name] for name in sorted(own)},
            **{name: foreign[name] for name in sorted(foreign)},
        }
        self.tools: Final[tuple[AnyTool, ...]] = tuple(self._by_name.values())
        self.core: Final = tuple(tool for tool in self.tools if tool.name in own and tool.name not in deferred)
        self.upfront: Final = tuple(tool for tool in self.tools if tool.name in foreign and tool.name not in deferred)
        self.deferred: Final = tuple(tool for tool in self.tools if tool.name in deferred)
        self.foreign: Final = tuple(foreign[name] for name in sorted(foreign))
        self.foreign_names: Final = tuple(sorted(foreign))
        self._by_alias: dict[str, AnyTool] = {}
        for tool in self.tools:
            for alias in (f"{tool.name}Tool", *tool.aliases):
                if alias not in self._by_name:
                    self._by_alias.setdefault(alias, tool)

    @classmethod
    def build(
        cls,
        *,
        denied: Collection[str] = (),
        simple: bool = False,
        features: Collection[str] = (),
        mcp: Iterable[McpTool] = (),
        tool_search: str = "",
        context_tokens: int | None = None,
        effect_of: Callable[[str], ShellEffect] | None = None,
    ) -> ToolPool:
        """Return the pool of a run.

        Args:
            denied: names of tools that rules forbid as a whole; `*` stands for any characters, and `mcp__server` for all
                tools of a server.
            simple: offer only `SIMPLE_TOOLS`.
            features: what is switched on; a tool that asks for features is there when one of them is.
            mcp: tools of MCP servers.
            tool_search: what `ENABLE_TOOL_SEARCH` says: `false` defers nothing, `auto` or `auto:N` only where the schemas
                would take more than ten (or N) percent of the context, anything else whatever can be deferred.
            context_tokens: the size of the model's context, where it is known.
            effect_of: says what a shell command does; without it every command may change anything.
        """
        on = frozenset(features)
        existing = [entry for entry in entries() if not entry.features or on.intersection(entry.features)]
        admitted = [
            entry
            for entry in existing
            if (not simple or entry.name in SIMPLE_TOOLS) and not _is_denied(entry.name, denied)
        ]
        builtin = [tool for entry in admitted if _works(tool := load_tool(entry, on))]
        if effect_of is not None:
            for tool in builtin:
                tool.effect_of = effect_of
        patterns = tuple(denied)

        def admits(name: str) -> bool:
            return not simple and not _is_denied(name, patterns)

        foreign = tuple(mcp)
        # Whoever cannot search must be given everything.
        if any(tool.name == TOOL_SEARCH for tool in builtin):
            deferred = {entry.name for entry in admitted if entry.is_deferred}
            pool = cls(builtin, deferred=deferred, admits=admits).with_foreign(foreign)
            if _wants_search(tool_search, pool, context_tokens or _USUAL_CONTEXT_TOKENS):
                return pool
        builtin = [tool for tool in builtin if tool.name != TOOL_SEARCH]
        return cls(builtin, admits=admits).with_foreign(foreign)

    def with_foreign(self, tools: Iterable[McpTool]) -> ToolPool:
        """Return a pool with these tools of servers in the place of those there were, as far as this run may use them.

        What is built in stays as it is, deferred or not, and so does the beginning of every request. Where the model can
        search, the new tools are deferred unless they say otherwise; where it cannot, they are all up front.
        """
        admitted = [tool for tool in tools if self._admits(tool.name) and _works(tool)]
        own = {tool.name for tool in self._builtin}
        deferred = {tool.name for tool in self.deferred if tool.name in own}
        if TOOL_SEARCH in own:
            deferred |= {tool.name for tool in admitted if not tool.is_always_loaded and tool.name not in own}
        return ToolPool(self._builtin, mcp=admitted, deferred=deferred, admits=self._admits)

    def get(self, name: str) -> AnyTool | None:
        """Return the tool of this canonical name or alias."""
        return self._by_name.get(name) or self._by_alias.get(name)

    def nearest(self, name: str) -> list[str]:
        """Return up to three canonical names that `name` may have meant, the likeliest first."""
        known = {known.lower(): tool.name for known, tool in (self._by_alias | self._by_name).items()}
        found = difflib.get_close_matches(name[:100].lower(), known, n=6, cutoff=0.5)
        return list(dict.fromkeys(known[match] for match in found))[:3]

    def on_use(self, tool: AnyTool) -> None:
        """Do nothing: a pool does not know what a model has been given."""

    @property
    def names(self) -> tuple[str, ...]:
        """The canonical names of all tools, in the pool's order."""
        return tuple(self._by_name)

    def only(self, admits: Callable[[str], bool], *, defers: bool = True) -> ToolPool:
        """Return a pool of those of its tools that are admitted by name; with `defers` False every request carries all."""
        deferred = [tool.name for tool in self.deferred] if defers else []
        return ToolPool(
            (tool for tool in self._builtin if admits(tool.name)),
            mcp=(tool for tool in self.foreign if admits(tool.name)),
            deferred=[name for name in deferred if admits(name)],
            admits=lambda name: self._admits(name) and admits(name),
        )

    def schemas(
        self, context: PromptContext | None = None, *, activated: Sequence[AnyTool] = ()
    ) -> list[dict[str, Any]]:
        """Return the API's tool list: core, up front, then what was activated. Aliases are not in it."""
        return self.schemas_of((*self.core, *self.upfront, *activated), context)

    def schemas_of(self, tools: Iterable[AnyTool], context: PromptContext | None = None) -> list[dict[str, Any]]:
        """Return entries of the API's tool list."""
        seen = context or PromptContext(tool_names=self.names)
        return [
            {"name": tool.name, "description": tool.describe(seen), "input_schema": api_schema(tool)} for tool in tools
        ]

    def prompts(self, context: PromptContext | None = None) -> list[str]:
        """Return what the built-in tools that every request carries add to the system prompt, in the pool's order.

        Tools of servers add nothing: they come and go while a conversation runs, and the prompt has to stay.
        """
        seen = context or PromptContext(tool_names=self.names)
        return [text for text in (tool.guide(seen) for tool in self.core) if text]


def load_tool(entry: CatalogEntry, features: frozenset[str]) -> AnyTool:
    """Import a tool and return one for a run with these features.

    Raises:
        Exception: whatever its module raises.
    """
    tool: AnyTool = importlib.import_module(f"{entry.package}.tool").TOOL()
    tool.features = features
    return tool


def _works(tool: AnyTool) -> bool:
    try:
        return tool.is_enabled()
    except Exception:  # noqa: BLE001 - a predicate that fails counts as the unsafe answer
        return False


def _is_denied(name: str, patterns: Collection[str]) -> bool:
    for pattern in patterns:
        glob = ".*".join(map(re.escape, pattern.split("*")))
        if re.fullmatch(glob, name, re.DOTALL):
            return True
        if pattern.startswith("mcp__") and re.fullmatch(f"{glob}__.*", name, re.DOTALL):
            return True
    return False


def _wants_search(setting: str, pool: ToolPool, context_tokens: int) -> bool:
    said = setting.strip().lower()
    if said in _OFF:
        return False
    match = _AUTO.fullmatch(said)
    if match is None:
        return True
    share = int(match[1] or _AUTO_PERCENT) / 100
    size = sum(len(str(schema)) for schema in pool.schemas_of(pool.deferred))
    return size / _CHARS_PER_TOKEN > share * context_tokens
