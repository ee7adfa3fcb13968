"""From a resolved use to one that is known to be good: its shape, then what only the tool itself can check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tui_agent.execution.errors import ToolFailure, invalid_input
from tui_agent.execution.redaction import refuse_masks
from tui_agent.execution.resolution import ResolvedUse
from tui_agent.tools.base import Ask, Invalid, Tool, ToolContext, ToolInput
from tui_agent.tools.inputs.schema import InputValidationError

__all__ = ["Checked", "check"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A use that passed its checks.

    `raw` is the parsed input as plain data, in the tool's own field names. `plan` is what the tool's own check worked out,
    and goes to `propose` and `call` as it is; `doubt` hands the decision to a user.
    """

    use: ResolvedUse
    tool: Tool[Any, Any, Any]
    input: ToolInput
    raw: dict[str, Any]
    plan: Any
    doubt: Ask | None = None


async def check(use: ResolvedUse, ctx: ToolContext) -> Checked:
    """Check shape, then that no mask stands for a secret, then what only the tool can know.

    Raises:
        ToolFailure: one of them says no.
        Exception: whatever the tool raises.
    """
    tool, input = use.found(), use.parsed()
    await refuse_masks(tool, input, use.raw, ctx)
    validity = await tool.validate(input, ctx)
    if isinstance(validity, Invalid):
        raise ToolFailure("validation", validity.message, data={"code": validity.code})
    return Checked(use=use, tool=tool, input=input, raw=_plain(tool, input), plan=validity.plan, doubt=validity.doubt)


def _plain(tool: Tool[Any, Any, Any], input: ToolInput) -> dict[str, Any]:
    try:
        return input.model_dump(mode="json", by_alias=True, exclude_unset=True)
    except ValueError as error:
        # Names that are no text, or nesting without end; only a field that takes anything has them.
        problem = InputValidationError(f"The input of {tool.name} cannot be written as JSON: {error}")
        raise invalid_input(problem) from error
