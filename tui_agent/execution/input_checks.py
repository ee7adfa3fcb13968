"""From a name and raw input to a tool and an input that is known to be good: look-up, shape, and the tool's own checks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tui_agent.execution.errors import ToolFailure, invalid_input, unknown_tool
from tui_agent.execution.execution_context import AvailableTools
from tui_agent.execution.redaction import refuse_masks
from tui_agent.tools.base import Ask, Invalid, Tool, ToolContext, ToolInput
from tui_agent.tools.inputs.schema import InputValidationError, parse_input

__all__ = ["Checked", "check", "known_as", "look_up", "parse"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """An input that passed. `raw` is its plain data, in the tool's own field names; `doubt` hands the decision to a user."""

    tool: Tool[Any, Any]
    input: ToolInput
    raw: dict[str, Any]
    doubt: Ask | None = None


def look_up(pool: AvailableTools, name: str, raw: dict[str, Any]) -> tuple[Tool[Any, Any], dict[str, Any]]:
    """Find the tool by name, then by alias, and give an alias's input the tool's own shape.

    Raises:
        ToolFailure: there is no such tool, or the alias's input cannot be brought into shape.
    """
    tool = pool.get(name)
    if tool is None:
        raise unknown_tool(name, pool.nearest(name), pool.names)
    if tool.name == name or not isinstance(raw, dict):  # whatever else came is refused with the shape
        return tool, raw
    try:
        return pool.adapt(name, raw)
    except InputValidationError as error:
        raise invalid_input(error) from error


def known_as(pool: AvailableTools, name: str, raw: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the tool's own name and field names for a call; as it came where there is no such tool.

    Unlike `look_up` it does not call for the tool: a schema that waits to be asked for goes on waiting.
    """
    for given in (raw, {}):
        try:
            tool, adapted = pool.adapt(name, given)
        except Exception:  # noqa: BLE001, S112 - what is wrong with the call becomes its result when it is looked up
            continue
        return tool.name, adapted if given is raw and tool.name != name else raw
    return name, raw


def parse(tool: Tool[Any, Any], raw: dict[str, Any]) -> ToolInput:
    """Check the shape.

    Raises:
        ToolFailure: it does not fit; the text names field, expected and received.
    """
    try:
        return parse_input(tool, raw)
    except InputValidationError as error:
        raise invalid_input(error) from error


async def check(tool: Tool[Any, Any], raw: dict[str, Any], ctx: ToolContext) -> Checked:
    """Check shape, then that no mask stands for a secret, then what only the tool can know.

    Raises:
        ToolFailure: one of them says no.
    """
    input = parse(tool, raw)
    await refuse_masks(tool, input, raw, ctx)
    validity = await tool.validate(input, ctx)
    if isinstance(validity, Invalid):
        raise ToolFailure("validation", validity.message, data={"code": validity.code})
    return Checked(tool=tool, input=input, raw=_plain(tool, input), doubt=validity)


def _plain(tool: Tool[Any, Any], input: ToolInput) -> dict[str, Any]:
    try:
        return input.model_dump(mode="json", by_alias=True, exclude_unset=True)
    except ValueError as error:
        # Names that are no text, or nesting without end; only a field that takes anything has them.
        problem = InputValidationError(f"The input of {tool.name} cannot be written as JSON: {error}")
        raise invalid_input(problem) from error
