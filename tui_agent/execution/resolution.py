"""What a tool use asks for: the tool behind its name, and its input in the tool's own model.

A name is looked up once, when the model begins to write the use; an input is parsed once, when the use is whole. What was
found then travels with the use, so that scheduling, hooks, permissions and the call all speak of the same tool and the same
input, even if the tool leaves the pool meanwhile. An input that a hook or a user has changed is parsed again, here too.

Nothing here raises for a bad name or input: the fault is kept, and raised in the stage of the use that it belongs to.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tui_agent.execution.available_tools import AvailableTools
from tui_agent.execution.errors import invalid_input, unknown_tool, unreadable_input
from tui_agent.tools.base import Tool, ToolInput
from tui_agent.tools.inputs.schema import InputValidationError, parse_input

__all__ = ["NamedTool", "ResolvedUse", "find_tool", "resolve_use"]

AnyTool = Tool[Any, Any, Any]


@dataclass(frozen=True, slots=True)
class NamedTool:
    """A name as it was written, and the tool that has it as its name or alias; `fault` is there where `tool` is None."""

    written: str
    tool: AnyTool | None
    fault: Exception | None = None

    @property
    def name(self) -> str:
        """The tool's canonical name; the name as it was written where there is no such tool."""
        return self.written if self.tool is None else self.tool.name


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedUse:
    """A tool use of which is known what it means.

    `raw` is the input as plain data, in the tool's own field names as far as it could be translated. `input` is None where
    one of the faults says why.
    """

    named: NamedTool
    raw: dict[str, Any]
    input: ToolInput | None = None
    lookup_fault: Exception | None = None
    shape_fault: Exception | None = None

    @property
    def name(self) -> str:
        """The tool's canonical name; the name as it was written where there is no such tool."""
        return self.named.name

    @property
    def tool(self) -> AnyTool | None:
        """The tool, None where there is none of that name."""
        return self.named.tool

    def found(self) -> AnyTool:
        """Return the tool of a use that can be read.

        Raises:
            ToolFailure: there is no such tool, or its arguments could not be read.
            Exception: what the tool raised over an input that came under an alias.
        """
        if self.lookup_fault is not None:
            raise self.lookup_fault
        assert self.tool is not None
        return self.tool

    def parsed(self) -> ToolInput:
        """Return the input.

        Raises:
            ToolFailure: it does not fit the schema; the text names field, expected and received.
            Exception: what `found` raises, or what the tool raised over the input.
        """
        self.found()
        if self.shape_fault is not None:
            raise self.shape_fault
        assert self.input is not None
        return self.input

    def changed(self, raw: dict[str, Any]) -> ResolvedUse:
        """Return the use of the same tool with another input, which is in the tool's own field names."""
        return _parsed(self.named, self.found(), raw)


def find_tool(pool: AvailableTools, name: str) -> NamedTool:
    """Look a name up."""
    tool = pool.get(name)
    fault = unknown_tool(name, pool.nearest(name), pool.names) if tool is None else None
    return NamedTool(name, tool, fault)


def resolve_use(named: NamedTool, raw: dict[str, Any], problem: str = "") -> ResolvedUse:
    """Parse the input of a use. `problem` says why its arguments could not even be read; empty where they could."""
    tool = named.tool
    if tool is None:
        return ResolvedUse(named=named, raw=raw, lookup_fault=named.fault)
    try:
        # An alias that only adds to the name has the tool's own fields; whatever else came than an object has no fields.
        is_other = named.written in tool.aliases and isinstance(raw, dict)
        own = tool.from_alias(named.written, dict(raw)) if is_other else raw
    except InputValidationError as error:
        return ResolvedUse(named=named, raw=raw, lookup_fault=invalid_input(error))
    except Exception as error:  # noqa: BLE001 - it is raised again by `found`
        return ResolvedUse(named=named, raw=raw, lookup_fault=error)
    if problem:
        return ResolvedUse(named=named, raw=own, lookup_fault=unreadable_input(problem))
    return _parsed(named, tool, own)


def _parsed(named: NamedTool, tool: AnyTool, raw: dict[str, Any]) -> ResolvedUse:
    try:
        return ResolvedUse(named=named, raw=raw, input=parse_input(tool, raw))
    except InputValidationError as error:
        return ResolvedUse(named=named, raw=raw, shape_fault=invalid_input(error))
    except Exception as error:  # noqa: BLE001 - it is raised again by `parsed`
        return ResolvedUse(named=named, raw=raw, shape_fault=error)
