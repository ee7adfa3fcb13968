"""Everything tool uses need, put together from the settings: tools, workspace, rules, the permission broker, limits.

A session has one, and so has `tools run`, which runs tools without a model.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Final

from tui_agent.engine.agents.types import AgentTypes
from tui_agent.engine.context.attachments import AttachmentReader
from tui_agent.engine.context.notes_folder import notes_folder
from tui_agent.engine.gate.permission_broker import PermissionBroker
from tui_agent.engine.gate.permission_service import PermissionService
from tui_agent.engine.gate.plan_mode import PlanMode, plan_file
from tui_agent.engine.gate.rulebook import Rulebook
from tui_agent.engine.gate.sandbox_policy import SandboxPolicy
from tui_agent.engine.gate.working_folders import WorkingFolders
from tui_agent.engine.hooks.background_output import BackgroundOutput
from tui_agent.engine.hooks.dispatcher import HookDispatcher
from tui_agent.engine.hooks.inputs import HookInputs
from tui_agent.engine.hooks.permission_updates import PermissionUpdates
from tui_agent.engine.session.core import SessionCore
from tui_agent.engine.skills.invocation import SkillInvoker
from tui_agent.engine.skills.skill_set import LoadedSkills, SkillLoader, SkillSet
from tui_agent.events import (
    EditUndone,
    Event,
    ModeChanged,
    TasksChanged,
    ToolPoolChanged,
    ToolsActivated,
    TurnFinished,
    UserMessageSent,
)
from tui_agent.execution.execution_context import ExecutionContext, Gate
from tui_agent.permissions.dead_rules import unknown_tools
from tui_agent.permissions.modes import Mode
from tui_agent.permissions.rules import RuleSet, RuleSource, rule_problem
from tui_agent.permissions.shell.effect import effect_of
from tui_agent.secrets.masker import Masker
from tui_agent.settings.load import HookEntry, Settings
from tui_agent.settings.variables import tools_left_out, variable_problems
from tui_agent.tools.base import PromptContext, ToolContext
from tui_agent.tools.file_state import FileState
from tui_agent.tools.jobs import Jobs
from tui_agent.tools.loading import LoadedTools
from tui_agent.tools.memory_folder import MemoryFolder
from tui_agent.tools.registry import ToolPool
from tui_agent.tools.services import AskModel, Conversation, KeepVersions, Services, keep_nothing
from tui_agent.tools.task_list import TaskList
from tui_agent.tools.workspace import Workspace

__all__ = ["ToolRuntime", "ToolRuntimeOptions", "asked_without_secrets"]

_HEAD_START_S: Final = 0.15


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRuntimeOptions:
    """What the command line may say about tools and permissions. `allowed` and `disallowed` are rules as text.

    `agents` are the types of agents that the Agent tool can start.

    `context_tokens` is the size of the model's context, where it is known; `ENABLE_TOOL_SEARCH=auto` measures schemas by it.
    `skills` are those there are (None: there are none); `hooks` come with plugins, which they stand beside.
    """

    cwd: Path
    mode: Mode = "default"
    additional_dirs: tuple[Path, ...] = ()
    allowed: tuple[str, ...] = ()
    disallowed: tuple[str, ...] = ()
    is_simple: bool = False
    features: Collection[str] = field(default_factory=tuple)
    context_tokens: int | None = None
    agents: AgentTypes = field(default_factory=AgentTypes)
    skills: LoadedSkills | None = None
    hooks: tuple[tuple[str, tuple[HookEntry, ...]], ...] = ()


class ToolRuntime:
    """The parts, wired.

    `core` is what they share with the rest of the session. `results_dir` keeps large results, `state_dir` notes of changes
    under way; `is_attended` says that somebody answers, `takes_late_commands` that a command which has run out of time may go
    on in the background. Hooks are told `transcript`. `keep_versions` is handed to tools. Its `jobs` and `hooks` have to be
    closed.
    """

    def __init__(
        self,
        options: ToolRuntimeOptions,
        core: SessionCore,
        *,
        results_dir: Path,
        is_attended: bool,
        state_dir: Path | None = None,
        gate: Gate | None = None,
        takes_late_commands: bool = True,
        conversation: Conversation | None = None,
        ask_model: AskModel | None = None,
        transcript: Path | None = None,
        keep_versions: KeepVersions = keep_nothing,
    ) -> None:
        settings, publish, session_id = core.settings.now, core.bus.publish, core.bus.session_id
        self.core = core
        self.results_dir = results_dir
        self.agents = options.agents
        self.agents.begin()
        self.mode = core.mode
        self.masker = core.masker
        self.forms = core.forms
        self.environment = core.environment
        self.workspace = Workspace(options.cwd, (*options.additional_dirs, *settings.additional_directories))
        plan = plan_file(
            settings.values.plans_directory,
            state=state_dir or results_dir.parent,
            project_root=settings.project_root,
            name=session_id or results_dir.parent.name,
        )
        base = RuleSource("cli", "command line", str(options.cwd))
        self.rulebook = Rulebook(
            settings=settings,
            given=RuleSet.from_lists(allow=options.allowed, deny=options.disallowed, source=base),
            workspace=self.workspace,
            mode=self.mode,
            free_reads=(results_dir,),
            writable_in_plan=(plan,),
        )
        self.folders = WorkingFolders(self.workspace, self.rulebook, added=options.additional_dirs)
        self.sandbox_policy = SandboxPolicy(
            settings,
            rules=lambda: self.rulebook.rules,
            where=lambda: self.rulebook.where,
            on_cannot_hide=self.rulebook.cannot_hide,
        )
        ask_model = asked_without_secrets(ask_model, self.masker) if ask_model is not None else None
        features = frozenset((*settings.values.features, *options.features))
        variables = self.environment.variables
        pool = ToolPool.build(
            denied=(*self.rulebook.rules.denied_tools(), *tools_left_out(variables)),
            simple=options.is_simple,
            features=features,
            tool_search=variables.get("ENABLE_TOOL_SEARCH", ""),
            context_tokens=options.context_tokens,
            effect_of=effect_of,
        )
        self.tools = LoadedTools(
            pool,
            context=PromptContext(
                tool_names=pool.names,
                is_interactive=is_attended,
                mode=options.mode,
                features=features,
                agent_types=self.agents.for_model(self.rulebook.denies_agent),
            ),
            on_activate=lambda names: publish(ToolsActivated(names=names)),
            on_change=lambda added, removed: publish(ToolPoolChanged(added=added, removed=removed)),
        )
        self.plan = PlanMode(plan, mode=self.mode, tools=lambda: self.pool.names, is_attended=is_attended)
        self.broker = PermissionBroker(
            publish=publish,
            folder=lambda: str(self.workspace.cwd),
            judge=self.rulebook.judge,
            save_rule=self.rulebook.add,
            is_attended=is_attended,
            head_start_s=_HEAD_START_S,
            unmasked=self.masker.restored,
        )
        core.bus.follow("the permission broker", (ModeChanged,), self.broker.follow_mode)
        core.bus.follow("what was refused", (UserMessageSent,), self.broker.follow_message)
        self.background_output = BackgroundOutput(core.wakeups)
        self.permission_updates = PermissionUpdates(
            self.rulebook, self.workspace, publish=publish, mode=self.mode, folders=self.folders
        )
        self.hooks = HookDispatcher(
            settings,
            inputs=HookInputs(
                session_id=session_id,
                transcript=str(transcript or ""),
                workspace=self.workspace,
                mode=lambda: self.mode.now,
            ),
            publish=publish,
            where=lambda: self.rulebook.where,
            environment=self.environment,
            on_variables=core.take_variables,
            on_late=self.background_output.take_outcome,
            update_permissions=self.permission_updates,
            ask_model=ask_model,
            results_dir=results_dir,
            is_off=options.is_simple,
            mask=self.masker.mask,
        )
        for name, entries in options.hooks:
            self.hooks.hear_also(f"plugin {name}", entries)
        self.skills = SkillSet(
            options.skills or SkillLoader(start=options.cwd, is_off=True).begin(settings),
            lambda: self.settings,
            context_tokens=options.context_tokens,
            can_invoke=lambda: "Skill" in self.pool.names,
        )
        self.attaching = AttachmentReader(self, conversation)
        self.invoker = SkillInvoker(
            self.skills,
            rulebook=self.rulebook,
            hooks=self.hooks,
            settings=lambda: self.settings,
            context=lambda: self.execution_context,
            attach=self.attaching.attach_text,
            variables={
                "CLAUDE_SESSION_ID": session_id,
                "CLAUDE_PROJECT_DIR": str(settings.project_root),
                "CLAUDE_EFFORT": "",
            },
        )
        core.bus.follow("what skills allow", (TurnFinished,), self._end_grants)
        self.jobs = Jobs(publish, takes_late_commands=takes_late_commands)
        self.services = Services(
            tasks=TaskList(lambda tasks: publish(TasksChanged(tasks=tasks))),
            finder=self.tools,
            jobs=self.jobs,
            conversation=conversation,
            ask_model=ask_model,
            permits_host=self.rulebook.permits_host,
            guards_host=self.rulebook.guards_host,
            rule_problem=rule_problem,
            keep_versions=keep_versions,
            task_guard=self.hooks.guard_task,
            masker=self.masker,
            plan=self.plan,
            skills=self.invoker,
            notes=MemoryFolder(notes_folder(settings)),
        )
        self.files = FileState()
        core.bus.follow("what files were read", (EditUndone,), self._forget_undone)
        self._execution_context = ExecutionContext(
            pool=self.tools,
            workspace=self.workspace,
            files=self.files,
            gate=gate or self.broker,
            publish=publish,
            results_dir=results_dir,
            state_dir=state_dir,
            denied=self.rulebook.denies,
            is_doubtful=self.rulebook.is_doubtful,
            is_withheld=self.rulebook.is_withheld,
            is_interactive=is_attended,
            services=self.services,
            confine=self.sandbox_policy.confine,
            ask_user=self.forms.ask if is_attended else None,
            extensions=self.hooks.extensions,
        )

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self.core.settings.now

    @property
    def pool(self) -> ToolPool:
        """The tools that there are at this moment; those of servers come and go by `tools.set_source`."""
        return self.tools.pool

    @property
    def execution_context(self) -> ExecutionContext:
        """What tool uses that begin now share."""
        return replace(
            self._execution_context,
            environment=self.environment.variables,
            limits=self.environment.limits,
            kept_names=self.environment.kept_names,
        )

    def _end_grants(self, event: Event) -> None:
        """What a skill allows counts until the turn ends in which it was invoked."""
        if not event.agent_id:
            self.rulebook.withdraw()

    def _forget_undone(self, event: Event) -> None:
        """What was read of a file is old once a change of it has been undone."""
        if isinstance(event, EditUndone):
            self.files.forget(event.path)

    def adopt(self, settings: Settings) -> None:
        """Go on with settings that were read anew: rules, folders and sandbox at once, the environment from the next turn on.

        The tools that the model is offered stay those of the start.
        """
        self.core.adopt(settings)
        self.folders.reload(settings.additional_directories)
        self.rulebook.replace(settings)
        self.sandbox_policy.replace(settings)
        self.hooks.reload(settings)
        self.broker.reconsider()

    @cached_property
    def permissions(self) -> PermissionService:
        """What a user can see and change of the permissions."""
        context = ToolContext(workspace=self.workspace, files=FileState(), denied=self.rulebook.denies)
        return PermissionService(self.rulebook, self.broker, self.tools, context)

    @property
    def problems(self) -> tuple[str, ...]:
        """What settings files, rules and hooks hold that does not count, each with its place and the reason."""
        rules = self.rulebook.rules
        unknown = unknown_tools(rules, self.pool.names)
        found = (self.settings.problems, rules.problems, unknown, self.hooks.book.problems)
        named = tuple(str(problem) for problems in found for problem in problems)
        return (*named, *variable_problems(self.environment.variables))


def asked_without_secrets(ask_model: AskModel, masker: Masker) -> AskModel:
    """Return what asks the small model with nothing secret in what it asks."""

    async def ask(text: str) -> str:
        return await ask_model(masker.mask(text))

    return ask
