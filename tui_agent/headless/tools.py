"""`tools list`, `tools schema` and `tools run`: the tools without a model, through the same stages as with one."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any, Final, NamedTuple

from tui_agent.changes import FileChange
from tui_agent.engine.inspection import PermissionBroker, SessionConfig, SessionCore, ToolRuntime
from tui_agent.execution.errors import wrap
from tui_agent.execution.execution_context import PermissionQuestion
from tui_agent.execution.responders import ResponderAnswer, Responders
from tui_agent.execution.single_use import run_one
from tui_agent.headless.output import CliOutput
from tui_agent.headless.stdin import read_lines
from tui_agent.permissions.verdict import Decision, ToolCall, Verdict
from tui_agent.text import clean_line, sound_json
from tui_agent.tools.base import PromptContext, Tool
from tui_agent.tools.mcp_tool import McpTool
from tui_agent.tools.registry import ToolPool

__all__ = [
    "NamedCall",
    "list_tools",
    "list_tools_as_json",
    "one_call",
    "parse_call",
    "read_calls",
    "run_calls",
    "show_schema",
]


_KINDS: Final = {list: "a list", type(None): "null", bool: "true or false", int: "a number", float: "a number"}
_SENTENCE: Final = re.compile(r"(?<=\.)\s|\n")


class NamedCall(NamedTuple):
    """A tool and its input, or, where a line cannot be read, what is wrong with it."""

    name: str
    input: dict[str, Any]
    problem: str = ""


def list_tools(pool: ToolPool, output: CliOutput) -> int:
    """Print name and first sentence of each tool."""
    width = max((len(tool.name) for tool in pool.tools), default=0)
    context = PromptContext(tool_names=pool.names)
    for tool in pool.tools:
        sentence = clean_line(_SENTENCE.split(tool.describe(context).strip(), maxsplit=1)[0], 160)
        output.text(f"{tool.name:{width}}  {sentence}".rstrip())
    return 0


def list_tools_as_json(pool: ToolPool, output: CliOutput) -> int:
    """Print one JSON list with an object for each tool; `read_only` is null where that depends on the input."""
    context = PromptContext(tool_names=pool.names)
    deferred = {tool.name for tool in pool.deferred}
    output.json(
        [
            {
                "name": tool.name,
                "description": tool.describe(context).strip(),
                "source": "mcp" if isinstance(tool, McpTool) else "built-in",
                "deferred": tool.name in deferred,
                "read_only": _is_read_only(tool),
            }
            for tool in pool.tools
        ]
    )
    return 0


def _is_read_only(tool: Tool[Any, Any, Any]) -> bool | None:
    """Return what the tool says of an input that it has not seen; None where it has to see it."""
    try:
        return bool(tool.is_read_only(_Unseen()))
    except _InputReadError:
        return None


class _InputReadError(Exception):
    """A tool has looked at its input."""


class _Unseen:
    """Stands for whatever input."""

    def __getattr__(self, name: str) -> object:
        raise _InputReadError(name)


def show_schema(pool: ToolPool, name: str, output: CliOutput) -> int:
    """Print a tool's description and input schema as indented JSON; return 2 when there is no such tool."""
    tool = pool.get(name)
    if tool is None:
        near = pool.nearest(name)
        known = ", ".join(near or [tool.name for tool in pool.tools])
        output.message(f"there is no tool {name}", f"Did you mean {known}?" if near else f"There are {known}.")
        return 2
    (schema,) = pool.schemas_of([tool])
    output.json_document(schema)
    return 0


def parse_call(line: str) -> NamedCall:
    """Read one line of `--jsonl`."""
    try:
        data = sound_json(json.loads(line))
    except (ValueError, RecursionError) as error:
        return NamedCall("", {}, f"not JSON: {error}")
    if not isinstance(data, dict) or not isinstance(data.get("name"), str):
        return NamedCall("", {}, 'expected an object with "name" and "input"')
    raw = data.get("input", {})
    if not isinstance(raw, dict):
        return NamedCall(data["name"], {}, f'"input" must be an object, not {_KINDS.get(type(raw), "text")}')
    return NamedCall(data["name"], raw)


async def one_call(name: str, raw: dict[str, Any]) -> AsyncIterator[NamedCall]:
    """Yield a single call."""
    yield NamedCall(name, raw)


async def read_calls() -> AsyncIterator[NamedCall]:
    """Yield the calls that stand in standard input, one a line."""
    async for line in read_lines():
        yield parse_call(line)


async def run_calls(
    opening: SessionConfig, calls: AsyncIterator[NamedCall], output: CliOutput, *, approve: bool = False
) -> int:
    """Run calls in order in one session (one file state) and print a line for each; 1 when any result is an error.

    Args:
        opening: where and with which settings.
        calls: what to run; read only as fast as it is run.
        output: where the lines go.
        approve: say yes to what would be asked. What is denied stays denied.
    """
    core = SessionCore.make(opening.settings, mode=opening.runtime.mode, may_bypass=opening.may_bypass)
    runtime = ToolRuntime(
        opening.runtime,
        core,
        results_dir=opening.folder.results,
        state_dir=opening.state,
        is_attended=False,
        takes_late_commands=False,  # they would end with this command, and nobody would hear how
    )
    execution_context = (
        replace(runtime.execution_context, gate=_Approving(runtime.broker)) if approve else runtime.execution_context
    )
    for problem in (*opening.restored, *runtime.problems):
        output.message(problem)
    has_failed = False
    try:
        async for call in calls:
            if call.problem:
                has_failed = True
                output.json(_unread(call))
                continue
            outcome, stages, states = await run_one(execution_context, call.name, call.input)
            has_failed = has_failed or outcome.is_error
            output.json(
                {
                    "name": outcome.name,
                    "tool_use_id": outcome.tool_use_id,
                    "is_error": outcome.is_error,
                    "content": outcome.content,
                    "data": outcome.data,
                    "error_kind": outcome.error_kind,
                    "stages": stages,
                    "states": states,
                }
            )
    finally:
        await runtime.jobs.close()
        await runtime.hooks.close()
    return int(has_failed)


def _unread(call: NamedCall) -> dict[str, Any]:
    return {
        "name": call.name,
        "tool_use_id": "",
        "is_error": True,
        "content": wrap(f"InputValidationError: {call.problem}"),
        "data": None,
        "error_kind": "invalid_input",
        "stages": [],
        "states": [],
    }


class _Approving:
    """The gate of `--yes`: judged as always, and every question answered with yes."""

    def __init__(self, broker: PermissionBroker) -> None:
        self._broker = broker

    def decide(self, call: ToolCall, proposals: tuple[FileChange, ...]) -> Verdict:
        return self._broker.decide(call, proposals)

    async def ask(self, question: PermissionQuestion, rivals: Responders) -> ResponderAnswer:  # noqa: ARG002 - the answer is the same to all
        return ResponderAnswer(decision=Decision(behavior="allow"), by="person")
