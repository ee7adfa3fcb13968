"""A session's parts, each made with those that it needs; and the order in which they begin and end."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from tui_agent.engine.agents.agent import AGENT_JOB
from tui_agent.engine.agents.caller import Caller
from tui_agent.engine.agents.runner import AgentRunner
from tui_agent.engine.agents.service import ParentService
from tui_agent.engine.agents.world import AgentWorld
from tui_agent.engine.context.context_injector import ContextInjector
from tui_agent.engine.context.job_notices import missed_notices
from tui_agent.engine.context.session_memory import SessionMemory
from tui_agent.engine.context.worked_on import worked_on
from tui_agent.engine.conversation.history import History
from tui_agent.engine.conversation.requests import RequestBuilder, usage_report
from tui_agent.engine.conversation.side_model import SideModel
from tui_agent.engine.conversation.turn import TurnSetup
from tui_agent.engine.conversation.turn_runner import TurnRunner
from tui_agent.engine.files.change_history import ChangeHistory
from tui_agent.engine.gate.agent_gate import AgentLimits
from tui_agent.engine.hooks.session_hooks import SessionHooks, StartSource
from tui_agent.engine.hooks.turn_hooks import TurnHooks
from tui_agent.engine.mcp.message_parts import ServerParts
from tui_agent.engine.mcp.service import McpService
from tui_agent.engine.session.config import Resumed, SessionConfig
from tui_agent.engine.session.core import SessionCore
from tui_agent.engine.session.current_model import CurrentModel
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
from tui_agent.engine.skills.prompt_expander import PromptExpander
from tui_agent.events import Event, HistoryCleared, SessionEnded, ToolResultReady, TurnFinished
from tui_agent.execution.execution_context import ExecutionContext, ToolOutcome
from tui_agent.execution.executor import StreamingExecutor
from tui_agent.journal.writer import JournalWriter
from tui_agent.model.protocol import Models
from tui_agent.model.retry import RetryPolicy
from tui_agent.tools.file_changes.versions import Versions

__all__ = ["EndReason", "SessionGraph"]

EndReason = Literal["exit", "clear", "done", "failed", "interrupted"]


class SessionGraph:
    """The parts of one session, which know of each other only what they are handed here; `close` ends them all.

    `models` has the clients of all providers.
    """

    def __init__(self, opening: SessionConfig, models: Models) -> None:
        self.is_closed = False
        resumed = opening.resumed
        self.core = SessionCore.make(
            opening.settings,
            session_id=opening.folder.id,
            mode=opening.runtime.mode,
            known_mode="plan" if resumed and resumed.history.mode == "plan" else "default",
            may_bypass=opening.may_bypass,
            own_secrets=models.secrets,
        )
        self.bus = self.core.bus
        publish = self.bus.publish
        self.journal = JournalWriter(
            opening.folder.journal, self.bus, keep_bytes=resumed.intact_bytes if resumed else None
        )
        self.model = CurrentModel(opening.model, models, publish=publish)
        self.history = resumed.history if resumed else History()
        self.manual_tools = ManualToolRunner(self.bus)
        self.spending = Spending(
            self.bus,
            self.core.settings,
            models.table,
            ask=self.core.forms.ask if opening.is_attended else None,
            given=opening.max_budget_usd,
            recorded=resumed.recorded if resumed else (),
        )
        versions = Versions(opening.folder.versions)
        self.runtime = ToolRuntime(
            opening.runtime,
            self.core,
            results_dir=opening.folder.results,
            state_dir=opening.state,
            is_attended=opening.is_attended,
            conversation=self.history,
            ask_model=SideModel(
                self.model,
                table=models.table,
                publish=publish,
                main=lambda: self.model.name,
                small=opening.small_model,
                refusal=lambda: self.spending.refusal,
            ).ask,
            transcript=opening.folder.journal,
            keep_versions=versions.keep_change,
        )
        self.change_history = ChangeHistory(
            versions, self.bus, folder=lambda: self.runtime.workspace.cwd, state=opening.state
        )
        self.session_hooks = SessionHooks(self.runtime.hooks, self.bus, self.runtime.background_output)
        self._turn_hooks = TurnHooks(self.runtime.hooks, self.runtime.jobs, self.runtime.background_output)
        thinking = Thinking(models.table, is_on=opening.is_thinking)
        self.toggles = SessionToggles(self.core, thinking, self.model)
        self.refresher = Refresher(
            self.runtime,
            SettingsReloader(opening.reload),
            self.session_hooks,
            self.toggles,
            publish,
            first_git=resumed.first_git if resumed else None,
        )
        self._waits_for_servers = not opening.is_attended
        self.mcp = McpService(
            opening.mcp, self.runtime, publish, ask=self.core.forms.ask if opening.is_attended else None
        )
        self.memory = SessionMemory(
            opening.memory,
            ask=self.core.forms.ask if opening.is_attended else None,
            publish=publish,
            heard=self.session_hooks.read_later,
        )
        self.context_injector = ContextInjector(
            self.runtime,
            self.history,
            self.memory,
            manual_tools=self.manual_tools,
            undone=self.change_history.take_news,
            servers=self.mcp.take_news,
            session_hooks=self.session_hooks,
            publish=publish,
            model=lambda: self.model.name,
            missed=missed_notices(resumed.events) if resumed else (),
        )
        self.message_queue = MessageQueue(
            self.context_injector,
            self.session_hooks,
            self.runtime.attaching,
            PromptExpander(self.runtime.invoker, self.session_hooks, publish, use_model=self.model.lend),
            ServerParts(lambda: self.mcp.servers),
            self.core.wakeups,
            publish,
            before_each=self._before_each,
            user_wrote=self.runtime.services.user_wrote,
        )
        # The prompt stays what it was when the conversation began: cached, and the ground its thinking was signed on.
        self.requests = RequestBuilder(
            self.core.settings,
            self.runtime.workspace,
            self.runtime.tools,
            self.history,
            thinking,
            models.table,
            began=opening.began,
        )
        self.agents = AgentRunner(
            AgentWorld(
                bus=self.bus,
                runtime=self.runtime,
                models=models,
                model=lambda: self.model.name,
                is_thinking=lambda: self.toggles.is_thinking,
                spending=self.spending,
                memory=self.memory,
                began=opening.began,
                first_git=lambda: self.refresher.first_git,
                max_requests=opening.max_turns,
                small_model=opening.small_model,
            ),
            ParentService,
        )
        self._is_attended = opening.is_attended
        self._main_agents = self.agents.service(self._main_caller())
        self.bus.follow("what a skill wants for its turn", (TurnFinished,), self._take_model_back)
        self.shell = UserShell(publish, self._shell_turn)
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
            model=self.model,
            history=self.history,
            new_executor=lambda: StreamingExecutor(self.execution_context),
            build_request=lambda: self.requests.build(self.model.name, self.refresher.first_git or GitStatus()),
            report_usage=lambda request_id, usage: usage_report(self.model.table, self.model.name, request_id, usage),
            steering=self.message_queue.steer,
            retries=RetryPolicy(),
            max_requests=max_requests,
            before_request=lambda: self.spending.may_ask(self.model.name),
            before_end=self._before_end,
            after_tools=self._after_tools,
        )

    def _main_caller(self) -> Caller:
        runtime = self.runtime
        return Caller(
            id="",
            depth=0,
            tools=runtime.tools,
            limits=AgentLimits(),
            refusals=runtime.broker.refusals,
            jobs=runtime.jobs,
            workspace=runtime.workspace,
            model=lambda: self.model.name,
            publish=self.bus.publish,
            context=lambda: self.execution_context,
            announce=self.core.wakeups.add,
            is_waited_for=self._is_attended,
        )

    @property
    def execution_context(self) -> ExecutionContext:
        """What tool uses of the main conversation share that begin now."""
        context = self.runtime.execution_context
        return replace(context, services=replace(context.services, agents=self._main_agents))

    async def _before_end(self, text: str, held_back: int) -> str:
        """Hear the hooks. Where the session ends with the turn, agents in the background are waited for first."""
        if not self._is_attended and await self.runtime.jobs.wait_for(AGENT_JOB):
            return "\n\n".join(self.core.wakeups.take())
        return await self._turn_hooks.stop(text, held_back)

    def _take_model_back(self, event: Event) -> None:
        if not event.agent_id:
            self.model.take_back()

    async def _before_each(self) -> None:
        await self.memory.settle()
        await self.refresher.reload_settings()  # a rule that was just written counts for what is sent now

    async def _after_tools(self, calls: Sequence[tuple[Mapping[str, Any], ToolOutcome]]) -> tuple[str | None, str]:
        files = worked_on(calls, self.runtime.workspace)
        await self.runtime.skills.work_on(files)
        await self.memory.work_on(files)
        return await self._turn_hooks.after_batch(calls)

    def _resume(self, resumed: Resumed) -> None:
        """Let the parts know what a recorded session left; they follow its closing events when these are published."""
        self.manual_tools.recall(resumed.recorded)
        for event in resumed.recorded:
            if isinstance(event, ToolResultReady):
                self.runtime.masker.recall(event.content)
        self.change_history.recall(resumed.recorded)
        self.runtime.services.tasks.restore(self.history.task_lists)
        self.runtime.tools.restore(self.history.activated_tools)
        self.agents.recall(resumed.events)

    # --- from the beginning to the end -------------------------------------------------------------------------------

    def begin(self, source: StartSource) -> None:
        """Let hooks hear that a conversation begins; no message goes out before they are done."""
        hooks = self.session_hooks.begin(source, self.model.name, self.memory.files)
        self.message_queue.hold_for(self._with_servers(hooks) if self._waits_for_servers else hooks)

    def _with_servers(self, hooks: asyncio.Task[str] | None) -> asyncio.Task[str]:
        """Let the first message wait for MCP servers, too: where nobody sees them come, there may be no second one."""
        self._waits_for_servers = False

        async def wait() -> str:
            await self.mcp.wait_settled()
            return "" if hooks is None else await hooks

        return asyncio.create_task(wait())

    async def close(self, reason: EndReason) -> None:
        """Stop what runs, finish the record, and let everything go. May be called again."""
        if self.is_closed:
            return
        self.is_closed = True
        self.refresher.stop()
        await self.turns.close()
        await self.agents.close()
        await self.runtime.jobs.close()
        await self.mcp.close()
        try:
            await self.session_hooks.end({"exit": "prompt_input_exit", "clear": "clear"}.get(reason, "other"))
        finally:  # told once more to stop, it does not wait for hooks any longer
            await self.session_hooks.close()
            self.bus.publish(SessionEnded(reason=reason))
            await self.journal.close()
            await self.model.close()

    # --- what the parts need of each other ---------------------------------------------------------------------------

    def _shell_turn(self, command: str) -> ShellTurn:
        gate = UserCommandGate(self.runtime.broker, self.runtime.rulebook)
        return ShellTurn(command, replace(self.manual_tools.own(self.execution_context), gate=gate))

    def _note_by_hand(self, turn: ManualToolTurn, outcome: ToolOutcome) -> None:
        """Keep in mind what the model has to know of what the user did, and let it answer to a command's output."""
        self.manual_tools.note(turn, outcome)
        answers = self.runtime.settings.values.respond_to_bash_commands
        if answers and isinstance(turn, ShellTurn) and turn.wants_answer(outcome):
            self.core.wakeups.add()

    def _clear_now(self) -> None:
        self.agents.clear()
        self.history.clear()
        self.manual_tools.clear()
        self.runtime.files.clear()
        self.runtime.tools.reset()
        self.runtime.tools.describe_agents(self.runtime.agents.for_model(self.runtime.rulebook.denies_agent))
        self.runtime.agents.begin()
        self.runtime.services.tasks.clear()
        self.context_injector.clear()
        self.memory.expire()
        self.mcp.forget_told()
        self.bus.publish(HistoryCleared())
        self.message_queue.stop_hearing()
        self.begin("clear")
