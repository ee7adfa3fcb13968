"""One turn: ask the model, run the tools it asks for, send their results, until it asks for none.

Whatever happens on the way, the conversation stays valid: a broken stream keeps the blocks that were whole and the results of
what they started, an interrupt answers every tool use, and nothing that ran is ever run again by a retry.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from tui_agent.context_marks import framed
from tui_agent.engine.context.trimming import ContextTrimmer
from tui_agent.engine.conversation.reply import Publish, Reply, ReplyReader
from tui_agent.events import (
    AssistantMessageCompleted,
    Notice,
    ReminderSent,
    RequestSent,
    RetryScheduled,
    TurnFailed,
    TurnFinished,
    TurnOutcome,
    TurnStarted,
    UsageReported,
)
from tui_agent.execution.redaction import look_ahead
from tui_agent.execution.repeated_failure import RepeatedFailure
from tui_agent.execution.resolution import find_tool
from tui_agent.execution.results import ResultStore
from tui_agent.model.protocol import Model, ModelError, ModelRequest, Usage

if TYPE_CHECKING:
    from tui_agent.engine.conversation.history import History
    from tui_agent.execution.execution_context import ToolOutcome
    from tui_agent.execution.executor import StreamingExecutor
    from tui_agent.model.retry import RetryPolicy

__all__ = ["Turn", "TurnSetup"]

StepT = TypeVar("StepT")

_MALFORMED_TEXT: Final = (
    "<system-reminder>Your last reply was cut off in the arguments of {names}; that did not run. "
    "Call again with complete, valid arguments.</system-reminder>"
)
_MOST_MALFORMED: Final = 3
_CUT_OFF_TEXT: Final = (
    "<system-reminder>Your last reply was cut off because the conversation filled the context. Older tool results have been "
    "shortened to make room. Continue exactly where you stopped.</system-reminder>"
)
_FULL: Final = "model_context_window_exceeded"
# What the model's side says when it was sent too much.
_TOO_MUCH: Final = frozenset({"context_overflow", "too_large"})


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnSetup:
    """What a turn works with. `steering` takes the messages that the user sent meanwhile into the conversation.

    `before_end` gets the last text, and how often it has held this turn back already; it returns what the model is to do first,
    empty where the turn may end. `after_tools` gets the inputs and outcomes of a reply's tool uses, and returns why the turn is
    to end (None: it is not) and what the model is to know. `before_request` returns None where a request may be sent, else what
    finds out why it may not (empty: it may after all). An agent's turn gets an agent's `publish` (`Bus.for_agent`).
    """

    publish: Publish
    model: Model
    history: History
    new_executor: Callable[[], StreamingExecutor]
    build_request: Callable[[], ModelRequest]
    report_usage: Callable[[str, Usage], UsageReported]
    steering: Callable[[], Awaitable[int]]
    retries: RetryPolicy
    max_requests: int | None = None
    before_request: Callable[[], Awaitable[str] | None] | None = None
    before_end: Callable[[str, int], Awaitable[str]] | None = None
    after_tools: (
        Callable[[Sequence[tuple[Mapping[str, Any], ToolOutcome]]], Awaitable[tuple[str | None, str]]] | None
    ) = None


class Turn:
    """Runs once. `interrupt` ends it early, at any await; a cancelled `run` leaves the conversation valid as well."""

    def __init__(self, setup: TurnSetup) -> None:
        self.id: Final = f"turn_{uuid.uuid4().hex[:12]}"
        self._setup = setup
        self._publish = setup.publish
        self._interrupted = asyncio.Event()
        self._executor: StreamingExecutor | None = None
        self._answers: list[Reply] = []  # one for each attempt at a request
        self._malformed = 0
        self._repeated = RepeatedFailure()
        self._overflows = 0  # in a row
        self._held_back = 0  # how often it was to end and did not

    @property
    def is_answered(self) -> bool:
        """Whether the model has said anything yet; thinking is not meant for anybody."""
        return any(answer.has_begun for answer in self._answers)

    def interrupt(self) -> None:
        """End the turn: drop the stream, stop what can be stopped, answer the rest."""
        self._interrupted.set()
        if self._executor is not None:
            self._executor.interrupt()

    def stop_tool(self, tool_use_id: str) -> None:
        """Stop one running or waiting tool use; the turn goes on with its cancel result."""
        if self._executor is not None:
            self._executor.stop(tool_use_id)

    async def run(self) -> TurnOutcome:
        """Run the turn to its end and publish how it ended."""
        began = time.monotonic()
        outcome: TurnOutcome = "interrupted"
        detail = ""
        self._publish(TurnStarted(turn_id=self.id))
        try:
            outcome, detail = await self._steps()
        except Exception as error:
            outcome, detail = "failed", f"Internal error: {type(error).__name__}"
            raise
        finally:
            elapsed = (time.monotonic() - began) * 1000
            self._publish(TurnFinished(turn_id=self.id, outcome=outcome, detail=detail, duration_ms=elapsed))
        return outcome

    async def _steps(self) -> tuple[TurnOutcome, str]:
        limit = self._setup.max_requests
        requests = 0
        while True:
            if limit is not None and requests >= limit:
                return "max_turns", f"Stopped after {limit} requests to the model, the limit for a turn."
            requests += 1
            refusal = await self._refusal()
            if refusal:
                return "spending_limit", refusal
            reply = await self._ask()
            if reply is None:
                return ("interrupted", "") if self._interrupted.is_set() else ("failed", "")
            ended = await self._run_tools(reply)
            if ended is not None:
                return ended
            is_told = await self._go_on_after_overflow(reply)
            is_told = self._tell_malformed(reply) or is_told
            if await self._setup.steering() or is_told or reply.tool_uses or reply.stop_reason == "pause_turn":
                continue
            ended = _outcome_of(reply)
            if ended[0] == "done" and await self._is_held_back(reply):
                continue
            return ended

    async def _refusal(self) -> str:
        """Return why nothing may be sent, empty where it may. The user may be asked; an interrupt ends that."""
        if self._setup.before_request is None or self._interrupted.is_set():
            return ""
        asking = self._setup.before_request()
        return "" if asking is None else await self._unless_interrupted(asking) or ""

    async def _is_held_back(self, reply: Reply) -> bool:
        """Ask whether the turn may end; where it may not, the model gets what it is to do first. An interrupt ends the ask."""
        if self._setup.before_end is None or self._interrupted.is_set():
            return False
        text = "\n\n".join(str(block["text"]) for block in reply.content if block.get("type") == "text")
        reason = await self._unless_interrupted(self._setup.before_end(text, self._held_back))
        if not reason:
            return False
        self._held_back += 1
        self._remind(framed(reason))
        return True

    async def _unless_interrupted(self, step: Awaitable[StepT]) -> StepT | None:
        """Return what a step gives; None where the turn is interrupted first, which cancels the step."""
        running = asyncio.ensure_future(step)
        stopping = asyncio.ensure_future(self._interrupted.wait())
        try:
            await asyncio.wait((running, stopping), return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopping.cancel()
            if not running.done():
                running.cancel()
            await asyncio.gather(running, stopping, return_exceptions=True)
        return None if running.cancelled() else running.result()

    def _tell_malformed(self, reply: Reply) -> bool:
        """Tell the model of calls that its reply ended in, so that it can make them again; not for ever."""
        self._malformed = self._malformed + 1 if reply.malformed else 0
        if not 0 < self._malformed <= _MOST_MALFORMED:
            return False
        names = ", ".join(sorted(set(reply.malformed)))
        self._remind(_MALFORMED_TEXT.format(names=names))
        return True

    async def _go_on_after_overflow(self, reply: Reply) -> bool:
        """Make room after a reply that was cut off because the context was full, and let the model go on with it."""
        if reply.stop_reason != _FULL:
            self._overflows = 0
            return False
        if not await self._make_room() or reply.tool_uses:
            return False
        self._remind(_CUT_OFF_TEXT)
        return True

    def _remind(self, text: str) -> None:
        if self._executor is not None:
            text = self._executor.execution_context.services.masker.mask(text)
        self._setup.history.add_user(text)
        self._publish(ReminderSent(text=text))

    async def _make_room(self) -> bool:
        """Shorten old results, more with each attempt in a row; False when nothing is left that could be shortened."""
        self._overflows += 1
        return await self._shrinker().make_room(self._overflows)

    def _shrinker(self) -> ContextTrimmer:
        assert self._executor is not None
        store = ResultStore(self._executor.execution_context.results_dir, self._publish)
        return ContextTrimmer(self._setup.history, store, self._publish)

    # --- asking ------------------------------------------------------------------------------------------------------

    async def _ask(self) -> Reply | None:
        """Send one request, again where that may help. None: it failed for good (published), or was interrupted early."""
        attempt = 0
        while not self._interrupted.is_set():
            attempt += 1
            request_id = f"req_{uuid.uuid4().hex[:12]}"
            executor = self._executor = self._setup.new_executor()
            reader = ReplyReader(
                publish=self._publish,
                run_tool=executor.add_resolved,
                find_tool=partial(find_tool, executor.execution_context.pool),
                look_ahead=partial(look_ahead, executor.execution_context.services.masker),
                has_use=self._setup.history.has_use,
                turn_id=self.id,
                request_id=request_id,
            )
            self._answers.append(reader.reply)
            error: ModelError | None = None
            try:
                error = await self._stream(reader, request_id, attempt)
            except BaseException:
                reader.cut("the program is closing")
                self._keep(reader.reply, "interrupted")
                await self._end(executor)
                raise
            if error is None or reader.reply.tool_uses:
                if error is not None:
                    hint = "Complete parts of the reply are kept, and the turn continues."
                    self._publish(Notice(level="warning", text=error.message, hint=hint))
                reader.cut("interrupted" if error is None else "the connection was lost")
                self._report(request_id, reader.reply)
                self._keep(reader.reply, "interrupted" if self._interrupted.is_set() else "connection_lost")
                return reader.reply
            reader.cut("the connection was lost")
            await self._end(executor)
            if error.kind in _TOO_MUCH and await self._make_room():
                attempt = 0
                continue
            if not await self._wait_to_retry(error, attempt, request_id):
                return None
        return None

    async def _stream(self, reader: ReplyReader, request_id: str, attempt: int) -> ModelError | None:
        """Read one stream until it ends, breaks or is interrupted; return what broke it."""
        request = self._setup.build_request()
        self._publish(RequestSent(turn_id=self.id, request_id=request_id, model=request.model, attempt=attempt))
        stream = self._setup.model.stream(request)
        reading = asyncio.ensure_future(reader.read(stream))
        stopping = asyncio.ensure_future(self._interrupted.wait())
        try:
            await asyncio.wait((reading, stopping), return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopping.cancel()
            if not reading.done():
                reading.cancel()
            await asyncio.gather(reading, stopping, return_exceptions=True)
        if reading.cancelled():
            return None
        problem = reading.exception()
        if problem is not None and not isinstance(problem, ModelError):
            raise problem
        return problem

    async def _wait_to_retry(self, error: ModelError, attempt: int, request_id: str) -> bool:
        """Announce and sit out the delay; False when there is no point in another attempt."""
        delay = self._setup.retries.after(error, attempt)
        if delay is None:
            self._publish(TurnFailed(turn_id=self.id, kind=error.kind, message=error.message, hint=error.hint))
            return False
        self._publish(
            RetryScheduled(
                request_id=request_id,
                attempt=attempt,
                max_attempts=self._setup.retries.max_attempts,
                delay_s=delay,
                reason=error.message,
                status=error.status,
            )
        )
        try:
            async with asyncio.timeout(delay):
                await self._interrupted.wait()
        except TimeoutError:
            return True
        return False

    def _keep(self, reply: Reply, fallback_reason: str) -> None:
        """Enter the reply into the conversation, as far as it came."""
        if reply.stop_reason == "refusal" and not reply.tool_uses:
            return  # a refused reply must not be sent back
        content = reply.content
        if reply.stop_reason is None:
            # Cut off: what follows the last signed thinking may stay, unsigned thinking may not (the history sees to it).
            content = [block for block in content if block.get("type") != "text" or block.get("text")]
        if content:
            self._setup.history.add_reply(content)
            self._publish(
                AssistantMessageCompleted(
                    message_id=reply.message_id, content=content, stop_reason=reply.stop_reason or fallback_reason
                )
            )

    def _report(self, request_id: str, reply: Reply) -> None:
        if reply.usage is not None:
            self._publish(self._setup.report_usage(request_id, reply.usage))

    # --- running -----------------------------------------------------------------------------------------------------

    async def _run_tools(self, reply: Reply) -> tuple[TurnOutcome, str] | None:
        """Collect the results of the reply's tool uses; an answer ends the turn."""
        executor = self._executor
        assert executor is not None
        inputs = {block["id"]: block["input"] for block in reply.content if block["type"] == "tool_use"}
        outcomes: list[ToolOutcome] = []
        declined: TurnOutcome | None = None
        stuck = False
        try:
            executor.close()
            async for outcome in executor.results():
                self._take(outcome)
                outcomes.append(outcome)
                if outcome.ends_turn:
                    declined = declined or ("declined" if outcome.error_kind == "denied" else "stopped_by_hook")
                if outcome.error_kind != "aborted":  # it was not even carried out, and breaks no row of failures
                    failed_again = self._repeated.observe(
                        outcome.name, inputs.get(outcome.tool_use_id, {}), is_error=outcome.is_error
                    )
                    stuck = stuck or failed_again
        finally:
            await self._end(executor)
        await self._shrinker().fit_reply(executor.outcomes)
        if self._interrupted.is_set():
            return "interrupted", ""
        if declined:
            return declined, ""
        if outcomes and self._setup.after_tools is not None:
            calls = [(inputs.get(outcome.tool_use_id, {}), outcome) for outcome in outcomes]
            said = await self._unless_interrupted(self._setup.after_tools(calls))
            if said is None:
                return "interrupted", ""
            stop_reason, context = said
            if context:
                self._remind(framed(context))
            if stop_reason is not None:
                return "stopped_by_hook", stop_reason
        if stuck:
            text = "The same call failed five times in a row, so the turn was stopped."
            self._publish(Notice(level="warning", text=text, hint="Say how to continue, or what to try instead."))
            return "repeated_failure", text
        return None

    def _take(self, outcome: ToolOutcome) -> None:
        self._setup.history.add_result(
            outcome.tool_use_id, outcome.content, is_error=outcome.is_error, kept_in=outcome.kept_in
        )

    async def _end(self, executor: StreamingExecutor) -> None:
        """Stop what still runs; every use has its result then, and the conversation gets it."""
        await executor.aclose()
        executor.close()
        async for outcome in executor.results():
            self._take(outcome)


def _outcome_of(reply: Reply) -> tuple[TurnOutcome, str]:
    match reply.stop_reason:
        case "max_tokens":
            return "max_tokens", "The reply was cut off at the token limit. Say “continue” for the rest."
        case "refusal":
            return "refused", "The model declined to answer; that exchange is not sent again."
        case "model_context_window_exceeded":
            return "failed", "The conversation fills the model's context. Start a new one with /clear."
        case _ if reply.malformed:
            return (
                "failed",
                "The model's replies keep ending in the middle of a tool call. Ask again, or try another model.",
            )
        case _:
            return "done", ""
