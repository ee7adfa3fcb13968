"""Get everything ready that a session starts from: settings, folder, memory, and the record of one that goes on.

`prepare` reads files and imports the engine; it takes a while and touches no event loop, so a front end runs it in a thread
after its first frame.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from typing import Final, Literal

from tui_agent.engine.agents.types import AgentTypes
from tui_agent.engine.context.memory_loading import MemoryLoader
from tui_agent.engine.context.notes_folder import notes_file
from tui_agent.engine.context.session_memory import LoadedMemory
from tui_agent.engine.conversation.history import History
from tui_agent.engine.mcp.options import McpOptions
from tui_agent.engine.session.git_status import GitStatus
from tui_agent.engine.session.plugins import Plugin, read_plugin
from tui_agent.engine.session.tool_runtime import ToolRuntimeOptions
from tui_agent.engine.skills.skill_set import SkillLoader
from tui_agent.events import BranchChanged, Event
from tui_agent.journal.load import PASSED_STAGES, JournalError, read_events
from tui_agent.journal.repair import closing_events
from tui_agent.journal.store import SessionFolder, find_session, newest_session
from tui_agent.mcp.config_files import McpFiles
from tui_agent.mcp.definitions import Definitions
from tui_agent.model.prices import DEFAULT_MODEL, full_name
from tui_agent.model.providers.resolve import model_table
from tui_agent.permissions.modes import MODES, Mode, mode_from_setting
from tui_agent.permissions.path_context import PathContext
from tui_agent.permissions.protected_paths import STAND_INS
from tui_agent.permissions.rules import RuleSet
from tui_agent.private_folders import tighten
from tui_agent.sandbox.path_overlays import take_away_left
from tui_agent.settings.confirmed import confirm
from tui_agent.settings.load import Settings, SettingsError, load_settings
from tui_agent.settings.standard_paths import CLAUDE_POLICY_FOLDER, POLICY_FOLDER, claude_dir, state_home
from tui_agent.settings.variables import count
from tui_agent.subagents.places import AgentPlace, agent_places
from tui_agent.subagents.reading import AgentJsonError, agents_of_json
from tui_agent.tools.file_changes.intents import recover

__all__ = ["Resumed", "SessionConfig", "SessionConfigError", "SessionOptions", "prepare"]

_RESUMABLE_MODES: Final[frozenset[Mode]] = frozenset({"default", "acceptEdits", "dontAsk"})


class SessionConfigError(Exception):
    """The session cannot start as asked; the text says what is wrong and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionOptions:
    """What the user asked for on the command line; None is "as the settings say".

    With `is_after_clear` the session takes the place of one that was cleared away. `is_trusted` and `confirmed` are as for
    `load_settings`. `mcp_config` are files of MCP servers, or JSON; with `is_mcp_strict` there are no others, but for those of
    a policy. `agents` are types of agents as JSON. `mcp_extra` are servers that plugins bring, and `agent_extra` their folders
    of agent files; `plugin_dirs` are folders of plugins.
    """

    cwd: Path
    model: str | None = None
    mode: str | None = None
    additional_dirs: tuple[Path, ...] = ()
    allowed: tuple[str, ...] = ()
    disallowed: tuple[str, ...] = ()
    settings: str | None = None
    setting_sources: Collection[str] | None = None
    is_simple: bool = False
    features: tuple[str, ...] = ()
    max_turns: int | None = None
    max_budget_usd: float | None = None
    resume: str | None = None
    is_continued: bool = False
    is_after_clear: bool = False
    is_thinking: bool | None = None
    may_bypass: bool = False
    is_attended: bool = True
    is_trusted: bool | None = None
    confirmed: frozenset[str] | None = None
    state: Path | None = None
    mcp_config: tuple[str, ...] = ()
    is_mcp_strict: bool = False
    mcp_extra: tuple[Definitions, ...] = ()
    agents: str | None = None
    agent_extra: tuple[AgentPlace, ...] = ()
    plugin_dirs: tuple[Path, ...] = ()
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))


@dataclass(frozen=True, slots=True)
class Resumed:
    """A recording to go on with: as it was found, what ends it in order, and the conversation that both come to."""

    recorded: tuple[Event, ...]
    closing: tuple[Event, ...]
    intact_bytes: int
    history: History

    @property
    def events(self) -> tuple[Event, ...]:
        """The whole of it."""
        return (*self.recorded, *self.closing)

    @property
    def began(self) -> date:
        """The day it began, where the user is."""
        return datetime.fromtimestamp(self.recorded[0].time, UTC).astimezone().date()

    @property
    def first_git(self) -> GitStatus:
        """What git said when it began."""
        found = next((event for event in self.recorded if isinstance(event, BranchChanged)), None)
        return GitStatus(found.branch, found.changed_files) if found else GitStatus()


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionConfig:
    """What a session starts from. `reload` reads the settings anew, given those in force; trust stays what it was."""

    folder: SessionFolder
    settings: Settings
    reload: Callable[[Settings], Settings]
    runtime: ToolRuntimeOptions
    mcp: McpOptions
    model: str
    is_thinking: bool
    memory: LoadedMemory
    source: Literal["startup", "continue", "resume", "clear"]
    is_attended: bool
    may_bypass: bool
    max_turns: int | None
    max_budget_usd: float | None
    began: date
    small_model: str | None = None
    resumed: Resumed | None = None
    notices: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()  # of the notices, those on changes of files that were cut off and taken back
    state: Path | None = None


def prepare(options: SessionOptions) -> SessionConfig:
    """Read settings, memory and, where one goes on, the record of a session.

    Raises:
        SessionConfigError: a folder, a mode, a session or the settings given on the command line cannot be used.
    """
    cwd = Path(os.path.abspath(options.cwd))  # noqa: PTH100 - links stay as the user wrote them
    if not cwd.is_dir():
        raise SessionConfigError(f"{cwd} is not a folder")
    for given in options.additional_dirs:
        if not given.is_dir():
            raise SessionConfigError(f"--add-dir: {given} is not a folder")
    take_away_left(f"{folder}/{name}" for folder in (cwd, *options.additional_dirs) for name in STAND_INS)
    load = partial(
        load_settings,
        cwd,
        inline=options.settings,
        sources=options.setting_sources,
        is_attended=options.is_attended,
    )
    try:
        settings = load(is_trusted=options.is_trusted, confirmed=options.confirmed)
    except SettingsError as error:
        raise SessionConfigError(str(error)) from error
    state = options.state or state_home()
    tighten(state)
    folder, resumed, notices = _folder(options, state, cwd)
    restored = recover(state)  # before anything else reads the files
    may_bypass = _may_bypass(options, settings)
    mode = _mode(options, settings, resumed, may_bypass=may_bypass)
    model = _model(options, settings, resumed)
    table = model_table(settings.values.providers)
    environment = {**options.environment, **settings.values.env}
    small = environment.get("ANTHROPIC_SMALL_FAST_MODEL") or settings.values.small_model
    try:
        folder.create()
    except OSError as error:
        raise SessionConfigError(
            f"cannot keep the session in {folder.path}: {error.strerror or error}; set TUI_AGENT_HOME to a folder you can write"
        ) from error
    if settings.is_first_visit:
        with contextlib.suppress(OSError):  # then the next session looks at it for the first time
            confirm(cwd, settings.confirmed or (), home=options.state)
    plugins = () if options.is_simple else tuple(map(read_plugin, options.plugin_dirs))
    notices = (*notices, *_held_back(settings), *(problem for plugin in plugins for problem in plugin.problems))
    variables = {**os.environ, **settings.values.env}
    return SessionConfig(
        folder=folder,
        settings=settings,
        reload=lambda before: load(is_trusted=settings.is_trusted, confirmed=before.confirmed, previous=before),
        runtime=ToolRuntimeOptions(
            cwd=cwd,
            mode=mode,
            additional_dirs=tuple(options.additional_dirs),
            allowed=options.allowed,
            disallowed=options.disallowed,
            is_simple=options.is_simple,
            features=options.features,
            context_tokens=table.info(model).context_size,
            agents=_agent_types(options, cwd, plugins, is_trusted=settings.is_trusted),
            skills=SkillLoader(
                start=cwd,
                plugins=tuple(place for plugin in plugins for place in plugin.skills),
                is_off=options.is_simple,
            ).begin(settings),
            hooks=tuple((plugin.name, tuple(plugin.hooks)) for plugin in plugins),
        ),
        mcp=McpOptions(
            files=McpFiles(
                start=cwd,
                given=options.mcp_config,
                is_strict=options.is_mcp_strict,
                sources=options.setting_sources,
                extra=(*options.mcp_extra, *(found for plugin in plugins for found in plugin.servers)),
            ),
            is_off=options.is_simple,
            state=options.state,
        ),
        model=model,
        is_thinking=_is_thinking(options, settings, resumed),
        small_model=full_name(small) if small else None,
        memory=LoadedMemory(_memory_loader(cwd, settings, options)),
        source=_source(options, resumed),
        is_attended=options.is_attended,
        may_bypass=may_bypass,
        max_turns=options.max_turns or count(variables, "CLAUDE_CODE_MAX_TURNS") or settings.values.max_turns,
        max_budget_usd=options.max_budget_usd,
        began=resumed.began if resumed else datetime.now(UTC).astimezone().date(),
        resumed=resumed,
        notices=(*restored, *notices),
        restored=restored,
        state=state,
    )


def _agent_types(options: SessionOptions, cwd: Path, plugins: tuple[Plugin, ...], *, is_trusted: bool) -> AgentTypes:
    more = (*options.agent_extra, *(place for plugin in plugins for place in plugin.agents))
    try:
        given = agents_of_json(options.agents) if options.agents else []
    except AgentJsonError as error:
        raise SessionConfigError(str(error)) from error
    types = AgentTypes(() if options.is_simple else agent_places(cwd, is_trusted=is_trusted, more=more), given=given)
    types.read()
    return types


def _memory_loader(cwd: Path, settings: Settings, options: SessionOptions) -> MemoryLoader:
    rules = RuleSet.from_entries(settings.rules)
    where = PathContext(cwd=str(cwd), project_root=str(settings.project_root), home=str(Path.home()))
    return MemoryLoader(
        cwd=cwd,
        home=Path.home(),
        claude=claude_dir(),
        policies=(CLAUDE_POLICY_FOLDER / "CLAUDE.md", POLICY_FOLDER / "CLAUDE.md"),
        notes=notes_file(settings) if settings.values.auto_memory_enabled else None,
        is_trusted=settings.is_trusted,
        excludes=settings.values.claude_md_excludes,
        denied=lambda path: rules.denies_path(path, "read", where),
        state=options.state,
        is_off=options.is_simple,
    )


def _held_back(settings: Settings) -> Iterator[str]:
    """Yield what does not count of the folder's settings, a line for each file."""
    files: dict[str, list[str]] = {}
    for text in settings.held_back:
        file, _, key = text.rpartition(": ")
        files.setdefault(file, []).append(key)
    if settings.is_trusted:
        for file, keys in files.items():
            yield f"Held back, as it is new or changed since you trusted this folder: {file}: {', '.join(keys)}"
        if files:
            yield "Look at what is held back, and confirm it, with /trust, or by starting tui-agent here again without -p"
        return
    for file, keys in files.items():
        yield f"Not trusted yet: {file}: {', '.join(keys)}"
    if settings.has_waiting_hooks:
        yield "Not trusted yet: your own hooks do not run here until the folder is trusted"


def _folder(options: SessionOptions, state: Path, cwd: Path) -> tuple[SessionFolder, Resumed | None, tuple[str, ...]]:
    if options.resume is not None:
        found = find_session(state, options.resume)
        if found is None:
            raise SessionConfigError(
                f"No conversation found with session ID: {options.resume}; `tui-agent sessions list` names them"
            )
    elif options.is_continued:
        found = newest_session(state, cwd)
        if found is None:
            raise SessionConfigError(f"there is no session to continue in {cwd}; start one without --continue")
    else:
        return SessionFolder.new(state, cwd), None, ()
    try:
        recording = read_events(found.journal, but=PASSED_STAGES)
    except JournalError as error:
        raise SessionConfigError(f"the session cannot be resumed: {error}") from error
    recorded, closing = tuple(recording.events), tuple(closing_events(recording.events))
    resumed = Resumed(recorded, closing, recording.intact_bytes, History.from_events((*recorded, *closing)))
    return found, resumed, recording.problems


def _may_bypass(options: SessionOptions, settings: Settings) -> bool:
    permissions = settings.values.permissions
    asked = options.may_bypass or "bypassPermissions" in (options.mode, permissions.default_mode)
    if not asked:
        return False
    if permissions.disable_bypass_permissions_mode == "disable":
        raise SessionConfigError("the settings forbid bypassing permissions (permissions.disableBypassPermissionsMode)")
    if hasattr(os, "geteuid") and os.geteuid() == 0 and options.environment.get("IS_SANDBOX") != "1":
        raise SessionConfigError(
            "permissions are not bypassed for root, except in a sandbox: set IS_SANDBOX=1 if this is one"
        )
    return True


def _mode(options: SessionOptions, settings: Settings, resumed: Resumed | None, *, may_bypass: bool) -> Mode:
    if options.mode is not None:
        asked: str = options.mode
    elif options.may_bypass and may_bypass:
        asked = "bypassPermissions"
    else:
        asked = _recorded_mode(resumed) or settings.values.permissions.default_mode or "default"
    mode = mode_from_setting(asked)
    if mode is not None:
        return mode
    raise SessionConfigError(f"unknown permission mode {asked!r}; choose from {', '.join(MODES)}")


def _recorded_mode(resumed: Resumed | None) -> Mode | None:
    """Return the mode a resumed session was in, unless it is one that has to be chosen anew."""
    mode = resumed.history.mode if resumed else ""
    return next((known for known in _RESUMABLE_MODES if known == mode), None)


def _model(options: SessionOptions, settings: Settings, resumed: Resumed | None) -> str:
    return full_name(
        options.model
        or (resumed.history.model if resumed else "")
        or {**options.environment, **settings.values.env}.get("ANTHROPIC_MODEL")
        or settings.values.model
        or DEFAULT_MODEL
    )


def _source(options: SessionOptions, resumed: Resumed | None) -> Literal["startup", "continue", "resume", "clear"]:
    if resumed is None:
        return "clear" if options.is_after_clear else "startup"
    return "resume" if options.resume else "continue"


def _is_thinking(options: SessionOptions, settings: Settings, resumed: Resumed | None) -> bool:
    """Return whether the model is to think: as asked, or as it did when the session was left, else as the settings say."""
    if options.is_thinking is not None:
        return options.is_thinking
    recorded = resumed.history.is_thinking if resumed else None
    return settings.values.is_thinking if recorded is None else recorded
