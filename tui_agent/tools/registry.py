"""What one run may use, in three layers: every tool that exists, those this run admits, and the pool in its fixed order.

Tools are imported when a pool is built, from the list in `catalog`. One whose feature is off is not imported at all: its
name is in no schema, and a call of it is a call of an unknown tool. Permission modes stop calls; they never change a pool.
"""

from __future__ import annotations

import difflib
import fnmatch
import importlib
from collections.abc import Collection, Iterable
from typing import Any, Final

from tui_agent.tools.base import Tool
from tui_agent.tools.catalog import Entry, entries
from tui_agent.tools.schema import api_schema

__all__ = ["SIMPLE_TOOLS", "ToolPool"]

AnyTool = Tool[Any, Any]

SIMPLE_TOOLS: Final = frozenset({"Bash", "Edit", "Read"})


class ToolPool:
    """The tools of one run, sorted by name so that the bytes of a request stay the same from one run to the next."""

    def __init__(self, tools: Iterable[AnyTool]) -> None:
        self.tools: Final[tuple[AnyTool, ...]] = tuple(sorted(tools, key=lambda tool: tool.name))
        self._by_name: Final = {tool.name: tool for tool in self.tools}
        self._by_alias: dict[str, AnyTool] = {}
        for tool in self.tools:
            for alias in (f"{tool.name}Tool", *tool.aliases):
                if alias not in self._by_name:
                    self._by_alias.setdefault(alias, tool)

    @classmethod
    def build(cls, *, denied: Collection[str] = (), simple: bool = False, features: Collection[str] = ()) -> ToolPool:
        """Return the pool of a run.

        Args:
            denied: names of tools that rules forbid as a whole; `*` stands for any characters.
            simple: offer only `SIMPLE_TOOLS`.
            features: what is switched on; a tool that asks for features is there when one of them is.
        """
        on = frozenset(features)
        existing = [entry for entry in entries() if not entry.features or on.intersection(entry.features)]
        admitted = [
            entry
            for entry in existing
            if (not simple or entry.name in SIMPLE_TOOLS)
            and not any(fnmatch.fnmatchcase(entry.name, pattern) for pattern in denied)
        ]
        return cls(tool for tool in map(_load, admitted) if _works(tool))

    def get(self, name: str) -> AnyTool | None:
        """Return the tool of this canonical name or alias."""
        return self._by_name.get(name) or self._by_alias.get(name)

    def nearest(self, name: str) -> list[str]:
        """Return up to three canonical names that `name` may have meant, the likeliest first."""
        known = {known.lower(): tool.name for known, tool in (self._by_alias | self._by_name).items()}
        found = difflib.get_close_matches(name.lower(), known, n=6, cutoff=0.5)
        return list(dict.fromkeys(known[match] for match in found))[:3]

    def adapt(self, name: str, raw: dict[str, Any]) -> tuple[AnyTool, dict[str, Any]]:
        """Return the tool of this name or alias and the input in its own field names.

        Raises:
            KeyError: there is no such tool.
        """
        tool = self.get(name)
        if tool is None:
            raise KeyError(name)
        return tool, raw if name == tool.name else tool.from_alias(name, dict(raw))

    def schemas(self) -> list[dict[str, Any]]:
        """Return the API's tool list, in the pool's order. Aliases are not in it."""
        return [
            {"name": tool.name, "description": tool.description(), "input_schema": api_schema(tool)}
            for tool in self.tools
        ]

    def prompts(self) -> list[str]:
        """Return what the tools add to the system prompt, in the pool's order."""
        return [text for text in (tool.prompt() for tool in self.tools) if text]


def _load(entry: Entry) -> AnyTool:
    tool: AnyTool = importlib.import_module(f"{entry.package}.tool").TOOL()
    return tool


def _works(tool: AnyTool) -> bool:
    try:
        return tool.is_enabled()
    except Exception:  # noqa: BLE001 - a predicate that fails counts as the unsafe answer
        return False
