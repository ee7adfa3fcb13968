"""`-p`: one message, its turn, and its end, without a screen.

The whole engine runs as under the app; only the projection of its events is another: the last answer as text, or the event log
itself. Nobody can be asked, so what would ask is denied, and the model is told so.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Final, Literal, Protocol

from tui_agent.commands import Close, Interrupt, Start, Submit
from tui_agent.conversation_fold import Agents, spoken_text
from tui_agent.event_json import to_json
from tui_agent.events import (
    AgentEnded,
    AssistantMessageCompleted,
    Event,
    Notice,
    PermissionRequested,
    PermissionResolved,
    RetryScheduled,
    SessionStarted,
    SettingsReloaded,
    TurnFailed,
    TurnFinished,
    UserMessageSent,
)
from tui_agent.headless.output import CliOutput
from tui_agent.headless.signals import TerminationSignals
from tui_agent.queries import IdleQuery

if TYPE_CHECKING:
    from tui_agent.boundary import Engine
    from tui_agent.bus import Subscription
    from tui_agent.drafts import Draft

__all__ = ["EventWriter", "TextWriter", "Writer", "run_prompt"]

_GRACE_S: Final = 5.0  # what an interrupted turn gets to end in order
_CODES: Final = {"done": 0, "interrupted": 130}


class Writer(Protocol):
    """Makes output of events."""

    def take(self, event: Event) -> None:
        """Take the next event."""
        ...

    def finish(self) -> None:
        """The last event was taken."""
        ...


class EventWriter:
    """The event log, one JSON object a line."""

    def __init__(self, output: CliOutput) -> None:
        self._output = output

    def take(self, event: Event) -> None:
        self._output.json(to_json(event))

    def finish(self) -> None:
        pass


class TextWriter:
    """The last answer to standard output; what a user should know besides to standard error, as it happens.

    The answer is that of the main conversation. Lines about another agent begin with its name.
    """

    def __init__(self, output: CliOutput) -> None:
        self._output = output
        self._answer = ""
        self._asked: dict[str, PermissionRequested] = {}
        self._agents = Agents()

    def take(self, event: Event) -> None:
        self._agents.apply(event)
        match event:
            case AssistantMessageCompleted(agent_id=""):
                self._answer = spoken_text(event.content) or self._answer
            case AgentEnded(outcome="failed", detail=detail):
                self._tell(event, detail or "failed")
            case Notice() if event.level != "info":
                self._tell(event, event.text, event.hint)
            case SettingsReloaded():
                for problem in event.problems:
                    self._output.message(problem)
            case UserMessageSent():
                for fact in (fact for fact in event.attached if fact["kind"] == "refused"):
                    self._tell(event, f"{fact['name']} was not attached: {fact['note']}")
            case RetryScheduled():
                of = f"{event.attempt + 1} of {event.max_attempts}"
                self._tell(event, f"{event.reason.rstrip('.')}; attempt {of} follows in {event.delay_s:.0f} s")
            case TurnFailed():
                self._tell(event, event.message, event.hint)
            case TurnFinished(detail=detail) if detail:
                self._tell(event, detail)
            case PermissionRequested():
                self._asked[event.request_id] = event
            case PermissionResolved(behavior="deny"):
                self._tell_denied(event)
            case _:
                pass

    def finish(self) -> None:
        self._output.text(self._answer)

    def _tell_denied(self, event: PermissionResolved) -> None:
        asked = self._asked.get(event.request_id)
        if asked is not None:
            hint = "Allow it with --allowedTools or --permission-mode if you mean it." if event.by != "hook" else ""
            self._tell(event, f"{asked.name} was not permitted: {asked.reason}", hint)

    def _tell(self, event: Event, text: str, hint: str = "") -> None:
        who = f"{self._agents.name_of(event.agent_id)}: " if event.agent_id else ""
        self._output.message(f"{who}{text}", hint)


async def run_prompt(engine: Engine, prompt: str | Draft, output: CliOutput, format: Literal["text", "events"]) -> int:
    """Send `prompt`, wait for the turn's end, close the session, and return the exit code.

    SIGINT (a cancelled task), SIGTERM and SIGHUP interrupt the turn as Esc would, and the record ends in order.

    Raises:
        BrokenPipeError: the output's reader has gone; the turn was stopped and the session closed.
    """
    pump = _Pump(engine.subscribe("headless output"), EventWriter(output) if format == "events" else TextWriter(output))
    ending = TerminationSignals()
    try:
        engine.send(Start())
        engine.send(Submit.of(prompt))
        idle = asyncio.ensure_future(_idle(engine))
        while not idle.done():
            ready = asyncio.ensure_future(pump.subscription.wait())
            await asyncio.wait({idle, ready}, return_when=asyncio.FIRST_COMPLETED)
            ready.cancel()
            pump.run()
        pump.run()
    except asyncio.CancelledError:
        engine.send(Interrupt())
        with contextlib.suppress(TimeoutError, asyncio.CancelledError):  # told once more: without the grace, then
            await asyncio.wait_for(_idle(engine), _GRACE_S)
        pump.run()
        pump.outcome = "interrupted"
    finally:
        await engine.send(Close(_end_reason(pump.outcome)))
    pump.run()
    pump.writer.finish()
    return _CODES.get(pump.outcome, 1) if ending.code is None else ending.code


async def _idle(engine: Engine) -> None:
    await engine.query(IdleQuery())


class _Pump:
    """Brings events from the queue to the writer, and notes how the turn ended."""

    def __init__(self, subscription: Subscription, writer: Writer) -> None:
        self.subscription = subscription
        self.writer = writer
        self.outcome = "failed"
        self._has_begun = False

    def run(self) -> None:
        """Write what waits."""
        events = self.subscription.take()
        if not self._has_begun:
            # A session taken up again plays its recording first; its own part begins where this process says so.
            begins = [place for place, event in enumerate(events) if isinstance(event, SessionStarted)]
            events = events[begins[-1] :] if begins else []
            self._has_begun = bool(begins)
        for event in events:
            if isinstance(event, TurnFinished) and not event.agent_id:
                self.outcome = event.outcome
            self.writer.take(event)


def _end_reason(outcome: str) -> Literal["done", "failed", "interrupted"]:
    match outcome:
        case "interrupted":
            return "interrupted"
        case "done":
            return "done"
        case _:
            return "failed"
