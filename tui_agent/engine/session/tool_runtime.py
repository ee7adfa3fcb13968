"""Everything tool uses need, put together from the settings: tools, workspace, rules, the desk, limits.

A session has one, and so has `tools run`, which runs tools without a model.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Final

from tui_agent.engine.gate.form_broker import FormBroker
from tui_agent.engine.gate.permission_broker import PermissionBroker
from tui_agent.engine.gate.permission_service import PermissionService
from tui_agent.engine.gate.plan_mode import PlanMode, plan_file
from tui_agent.engine.gate.rulebook import Rulebook
from tui_agent.engine.gate.sandbox_policy import SandboxPolicy
from tui_agent.engine.hooks.dispatcher import HookDispatcher
from tui_agent.engine.hooks.inputs import HookInputs
from tui_agent.engine.hooks.permission_updates import PermissionUpdates
from tui_agent.events import Event, TasksChanged, ToolsActivated
from tui_agent.execution.execution_context import ExecutionContext, Gate
from tui_agent.permissions.dead_rules import unknown_tools
from tui_agent.permissions.modes import Mode
from tui_agent.permissions.rules import RuleSet, RuleSource, rule_problem
from tui_agent.permissions.shell.effect import effect_of
from tui_agent.secrets.masker import Masker
from tui_agent.secrets.names import is_secret
from tui_agent.secrets.values import own_keys, secret_values
from tui_agent.settings.load import Settings
from tui_agent.settings.variables import tools_left_out, variable_problems
from tui_agent.tools.base import Limits, PromptContext, ToolContext
from tui_agent.tools.file_state import FileState
from tui_agent.tools.jobs import Jobs
from tui_agent.tools.loading import LoadedTools
from tui_agent.tools.registry import ToolPool
from tui_agent.tools.services import AskModel, Conversation, KeepVersions, Services, keep_nothing
from tui_agent.tools.task_list import TaskList
from tui_agent.tools.workspace import Workspace

__all__ = ["ToolRuntime", "ToolRuntimeOptions"]

_HEAD_START_S: Final = 0.15


# What the user's settings set is for commands too, but not the keys to the model.
_OWN_KEYS: Final = frozenset({"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRuntimeOptions:
    """What the command line may say about tools and permissions. `allowed` and `disallowed` are rules as text.

    `context_tokens` is the size of the model's context, where it is known; `ENABLE_TOOL_SEARCH=auto` measures schemas by it.
    """

    cwd: Path
    mode: Mode = "default"
    additional_dirs: tuple[Path, ...] = ()
    allowed: tuple[str, ...] = ()
    disallowed: tuple[str, ...] = ()
    is_simple: bool = False
    features: Collection[str] = field(default_factory=tuple)
    context_tokens: int | None = None


class ToolRuntime:
    """The parts, wired.

    `publish` takes events; `results_dir` keeps large results, `state_dir` notes of changes under way; `is_attended` says that
    somebody answers, `takes_late_commands` that a command which has run out of time may go on in the background. Hooks are told
    `session_id` and `transcript`. `own_secrets` is what requests to the model are signed with; `keep_versions` is handed to
    tools. Its `jobs` and `hooks` have to be closed.
    """

    def __init__(
        self,
        options: ToolRuntimeOptions,
        settings: Settings,
        *,
        publish: Callable[[Event], Event],
        results_dir: Path,
        is_attended: bool,
        state_dir: Path | None = None,
        gate: Gate | None = None,
        takes_late_commands: bool = True,
        conversation: Conversation | None = None,
        ask_model: AskModel | None = None,
        session_id: str = "",
        transcript: Path | None = None,
        own_secrets: tuple[str, ...] = (),
        keep_versions: KeepVersions = keep_nothing,
    ) -> None:
        base = RuleSource("cli", "command line", str(options.cwd))
        given = RuleSet.from_lists(allow=options.allowed, deny=options.disallowed, source=base)
        self.settings = settings
        self._added_folders = options.additional_dirs
        self.workspace = Workspace(options.cwd, (*options.additional_dirs, *settings.additional_directories))
        self.rulebook = Rulebook(
            settings=settings, given=given, workspace=self.workspace, mode=options.mode, free_reads=(results_dir,)
        )
        self.plan = PlanMode(
            plan_file(
                settings.values.plans_directory,
                state=state_dir or results_dir.parent,
                project_root=settings.project_root,
                name=session_id or results_dir.parent.name,
            ),
            mode=lambda: self.rulebook.mode,
            tools=lambda: self.pool.names,
            is_attended=is_attended,
        )
        self.plan.set_mode = self._set_mode
        self.rulebook.let_plan_write(self.plan.file)
        self.sandbox_policy = SandboxPolicy(
            settings,
            rules=lambda: self.rulebook.rules,
            where=lambda: self.rulebook.where,
            on_cannot_hide=lambda reason: self.rulebook.cannot_hide(reason),
        )
        self._told = _told_to_commands(session_id)
        environment = {**os.environ, **settings.values.env, **self._told}
        self.masker = Masker(
            secret_values(environment, is_secret),
            own=(*own_secrets, *own_keys(environment)),
            is_on=settings.values.mask_secrets,
        )
        ask_model = _asked_without_secrets(ask_model, self.masker) if ask_model is not None else None
        features = frozenset((*settings.values.features, *options.features))
        self.pool = ToolPool.build(
            denied=(*self.rulebook.rules.denied_tools(), *tools_left_out(environment)),
            simple=options.is_simple,
            features=features,
            tool_search=environment.get("ENABLE_TOOL_SEARCH", ""),
            context_tokens=options.context_tokens,
            effect_of=effect_of,
        )
        self.tools = LoadedTools(
            self.pool,
            context=PromptContext(
                tool_names=self.pool.names, is_interactive=is_attended, mode=options.mode, features=features
            ),
            on_activate=lambda names: publish(ToolsActivated(names=names)),
        )
        self.broker = PermissionBroker(
            publish=publish,
            folder=lambda: str(self.workspace.cwd),
            judge=self.rulebook.judge,
            save_rule=self.rulebook.add,
            is_attended=is_attended,
            head_start_s=_HEAD_START_S,
            unmasked=self.masker.restored,
        )
        self.forms = FormBroker(publish)
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
            task_guard=lambda event, task: self.hooks.guard_task(event, task),
            masker=self.masker,
            plan=self.plan,
        )
        self.execution_context = ExecutionContext(
            pool=self.tools,
            workspace=self.workspace,
            files=FileState(),
            gate=gate or self.broker,
            publish=publish,
            environment=environment,
            limits=Limits.from_environment(environment),
            results_dir=results_dir,
            state_dir=state_dir,
            denied=self.rulebook.denies,
            is_interactive=is_attended,
            services=self.services,
            kept_names=frozenset(settings.values.env) - _OWN_KEYS,
            confine=self.sandbox_policy.confine,
            ask_user=self.forms.ask if is_attended else None,
        )
        self.permission_updates = PermissionUpdates(
            self.rulebook,
            self.workspace,
            publish=publish,
            set_mode=self._set_mode,
            change_folders=self._change_folders,
        )
        self.hooks = HookDispatcher(
            settings,
            inputs=HookInputs(
                session_id=session_id,
                transcript=str(transcript or ""),
                workspace=self.workspace,
                mode=lambda: self.rulebook.mode,
            ),
            publish=publish,
            where=lambda: self.rulebook.where,
            environment=lambda: (self.execution_context.environment, self.execution_context.kept_names),
            on_variables=self._take_variables,
            update_permissions=self.permission_updates,
            ask_model=ask_model,
            results_dir=results_dir,
            is_off=options.is_simple,
            mask=self.masker.mask,
        )
        self.execution_context = replace(self.execution_context, extensions=self.hooks.extensions)

    def _set_mode(self, mode: Mode) -> None:
        if mode == "bypassPermissions":
            raise ValueError("bypassing permissions was not allowed when this was started")
        self.rulebook.mode = mode

    def _change_folders(self, folders: tuple[Path, ...], is_more: bool) -> None:
        """Add working folders until the session ends, or take some away."""
        others = tuple(folder for folder in self._added_folders if folder not in folders)
        self._added_folders = (*others, *folders) if is_more else others
        others = tuple(folder for folder in self.workspace.additional if folder not in folders)
        self.workspace.set_additional((*others, *folders) if is_more else others)
        self.rulebook.folders_changed()

    def _take_variables(self, found: dict[str, str]) -> None:
        """Let later commands have the variables that hooks left."""
        environment = {**self.execution_context.environment, **found}
        self.masker.learn(secret_values(found, is_secret))
        self.execution_context = replace(
            self.execution_context,
            environment=environment,
            kept_names=self.execution_context.kept_names | frozenset(found),
        )

    def adopt(self, settings: Settings) -> None:
        """Go on with settings that were read anew: rules, folders and sandbox at once, the environment from the next turn on.

        The tools that the model is offered stay those of the start.
        """
        self.settings = settings
        self.workspace.set_additional((*self._added_folders, *settings.additional_directories))
        self.rulebook.replace(settings)
        self.sandbox_policy.settings = settings
        environment = {**os.environ, **settings.values.env, **self.hooks.variables, **self._told}
        self.masker.learn(secret_values(environment, is_secret))
        self.execution_context = replace(
            self.execution_context,
            environment=environment,
            limits=Limits.from_environment(environment),
            kept_names=frozenset((*settings.values.env, *self.hooks.variables)) - _OWN_KEYS,
        )
        self.hooks.reload(settings)
        self.broker.reconsider()

    @cached_property
    def permissions(self) -> PermissionService:
        """What a user can see and change of the permissions."""
        context = ToolContext(workspace=self.workspace, files=FileState(), denied=self.rulebook.denies)
        return PermissionService(self.rulebook, self.broker, self.pool, context)

    @property
    def problems(self) -> tuple[str, ...]:
        """What settings files, rules and hooks hold that does not count, each with its place and the reason."""
        rules = self.rulebook.rules
        unknown = unknown_tools(rules, self.pool.names)
        found = (self.settings.problems, rules.problems, unknown, self.hooks.book.problems)
        named = tuple(str(problem) for problems in found for problem in problems)
        return (*named, *variable_problems(self.execution_context.environment))


def _told_to_commands(session_id: str) -> dict[str, str]:
    """Return the variables by which a command knows that an agent runs it, and in which session; scripts look for them."""
    told = {"CLAUDECODE": "1"}
    return {**told, "CLAUDE_CODE_SESSION_ID": session_id, "TUI_AGENT_SESSION_ID": session_id} if session_id else told


def _asked_without_secrets(ask_model: AskModel, masker: Masker) -> AskModel:
    async def ask(text: str) -> str:
        return await ask_model(masker.mask(text))

    return ask
