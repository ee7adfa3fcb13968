"""Hooks of the session itself: its beginning and end, messages, turns, and what it tells the user."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeVar

from tui_agent.bus import Bus, Subscription
from tui_agent.conversation_fold import spoken_text
from tui_agent.engine.context.memory import MemoryFile
from tui_agent.engine.hooks.background_output import BackgroundOutput
from tui_agent.engine.hooks.dispatcher import HookDispatcher
from tui_agent.events import (
    AssistantMessageCompleted,
    Event,
    FormAnswered,
    FormRequested,
    Notice,
    PermissionRequested,
    PermissionResolved,
    SessionEnded,
    TurnFailed,
    TurnFinished,
    TurnStarted,
)
from tui_agent.settings.confirmed import confirmed_file
from tui_agent.settings.load import Settings
from tui_agent.text import clean, clean_line

__all__ = ["PromptAnswer", "SessionHooks", "StartSource"]

ResultT = TypeVar("ResultT")

_QUESTION_S: Final = 6.0
_IDLE_S: Final = 60.0
_END_S: Final = 1.5
_MOST_END_S: Final = 60.0

_SOURCES: Final = {
    "user": "user_settings", "project": "project_settings", "local": "local_settings", "policy": "policy_settings",
}  # fmt: skip

# What hooks know the kinds of a failed request by.
_ERRORS: Final = {
    "authentication": "authentication_failed", "permission": "authentication_failed", "billing": "billing_error",
    "rate_limit": "rate_limit", "overloaded": "server_error", "server": "server_error", "network": "server_error",
    "timeout": "server_error", "invalid_request": "invalid_request", "not_found": "invalid_request",
    "too_large": "invalid_request", "context_overflow": "invalid_request",
}  # fmt: skip

StartSource = Literal["startup", "resume", "clear"]


@dataclass(frozen=True, slots=True)
class PromptAnswer:
    """What hooks say to a message: not to send it, and why; or what the model is to know besides."""

    is_blocked: bool = False
    context: str = ""


class SessionHooks:
    """Tells hooks of what happens on `bus`, and of what it is told itself.

    `background_output` keeps what hooks say to the model after the fact.
    """

    def __init__(self, broker: HookDispatcher, bus: Bus, background_output: BackgroundOutput) -> None:
        self._broker = broker
        self._bus = bus
        self._listening: Subscription | None = None
        self._background_output = background_output
        self._last_text = ""
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._running: set[asyncio.Task[Any]] = set()

    # --- the session -------------------------------------------------------------------------------------------------

    def begin(self, source: StartSource, model: str, memory: Sequence[MemoryFile]) -> asyncio.Task[str] | None:
        """Tell of a session that begins, or begins anew. The task gives what the model is to know; None where nobody hears."""
        self.listen()
        heard = {
            event
            for event in ("SessionEnd", "SessionStart", "InstructionsLoaded")
            if self._broker.runner.is_heard(event)
        }
        if source != "clear":
            heard.discard("SessionEnd")
        return self._kept(self._begin(source, model, memory)) if heard else None

    async def _begin(self, source: StartSource, model: str, memory: Sequence[MemoryFile]) -> str:
        broker = self._broker
        if source == "clear":
            await self.end("clear")
        for file in memory:
            await self._instructions(file)
        event = "SessionStart"
        outcomes = await broker.run(event, broker.inputs.common(event, source=source, model=model), source)
        broker.stop_reason(event, outcomes)
        first = [outcome.said.first_message for outcome in outcomes if outcome.said.first_message]
        context = await broker.context_of(outcomes, takes_text=True)
        return "\n\n".join((*first, context) if context else first)

    def listen(self) -> None:
        """Follow the bus where hooks want to know of what is told there, and only then."""
        is_wanted = any(map(self._broker.runner.is_heard, ("Notification", "StopFailure")))
        if is_wanted and self._listening is None:
            self._listening = self._bus.subscribe("hooks", self._drain_soon, is_live_only=True)
        elif not is_wanted and self._listening is not None:
            self._listening.close()
            self._listening = None

    def _drain_soon(self) -> None:
        asyncio.get_running_loop().call_soon(self._drain)

    def _drain(self) -> None:
        for event in self._listening.take() if self._listening is not None else ():
            self._follow(event)

    def read_later(self, file: MemoryFile) -> None:
        """Tell of a memory file that has come to count after the start; nothing waits for what hooks do."""
        self._soon("InstructionsLoaded", self._instructions(file))

    async def _instructions(self, file: MemoryFile) -> None:
        event, broker = "InstructionsLoaded", self._broker
        more: dict[str, Any] = {"globs": list(file.globs)} if file.globs else {}
        if file.importer:
            more["parent_file_path"] = file.importer
        input = broker.inputs.common(event, file_path=file.path, memory_type=file.kind, load_reason=file.reason, **more)
        await broker.run(event, input, file.reason)

    async def end(self, reason: str) -> None:
        """Tell of its end. Hooks together have a second and a half, or what one of them was given, at most a minute."""
        broker = self._broker
        event = "SessionEnd"
        limits = [handler.timeout_s or 0.0 for handler in broker.book.listening(event)]
        if not limits:
            return
        limit = min(max(_END_S, *limits), _MOST_END_S)
        try:
            async with asyncio.timeout(limit + 1.0):  # a hook that is out of time still needs to be ended
                await broker.run(event, broker.inputs.common(event, reason=reason), reason, limit_s=limit)
        except TimeoutError:
            broker.publish(Notice(level="warning", text="The hooks at the session's end took too long."))

    async def close(self) -> None:
        """Stop everything that waits or runs in the background."""
        self._forget_timers()
        if self._listening is not None:
            self._listening.close()
            self._listening = None
        for task in tuple(self._running):
            task.cancel()
        if self._running:
            await asyncio.wait(tuple(self._running), timeout=2.0)
        await self._broker.close()

    async def may_reload(self, before: Settings, after: Settings) -> bool:
        """Tell of settings files that have changed; False where a hook does not want that to count."""
        if not self._broker.runner.is_heard("ConfigChange"):
            return True
        kinds = {report.file: report.kind for report in after.files}
        sources = {
            file: _SOURCES.get(kinds.get(file, "cli"), "user_settings")
            for file, stamp in after.stamps.items()
            if before.stamps.get(file) != stamp and file != confirmed_file()  # no file of settings
        }
        may = [await self._may_change(source, str(file)) for file, source in sources.items()]
        return all(may) or "policy_settings" in sources.values()

    async def _may_change(self, source: str, file: str) -> bool:
        event, broker = "ConfigChange", self._broker
        outcomes = await broker.run(event, broker.inputs.common(event, source=source, file_path=file), source)
        blocking = next((outcome for outcome in outcomes if outcome.said.blocks or outcome.said.stops), None)
        if blocking is None or source == "policy_settings":
            return True
        reason = clean_line(blocking.said.reason or blocking.said.stop_reason, 500)
        text = f"A hook refused the change of {file}" + (f": {reason}" if reason else ".")
        broker.publish(Notice(level="warning", text=text, hint="The previous content still applies."))
        return False

    # --- messages and turns ------------------------------------------------------------------------------------------

    @property
    def hears_prompts(self) -> bool:
        """Whether hooks listen to messages."""
        return self._broker.runner.is_heard("UserPromptSubmit")

    def work_on(self, message_id: str) -> None:
        """Name the message that is being worked on from now on."""
        self._broker.inputs.work_on(message_id)

    async def prompt(self, text: str) -> PromptAnswer:
        """Let hooks hear a message before the model gets it. A message that they stop is told to the user with the reason."""
        broker, event = self._broker, "UserPromptSubmit"
        outcomes = await broker.run(event, broker.inputs.common(event, prompt=text))
        blocking = next((outcome for outcome in outcomes if outcome.said.blocks or outcome.said.stops), None)
        if blocking is None:
            return PromptAnswer(context=await broker.context_of(outcomes, takes_text=True))
        reason = clean(blocking.said.reason or blocking.said.stop_reason).strip()[:2000]
        hides = any(outcome.said.hides_prompt for outcome in outcomes)
        hint = "" if hides else f"It was: {clean(text)[:4000]}"
        said = f"A hook stopped this message: {reason}" if reason else "A hook stopped this message."
        broker.publish(Notice(level="warning", text=said, hint=hint))
        return PromptAnswer(is_blocked=True)

    async def expansion(self, name: str, arguments: str, source: str, prompt: str) -> bool:
        """Let hooks hear that a command is to be expanded; False where one refuses, which the user is told."""
        broker, event = self._broker, "UserPromptExpansion"
        if not broker.runner.is_heard(event):
            return True
        input = broker.inputs.common(
            event,
            expansion_type="slash_command",
            command_name=name,
            command_args=arguments,
            command_source=source,
            prompt=prompt,
        )
        outcomes = await broker.run(event, input, name)
        blocking = next((outcome for outcome in outcomes if outcome.said.blocks or outcome.said.stops), None)
        if blocking is None:
            if context := await broker.context_of(outcomes, takes_text=True):
                self._background_output.add(context)
            return True
        reason = clean_line(blocking.said.reason or blocking.said.stop_reason, 1000)
        text = f"A hook refused /{name}: {reason}" if reason else f"A hook refused /{name}."
        broker.publish(Notice(level="warning", text=text))
        return False

    def _turn_failed(self, kind: str, message: str) -> None:
        """Tell of a turn that failed; nothing waits for what hooks do."""
        broker, event = self._broker, "StopFailure"
        known_as = _ERRORS.get(kind, "unknown")
        input = broker.inputs.common(
            event, error=known_as, error_details=message, last_assistant_message=self._last_text
        )
        self._soon(event, broker.run(event, input, known_as, kind))

    # --- what the user is waited for -------------------------------------------------------------------------------

    @property
    def hears_waiting(self) -> bool:
        """Whether hooks want to know when the user is waited for."""
        return self._broker.runner.is_heard("Notification")

    def _follow(self, event: Event) -> None:
        """Take in what happens, and tell hooks where the user keeps it waiting."""
        match event:
            case AssistantMessageCompleted(agent_id="", content=content):
                self._last_text = spoken_text(content)
            case TurnFailed(agent_id="", kind=kind, message=message):
                self._turn_failed(kind, message)
            case PermissionRequested(request_id=key, name=name):
                self._later(key, _QUESTION_S, "permission_prompt", f"{name} needs your permission")
            case FormRequested(request_id=key, tool_use_id=use):
                words = "The model asks you something" if use else "The spending limit is reached"
                self._later(key, _QUESTION_S, "agent_needs_input", words)
            case PermissionResolved(request_id=key) | FormAnswered(request_id=key):
                self._forget(key)
            case TurnStarted(agent_id=""):
                self._forget("idle")
            case TurnFinished(agent_id=""):
                self._later("idle", _IDLE_S, "idle_prompt", "The model waits for your next message")
            case SessionEnded():
                self._forget_timers()
            case _:
                pass

    def _later(self, key: str, delay_s: float, kind: str, message: str) -> None:
        self._forget(key)
        if self.hears_waiting:
            self._timers[key] = asyncio.get_running_loop().call_later(delay_s, self._notify, key, kind, message)

    def _notify(self, key: str, kind: str, message: str) -> None:
        self._timers.pop(key, None)
        broker, event = self._broker, "Notification"
        input = broker.inputs.common(event, message=message, title="tui-agent", notification_type=kind)
        self._soon(event, broker.run(event, input, kind))

    def _forget(self, key: str) -> None:
        timer = self._timers.pop(key, None)
        if timer is not None:
            timer.cancel()

    def _forget_timers(self) -> None:
        for key in tuple(self._timers):
            self._forget(key)

    # --- in the background -------------------------------------------------------------------------------------------

    def take_news(self) -> str:
        """Return what hooks in the background have said since the last time, for the model."""
        return self._background_output.take()

    def _soon(self, event: str, running: Coroutine[Any, Any, Any]) -> None:
        """Run hooks that nothing waits for."""
        if not self._broker.runner.is_heard(event):
            running.close()
            return
        self._kept(running)

    def _kept(self, running: Coroutine[Any, Any, ResultT]) -> asyncio.Task[ResultT]:
        """Run something that `close` is to end."""
        task = asyncio.create_task(running)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task
