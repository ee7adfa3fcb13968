"""Everything tool uses need, put together from the settings: tools, workspace, rules, the desk, limits.

A session has one, and so has `tools run`, which runs tools without a model.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path

from tui_agent.agent.desk import PermissionDesk
from tui_agent.agent.form_desk import FormDesk
from tui_agent.agent.rulebook import Rulebook
from tui_agent.events import Event, TasksChanged, ToolsActivated
from tui_agent.execution.toolbox import Gate, Toolbox
from tui_agent.permissions.modes import Mode
from tui_agent.permissions.rules import RuleSet, RuleSource, rule_problem
from tui_agent.settings.load import Settings
from tui_agent.tools.base import Limits, PromptContext
from tui_agent.tools.file_state import FileState
from tui_agent.tools.jobs import Jobs
from tui_agent.tools.loading import LoadedTools
from tui_agent.tools.registry import ToolPool
from tui_agent.tools.services import AskModel, Conversation, Services
from tui_agent.tools.task_list import TaskList
from tui_agent.tools.workspace import Workspace

__all__ = ["Workbench", "WorkbenchOptions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkbenchOptions:
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


class Workbench:
    """The parts, wired.

    `publish` takes events; `results_dir` keeps large results, `state_dir` notes of changes under way; `is_attended` says that
    somebody answers, `takes_late_commands` that a command which has run out of time may go on in the background. Its `jobs`
    have to be closed.
    """

    def __init__(
        self,
        options: WorkbenchOptions,
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
    ) -> None:
        base = RuleSource("cli", "", str(options.cwd))
        rules = RuleSet.merged(
            RuleSet.from_lists(allow=options.allowed, deny=options.disallowed, source=base),
            RuleSet.from_entries(settings.rules),
        )
        self.settings = settings
        self.workspace = Workspace(options.cwd, (*options.additional_dirs, *settings.additional_directories))
        self.rulebook = Rulebook(
            settings=settings, rules=rules, workspace=self.workspace, mode=options.mode, free_reads=(results_dir,)
        )
        environment = {**os.environ, **settings.values.env}
        features = frozenset((*settings.values.features, *options.features))
        self.pool = ToolPool.build(
            denied=rules.denied_tools(),
            simple=options.is_simple,
            features=features,
            tool_search=environment.get("ENABLE_TOOL_SEARCH", ""),
            context_tokens=options.context_tokens,
        )
        self.tools = LoadedTools(
            self.pool,
            context=PromptContext(
                tool_names=self.pool.names, is_interactive=is_attended, mode=options.mode, features=features
            ),
            on_activate=lambda names: publish(ToolsActivated(names=names)),
        )
        self.desk = PermissionDesk(
            publish=publish,
            folder=lambda: str(self.workspace.cwd),
            judge=self.rulebook.judge,
            save_rule=self.rulebook.add,
            is_attended=is_attended,
        )
        self.forms = FormDesk(publish)
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
        )
        self.toolbox = Toolbox(
            pool=self.tools,
            workspace=self.workspace,
            files=FileState(),
            gate=gate or self.desk,
            publish=publish,
            environment=environment,
            limits=Limits.from_environment(environment),
            results_dir=results_dir,
            state_dir=state_dir,
            denied=self.rulebook.denies,
            is_interactive=is_attended,
            services=self.services,
            kept_names=frozenset(settings.values.env),
            ask_person=self.forms.ask if is_attended else None,
        )

    @property
    def problems(self) -> tuple[str, ...]:
        """What settings files and rules hold that does not count, each with its place and the reason."""
        return (*map(str, self.settings.problems), *map(str, self.rulebook.rules.problems))
