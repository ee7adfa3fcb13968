"""A session's parts, wired to each other: who tells whom, and in which order they begin and end."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from tui_agent.bus import Bus
from tui_agent.engine.context.attachments import AttachmentReader
from tui_agent.engine.context.context_injector import ContextInjector
from tui_agent.engine.context.job_notices import missed_notices
from tui_agent.engine.conversation.history import History
from tui_agent.engine.conversation.requests import RequestBuilder, usage_report
from tui_agent.engine.conversation.side_model import SideModel
from tui_agent.engine.conversation.turn import TurnSetup
from tui_agent.engine.conversation.turn_runner import TurnRunner
from tui_agent.engine.files.change_history import ChangeHistory
from tui_agent.engine.hooks.session_hooks import SessionHooks, StartSource
from tui_agent.engine.session.config import Resumed, SessionConfig
from tui_agent.engine.session.event_redaction import EventRedactor
from tui_agent.engine.session.git_status import GitStatus
from tui_agent.engine.session.manual_tools import ManualToolRunner, ManualToolTurn
from tui_agent.engine.session.message_queue import MessageQueue
from tui_agent.engine.session.refresh import Refresher
from tui_agent.engine.session.settings_reload import SettingsReloader
from tui_agent.engine.session.spending import Spending
from tui_agent.engine.session.thinking import Thinking
from tui_agent.engine.session.toggles import SessionToggles
from tui_agent.engine.session.tool_runtime import ToolRuntime
from tui_agent.engine.session.user_shell import ShellTurn, UserCommandGate, UserShell
from tui_agent.events import Event, HistoryCleared, SessionEnded, ToolResultReady, UsageReported
from tui_agent.execution.execution_context import ToolOutcome
from tui_agent.execution.executor import StreamingExecutor
from tui_agent.journal.writer import JournalWriter
from tui_agent.model.protocol import Model
from tui_agent.model.retry import RetryPolicy
from tui_agent.permissions.modes import Mode
from tui_agent.tools.file_changes.versions import Versions

__all__ = ["EndReason", "SessionGraph"]

EndReason = Literal["exit", "clear", "done", "failed", "interrupted"]


class SessionGraph:
    """The parts of one session, which know of each other only what they are handed here; `close` ends them all.

    `model` is the one that requests go to.
    """

    def __init__(self, opening: SessionConfig, client: Model) -> None:
        self.bus = Bus(opening.folder.id)
        self.client = client
        self.model = opening.model
        self.is_closed = False
        self._memory = opening.memory
        resumed = opening.resumed
        self.journal = JournalWriter(
            opening.folder.journal, self.bus, keep_bytes=resumed.intact_bytes if resumed else None
        )
        self.history = History.from_events(resumed.events) if resumed else History()
        self.manual_tools = ManualToolRunner()
        self.change_history = ChangeHistory(
            Versions(opening.folder.versions),
            publish=self.bus.publish,
            folder=lambda: self.runtime.workspace.cwd,
            state=opening.state,
            on_undone=lambda path: self.runtime.execution_context.files.forget(path),
        )
        self.runtime = ToolRuntime(
            opening.runtime,
            opening.settings,
            publish=self._publish,
            results_dir=opening.folder.results,
            state_dir=opening.state,
            is_attended=opening.is_attended,
            conversation=self.history,
            ask_model=SideModel(
                client,
                publish=self._report_aside,
                main=lambda: self.model,
                small=opening.small_model,
                refusal=lambda: self.spending.refusal,
            ).ask,
            session_id=self.bus.session_id,
            transcript=opening.folder.journal,
            own_secrets=getattr(client, "secrets", ()),
            keep_versions=self.change_history.keep,
        )
        self.spending = Spending(
            self.bus,
            lambda: self.runtime.settings,
            ask=self.runtime.forms.ask if opening.is_attended else None,
            given=opening.max_budget_usd,
            recorded=resumed.events if resumed else (),
        )
        self.bus.rewrite = EventRedactor(self.runtime.masker)
        self.session_hooks = SessionHooks(self.runtime.hooks, self.bus, self.runtime.jobs, self._wake)
        thinking = Thinking(is_on=opening.is_thinking)
        self.toggles = SessionToggles(
            self.runtime, thinking, self.bus.publish, model=lambda: self.model, may_start_bypassing=opening.may_bypass
        )
        self.runtime.permission_updates.set_mode = self.toggles.set_mode
        self.runtime.plan.set_mode = self._change_mode_as_told
        self.runtime.plan.can_bypass = lambda: self.toggles.may_bypass
        self.refresher = Refresher(
            self.runtime,
            SettingsReloader(opening.reload),
            self.session_hooks,
            self.toggles,
            self.bus.publish,
            first_git=resumed.first_git if resumed else None,
        )
        self.context_injector = ContextInjector(
            self.runtime,
            self.history,
            opening.memory,
            manual_tools=self.manual_tools,
            undone=self.change_history.take_news,
            session_hooks=self.session_hooks,
            publish=self.bus.publish,
            model=lambda: self.model,
            known_mode="plan" if resumed and resumed.mode == "plan" else "default",
            missed=missed_notices(resumed.events) if resumed else (),
        )
        self.message_queue = MessageQueue(
            self.context_injector,
            self.session_hooks,
            AttachmentReader(self.runtime, self.history, self.bus.publish),
            self.bus.publish,
            before_each=self.refresher.reload_settings,  # a rule that was just written counts for what is sent now
            user_wrote=self.runtime.services.user_wrote,
        )
        # The prompt stays what it was when the conversation began: cached, and the ground its thinking was signed on.
        self.requests = RequestBuilder(self.runtime, self.history, thinking, began=opening.began)
        self.shell = UserShell(self.bus.publish, self._shell_turn)
        self.turns = TurnRunner(
            self._turn_setup(opening.max_turns),
            self.message_queue,
            self.refresher,
            clear=self._clear_now,
            note=self._note_by_hand,
            by_hand=self.shell.next,
        )
        if resumed:
            self._resume(resumed)

    def _turn_setup(self, max_requests: int | None) -> TurnSetup:
        return TurnSetup(
            publish=self.bus.publish,
            model=self.client,
            history=self.history,
            new_executor=lambda: StreamingExecutor(self.runtime.execution_context),
            build_request=lambda: self.requests.build(self.model, self.refresher.first_git or GitStatus()),
            report_usage=lambda request_id, usage: self.spending.count(usage_report(self.model, request_id, usage)),
            steering=self.message_queue.steer,
            retries=RetryPolicy(),
            max_requests=max_requests,
            before_request=lambda: self.spending.may_ask(self.model),
            before_end=self.session_hooks.stop,
            after_tools=self.session_hooks.after_batch,
        )

    def _resume(self, resumed: Resumed) -> None:
        """Let the parts know what a recorded session left."""
        for event in resumed.events:
            self.manual_tools.follow(event)
            if isinstance(event, ToolResultReady):
                self.runtime.masker.recall(event.content)
        self.change_history.recall(resumed.events)
        self.runtime.services.tasks.restore(resumed.task_lists)
        self.runtime.tools.restore(resumed.activated_tools)

    # --- from the beginning to the end -------------------------------------------------------------------------------

    def begin(self, source: StartSource) -> None:
        """Let hooks hear that a conversation begins; no message goes out before they are done."""
        self.message_queue.hold_for(self.session_hooks.begin(source, self.model, self._memory.files))

    async def close(self, reason: EndReason) -> None:
        """Stop what runs, finish the record, and let everything go. May be called again."""
        if self.is_closed:
            return
        self.is_closed = True
        self.refresher.stop()
        await self.turns.close()
        await self.runtime.jobs.close()
        try:
            await self.session_hooks.end({"exit": "prompt_input_exit", "clear": "clear"}.get(reason, "other"))
        finally:  # told once more to stop, it does not wait for hooks any longer
            await self.session_hooks.close()
            self.bus.publish(SessionEnded(reason=reason))
            await self.journal.close()
            await self.client.close()

    # --- what the parts need of each other ---------------------------------------------------------------------------

    def _publish(self, event: Event) -> Event:
        """Publish what tool uses say, and keep the data of their results for lines that name it."""
        stamped = self.bus.publish(event)
        self.manual_tools.follow(stamped)
        self.change_history.follow(event)
        return stamped

    def _shell_turn(self, command: str) -> ShellTurn:
        gate = UserCommandGate(self.runtime.broker, self.runtime.rulebook)
        return ShellTurn(command, replace(self.manual_tools.own(self.runtime.execution_context), gate=gate))

    def _note_by_hand(self, turn: ManualToolTurn, outcome: ToolOutcome) -> None:
        """Keep in mind what the model has to know of what the user did, and let it answer to a command's output."""
        self.manual_tools.note(turn, outcome)
        answers = self.runtime.settings.values.respond_to_bash_commands
        if answers and isinstance(turn, ShellTurn) and turn.wants_answer(outcome):
            self.message_queue.wake()

    def _report_aside(self, event: Event) -> Event:
        """Publish what a small question beside the conversation cost, counted."""
        if isinstance(event, UsageReported):
            self.spending.count(event)
        return self.bus.publish(event)

    def _wake(self, text: str) -> None:
        """Have the model act on what a hook in the background found, at the next step or in a turn of its own."""
        if not self.is_closed:
            self.message_queue.wake(text)
            self.turns.start()

    def _change_mode_as_told(self, mode: Mode) -> None:
        """Change the mode for a tool, whose result tells the model."""
        self.toggles.set_mode(mode)
        self.context_injector.mode_is_told()

    def _clear_now(self) -> None:
        self.history.clear()
        self.manual_tools.clear()
        self.runtime.execution_context.files.clear()
        self.runtime.tools.reset()
        self.runtime.services.tasks.clear()
        self.context_injector.clear()
        self.bus.publish(HistoryCleared())
        self.message_queue.stop_hearing()
        self.begin("clear")
