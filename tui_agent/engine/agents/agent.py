"""One subagent: a conversation with the model made of the same parts as the main one, with its own history, tools and files.

It works on one message at a time, and keeps what it knows for the next. Whatever ends its work, its conversation is valid and
`AgentEnded` is published.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from tui_agent.context_marks import framed
from tui_agent.engine.agents.agent_model import AgentModel
from tui_agent.engine.agents.ledger import AgentLedger
from tui_agent.engine.agents.parts import AgentParts
from tui_agent.engine.agents.world import AgentIdentity, AgentWorld
from tui_agent.engine.context.system_prompt import mode_note
from tui_agent.engine.conversation.requests import usage_report
from tui_agent.engine.conversation.turn import Turn, TurnSetup
from tui_agent.engine.session.git_status import GitStatus
from tui_agent.events import (
    AgentEnded,
    AgentOutcome,
    AgentStarted,
    Event,
    Notice,
    ReminderSent,
    TurnOutcome,
    UserMessageSent,
)
from tui_agent.execution.execution_context import ExecutionContext
from tui_agent.execution.executor import StreamingExecutor
from tui_agent.model.retry import RetryPolicy
from tui_agent.tools.agents import AgentReport, AgentService
from tui_agent.tools.cancel_shield import unbroken
from tui_agent.tools.progress import Progress

__all__ = ["AGENT_JOB", "Agent"]

AGENT_JOB: Final = "agent"  # what an agent in the background is among the jobs

StepT = TypeVar("StepT")

_DETAILS: Final[dict[TurnOutcome, str]] = {
    "interrupted": "It was interrupted.",
    "failed": "Its request to the model failed.",
    "max_turns": "It reached its limit of requests to the model.",
    "spending_limit": "The spending limit is reached.",
    "declined": "The user refused a call of it without a word. Ask the user before you go on with this.",
    "stopped_by_hook": "A hook ended its work.",
    "repeated_failure": "The same call failed again and again.",
    "max_tokens": "Its answer was cut off at the token limit.",
    "refused": "The model declined to answer.",
}


class Agent:
    """Implements `tools.agents.RunningAgent`.

    `service_of` gives it the service by which it starts agents itself. `moved` is called when it goes on without the tool use
    that started it, and returns the file that its answer goes to. `finish` is awaited when its work is over, with whether that
    was done; it returns what goes with the answer.
    """

    def __init__(
        self,
        world: AgentWorld,
        identity: AgentIdentity,
        *,
        service_of: Callable[[Agent], AgentService],
        moved: Callable[[Agent], str],
        finish: Callable[[Agent, bool], Awaitable[tuple[str, ...]]],
    ) -> None:
        self.identity: Final = identity
        self._world = world
        self._publisher = world.bus.for_agent(identity.id)
        self._moved = moved
        self._finish = finish
        self._is_muted = False
        self.ledger = AgentLedger()
        self.history = identity.history
        self.model = AgentModel(identity.model, world.models, fallback=world.model, publish=self.publish)
        self.parts = AgentParts(world, identity, self.history, publish=self.publish, model=lambda: self.model.name)
        self._agents = service_of(self)
        self._inbox: list[str] = []
        self._news: list[str] = []
        self._turn: Turn | None = None
        self._task: asyncio.Task[AgentReport] | None = None
        self._report: AgentReport | None = None
        self._stopping = asyncio.Event()
        self._is_background = False
        self._notes: tuple[str, ...] = ()
        self.tool_use_id = ""  # of its parent's, that it works for

    @property
    def id(self) -> str:
        return self.identity.id

    @property
    def type(self) -> str:
        return self.identity.definition.name

    @property
    def is_working(self) -> bool:
        """Whether it works on a message."""
        return self._task is not None and not self._task.done()

    @property
    def execution_context(self) -> ExecutionContext:
        """What its tool uses share that begin now."""
        return self.parts.execution_context(self._agents)

    # --- for those who started it ------------------------------------------------------------------------------------

    def work(self, message: str, tool_use_id: str, *, is_background: bool) -> None:
        """Begin to work on a message, for a tool use of its parent's. It must not be working."""
        self._is_background = is_background
        self._notes = ()
        self._stopping = asyncio.Event()
        self._report = None
        self.ledger = AgentLedger()
        self.tool_use_id = tool_use_id
        self._task = asyncio.create_task(self._work(message), name=f"agent {self.id}")

    def tell(self, message: str) -> None:
        """Let it have a message with its next step."""
        self._inbox.append(message)

    def inform(self, text: str) -> None:
        """Let it know with its next step what came of its background work."""
        self._news.append(text)

    def stand(self) -> Progress:
        ledger = self.ledger
        uses = "1 tool use" if ledger.tool_uses == 1 else f"{ledger.tool_uses} tool uses"
        return Progress(message=f"{uses}, {ledger.tokens:,} tokens, {ledger.doing}")

    def report(self) -> AgentReport:
        return self._report or self._make_report("interrupted")

    async def wait(self) -> AgentReport:
        assert self._task is not None
        return await asyncio.shield(self._task)

    async def stop(self) -> AgentReport:
        self.interrupt()
        assert self._task is not None
        return await unbroken(self._task)

    def interrupt(self) -> None:
        """Have it end: its conversation stays valid."""
        self._stopping.set()
        if self._turn is not None:
            self._turn.interrupt()

    def move_to_background(self) -> str:
        self._is_background = True
        return self._moved(self)

    def stop_tool(self, tool_use_id: str) -> None:
        """Stop one of its tool uses; it goes on."""
        if self._turn is not None:
            self._turn.stop_tool(tool_use_id)

    @property
    def is_background(self) -> bool:
        """Whether it goes on without the tool use that started it."""
        return self._is_background

    @property
    def is_muted(self) -> bool:
        """Whether the conversation that it belonged to is cleared."""
        return self._is_muted

    def mute(self) -> None:
        """Publish its end now, and nothing more: the conversation that it belonged to is cleared."""
        if self.is_working:
            self.publish(AgentEnded(outcome="interrupted", duration_ms=self.ledger.duration_ms))
        self._is_muted = True

    # --- working -----------------------------------------------------------------------------------------------------

    def publish(self, event: Event) -> Event:
        """Publish an event as its own."""
        self.ledger.take(event)
        return event if self._is_muted else self._publisher.publish(event)

    async def _work(self, message: str) -> AgentReport:
        identity = self.identity
        self.publish(
            AgentStarted(
                parent_agent_id=identity.parent_id,
                tool_use_id=self.tool_use_id,
                name=self.type,
                description=identity.description,
                label=identity.label,
                model=self.model.name,
                is_background=self._is_background,
                worktree=str(identity.worktree.top) if identity.worktree is not None else "",
            )
        )
        outcome: AgentOutcome = "interrupted"
        try:
            outcome = await self._answer(message)
            self._turn = None
            self._notes = await self._finished(is_done=outcome == "done")
        except Exception as error:  # noqa: BLE001 - a fault of this program ends the agent, said plainly, not the session
            outcome = "failed"
            text = f"The agent ended because of a bug in tui-agent: {type(error).__name__}: {error}"
            self.publish(Notice(level="error", text=text, hint="Please report this."))
            self.ledger.explain(text)
        finally:
            self._turn = None
            await self.parts.end()
            self.ledger.end()
            self._report = self._make_report(outcome)
            detail = "" if outcome == "done" else self._report.detail
            self.publish(AgentEnded(outcome=outcome, detail=detail, duration_ms=self.ledger.duration_ms))
        return self._report

    async def _answer(self, message: str) -> AgentOutcome:
        context = await self._unless_stopped(self._context())
        if context is None:
            return "interrupted"
        self._say(message, context)
        turn = self._turn = Turn(self._setup())
        if self._stopping.is_set():
            turn.interrupt()
        ended = await turn.run()
        if ended != "done":
            self.ledger.explain(_DETAILS.get(ended, ended))
        if ended in ("done", "interrupted"):
            return "done" if ended == "done" else "interrupted"
        return "failed"

    async def _finished(self, *, is_done: bool) -> tuple[str, ...]:
        if self.identity.worktree is None:
            return ()
        notes = await self._unless_stopped(asyncio.ensure_future(self._finish(self, is_done)))
        if notes is None:
            return (f"Its changes are not in the workspace; they are in {self.identity.worktree.top}.",)
        return notes

    async def _unless_stopped(self, step: asyncio.Future[StepT]) -> StepT | None:
        stopping = asyncio.ensure_future(self._stopping.wait())
        if self._stopping.is_set():
            await asyncio.sleep(0)
        try:
            await asyncio.wait((step, stopping), return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopping.cancel()
            if not step.done():
                step.cancel()
            await asyncio.gather(step, stopping, return_exceptions=True)
        return None if step.cancelled() else step.result()

    def _context(self) -> asyncio.Task[str]:
        return asyncio.create_task(self._all_context())

    async def _all_context(self) -> str:
        """Return what goes before its message: memory files, the mode, what hooks add."""
        definition = self.identity.definition
        is_first = not len(self.history)
        parts = [self._world.memory.text] if is_first and definition.has_memory_files else []
        parts.append(self.parts.skills_text() if is_first else "")
        parts.append(mode_note(self.parts.mode))
        parts.append(framed(await self.parts.begin()))
        return "\n\n".join(filter(None, parts))

    def _say(self, message: str, context: str = "") -> None:
        context = self.parts.mask(context)
        message_id = f"msg_{uuid.uuid4().hex[:12]}"
        self.history.add_user(message, context, (), message_id)
        self.publish(UserMessageSent(message_id=message_id, text=message, context=context))

    def _setup(self) -> TurnSetup:
        world, parts = self._world, self.parts
        limit = self.identity.definition.max_turns
        return TurnSetup(
            publish=self.publish,
            model=self.model,
            history=self.history,
            new_executor=lambda: StreamingExecutor(self.execution_context),
            build_request=lambda: parts.requests.build(self.model.name, world.first_git() or GitStatus()),
            report_usage=lambda request_id, usage: usage_report(world.models.table, self.model.name, request_id, usage),
            steering=self._steer,
            retries=RetryPolicy(),
            max_requests=limit if world.max_requests is None else min(limit or world.max_requests, world.max_requests),
            before_request=lambda: world.spending.may_ask(self.model.name),
            before_end=self._before_end,
            after_tools=parts.turn_hooks.after_batch,
        )

    async def _steer(self) -> int:
        """Bring messages sent meanwhile into the conversation, and news of its background work."""
        told, self._inbox = self._inbox, []
        for message in told:
            self._say(message)
        heard, self._news = self._news, []
        if news := "\n\n".join(filter(None, (*map(framed, heard), self.parts.take_news()))):
            self._remind(news)
        return len(told) + bool(news)

    def _remind(self, text: str) -> None:
        text = self.parts.mask(text)
        self.history.add_user(text)
        self.publish(ReminderSent(text=text))

    async def _before_end(self, text: str, held_back: int) -> str:
        """Wait for the agents that it has in the background, whose answers it would never get; then ask the hooks."""
        await self.parts.jobs.wait_for(AGENT_JOB)
        told, self._news, self._inbox = [*self._news, *self._inbox], [], []
        if told:
            return "\n\n".join(told)
        return await self.parts.turn_hooks.stop(text, held_back)

    def _make_report(self, outcome: AgentOutcome) -> AgentReport:
        ledger = self.ledger
        return AgentReport(
            agent_id=self.id,
            type=self.type,
            outcome=outcome,
            text=ledger.text,
            detail=ledger.detail,
            tool_uses=ledger.tool_uses,
            tokens=ledger.tokens,
            duration_ms=ledger.duration_ms,
            notes=self._notes,
        )
