"""Tools, a pool and a gate that do exactly what a test tells them, when it tells them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import Field

from tui_agent.changes import FileChange, content_hash
from tui_agent.events import Event, ToolStageEnded, ToolStateChanged
from tui_agent.execution.execution_context import ExecutionContext, PermissionQuestion, ToolOutcome
from tui_agent.execution.executor import StreamingExecutor
from tui_agent.execution.extensions import Extensions
from tui_agent.execution.responders import ResponderAnswer, Responders, first_answer
from tui_agent.permissions.verdict import Decision, ToolCall, Verdict
from tui_agent.tools.base import (
    Ask,
    Claims,
    Invalid,
    Opinion,
    Progress,
    Result,
    Tool,
    ToolContext,
    ToolInput,
    Valid,
    Validity,
)
from tui_agent.tools.file_state import FileState
from tui_agent.tools.forms import Form
from tui_agent.tools.workspace import Workspace

CallBody = Callable[["FakeInput", ToolContext], AsyncIterator[Any]]


class FakeInput(ToolInput):
    """Says in so many words what the call touches."""

    note: str = ""
    reads: list[str] = Field(default_factory=list)
    writes: list[str] = Field(default_factory=list)
    alone: bool = False
    safe: bool = False
    number: int = 0


class FakeTool(Tool[FakeInput, Any, str]):
    """Answers what its fields say; its call is `body`, or gives the note back at once."""

    Input = FakeInput

    def __init__(self, name: str = "Fake", *, body: CallBody | None = None, **answers: Any) -> None:
        self.name = name
        self.body = body
        self.answers = answers
        self.aliases = answers.get("aliases", ())
        self.interrupt_behavior = answers.get("interrupt_behavior", "block")
        self.aborts_siblings = answers.get("aborts_siblings", False)
        self.max_result_chars = answers.get("max_result_chars", 50_000)

    def from_alias(self, alias: str, raw: dict[str, Any]) -> dict[str, Any]:
        return {"note": raw.get("text", "")}

    def is_concurrency_safe(self, input: FakeInput) -> bool:
        return self._say("is_concurrency_safe", input.safe)

    def is_read_only(self, input: FakeInput) -> bool:
        return self._say("is_read_only", False)

    def is_destructive(self, input: FakeInput) -> bool:
        return self._say("is_destructive", False)

    def claims(self, input: FakeInput) -> Claims:
        own = Claims.exclusive() if input.alone else Claims(frozenset(input.reads), frozenset(input.writes))
        return self._say("claims", own)

    def classifier_input(self, input: FakeInput) -> str:
        return self._say("classifier_input", "", input)

    async def validate(self, input: FakeInput, ctx: ToolContext) -> Validity[Any]:
        found: Ask | Invalid | None = self._say("validate", None, input)
        return found if isinstance(found, Invalid) else Valid(self._say("plan", None, input), found)

    async def propose(self, input: FakeInput, plan: Any, ctx: ToolContext) -> tuple[FileChange, ...]:
        proposed: FileChange | tuple[FileChange, ...] | None = self._say("propose", None, input)
        return proposed if isinstance(proposed, tuple) else (proposed,) if proposed else ()

    async def check_permissions(self, input: FakeInput, ctx: ToolContext) -> Opinion:
        return self._say("check_permissions", None, input)

    def call(self, input: FakeInput, plan: Any, ctx: ToolContext) -> AsyncIterator[Progress | Result[str]]:
        return self.body(input, ctx) if self.body else _echo(input)

    def to_result(self, output: str) -> str | list[dict[str, Any]]:
        return self._say("to_result", output)

    def _say(self, question: str, default: Any, *arguments: Any) -> Any:
        answer = self.answers.get(question, default)
        if isinstance(answer, BaseException):
            raise answer
        return answer(*arguments) if callable(answer) else answer


async def _echo(input: FakeInput) -> AsyncIterator[Progress | Result[str]]:
    yield Result(input.note)


class FakePool:
    """The given tools, by name and alias."""

    def __init__(self, *tools: FakeTool) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._aliases = {alias: tool for tool in tools for alias in tool.aliases}
        self.used: list[str] = []

    @property
    def names(self) -> list[str]:
        return sorted(self._tools)

    def get(self, name: str) -> FakeTool | None:
        return self._tools.get(name) or self._aliases.get(name)

    def nearest(self, name: str) -> list[str]:
        return sorted(known for known in self._tools if known[0].lower() == name[0].lower())

    def on_use(self, tool: FakeTool) -> None:
        self.used.append(tool.name)


def allow(call: ToolCall, _proposals: tuple[FileChange, ...] = ()) -> Verdict:
    return Verdict(behavior="allow", by="default", reason="the test allows everything")


def ask(call: ToolCall, _proposals: tuple[FileChange, ...] = ()) -> Verdict:
    return Verdict(behavior="ask", by="default", reason="the test asks")


@dataclass
class FakeGate:
    """Judges by `judge`; questions wait in `open` until a test or a rival answers them. `is_attended`: a user is there."""

    judge: Callable[[ToolCall, Any], Verdict] = allow
    is_attended: bool = True
    calls: list[ToolCall] = field(default_factory=list)
    proposals: list[tuple[FileChange, ...]] = field(default_factory=list)
    open: dict[str, tuple[PermissionQuestion, asyncio.Future[ResponderAnswer]]] = field(default_factory=dict)
    answered: list[ResponderAnswer] = field(default_factory=list)

    def decide(self, call: ToolCall, proposals: tuple[FileChange, ...]) -> Verdict:
        self.calls.append(call)
        self.proposals.append(proposals)
        return self.judge(call, proposals)

    async def ask(self, question: PermissionQuestion, rivals: Responders) -> ResponderAnswer:
        future: asyncio.Future[ResponderAnswer] = asyncio.get_running_loop().create_future()
        self.open[question.tool_use_id] = (question, future)
        try:
            answer = await first_answer(future if self.is_attended else None, rivals)
        finally:
            del self.open[question.tool_use_id]
        self.answered.append(answer)
        return answer

    def answer(self, tool_use_id: str, decision: Decision) -> None:
        self.open[tool_use_id][1].set_result(ResponderAnswer(decision=decision, by="person"))


class Bench:
    """A toolbox over a scratch folder, and all events that were published."""

    def __init__(
        self,
        folder: Path,
        *tools: FakeTool,
        gate: FakeGate | None = None,
        extensions: dict[str, Any] | None = None,
        **more: Any,
    ) -> None:
        self.events: list[Event] = []
        self.gate = gate or FakeGate()
        self.execution_context = ExecutionContext(
            pool=FakePool(*tools),
            workspace=Workspace(folder, home=folder),
            files=FileState(),
            gate=self.gate,
            publish=self.events.append,
            extensions=Extensions(**(extensions or {})),
            **{"is_interactive": True, "results_dir": folder / "results", **more},
        )

    def executor(self, **options: Any) -> StreamingExecutor:
        return StreamingExecutor(self.execution_context, **options)

    def states(self, tool_use_id: str) -> list[str]:
        return [e.to_state for e in self.events if isinstance(e, ToolStateChanged) and e.tool_use_id == tool_use_id]

    def stages(self, tool_use_id: str) -> list[tuple[str, str]]:
        return [
            (e.stage, e.outcome) for e in self.events if isinstance(e, ToolStageEnded) and e.tool_use_id == tool_use_id
        ]

    def of(self, kind: type[Any]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]


async def settle() -> None:
    """Let the loop go on until nothing is left to do but to wait."""
    loop = asyncio.get_running_loop()
    while loop._ready:
        await asyncio.sleep(0)


async def rest(executor: StreamingExecutor) -> list[ToolOutcome]:
    """Close the executor and read all results."""
    executor.close()
    return [outcome async for outcome in executor.results()]


class Lever:
    """A tool body that goes on only when the test pulls it, by the use's id."""

    def __init__(self) -> None:
        self.in_call: list[str] = []
        self.inputs: dict[str, FakeInput] = {}
        self.cancelled: list[str] = []
        self._orders: dict[str, asyncio.Queue[Any]] = {}

    async def __call__(self, input: FakeInput, ctx: ToolContext) -> AsyncIterator[Any]:
        orders = self._orders[ctx.tool_use_id] = asyncio.Queue()
        self.in_call.append(ctx.tool_use_id)
        self.inputs[ctx.tool_use_id] = input
        try:
            while True:
                order = await orders.get()
                if isinstance(order, BaseException):
                    raise order
                if order is None:
                    return
                if isinstance(order, Form):
                    assert ctx.ask_user is not None
                    await ctx.ask_user(order)
                else:
                    yield order
        except asyncio.CancelledError:
            self.cancelled.append(ctx.tool_use_id)
            raise
        finally:
            self.in_call.remove(ctx.tool_use_id)

    def pull(self, tool_use_id: str, *orders: Any) -> None:
        """Progress and results are yielded, exceptions raised, forms put to the user, None ends the call."""
        for order in orders:
            self._orders[tool_use_id].put_nowait(order)

    def finish(self, tool_use_id: str, text: str = "done", **options: Any) -> None:
        self.pull(tool_use_id, Result(text, **options), None)


def change(path: str, before: str, after: str) -> FileChange:
    return FileChange.between(path, before, after, before_hash=content_hash(before.encode()))
