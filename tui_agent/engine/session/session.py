"""One conversation, as a front end drives it: what it may ask, and what it may have done.

Commands return at once; what they lead to arrives as events on `bus`. Subscribe first, then `start`: a session that is taken up
again publishes its recorded events then, so that a front end needs no second way of filling itself.
"""

from __future__ import annotations

import asyncio
import uuid
from dataclasses import replace
from typing import Any

from tui_agent.changes import FileChange
from tui_agent.drafts import Draft
from tui_agent.engine.context.context_report import ContextReport, context_report
from tui_agent.engine.context.trimming import ContextTrimmer
from tui_agent.engine.files.change_history import ChangeHistory
from tui_agent.engine.gate.permission_service import PermissionService
from tui_agent.engine.gate.plan_mode import PlanOffer
from tui_agent.engine.session.config import SessionConfig, SessionOptions, prepare
from tui_agent.engine.session.git_status import GitStatus
from tui_agent.engine.session.graph import EndReason, SessionGraph
from tui_agent.engine.session.manual_tools import ManualToolError
from tui_agent.engine.session.startup_events import startup_events
from tui_agent.engine.session.tool_runtime import ToolRuntime
from tui_agent.events import MaskingChanged, Notice
from tui_agent.execution.results import ResultStore
from tui_agent.hooks.registry import HookRegistry
from tui_agent.model.protocol import Models
from tui_agent.permissions.modes import Mode
from tui_agent.permissions.verdict import Decision, Verdict
from tui_agent.sandbox.find import find_sandbox
from tui_agent.settings.load import Settings
from tui_agent.tools.forms import Answers
from tui_agent.tools.workspace import Workspace

__all__ = ["Session", "open_session"]


class Session:
    """One conversation in one folder. Made by `open_session`; `close` it whatever happens."""

    def __init__(self, opening: SessionConfig, models: Models) -> None:
        self._opening = opening
        self._parts = SessionGraph(opening, models)
        self._runtime = self._parts.runtime
        self.bus = self._parts.bus

    # --- what a front end may ask ------------------------------------------------------------------------------------

    @property
    def id(self) -> str:
        """The session's id."""
        return self.bus.session_id

    @property
    def workspace(self) -> Workspace:
        """The folders it works in."""
        return self._runtime.workspace

    @property
    def runtime(self) -> ToolRuntime:
        """Its tools, rules and settings."""
        return self._runtime

    @property
    def permissions(self) -> PermissionService:
        """Its rules and refusals: to see, to change, to try."""
        return self._runtime.permissions

    @property
    def change_history(self) -> ChangeHistory:
        """What it has changed in files, and the way back."""
        return self._parts.change_history

    @property
    def hooks(self) -> HookRegistry:
        """The hooks of the settings in force, and what is wrong with any."""
        return self._runtime.hooks.book

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._runtime.settings

    @property
    def mode(self) -> Mode:
        """The permission mode in force."""
        return self._runtime.mode.now

    @property
    def model(self) -> str:
        """The model that requests go to."""
        return self._parts.model.name

    @property
    def is_busy(self) -> bool:
        """Whether a turn is running."""
        return self._parts.turns.is_busy

    def proposals(self, request_id: str) -> tuple[FileChange, ...]:
        """The changes that an open question is about, with their texts."""
        return self._runtime.broker.proposals(request_id)

    def judge(self, request_id: str, input: dict[str, Any]) -> Verdict:
        """What the call of an open question would get with another input."""
        return self._runtime.broker.judge(request_id, input)

    # --- commands ----------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Publish what a subscriber must know first: the recorded part, then who and where this is, then any problems."""
        if self._opening.resumed is not None:
            for event in self._opening.resumed.recorded:
                self.bus.republish(event)
            for event in self._opening.resumed.closing:
                self.bus.publish(event)
        for event in startup_events(self._opening, self._runtime, self._parts.toggles, model=self._parts.model.name):
            self.bus.publish(event)
        self._parts.spending.tell()
        # Everybody has what they need of the recording: to keep its events would be to keep the conversation twice.
        self._opening = replace(self._opening, resumed=None)
        self._parts.begin("startup" if self._opening.source == "startup" else "resume")

    async def refresh(self) -> None:
        """Look at settings and git again and tell what changed: at the start, after each turn, and when focus returns."""
        await self._parts.refresher.refresh()

    async def reload_settings(self) -> None:
        """Read the settings anew if one of their files has changed, and tell what is different now.

        What is read at the start only (the model, for example) is told as well, and counts in the next session.
        """
        await self._parts.refresher.reload_settings()

    def submit(self, message: str | Draft) -> str:
        """Send a message and return its id; while a turn runs it waits for the next step, or for the turn's end."""
        message_id = f"msg_{uuid.uuid4().hex[:12]}"
        if not self._parts.is_closed:
            self._parts.message_queue.put(message_id, Draft.of(message), is_announced=self.is_busy)
            self._parts.turns.start()
        return message_id

    @property
    def tool_names(self) -> list[tuple[str, str]]:
        """The tools that may be run by hand, each with what it does in a few words."""
        return [(tool.name, tool.search_hint) for tool in self._runtime.pool.tools]

    def run_tool(self, line: str) -> str:
        """Run a tool by hand: `NAME --field=value …`. Return what is wrong with the line, empty when it starts.

        The tool goes through all its stages as if the model had used it, but the result stays out of the conversation; what
        may have changed something is mentioned with the next message. While something runs, nothing else can be run.
        """
        if self._parts.is_closed:
            return "The session is closed."
        if self.is_busy:
            return "A turn is running; a tool can be run by hand when it has ended."
        try:
            turn = self._parts.manual_tools.turn(line, self._runtime.execution_context, self._runtime.pool)
        except ManualToolError as error:
            return str(error)
        self._parts.turns.start_manual(turn)
        return ""

    def run_shell(self, command: str) -> str:
        """Run a command of the user's own in the shell. Return why that cannot be, empty where it is run, or will be.

        It goes through all the stages of a use of Bash; the user is not asked about what they typed, but what a rule or a
        hook forbids is not run. While a turn runs it waits for its end. The model gets command and output, and by the setting
        answers at once.
        """
        if self._parts.is_closed:
            return "The session is closed."
        if self._runtime.pool.get("Bash") is None:
            return "There is no Bash in this session: a rule, or the way it was started, leaves it out."
        self._parts.shell.put(command, is_announced=self.is_busy)
        self._parts.turns.start()
        return ""

    def take_back(self) -> list[Draft]:
        """Remove all queued messages and return them, the oldest first; where none waits, the newest command of the shell."""
        heard = self._parts.message_queue.take_heard()
        if messages := [*([heard] if heard is not None else []), *self._parts.message_queue.take_back()]:
            return messages
        command = self._parts.shell.take_back()
        return [command] if command is not None else []

    def interrupt(self) -> Draft | None:
        """Stop what runs; messages that wait are sent next. Does nothing when nothing runs.

        A message that was just being made ready is not sent: it is returned.
        """
        heard = self._parts.message_queue.take_heard()
        self._parts.turns.interrupt()
        return heard

    def stop_tool(self, tool_use_id: str) -> None:
        """Stop one tool use; the turn goes on."""
        self._parts.turns.stop_tool(tool_use_id)

    def stop_job(self, job_id: str) -> None:
        """Stop a background job; nothing happens when it is over."""
        self._runtime.jobs.stop_soon(job_id)

    def move_to_background(self, tool_use_id: str) -> None:
        """Let a running command go on in the background, so that the turn goes on without it."""
        self._runtime.jobs.want(tool_use_id)

    def answer(self, request_id: str, decision: Decision) -> bool:
        """Settle a question; False when it was settled already."""
        if decision.behavior == "allow" and decision.mode is not None:
            self._runtime.plan.choose(decision.mode)
        return self._runtime.broker.answer(request_id, decision)

    def plan(self) -> PlanOffer:
        """The plan that is put to the user, and the modes to go on in."""
        offer = self._runtime.plan.offer()
        return replace(offer, text=self._runtime.masker.mask(offer.text))

    def plan_edited(self) -> None:
        """The user has changed the plan's file: what it says now is what they approve."""
        try:
            self._runtime.plan.reload()
        except OSError as error:
            self.bus.publish(Notice(level="warning", text=f"The plan cannot be read: {error.strerror or error}"))

    def answer_form(self, request_id: str, answers: Answers | None) -> bool:
        """Settle a form with answers by key, or close it without (None); False when it was settled already."""
        return self._runtime.forms.answer(request_id, answers)

    def set_mode(self, mode: Mode) -> None:
        """Change the permission mode. Bypassing needs to have been allowed at the start, and is refused otherwise."""
        self._runtime.mode.change(mode)

    def set_masking(self, is_on: bool) -> None:
        """Hide secrets from now on, or show them until the session ends; a policy may forbid that. What was hidden stays so."""
        self._parts.toggles.set_masking(is_on)

    @property
    def masking(self) -> MaskingChanged:
        """Whether secrets are hidden, and which are known by name."""
        return self._parts.toggles.masking

    def cycle_mode(self) -> None:
        """Go to the next mode in the cycle."""
        self._runtime.mode.cycle()

    def set_model(self, model: str) -> None:
        """Send requests to `model` from now on; `opus` and the like stand for the newest of their kind."""
        self._parts.model.change(model)

    @property
    def is_thinking(self) -> bool:
        """Whether the user wants the model to think before it answers."""
        return self._parts.toggles.is_thinking

    def set_thinking(self, is_on: bool) -> None:
        """Let the model think before it answers from the next message on, or not; one that always thinks is left to that."""
        self._parts.toggles.set_thinking(is_on)

    def set_spending_limit(self, usd: float | None) -> None:
        """Limit what this session may cost from now on, in US dollars; None takes the limit away."""
        self._parts.spending.set_limit(usd)

    async def context_report(self) -> ContextReport:
        """Return what the next request would carry, part by part."""
        request = self._parts.requests.build(self._parts.model.name, self._parts.refresher.first_git or GitStatus())
        return await asyncio.to_thread(context_report, request, shortened=self._parts.history.shortened)

    async def drop_result(self, tool_use_id: str) -> str:
        """Leave a tool's result out of what the model gets from now on. Return why that cannot be; empty where it is done."""
        store = ResultStore(self._opening.folder.results, self.bus.publish)
        return await ContextTrimmer(self._parts.history, store, self.bus.publish).drop(tool_use_id)

    def clear(self) -> None:
        """Start the conversation afresh, without its task list; a running turn is ended first."""
        while self._parts.shell.take_back() is not None:
            pass
        self._parts.message_queue.take_back()
        self._parts.turns.clear()

    async def wait_idle(self) -> None:
        """Return when no turn runs."""
        await self._parts.turns.wait_idle()

    async def close(self, reason: EndReason = "exit") -> None:
        """Stop what runs, finish the record, and let everything go. May be called again."""
        await self._parts.close(reason)


async def open_session(options: SessionOptions, models: Models) -> Session:
    """Get everything ready in a thread and return the session, not started yet.

    Raises:
        SessionConfigError: it cannot start as asked.
        JournalError: its record cannot be written, or another window has it open.
    """
    opening = await asyncio.to_thread(prepare, options)
    await asyncio.to_thread(find_sandbox)  # tried out here, so that nothing waits for it later
    return Session(opening, models)
