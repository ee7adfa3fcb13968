"""Does what a front end wants: one function for each command. What a command leads to is published by the parts it reaches."""

from __future__ import annotations

import asyncio
import math
import uuid
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from tui_agent.boundary import Pending
from tui_agent.commands import (
    AddFolder,
    AddRule,
    Answer,
    AnswerForm,
    Clear,
    Close,
    Command,
    ConfirmSettings,
    CycleMode,
    Done,
    DropResult,
    FolderAdded,
    Interrupt,
    Interrupted,
    ManageMcpServer,
    MoveToBackground,
    PlanEdited,
    Refresh,
    ReloadSettings,
    RemoveRule,
    ReplaceRule,
    Reply,
    RuleKept,
    RunShell,
    RunTool,
    SetMasking,
    SetMode,
    SetModel,
    SetSpendingLimit,
    SetThinking,
    SignIn,
    Start,
    StopAgent,
    StopAgents,
    StopJob,
    StopTool,
    Submit,
    Submitted,
    TakeBack,
    TakenBack,
    Undo,
    Undone,
)
from tui_agent.engine.context.trimming import ContextTrimmer
from tui_agent.engine.files.undo_plans import UndoPlans
from tui_agent.engine.recorded_sessions import RecordedSessions
from tui_agent.engine.session.config import SessionConfig
from tui_agent.engine.session.graph import SessionGraph
from tui_agent.engine.session.manual_tools import ManualToolError
from tui_agent.engine.session.startup_events import startup_events
from tui_agent.events import Notice
from tui_agent.execution.results import ResultStore
from tui_agent.settings.confirmed import confirm
from tui_agent.text import clean_line
from tui_agent.tools.jobs import Jobs

__all__ = ["CommandHandler"]

_DONE: Final[Reply[Done]] = Reply(Done())
_SETTLED: Final = "This question is settled already, or there is none such."

Doer = Callable[[Any], Reply[Any] | Coroutine[Any, Any, Reply[Any]]]


class CommandHandler:
    """The commands of one session."""

    def __init__(
        self, graph: SessionGraph, opening: SessionConfig, undo_plans: UndoPlans, recorded: RecordedSessions
    ) -> None:
        self._graph = graph
        self._runtime = graph.runtime
        self._opening = opening
        self._undo_plans = undo_plans
        self._is_started = False
        self._doers: dict[type[Command[Any]], Doer] = {
            Start: self._start,
            Submit: self._submit,
            RunTool: self._run_tool,
            RunShell: self._run_shell,
            TakeBack: self._take_back,
            Interrupt: self._interrupt,
            Clear: self._clear,
            DropResult: self._drop_result,
            Answer: self._answer,
            AnswerForm: self._answer_form,
            PlanEdited: self._plan_edited,
            StopTool: self._stop_tool,
            StopAgent: self._stop_agent,
            StopAgents: self._stop_agents,
            StopJob: self._stop_job,
            MoveToBackground: self._move_to_background,
            AddFolder: self._add_folder,
            AddRule: self._add_rule,
            RemoveRule: self._remove_rule,
            ReplaceRule: self._replace_rule,
            Undo: self._undo,
            SetMode: self._set_mode,
            CycleMode: self._cycle_mode,
            SetModel: self._set_model,
            SetThinking: self._set_thinking,
            SignIn: self._sign_in,
            SetMasking: self._set_masking,
            SetSpendingLimit: self._set_spending_limit,
            Refresh: self._refresh,
            ReloadSettings: self._reload_settings,
            ConfirmSettings: self._confirm_settings,
            ManageMcpServer: self._manage_mcp_server,
            Close: self._close,
            **recorded.doers,
        }

    def handle(self, command: Command[Any]) -> Pending[Reply[Any]]:
        """Do what a command says."""
        done = self._doers[type(command)](command)
        return Pending.of(done) if isinstance(done, Reply) else Pending.running(done)

    # --- beginning and end -------------------------------------------------------------------------------------------

    def _start(self, _command: Start) -> Reply[Done]:
        if self._is_started:
            return Reply(error="The session has begun already.")
        self._is_started = True
        graph = self._graph
        if self._opening.resumed is not None:
            for event in self._opening.resumed.recorded:
                graph.bus.republish(event)
            for event in self._opening.resumed.closing:
                graph.bus.publish(event)
        for event in startup_events(self._opening, self._runtime, graph.toggles, model=graph.model.name):
            graph.bus.publish(event)
        graph.spending.tell()
        # Everybody has what they need of the recording: to keep its events would be to keep the conversation twice.
        self._opening = replace(self._opening, resumed=None)
        source = self._opening.source
        graph.mcp.start()
        graph.begin(source if source in ("startup", "clear") else "resume")
        return _DONE

    async def _close(self, command: Close) -> Reply[Done]:
        await self._graph.close(command.reason)
        return _DONE

    # --- the conversation --------------------------------------------------------------------------------------------

    def _submit(self, command: Submit) -> Reply[Submitted]:
        if not command.text.strip() and not command.chips:
            return Reply(error="The message is empty.")
        message_id = f"msg_{uuid.uuid4().hex[:12]}"
        if not self._graph.is_closed:
            self._graph.message_queue.put(message_id, command.draft, is_announced=self._graph.turns.is_busy)
            self._graph.turns.start()
        return Reply(Submitted(message_id))

    def _run_tool(self, command: RunTool) -> Reply[Done]:
        graph = self._graph
        if graph.is_closed:
            return Reply(error="The session is closed.")
        if graph.turns.is_busy:
            return Reply(error="A turn is running. Run the tool when it has ended.")
        try:
            turn = graph.manual_tools.turn(command.line, graph.execution_context, self._runtime.pool)
        except ManualToolError as error:
            return Reply(error=str(error))
        graph.turns.start_manual(turn)
        return _DONE

    def _run_shell(self, command: RunShell) -> Reply[Done]:
        """Put a command through all the stages of a use of Bash.

        The user is not asked about what they typed, but what a rule or a hook forbids is not run. While a turn runs it waits
        for its end. The model gets command and output, and by the setting answers at once.
        """
        graph = self._graph
        if graph.is_closed:
            return Reply(error="The session is closed.")
        if not command.command.strip():
            return Reply(error="There is no command to run.")
        if self._runtime.pool.get("Bash") is None:
            return Reply(error="Bash is not available in this session: a rule or a start option excludes it.")
        graph.shell.put(command.command, is_announced=graph.turns.is_busy)
        graph.turns.start()
        return _DONE

    def _take_back(self, _command: TakeBack) -> Reply[TakenBack]:
        queue = self._graph.message_queue
        heard = queue.take_heard()
        if messages := (*((heard,) if heard is not None else ()), *queue.take_back()):
            return Reply(TakenBack(messages))
        command = self._graph.shell.take_back()
        return Reply(TakenBack((command,) if command is not None else ()))

    def _interrupt(self, _command: Interrupt) -> Reply[Interrupted]:
        heard = self._graph.message_queue.take_heard()
        unsent = heard or self._graph.turns.withdraw()
        self._graph.turns.interrupt()
        return Reply(Interrupted(unsent))

    def _clear(self, _command: Clear) -> Reply[Done]:
        while self._graph.shell.take_back() is not None:
            pass
        self._graph.message_queue.take_back()
        self._graph.turns.clear()
        return _DONE

    async def _drop_result(self, command: DropResult) -> Reply[Done]:
        publish = self._graph.bus.publish
        store = ResultStore(self._opening.folder.results, publish)
        problem = await ContextTrimmer(self._graph.history, store, publish).drop(command.tool_use_id)
        return Reply(error=problem) if problem else _DONE

    # --- questions ---------------------------------------------------------------------------------------------------

    def _answer(self, command: Answer) -> Reply[Done]:
        broker = self._runtime.broker
        try:
            decision = command.decide(broker.proposals(command.request_id) if command.hunks else ())
        except ValueError as error:
            return Reply(error=str(error))
        if decision.behavior == "allow" and decision.mode is not None:
            self._runtime.plan.choose(decision.mode)
        return _DONE if broker.answer(command.request_id, decision) else Reply(error=_SETTLED)

    def _answer_form(self, command: AnswerForm) -> Reply[Done]:
        is_settled = self._runtime.forms.answer(command.request_id, command.answers)
        return (
            _DONE if is_settled else Reply(error="This form is closed already, or an answer does not fit its question.")
        )

    def _plan_edited(self, _command: PlanEdited) -> Reply[Done]:
        try:
            self._runtime.plan.reload()
        except OSError as error:
            text = f"The plan cannot be read: {error.strerror or error}"
            self._graph.bus.publish(Notice(level="warning", text=text))
            return Reply(error=text)
        return _DONE

    # --- what runs ---------------------------------------------------------------------------------------------------

    def _stop_tool(self, command: StopTool) -> Reply[Done]:
        if not command.agent_id:
            self._graph.turns.stop_tool(command.tool_use_id)
        elif (agent := self._graph.agents.get(command.agent_id)) is not None:
            agent.stop_tool(command.tool_use_id)
        return _DONE

    def _stop_agent(self, command: StopAgent) -> Reply[Done]:
        is_stopped = self._graph.agents.stop_soon(command.agent_id)
        return _DONE if is_stopped else Reply(error="This agent does not work any more.")

    def _stop_agents(self, _command: StopAgents) -> Reply[Done]:
        is_any = self._graph.agents.stop_all_soon()
        return _DONE if is_any else Reply(error="No agent works now.")

    def _stop_job(self, command: StopJob) -> Reply[Done]:
        for jobs in self._all_jobs():
            if jobs.get(command.job_id) is not None:
                jobs.stop_soon(command.job_id)
        return _DONE

    def _all_jobs(self) -> Iterator[Jobs]:
        """Yield the background jobs of the main conversation, then those of each agent that works."""
        yield self._runtime.jobs
        for agent in self._graph.agents.working:
            yield agent.parts.jobs

    def _move_to_background(self, command: MoveToBackground) -> Reply[Done]:
        agent = self._graph.agents.get(command.agent_id) if command.agent_id else None
        jobs = agent.parts.jobs if agent is not None else self._runtime.jobs
        jobs.want(command.tool_use_id)
        return _DONE

    # --- folders -----------------------------------------------------------------------------------------------------

    def _add_folder(self, command: AddFolder) -> Reply[FolderAdded]:
        workspace = self._runtime.workspace
        folder = Path(workspace.absolute(command.path.strip()))
        shown = clean_line(str(folder), 300)
        if not folder.is_dir():
            return Reply(error=f"{shown} is not a folder.")
        if workspace.contains(str(folder)):
            return Reply(error=f"{shown} is in the working folders already.")
        self._runtime.folders.add([folder])
        self._graph.context_injector.mention(f"The user has added {folder} to the working folders.")
        self._graph.mcp.roots_changed()
        return Reply(FolderAdded(str(folder)))

    async def _manage_mcp_server(self, command: ManageMcpServer) -> Reply[Done]:
        problem = await self._graph.mcp.manage(command.server, command.action)
        return Reply(error=clean_line(problem, 500)) if problem else _DONE

    # --- rules -------------------------------------------------------------------------------------------------------

    def _add_rule(self, command: AddRule) -> Reply[RuleKept]:
        try:
            self._runtime.permissions.add_rule(command.text, command.behavior, command.scope)
        except OSError as error:
            return Reply(RuleKept(unsaved=str(error)))
        except ValueError as error:
            return Reply(error=str(error))
        return Reply(RuleKept())

    def _remove_rule(self, command: RemoveRule) -> Reply[Done]:
        try:
            self._runtime.permissions.remove_rule(command.text, command.source, command.behavior)
        except (OSError, ValueError) as error:
            return Reply(error=str(error))
        return _DONE

    def _replace_rule(self, command: ReplaceRule) -> Reply[RuleKept]:
        kept = self._add_rule(command.new)
        if kept.ok is None or kept.ok.unsaved:
            return kept
        return Reply(RuleKept(old_kept=self._remove_rule(command.old).error))

    # --- changes -----------------------------------------------------------------------------------------------------

    async def _undo(self, command: Undo) -> Reply[Undone]:
        return await self._undo_plans.carry_out(command.path, command.plan_id)

    # --- what the session runs under ---------------------------------------------------------------------------------

    def _set_mode(self, command: SetMode) -> Reply[Done]:
        self._runtime.mode.change(command.mode)
        return _DONE

    def _cycle_mode(self, _command: CycleMode) -> Reply[Done]:
        self._runtime.mode.cycle()
        return _DONE

    def _set_model(self, command: SetModel) -> Reply[Done]:
        if not command.model.strip():
            return Reply(error="No model is named.")
        self._graph.model.change(command.model)
        return _DONE

    def _set_thinking(self, command: SetThinking) -> Reply[Done]:
        self._graph.toggles.set_thinking(command.on)
        return _DONE

    async def _sign_in(self, command: SignIn) -> Reply[Done]:
        self._runtime.masker.own(command.api_key)
        await self._graph.model.sign_in(command.api_key, command.base_url)
        return _DONE

    def _set_masking(self, command: SetMasking) -> Reply[Done]:
        self._graph.toggles.set_masking(command.on)
        return _DONE

    def _set_spending_limit(self, command: SetSpendingLimit) -> Reply[Done]:
        if command.usd is not None and not 0 < command.usd < math.inf:
            return Reply(error="A spending limit is an amount above 0.")
        self._graph.spending.set_limit(command.usd)
        return _DONE

    async def _refresh(self, _command: Refresh) -> Reply[Done]:
        await self._graph.refresher.refresh()
        return _DONE

    async def _reload_settings(self, _command: ReloadSettings) -> Reply[Done]:
        await self._graph.refresher.reload_settings()
        return _DONE

    async def _confirm_settings(self, command: ConfirmSettings) -> Reply[Done]:
        """Only what was shown counts: what has come to the files since is asked about again."""
        settings = self._runtime.settings
        if not settings.is_trusted:
            return Reply(error="This folder is not trusted.")
        problem = ""
        try:
            await asyncio.to_thread(confirm, settings.start_dir, frozenset(command.hashes))
        except OSError as error:
            problem = f"This could not be saved: {error.strerror or error}"
        await self._graph.refresher.reload_settings()
        return Reply(error=problem) if problem else _DONE
