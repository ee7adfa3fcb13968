"""A turn on a model that follows a script, with one tool, and a look at whether the conversation is valid after it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from scripted_model import Script, ScriptedModel

from tui_agent.bus import Bus
from tui_agent.engine.conversation.history import History
from tui_agent.engine.conversation.turn import Turn, TurnSetup
from tui_agent.events import (
    AssistantMessageCompleted,
    Event,
    ToolResultReady,
    ToolStateChanged,
    ToolUseCompleted,
    TurnFinished,
    UsageReported,
    UserMessageSent,
)
from tui_agent.execution.execution_context import ExecutionContext, PermissionQuestion
from tui_agent.execution.executor import StreamingExecutor
from tui_agent.execution.responders import ResponderAnswer, Responders
from tui_agent.model.protocol import ModelError, ModelRequest
from tui_agent.model.retry import RetryPolicy
from tui_agent.permissions.verdict import Decision, ToolCall, Verdict
from tui_agent.tools.base import Claims, Progress, Result, Tool, ToolContext, ToolError, ToolInput
from tui_agent.tools.file_state import FileState
from tui_agent.tools.workspace import Workspace

LOST = ModelError("connection", "The connection was lost.", is_retryable=True)
FULL = ModelError("context_overflow", "The conversation no longer fits.", hint="Start afresh with /clear.", status=400)
OLD = (("0", "0" * 25_000), ("1", "1" * 9_000), ("2", "2" * 20_000))


class NoteInput(ToolInput):
    note: str = ""


class NoteTool(Tool[NoteInput, None, str]):
    """Gives its note back; waits, fails or counts as the test wants."""

    name = "Note"
    Input = NoteInput

    def __init__(self) -> None:
        self.ran: list[str] = []
        self.hold = asyncio.Event()
        self.hold.set()
        self.interrupt_behavior = "cancel"
        self.runs_alone = False

    def is_concurrency_safe(self, input: NoteInput) -> bool:
        return not self.runs_alone

    def claims(self, input: NoteInput) -> Claims:
        return Claims.exclusive() if self.runs_alone else Claims()

    async def call(self, input: NoteInput, plan: None, ctx: ToolContext) -> AsyncIterator[Progress | Result[str]]:
        self.ran.append(input.note)
        await self.hold.wait()
        if input.note == "fail":
            raise ToolError("it failed")
        size = int(input.note.partition(" ")[2]) if input.note.startswith("big ") else 0
        yield Result(f"noted {input.note}".ljust(size, "."))


class OneToolPool:
    def __init__(self, tool: NoteTool) -> None:
        self.tool = tool

    @property
    def names(self) -> list[str]:
        return ["Note"]

    def get(self, name: str) -> NoteTool | None:
        return self.tool if name == "Note" else None

    def nearest(self, name: str) -> list[str]:
        return ["Note"]

    def on_use(self, tool: NoteTool) -> None:
        """There is nothing to activate."""


class OpenGate:
    """Allows everything, but puts notes named `ask` to a user who refuses without a word."""

    def decide(self, call: ToolCall, proposal: object) -> Verdict:
        behavior = "ask" if call.input.get("note", "").startswith("ask") else "allow"
        return Verdict(behavior=behavior, by="default", reason="test")  # type: ignore[arg-type]

    async def ask(self, question: PermissionQuestion, rivals: Responders) -> ResponderAnswer:
        words = "do it by hand" if question.input["note"] == "ask with words" else None
        return ResponderAnswer(decision=Decision(behavior="deny", message=words), by="person")


class Stage:
    """A turn over a scripted model, and everything that came out of it."""

    def __init__(
        self,
        folder: Path,
        *scripts: Script,
        before: Sequence[Event] = (),
        model: Any = None,
        agent_id: str = "",
        **options: Any,
    ) -> None:
        self.events: list[Event] = []
        recorded = [UserMessageSent(message_id="u", text="hello"), *before]
        self.before = [replace(event, agent_id=agent_id) for event in recorded]
        self.model: Any = model or ScriptedModel(*scripts)
        self.history = History.from_events(self.before, agent_id)
        self.tool = NoteTool()
        self.bus = Bus("s").for_agent(agent_id)
        self.steered: list[str] = []
        box = ExecutionContext(
            pool=OneToolPool(self.tool),
            workspace=Workspace(folder, home=folder),
            files=FileState(),
            gate=OpenGate(),
            publish=self._publish,
            results_dir=folder / "results",
            is_interactive=True,
        )
        self.turn = Turn(
            TurnSetup(
                publish=self._publish,
                model=self.model,
                history=self.history,
                new_executor=lambda: StreamingExecutor(box),
                build_request=lambda: ModelRequest(
                    model="m", system=[], messages=self.history.messages(), tools=[], max_tokens=10
                ),
                report_usage=lambda request_id, usage: UsageReported(
                    request_id=request_id,
                    model="m",
                    input_tokens=usage.input_tokens,
                    output_tokens=usage.output_tokens,
                ),
                steering=self._steer,
                retries=RetryPolicy(first_s=0.0, jitter=lambda: 0.0),
                **options,
            )
        )

    def _publish(self, event: Event) -> Event:
        stamped = self.bus.publish(event)
        self.events.append(stamped)
        return stamped

    async def _steer(self) -> int:
        count = len(self.steered)
        for text in self.steered:
            self.history.add_user(text)
            self._publish(UserMessageSent(message_id="s", text=text))
        self.steered.clear()
        return count

    def of(self, kind: type[Event]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def outcome(self) -> str:
        (finished,) = self.of(TurnFinished)
        return str(finished.outcome)


def check(stage: Stage) -> None:
    """The conversation is valid, and every tool use that was whole has exactly one result and went all the way."""
    messages = stage.history.messages()
    for index, message in enumerate(messages):
        assert message["role"] == ("user" if index % 2 == 0 else "assistant")
        wanted = [block["id"] for block in message["content"] if block["type"] == "tool_use"]
        if wanted:
            answers = messages[index + 1]["content"][: len(wanted)]
            assert [block.get("tool_use_id") for block in answers] == wanted
            assert not any("never answered" in str(block["content"]) for block in answers)
    completed = [event.tool_use_id for event in stage.of(ToolUseCompleted)]
    assert sorted(event.tool_use_id for event in stage.of(ToolResultReady)) == sorted(completed)
    for use in completed:
        states = [event.to_state for event in stage.of(ToolStateChanged) if event.tool_use_id == use]
        assert states[0] == "queued"
        assert states[-2:] == ["completed", "yielded"]
    assert len(stage.of(TurnFinished)) == 1
    assert History.from_events([*stage.before, *stage.events], stage.bus.agent_id).messages() == messages, (
        "going on from the record would send something else"
    )


def with_old_results(
    folder: Path, *scripts: Script, old: Sequence[tuple[str, Any]] = OLD, kept_in: str | None = None
) -> Stage:
    """A conversation with an earlier exchange: a reply for each old result, an answer, and what the user said then."""
    before: list[Event] = []
    for number, (note, content) in enumerate(old):
        block = {"type": "tool_use", "id": f"old{number}", "name": "Note", "input": {"note": note}}
        before += (
            AssistantMessageCompleted(message_id="m", content=[block], stop_reason="tool_use"),
            ToolResultReady(tool_use_id=f"old{number}", name="Note", is_error=False, content=content, kept_in=kept_in),
        )
    before += (
        AssistantMessageCompleted(message_id="m", content=[{"type": "text", "text": "Done."}], stop_reason="end_turn"),
        UserMessageSent(message_id="u", text="go on"),
    )
    return Stage(folder, *scripts, before=before)


def results_in(request: ModelRequest) -> dict[str, Any]:
    blocks = [block for message in request.messages for block in message["content"]]
    return {block["tool_use_id"]: block["content"] for block in blocks if block["type"] == "tool_result"}
