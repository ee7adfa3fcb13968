"""What an agent's tool uses and requests are made of: its own tools, files, folder, gate, hooks, jobs and tasks.

Made of the session's parts, never of more: its tools are some of its parent's, its gate is the session's and stricter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, Literal

from tui_agent.context_marks import framed
from tui_agent.engine.agents.world import AgentIdentity, AgentWorld
from tui_agent.engine.context.job_notices import news_of, news_text
from tui_agent.engine.context.system_prompt import agent_instructions
from tui_agent.engine.conversation.history import History
from tui_agent.engine.conversation.requests import RequestBuilder
from tui_agent.engine.conversation.side_model import SideModel
from tui_agent.engine.gate.agent_gate import AgentGate, Mirror
from tui_agent.engine.gate.refusals import Refusals
from tui_agent.engine.hooks.background_output import BackgroundOutput
from tui_agent.engine.hooks.turn_hooks import TurnHooks
from tui_agent.engine.session.thinking import Thinking
from tui_agent.engine.session.tool_runtime import asked_without_secrets
from tui_agent.engine.session.wakeups import WakeUps
from tui_agent.engine.skills.skill_hooks import entries_of
from tui_agent.events import Event, TasksChanged, ToolsActivated
from tui_agent.execution.execution_context import ExecutionContext
from tui_agent.permissions.modes import Mode
from tui_agent.settings.load import HookEntry, SourceKind
from tui_agent.subagents.definition import AgentDefinition
from tui_agent.tools.agents import AgentService
from tui_agent.tools.base import PromptContext
from tui_agent.tools.file_state import FileState
from tui_agent.tools.jobs import Jobs
from tui_agent.tools.loading import LoadedTools
from tui_agent.tools.registry import TOOL_SEARCH, ToolPool
from tui_agent.tools.services import Services
from tui_agent.tools.task_list import TaskList
from tui_agent.tools.workspace import Workspace

__all__ = ["MOST_DEPTH", "AgentParts", "pool_of"]

MOST_DEPTH: Final = 3
# Forms, and the mode of the session: the main conversation's to ask and to change. Skills grant an agent nothing.
_NEVER: Final = frozenset({"AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "StickerRequest"})
_STARTERS: Final = frozenset({"Agent", "Architect", "SendMessage"})


def pool_of(definition: AgentDefinition, parent: ToolPool, depth: int) -> ToolPool:
    """Return the tools of an agent of this type: those of its parent that its type may have, and that suit its place."""

    def admits(name: str) -> bool:
        if name in _NEVER or (depth >= MOST_DEPTH and name in _STARTERS):
            return False
        return definition.admits(name) and _is_of_servers(name, definition.servers)

    return parent.only(admits, defers=definition.tools is None or definition.tools.has(TOOL_SEARCH))


def _hooks_of(definition: AgentDefinition) -> tuple[HookEntry, ...]:
    """Return the hooks of an agent file: they are heard while the agent works, and its end is that of an agent."""
    kinds: dict[str, SourceKind] = {"policy": "policy", "project": "project", "cli": "cli"}
    kind = kinds.get(definition.source, "user")
    hooks = {("SubagentStop" if event == "Stop" else event): groups for event, groups in definition.hooks.items()}
    return tuple(entries_of(hooks, kind=kind, file=definition.file))


def _is_of_servers(name: str, servers: Sequence[str]) -> bool:
    """Whether a tool is none of a server's, or of one of these; without names, of whatever server."""
    if not servers or not name.startswith("mcp__"):
        return True
    return any(name.startswith(f"mcp__{server}__") for server in servers)


class AgentParts:
    """One agent's. `publish` publishes as the agent; `model` gives the one that its requests go to."""

    def __init__(
        self,
        world: AgentWorld,
        identity: AgentIdentity,
        history: History,
        *,
        publish: Callable[[Event], Event],
        model: Callable[[], str],
    ) -> None:
        runtime, definition = world.runtime, identity.definition
        self._runtime = runtime
        self._identity = identity
        self._history = history
        self._publish = publish
        worktree = identity.worktree
        root = worktree.root if worktree is not None else runtime.workspace.root
        self._mirror = Mirror(str(worktree.top), str(worktree.project)) if worktree is not None else None
        shell = Path(identity.folder) if identity.folder else root
        self.workspace = Workspace(root, runtime.workspace.additional, home=runtime.workspace.home, cwd=shell)
        self.files = FileState()
        pool = pool_of(definition, identity.parent_tools.pool, identity.depth)
        self.tools = LoadedTools(
            pool,
            context=PromptContext(
                tool_names=pool.names,
                mode=runtime.mode.now,
                features=identity.parent_tools.context.features,
                agent_types=runtime.agents.for_model(runtime.rulebook.denies_agent),
            ),
            on_activate=lambda names: publish(ToolsActivated(names=names)),
        )
        self.tools.restore(history.activated_tools)
        self.refusals = Refusals()
        self.limits = identity.limits
        self._gate = AgentGate(
            runtime.broker,
            runtime.rulebook,
            self.workspace,
            self.limits,
            self.refusals,
            publish=publish,
            mirror=self._mirror,
        )
        self._sandbox = runtime.sandbox_policy.elsewhere(lambda: runtime.rulebook.where_in(self.workspace))
        self._results = runtime.results_dir / "agents" / identity.id
        self._hooks = runtime.hooks.for_agent(
            runtime.hooks.inputs.for_agent(identity.id, definition.name, self.workspace),
            publish,
            _hooks_of(definition),
        )
        self._background_output = BackgroundOutput(WakeUps())
        self.jobs = Jobs(publish, takes_late_commands=runtime.jobs.takes_late_commands)
        self.turn_hooks = TurnHooks(self._hooks, self.jobs, self._background_output, agent_type=definition.name)
        self._tasks = TaskList(lambda tasks: publish(TasksChanged(tasks=tasks)))
        self._tasks.restore(history.task_lists)
        side = SideModel(
            world.models,
            table=world.models.table,
            publish=publish,
            main=model,
            small=world.small_model,
            refusal=lambda: world.spending.refusal,
        )
        self._services = Services(
            tasks=self._tasks,
            finder=self.tools,
            conversation=history,
            ask_model=asked_without_secrets(side.ask, runtime.masker),
            permits_host=runtime.services.permits_host,
            guards_host=runtime.services.guards_host,
            rule_problem=runtime.services.rule_problem,
            keep_versions=runtime.services.keep_versions,
            task_guard=self._hooks.guard_task,
            user_wrote=runtime.services.user_wrote,
            contents=runtime.services.contents,
            masker=runtime.masker,
        )
        self.requests = RequestBuilder(
            runtime.core.settings,
            self.workspace,
            self.tools,
            history,
            Thinking(world.models.table, is_on=world.is_thinking()),
            world.models.table,
            began=world.began,
            instructions=agent_instructions(definition.prompt),
        )

    @property
    def mode(self) -> Mode:
        """The mode for the agent's prompt: the strictest of those that judge its calls."""
        now = self._runtime.mode.now
        modes = (now, *self.limits.modes(now))
        return next((mode for mode in ("plan", "dontAsk") if mode in modes), now)

    def mask(self, text: str) -> str:
        """Return a text for the model without secrets."""
        return self._runtime.masker.mask(text)

    def execution_context(self, agents: AgentService) -> ExecutionContext:
        """Return what its tool uses share that begin now; `agents` starts agents for it."""
        base = self._runtime.execution_context
        context = replace(
            base,
            pool=self.tools,
            workspace=self.workspace,
            files=self.files,
            gate=self._gate,
            publish=self._publish,
            limits=replace(base.limits, keeps_folder=True),
            results_dir=self._results,
            denied=self._denied,
            is_interactive=False,
            services=replace(self._services, jobs=self.jobs, agents=agents),
            confine=self._sandbox.confine,
            ask_user=None,
            extensions=self._hooks.extensions,
        )
        return replace(context, services=replace(context.services, skills=self._runtime.invoker.for_agent(context)))

    def _denied(self, path: str, operation: Literal["read", "edit"]) -> str | None:
        rulebook = self._runtime.rulebook
        reason = rulebook.denies(path, operation, self.workspace)
        if reason is None and self._mirror is not None:
            reason = rulebook.denies(self._mirror.original(path), operation)
        return reason

    async def begin(self) -> str:
        """Let hooks hear that it begins to work, and return what they have for its model."""
        event, type = "SubagentStart", self._identity.definition.name
        outcomes = await self._hooks.run(event, self._hooks.inputs.common(event), type)
        return await self._hooks.context_of(outcomes, takes_text=True)

    def skills_text(self) -> str:
        """Return the skills that an agent file wants its agents to have from the start; what is not there is left out."""
        catalog = self._runtime.skills.catalog
        found = (catalog.find(name) for name in self._identity.definition.skills)
        bodies = [f"Skill {skill.name} (in {skill.folder}):\n\n{skill.body}" for skill in found if skill is not None]
        return framed("\n\n".join(bodies))

    def take_news(self) -> str:
        """Return, once, what its model has to be told of background work that has ended."""
        return "\n\n".join(filter(None, (news_text(news_of(self.jobs.take_news())), self._background_output.take())))

    async def end(self) -> None:
        """End what it has running in the background: there is nobody left to look at it."""
        await self.jobs.stop_all()
        await self._hooks.close()
