"""An engine with a real bus and nothing behind it: tests say what happens, and read what was asked of it."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import cached_property
from typing import Any

from tui_agent import events as ev
from tui_agent.boundary import Pending
from tui_agent.bus import Bus, Subscription
from tui_agent.changes import FileChange
from tui_agent.codec import tag_of
from tui_agent.commands import (
    AddFolder,
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
    MoveToBackground,
    PlanEdited,
    Refresh,
    ReloadSettings,
    RenameSession,
    Reply,
    RunShell,
    RunTool,
    SetMasking,
    SetMode,
    SetModel,
    SetSpendingLimit,
    SetThinking,
    SignIn,
    Start,
    StopJob,
    StopTool,
    Submit,
    Submitted,
    TakeBack,
    TakenBack,
    Undo,
)  # fmt: skip
from tui_agent.drafts import Draft
from tui_agent.engine.files.undo_plans import UndoPlans
from tui_agent.engine.recorded_sessions import RecordedSessions
from tui_agent.engine.session.settings_answers import hooks_report, preferences, settings_report, withheld_report
from tui_agent.permissions.modes import MODES, Mode
from tui_agent.permissions.rule_notes import rule_notes
from tui_agent.permissions.verdict import Decision, Verdict
from tui_agent.queries import (
    AgentsQuery,
    AgentsReport,
    ChangesQuery,
    ChangesReport,
    ContextQuery,
    CostQuery,
    CostReport,
    HooksQuery,
    Idle,
    IdleQuery,
    JudgeQuery,
    Masking,
    MemoryQuery,
    MemoryReport,
    ModelList,
    ModelName,
    ModelsQuery,
    PatchQuery,
    PlanQuery,
    PreferencesQuery,
    Proposals,
    ProposalsQuery,
    Query,
    RuleCheckQuery,
    RuleNotes,
    SessionList,
    SessionsQuery,
    SessionState,
    SettingsQuery,
    SkillList,
    SkillsQuery,
    StateQuery,
    ToolList,
    ToolName,
    ToolsQuery,
    UndoPlanQuery,
    WithheldQuery,
)  # fmt: skip
from tui_agent.settings.confirmed import confirm
from tui_agent.tools.forms import Answers


class FakeEngine:
    """`asked` lists the commands in order. `say` publishes; the `reply` and `tool` helpers say what a model's turn would."""

    def __init__(self) -> None:
        self.bus = Bus("fake")
        self.mode: Mode = "default"
        self.model = "sonnet-5.5"
        self.is_thinking = True
        self.always_thinks = False
        self.is_busy = False
        self.asked: list[tuple[Any, ...]] = []
        self.queued: list[tuple[str, Draft]] = []
        self.drafts: list[Draft] = []
        self.heard: Draft | None = None  # what an interrupt gives back
        self.workspace: Any = None
        self.forms: list[tuple[str, Answers | None]] = []
        self.changes: dict[str, tuple[FileChange, ...]] = {}
        self.hooks: Any = None
        self.skills: SkillList | None = None
        self.agents: AgentsReport | None = None
        self.memory: MemoryReport | None = None
        self.change_history: Any = None
        self.offer: Any = None  # the plan that waits for approval
        self.is_masking = True
        self.secret_names: tuple[str, ...] = ("GITHUB_TOKEN",)
        self.settings: Any = None
        self.recorded: RecordedSessions | None = None
        self.listed: tuple[ModelName, ...] = ()  # what the endpoint says it has
        self.context: Any = None  # what fills the model's context
        self._ids: Iterator[int] = itertools.count(1)

    @property
    def id(self) -> str:
        return self.bus.session_id

    # --- the three things that an engine is -------------------------------------------------------------------------

    def send(self, command: Command[Any]) -> Pending[Reply[Any]]:
        """Do what the method of the command's name does; where it gives nothing back, it is done."""
        done = self._do(command)
        return Pending.running(_replied(done)) if inspect.iscoroutine(done) else Pending.of(_reply(done))

    def _do(self, command: Command[Any]) -> Any:
        match command:
            case Submit():
                return Submitted(self.submit(command.draft))
            case TakeBack():
                return TakenBack(tuple(self.take_back()))
            case Interrupt():
                return Interrupted(self.interrupt())
            case Answer():
                self.answer(command.request_id, command.decide(self.changes.get(command.request_id, ())))
            case AnswerForm():
                self.answer_form(command.request_id, command.answers)
            case RunTool():
                return Reply(error=problem) if (problem := self.run_tool(command.line)) else None
            case RunShell():
                return Reply(error=problem) if (problem := self.run_shell(command.command)) else None
            case Undo() if self.change_history is not None:
                return self._plans.carry_out(command.path, command.plan_id)
            case RenameSession():
                self.asked.append(("rename_session", command.title))
                self.say(ev.SessionRenamed(title=command.title))
            case ConfirmSettings():
                return self.confirm_settings(frozenset(command.hashes))
            case SetMode() | SetModel() | SetThinking() | SetMasking() | SetSpendingLimit():
                (value,) = (getattr(command, part.name) for part in fields(command))
                getattr(self, tag_of(type(command)))(value)
            case StopTool() | StopJob() | MoveToBackground() | DropResult():
                value, *_ = (getattr(command, part.name) for part in fields(command))  # and of which agent
                return getattr(self, tag_of(type(command)))(value)
            case Start() | Clear() | CycleMode() | PlanEdited() | Refresh() | ReloadSettings() | Close():
                return getattr(self, tag_of(type(command)))()
            case _:
                return self._do_rarely(command)
        return None

    def _do_rarely(self, command: Command[Any]) -> Any:
        match command:
            case AddFolder():
                return FolderAdded(command.path)
            case SignIn():
                self.asked.append(("sign_in", command.api_key, command.base_url))
                return None
            case _:
                raise AssertionError(f"nobody expected {command}")

    def query(self, query: Query[Any]) -> Pending[Any]:
        found = self._answer(query)
        return Pending.running(found) if inspect.iscoroutine(found) else Pending.of(found)

    def _answer(self, query: Query[Any]) -> Any:
        if self.recorded is not None and type(query) in self.recorded.answers:
            return self.recorded.answers[type(query)](query)
        match query:
            case StateQuery():
                return self._state()
            case ToolsQuery():
                return ToolList(tuple(ToolName(name, words) for name, words in self.tool_names))
            case ProposalsQuery():
                return Proposals(self.changes.get(query.request_id, ()))
            case JudgeQuery():
                return self.judge(query.request_id, query.input)
            case PlanQuery():
                return self.offer
            case SessionsQuery():
                return SessionList()
            case RuleCheckQuery():
                return RuleNotes(*rule_notes(query.text, query.behavior))
            case ContextQuery():
                return self.context
            case HooksQuery():
                return hooks_report(self.hooks) if self.hooks is not None else None
            case SettingsQuery() | WithheldQuery() | PreferencesQuery():
                return self._answer_settings(query) if self.settings is not None else None
            case UndoPlanQuery() | ChangesQuery() | PatchQuery():
                return self._answer_changes(query) if self.change_history is not None else None
            case IdleQuery() | CostQuery() | ModelsQuery() | SkillsQuery() | AgentsQuery() | MemoryQuery():
                return self._plain_answer(query)
            case _:
                return None

    def _plain_answer(self, query: Query[Any]) -> Any:
        match query:
            case IdleQuery():
                return self._idle()
            case CostQuery():
                return CostReport()
            case SkillsQuery():
                return self.skills
            case AgentsQuery():
                return self.agents
            case MemoryQuery():
                return self.memory
            case _:
                return ModelList(self.listed)

    def _answer_changes(self, query: Query[Any]) -> Any:
        match query:
            case UndoPlanQuery():
                return self._plans.plan(query.path)
            case ChangesQuery():
                return self._compare()
            case _:
                return self.change_history.patch()

    def _answer_settings(self, query: Query[Any]) -> Any:
        match query:
            case SettingsQuery():
                return settings_report(self.settings)
            case WithheldQuery():
                return withheld_report(self.settings)
            case _:
                return preferences(self.settings.values, is_trusted=getattr(self.settings, "is_trusted", False))

    def subscribe(
        self, name: str, on_ready: Callable[[], None] | None = None, *, is_live_only: bool = False
    ) -> Subscription:
        return self.bus.subscribe(name, on_ready, is_live_only=is_live_only)

    @cached_property
    def _plans(self) -> UndoPlans:
        return UndoPlans(self.change_history)

    async def _compare(self) -> ChangesReport:
        return ChangesReport(tuple(await self.change_history.compare()))

    async def _idle(self) -> Idle:
        await self.wait_idle()
        return Idle()

    def _state(self) -> SessionState:
        folder = self.workspace
        return SessionState(
            session_id=self.id,
            model=self.model,
            mode=self.mode,
            is_busy=self.is_busy,
            is_thinking=self.is_thinking,
            root=str(folder.root) if folder is not None else "",
            home=str(folder.home) if folder is not None else "",
            masking=Masking(self.is_masking, self.secret_names),
        )

    async def confirm_settings(self, hashes: frozenset[str]) -> Reply[Done]:
        problem = ""
        try:
            confirm(self.settings.start_dir, hashes)
        except OSError as error:
            problem = f"This could not be saved: {error.strerror or error}"
        await self.reload_settings()
        return Reply(error=problem) if problem else Reply(Done())

    # --- what the app asks -------------------------------------------------------------------------------------------

    def start(self) -> None:
        self.asked.append(("start",))
        self.say(ev.SessionStarted(cwd="/home/dev/src/shop", model=self.model, mode=self.mode, version="0"))
        self.say(ev.BranchChanged(branch="main", changed_files=2))

    def submit(self, message: str | Draft) -> str:
        draft = Draft.of(message)
        text = draft.whole
        self.asked.append(("submit", text))
        self.drafts.append(draft)
        message_id = f"msg{next(self._ids)}"
        if self.is_busy:
            self.queued.append((message_id, draft))
            self.say(ev.MessageQueued(message_id=message_id, text=text, shown=draft.text))
        else:
            self.say(ev.UserMessageSent(message_id=message_id, text=text, shown=draft.text))
        return message_id

    @property
    def tool_names(self) -> list[tuple[str, str]]:
        return [("Bash", "run a command"), ("Read", "read a file")]

    def run_tool(self, line: str) -> str:
        self.asked.append(("run_tool", line))
        return "" if line.startswith("Read") else "There is no such tool."

    def run_shell(self, command: str) -> str:
        self.asked.append(("run_shell", command))
        return ""

    def take_back(self) -> list[Draft]:
        self.asked.append(("take_back",))
        taken, self.queued = self.queued, []
        for message_id, _ in taken:
            self.say(ev.MessageUnqueued(message_id=message_id))
        return [draft for _, draft in taken]

    def interrupt(self) -> Draft | None:
        self.asked.append(("interrupt",))
        heard, self.heard = self.heard, None
        return heard

    def answer(self, request_id: str, decision: Decision) -> bool:
        self.asked.append(("answer", request_id, decision))
        return True

    def answer_form(self, request_id: str, answers: Answers | None) -> bool:
        self.forms.append((request_id, answers))
        return True

    def judge(self, request_id: str, input: dict[str, Any]) -> Verdict:
        return Verdict(behavior="ask", by="default", reason="nothing allows it")

    def plan_edited(self) -> None:
        self.asked.append(("plan_edited",))

    def set_masking(self, is_on: bool) -> None:
        self.is_masking = is_on
        self.say(ev.MaskingChanged(is_on=is_on, names=self.secret_names))

    def set_mode(self, mode: Mode) -> None:
        self.asked.append(("set_mode", mode))
        previous, self.mode = self.mode, mode
        self.say(ev.ModeChanged(mode=mode, previous=previous))

    def cycle_mode(self) -> None:
        self.set_mode(MODES[(MODES.index(self.mode) + 1) % 3])

    def set_model(self, model: str) -> None:
        self.asked.append(("set_model", model))
        previous, self.model = self.model, model
        self.say(ev.ModelChanged(model=model, previous=previous))

    def set_thinking(self, is_on: bool) -> None:
        self.asked.append(("set_thinking", is_on))
        if is_on != self.is_thinking and not self.always_thinks:
            self.is_thinking = is_on
            self.say(ev.ThinkingChanged(is_on=is_on))

    def set_spending_limit(self, usd: float | None) -> None:
        self.asked.append(("set_spending_limit", usd))
        self.say(ev.SpendingLimitChanged(limit_usd=usd, by="person"))

    async def drop_result(self, tool_use_id: str) -> None:
        self.asked.append(("drop_result", tool_use_id))

    def stop_tool(self, tool_use_id: str) -> None:
        self.asked.append(("stop_tool", tool_use_id))

    def stop_job(self, job_id: str) -> None:
        self.asked.append(("stop_job", job_id))

    def move_to_background(self, tool_use_id: str) -> None:
        self.asked.append(("move_to_background", tool_use_id))

    def clear(self) -> None:
        self.asked.append(("clear",))
        self.say(ev.HistoryCleared())

    async def reload_settings(self) -> None:
        self.asked.append(("reload_settings",))

    async def refresh(self) -> None:
        self.asked.append(("refresh",))

    async def wait_idle(self) -> None:
        return

    async def close(self) -> None:
        self.asked.append(("close",))

    # --- what tests say ----------------------------------------------------------------------------------------------

    def say(self, *events: ev.Event) -> None:
        for event in events:
            self.bus.publish(event)

    def begin(self, text: str = "the totals are off by one cent on refunds") -> None:
        """A turn starts with the user's message."""
        self.is_busy = True
        self.say(
            ev.UserMessageSent(message_id=f"msg{next(self._ids)}", text=text),
            ev.TurnStarted(turn_id="turn"),
            ev.RequestSent(turn_id="turn", request_id="r1", model=self.model),
            ev.ResponseStarted(request_id="r1", message_id=f"m{next(self._ids)}"),
        )

    def reply(self, text: str, *, block_id: str = "", is_whole: bool = True) -> None:
        """The model writes."""
        block_id = block_id or f"b{next(self._ids)}"
        self.say(ev.TextDelta(block_id=block_id, text=text))
        if is_whole:
            self.say(ev.TextFinished(block_id=block_id))

    def think(self, text: str) -> None:
        block_id = f"b{next(self._ids)}"
        self.say(
            ev.ThinkingDelta(block_id=block_id, text=text), ev.ThinkingFinished(block_id=block_id, duration_ms=2300.0)
        )

    def call(self, name: str, input: dict[str, Any], *, is_running: bool = True) -> str:
        """A tool use comes out of the stream and, unless it waits for others, runs."""
        use = f"toolu_{next(self._ids)}"
        self.say(
            ev.ToolUseStarted(tool_use_id=use, name=name, turn_id="turn"),
            ev.ToolUseCompleted(tool_use_id=use, name=name, input=input),
            ev.ToolStateChanged(tool_use_id=use, from_state="new", to_state="queued"),
        )
        if is_running:
            self.say(ev.ToolStateChanged(tool_use_id=use, from_state="queued", to_state="executing"))
        return use

    def result(self, use: str, name: str, content: str, *, is_error: bool = False, **data: Any) -> None:
        """A running tool use ends."""
        self.say(
            ev.ToolResultReady(
                tool_use_id=use, name=name, is_error=is_error, content=content, data=data or None, duration_ms=120.0
            ),
            ev.ToolStateChanged(tool_use_id=use, from_state="executing", to_state="completed"),
            ev.ToolStateChanged(tool_use_id=use, from_state="completed", to_state="yielded"),
        )

    def end(self, outcome: ev.TurnOutcome = "done") -> None:
        """The turn is over."""
        self.is_busy = False
        self.say(
            ev.UsageReported(
                request_id="r1", model=self.model, input_tokens=900, output_tokens=90, cost_usd=0.42,
                context_tokens=62_000, context_size=200_000,
            ),
            ev.TurnFinished(turn_id="turn", outcome=outcome, duration_ms=12_300.0),
        )  # fmt: skip


async def _replied(work: Any) -> Reply[Any]:
    return _reply(await work)


def _reply(done: Any) -> Reply[Any]:
    return done if isinstance(done, Reply) else Reply(Done() if done is None else done)
