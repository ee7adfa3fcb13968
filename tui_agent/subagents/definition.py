"""A type of subagent: the instructions, tools, model and limits that an agent of this type works with."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from tui_agent.permissions.modes import Mode

__all__ = ["AgentDefinition", "AgentSource", "ToolList", "parse_tools"]

AgentSource = Literal["policy", "cli", "project", "user", "plugin", "built-in"]

_ENTRY: Final = re.compile(r"\s*([^\s,()]+)\s*(?:\(([^()]*)\))?\s*")
_STARTERS: Final = frozenset({"Agent", "Task"})


@dataclass(frozen=True, slots=True)
class ToolList:
    """Tools by name. `*` stands for any characters, and `mcp__server` for all tools of a server.

    `agents` are the types of agents that its `Agent(a, b)` names; None: no entry restricts them. `noted` are entries with
    something in brackets that does not count: an agent gets a tool or does not, and rules decide on its calls.
    """

    names: tuple[str, ...]
    agents: tuple[str, ...] | None = None
    noted: tuple[str, ...] = ()

    def has(self, name: str) -> bool:
        """Whether this tool is one of them."""
        return any(_fits(entry, name) for entry in self.names)

    def unknown(self, known: Sequence[str]) -> tuple[str, ...]:
        """Return the entries that name none of the tools there are."""
        return tuple(entry for entry in self.names if not any(_fits(entry, name) for name in known))


def _fits(entry: str, name: str) -> bool:
    if entry == name:
        return True
    if entry.startswith("mcp__") and name.startswith(f"{entry}__"):
        return True
    return "*" in entry and re.fullmatch(".*".join(map(re.escape, entry.split("*"))), name, re.DOTALL) is not None


def parse_tools(value: object, canonical: Mapping[str, str]) -> ToolList | None:
    """Read a list of tools: text with commas, or a list of texts. None where there is none, which means all tools.

    Args:
        value: as the file has it.
        canonical: the tools' own names by other names they go by.

    Raises:
        ValueError: it is something else.
    """
    if value is None:
        return None
    if isinstance(value, str):
        entries = [match[0] for match in _ENTRY.finditer(value)]
    elif isinstance(value, list) and all(isinstance(item, str) for item in value):
        entries = value
    else:
        raise ValueError("must be a list of tool names")
    names: list[str] = []
    noted: list[str] = []
    agents: tuple[str, ...] | None = None
    for entry in entries:
        match = _ENTRY.fullmatch(entry)
        if match is None:
            raise ValueError(f"{entry.strip()[:60]!r} is not the name of a tool")
        name = canonical.get(match[1], match[1])
        names.append(name)
        within = match[2]
        if within is None or within.strip() in ("", "*"):
            continue
        if match[1] in _STARTERS:
            agents = (*(agents or ()), *(part.strip() for part in within.split(",") if part.strip()))
        else:
            noted.append(entry.strip())
    return ToolList(tuple(dict.fromkeys(names)), agents, tuple(noted))


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentDefinition:
    """One type of agent.

    `prompt` takes the place of the main system prompt. `tools` None means all that its parent has. `model` is a model or a
    short name, `small` for the cheapest of the parent's maker, and empty for the parent's. With `is_read_only` it can change
    nothing, whatever rules and mode allow. `hooks` are as in a settings file, heard while it runs. `file` is where it was read
    from, and `source_label` what people know that source by (a plugin's name); `problems` are parts of the file that do not
    count.
    """

    name: str
    description: str
    prompt: str
    source: AgentSource = "built-in"
    source_label: str = ""
    file: str = ""
    tools: ToolList | None = None
    disallowed: ToolList = ToolList(())
    model: str = ""
    mode: Mode | None = None
    is_read_only: bool = False
    max_turns: int | None = None
    has_memory_files: bool = True
    is_background: bool = False
    is_isolated: bool = False
    color: str = ""
    initial_prompt: str = ""
    skills: tuple[str, ...] = ()
    servers: tuple[str, ...] = ()
    hooks: Mapping[str, Any] = field(default_factory=dict)
    problems: tuple[str, ...] = ()

    def admits(self, name: str) -> bool:
        """Whether an agent of this type may have a tool of this name."""
        return (self.tools is None or self.tools.has(name)) and not self.disallowed.has(name)

    @property
    def tools_text(self) -> str:
        """Its tools in a few words, for the model and for people."""
        if self.tools is None:
            without = f" but {', '.join(self.disallowed.names)}" if self.disallowed.names else ""
            return f"all tools{without}"
        return ", ".join(name for name in self.tools.names if not self.disallowed.has(name)) or "none"
