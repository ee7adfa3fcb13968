"""A session as tests drive it: a method for each command and query, and a look inside for what only tests want to know.

It is an engine too, so that an app can run on it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar

from tui_agent.boundary import Pending
from tui_agent.bus import Bus, Subscription
from tui_agent.changes import FileChange
from tui_agent.commands import (
    Answer,
    AnswerForm,
    Clear,
    Close,
    Command,
    CycleMode,
    DropResult,
    Interrupt,
    MoveToBackground,
    PlanEdited,
    Refresh,
    ReloadSettings,
    Reply,
    RunShell,
    RunTool,
    SetMasking,
    SetMode,
    SetModel,
    SetSpendingLimit,
    SetThinking,
    Start,
    StopJob,
    StopTool,
    Submit,
    TakeBack,
)
from tui_agent.drafts import Draft
from tui_agent.engine.files.change_history import ChangeHistory
from tui_agent.engine.gate.permission_service import PermissionService
from tui_agent.engine.session import session as opening
from tui_agent.engine.session.config import SessionOptions
from tui_agent.engine.session.session import Session
from tui_agent.engine.session.tool_runtime import ToolRuntime
from tui_agent.hooks.registry import HookRegistry
from tui_agent.model.protocol import Models
from tui_agent.permissions.modes import Mode
from tui_agent.permissions.verdict import Decision, Verdict
from tui_agent.queries import (
    ContextQuery,
    ContextReport,
    IdleQuery,
    JudgeQuery,
    Masking,
    PlanOffer,
    PlanQuery,
    ProposalsQuery,
    Query,
    SessionState,
    StateQuery,
    ToolsQuery,
)
from tui_agent.settings.load import Settings
from tui_agent.tools.forms import Answers
from tui_agent.tools.workspace import Workspace

__all__ = ["SessionDriver", "open_session"]

R = TypeVar("R")
A = TypeVar("A")


async def open_session(options: SessionOptions, models: Models) -> SessionDriver:
    return SessionDriver(await opening.open_session(options, models))


class SessionDriver:
    def __init__(self, session: Session) -> None:
        self.engine = session

    # --- the engine's own --------------------------------------------------------------------------------------------

    def send(self, command: Command[R]) -> Pending[Reply[R]]:
        return self.engine.send(command)

    def query(self, query: Query[A]) -> Pending[A]:
        return self.engine.query(query)

    def subscribe(
        self, name: str, on_ready: Callable[[], None] | None = None, *, is_live_only: bool = False
    ) -> Subscription:
        return self.engine.subscribe(name, on_ready, is_live_only=is_live_only)

    # --- commands ----------------------------------------------------------------------------------------------------

    def start(self) -> None:
        self.send(Start())

    def submit(self, message: str | Draft) -> str:
        reply = self.send(Submit.of(message)).result()
        assert reply.ok is not None
        return reply.ok.message_id

    def run_tool(self, line: str) -> str:
        return self.send(RunTool(line)).result().error

    def run_shell(self, command: str) -> str:
        return self.send(RunShell(command)).result().error

    def take_back(self) -> list[Draft]:
        reply = self.send(TakeBack()).result()
        assert reply.ok is not None
        return list(reply.ok.drafts)

    def interrupt(self) -> Draft | None:
        reply = self.send(Interrupt()).result()
        assert reply.ok is not None
        return reply.ok.unsent

    def answer(self, request_id: str, decision: Decision) -> bool:
        return not self.send(Answer.of(request_id, decision)).result().error

    def answer_form(self, request_id: str, answers: Answers | None) -> bool:
        return not self.send(AnswerForm(request_id, answers)).result().error

    def plan_edited(self) -> None:
        self.send(PlanEdited())

    def set_masking(self, is_on: bool) -> None:
        self.send(SetMasking(is_on))

    def set_mode(self, mode: Mode) -> None:
        self.send(SetMode(mode))

    def cycle_mode(self) -> None:
        self.send(CycleMode())

    def set_model(self, model: str) -> None:
        self.send(SetModel(model))

    def set_thinking(self, is_on: bool) -> None:
        self.send(SetThinking(is_on))

    def set_spending_limit(self, usd: float | None) -> None:
        self.send(SetSpendingLimit(usd))

    async def drop_result(self, tool_use_id: str) -> str:
        return (await self.send(DropResult(tool_use_id))).error

    def stop_tool(self, tool_use_id: str) -> None:
        self.send(StopTool(tool_use_id))

    def stop_job(self, job_id: str) -> None:
        self.send(StopJob(job_id))

    def move_to_background(self, tool_use_id: str) -> None:
        self.send(MoveToBackground(tool_use_id))

    def clear(self) -> None:
        self.send(Clear())

    async def reload_settings(self) -> None:
        await self.send(ReloadSettings())

    async def refresh(self) -> None:
        await self.send(Refresh())

    async def close(self, reason: Literal["exit", "clear", "done", "failed", "interrupted"] = "exit") -> None:
        await self.send(Close(reason))

    # --- queries -----------------------------------------------------------------------------------------------------

    @property
    def state(self) -> SessionState:
        return self.query(StateQuery()).result()

    @property
    def id(self) -> str:
        return self.state.session_id

    @property
    def mode(self) -> Mode:
        return self.state.mode

    @property
    def model(self) -> str:
        return self.state.model

    @property
    def is_busy(self) -> bool:
        return self.state.is_busy

    @property
    def is_thinking(self) -> bool:
        return self.state.is_thinking

    @property
    def masking(self) -> Masking:
        masking = self.state.masking
        assert masking is not None
        return masking

    @property
    def tool_names(self) -> Sequence[tuple[str, str]]:
        return [(tool.name, tool.words) for tool in self.query(ToolsQuery()).result().tools]

    def proposals(self, request_id: str) -> tuple[FileChange, ...]:
        return self.query(ProposalsQuery(request_id)).result().changes

    def judge(self, request_id: str, input: dict[str, Any]) -> Verdict:
        return self.query(JudgeQuery(request_id, input)).result()

    def plan(self) -> PlanOffer:
        offer = self.query(PlanQuery()).result()
        assert offer is not None
        return offer

    async def context_report(self) -> ContextReport:
        report = await self.query(ContextQuery())
        assert report is not None
        return report

    async def wait_idle(self) -> None:
        await self.query(IdleQuery())

    # --- inside ------------------------------------------------------------------------------------------------------

    @property
    def bus(self) -> Bus:
        return self.engine._graph.bus

    @property
    def runtime(self) -> ToolRuntime:
        return self.engine._graph.runtime

    @property
    def settings(self) -> Settings:
        return self.runtime.settings

    @property
    def workspace(self) -> Workspace:
        return self.runtime.workspace

    @property
    def hooks(self) -> HookRegistry:
        return self.runtime.hooks.book

    @property
    def permissions(self) -> PermissionService:
        return self.runtime.permissions

    @property
    def change_history(self) -> ChangeHistory:
        return self.engine._graph.change_history
