"""Answers what a front end asks: one function for each query, and nothing that is alive in what it returns."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

from tui_agent.boundary import Pending
from tui_agent.engine.agents.answers import agents_report
from tui_agent.engine.context.context_report import context_report
from tui_agent.engine.files.undo_plans import UndoPlans
from tui_agent.engine.gate.permission_log import subject
from tui_agent.engine.recorded_sessions import RecordedSessions
from tui_agent.engine.session.git_status import GitStatus
from tui_agent.engine.session.graph import SessionGraph
from tui_agent.engine.session.settings_answers import hooks_report, preferences, settings_report, withheld_report
from tui_agent.engine.skills.skill_answers import skill_list
from tui_agent.model.protocol import ModelError
from tui_agent.permissions.rule_notes import rule_notes
from tui_agent.permissions.verdict import Verdict
from tui_agent.queries import (
    AgentsQuery,
    AgentsReport,
    ChangesQuery,
    ChangesReport,
    ContextQuery,
    ContextReport,
    CostQuery,
    CostReport,
    Coverage,
    CoverageQuery,
    CoveredCall,
    HooksQuery,
    HooksReport,
    Idle,
    IdleQuery,
    JudgeQuery,
    Masking,
    McpQuery,
    McpReport,
    McpSettled,
    McpSettledQuery,
    MemoryQuery,
    MemoryReport,
    ModelList,
    ModelName,
    ModelsQuery,
    Patch,
    PatchQuery,
    PermissionsQuery,
    PermissionsReport,
    PlanOffer,
    PlanQuery,
    Preferences,
    PreferencesQuery,
    Proposals,
    ProposalsQuery,
    Query,
    RuleCheckQuery,
    RuleFiles,
    RuleNotes,
    SessionState,
    SettingsQuery,
    SettingsReport,
    SkillList,
    SkillsQuery,
    StateQuery,
    ToolList,
    ToolName,
    ToolsQuery,
    TrialQuery,
    UndoPlan,
    UndoPlanQuery,
    WithheldQuery,
    WithheldReport,
)

__all__ = ["QueryHandler"]


class QueryHandler:
    """The queries of one session."""

    def __init__(self, graph: SessionGraph, undo_plans: UndoPlans, recorded: RecordedSessions) -> None:
        self._graph = graph
        self._runtime = graph.runtime
        self._undo_plans = undo_plans
        self._answers: dict[type[Query[Any]], Callable[[Any], Any | Coroutine[Any, Any, Any]]] = {
            StateQuery: self._session_state,
            IdleQuery: self._idle,
            ToolsQuery: self._tools,
            ModelsQuery: self._models,
            ContextQuery: self._context,
            CostQuery: self._cost,
            ProposalsQuery: self._proposals,
            JudgeQuery: self._judge,
            PlanQuery: self._plan,
            PermissionsQuery: self._permissions,
            TrialQuery: self._trial,
            CoverageQuery: self._coverage,
            RuleCheckQuery: self._check_rule,
            ChangesQuery: self._changes,
            UndoPlanQuery: self._undo_plan,
            PatchQuery: self._patch,
            SettingsQuery: self._settings,
            WithheldQuery: self._withheld,
            PreferencesQuery: self._preferences,
            HooksQuery: self._hooks,
            McpQuery: self._mcp,
            AgentsQuery: self._agents,
            SkillsQuery: self._skills,
            McpSettledQuery: self._mcp_settled,
            MemoryQuery: self._memory,
            **recorded.answers,
        }

    def answer(self, query: Query[Any]) -> Pending[Any]:
        """Answer a query."""
        found = self._answers[type(query)](query)
        return Pending.running(found) if inspect.iscoroutine(found) else Pending.of(found)

    # --- the session -------------------------------------------------------------------------------------------------

    def _session_state(self, _query: StateQuery) -> SessionState:
        workspace, masking = self._runtime.workspace, self._graph.toggles.masking
        return SessionState(
            session_id=self._graph.bus.session_id,
            model=self._graph.model.name,
            mode=self._runtime.mode.now,
            is_busy=self._graph.turns.is_busy,
            is_thinking=self._graph.toggles.is_thinking,
            root=str(workspace.root),
            cwd=str(workspace.cwd),
            additional_dirs=tuple(map(str, workspace.additional)),
            home=str(workspace.home),
            is_trusted=self._runtime.settings.is_trusted,
            masking=Masking(masking.is_on, masking.names),
        )

    async def _idle(self, _query: IdleQuery) -> Idle:
        await self._graph.turns.wait_idle()
        return Idle()

    def _tools(self, _query: ToolsQuery) -> ToolList:
        return ToolList(tuple(ToolName(tool.name, tool.search_hint) for tool in self._runtime.pool.tools))

    async def _context(self, _query: ContextQuery) -> ContextReport:
        graph = self._graph
        request = graph.requests.build(graph.model.name, graph.refresher.first_git or GitStatus())
        return await asyncio.to_thread(context_report, request, shortened=graph.history.shortened)

    def _cost(self, _query: CostQuery) -> CostReport:
        return CostReport(self._graph.spending.spent, self._graph.spending.limit)

    # --- open questions ----------------------------------------------------------------------------------------------

    def _proposals(self, query: ProposalsQuery) -> Proposals:
        return Proposals(self._runtime.broker.proposals(query.request_id))

    def _judge(self, query: JudgeQuery) -> Verdict:
        return self._runtime.broker.judge(query.request_id, query.input)

    def _plan(self, _query: PlanQuery) -> PlanOffer:
        offer = self._runtime.plan.offer()
        return replace(offer, text=self._runtime.masker.mask(offer.text))

    # --- permissions -------------------------------------------------------------------------------------------------

    def _permissions(self, _query: PermissionsQuery) -> PermissionsReport:
        service = self._runtime.permissions
        return PermissionsReport(
            rules=service.rules(),
            denials=service.recent_denials(),
            folders=service.folders(),
            files=RuleFiles(
                local=str(service.file_of("local")),
                project=str(service.file_of("project")),
                user=str(service.file_of("user")),
            ),
        )

    async def _trial(self, query: TrialQuery) -> Verdict:
        return await self._runtime.permissions.explain_call(query.tool, query.input)

    def _coverage(self, query: CoverageQuery) -> Coverage:
        found = self._runtime.permissions.preview_rules(query.rules, query.behavior)
        calls = (asked.call for asked in found.covered)
        return Coverage(
            tuple(CoveredCall(call.tool, call.input, subject(call)) for call in calls), found.asked, found.problem
        )

    @staticmethod
    def _check_rule(query: RuleCheckQuery) -> RuleNotes:
        return RuleNotes(*rule_notes(query.text, query.behavior))

    # --- changes -----------------------------------------------------------------------------------------------------

    async def _changes(self, _query: ChangesQuery) -> ChangesReport:
        return ChangesReport(tuple(await self._graph.change_history.compare()))

    async def _undo_plan(self, query: UndoPlanQuery) -> UndoPlan | None:
        return await self._undo_plans.plan(query.path)

    async def _patch(self, _query: PatchQuery) -> Patch:
        return await self._graph.change_history.patch()

    async def _models(self, _query: ModelsQuery) -> ModelList:
        try:
            found = await self._graph.model.list_models()
        except ModelError as error:
            return ModelList(problem=error.message)
        return ModelList(tuple(ModelName(model.id, model.name) for model in found))

    # --- settings ----------------------------------------------------------------------------------------------------

    def _settings(self, _query: SettingsQuery) -> SettingsReport:
        return settings_report(self._runtime.settings)

    def _withheld(self, _query: WithheldQuery) -> WithheldReport:
        return withheld_report(self._runtime.settings)

    def _preferences(self, _query: PreferencesQuery) -> Preferences:
        settings = self._runtime.settings
        return preferences(settings.values, is_trusted=settings.is_trusted)

    def _agents(self, _query: AgentsQuery) -> AgentsReport:
        return agents_report(self._runtime.agents.now, self._graph.agents.working)

    def _memory(self, _query: MemoryQuery) -> MemoryReport:
        return self._graph.memory.report()

    def _skills(self, query: SkillsQuery) -> SkillList | Coroutine[Any, Any, SkillList]:
        return self._fresh_skills() if query.is_fresh else skill_list(self._runtime.skills.catalog)

    async def _fresh_skills(self) -> SkillList:
        await self._runtime.skills.refresh()
        return skill_list(self._runtime.skills.catalog)

    def _hooks(self, _query: HooksQuery) -> HooksReport:
        return hooks_report(self._runtime.hooks.book)

    def _mcp(self, _query: McpQuery) -> McpReport:
        return self._graph.mcp.report()

    async def _mcp_settled(self, _query: McpSettledQuery) -> McpSettled:
        await self._graph.mcp.wait_settled()
        return McpSettled()
