"""One conversation: wires the rooms together and takes the commands of a front end.

Commands return at once; what they lead to arrives as events on `bus`. Subscribe first, then `start`: a session that is taken up
again publishes its recorded events then, so that a front end needs no second way of filling itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections import deque
from typing import Any, Literal

from tui_agent import __version__
from tui_agent.agent.by_hand import HandDesk, HandError, HandTurn
from tui_agent.agent.git import GitStatus, git_status
from tui_agent.agent.history import History
from tui_agent.agent.job_news import missed_news, news_of, news_text
from tui_agent.agent.memory import Memory
from tui_agent.agent.opening import Opening, Resumed, SessionOptions, prepare
from tui_agent.agent.requests import RequestBuilder, usage_report
from tui_agent.agent.side_model import SideModel
from tui_agent.agent.system_prompt import mode_note
from tui_agent.agent.turn import Turn, TurnSetup
from tui_agent.agent.workbench import Workbench
from tui_agent.bus import Bus
from tui_agent.changes import FileChange
from tui_agent.events import (
    BranchChanged,
    Event,
    HistoryCleared,
    MessageQueued,
    MessageUnqueued,
    ModeChanged,
    ModelChanged,
    Notice,
    ReminderSent,
    SessionEnded,
    SessionStarted,
    SettingsReloaded,
    TurnOutcome,
    UserMessageSent,
)
from tui_agent.execution.executor import StreamingExecutor
from tui_agent.journal.writer import JournalWriter
from tui_agent.model.protocol import Model
from tui_agent.model.retry import RetryPolicy
from tui_agent.permissions.modes import Mode, next_mode
from tui_agent.permissions.verdict import Decision, Verdict
from tui_agent.tools.forms import Answers
from tui_agent.tools.workspace import Workspace

__all__ = ["Session", "open_session"]

EndReason = Literal["exit", "clear", "done", "failed", "interrupted"]


class Session:
    """One conversation in one folder. Made by `agent.opening`; `close` it whatever happens."""

    def __init__(self, opening: Opening, client: Model) -> None:
        self.bus = Bus(opening.folder.id)
        self._opening = opening
        self._client = client
        self._model = opening.model
        self._resumed: Resumed | None = opening.resumed
        self._journal = JournalWriter(
            opening.folder.journal, self.bus, keep_bytes=self._resumed.intact_bytes if self._resumed else None
        )
        self._history = History.from_events(self._resumed.events) if self._resumed else History()
        self._hands = HandDesk()
        for event in self._resumed.events if self._resumed else ():
            self._hands.follow(event)
        self._bench = Workbench(
            opening.bench,
            opening.settings,
            publish=self._publish,
            results_dir=opening.folder.results,
            state_dir=opening.state,
            is_attended=opening.is_attended,
            conversation=self._history,
            ask_model=SideModel(
                client, publish=self.bus.publish, main=lambda: self._model, small=opening.small_model
            ).ask,
        )
        if self._resumed:
            self._bench.services.tasks.restore(self._resumed.task_lists)
            self._bench.tools.restore(self._resumed.activated_tools)
        self._missed_news = missed_news(self._resumed.events) if self._resumed else []
        self._thinking_model = opening.model
        self._memory: Memory = opening.memory
        self._is_memory_due = not len(self._history)
        self._noted_mode: Mode = "default"
        self._retries = RetryPolicy()
        self._git = GitStatus()
        # The prompt stays what it was when the conversation began: cached, and the ground its thinking was signed on.
        self._requests = RequestBuilder(self._bench, self._history, began=opening.began)
        self._first_git = self._resumed.first_git if self._resumed else None
        self._queue: deque[tuple[str, str]] = deque()
        self._turn: Turn | HandTurn | None = None
        self._work: asyncio.Task[None] | None = None
        self._is_clear_due = False
        self._is_closed = False

    # --- what a front end may ask ------------------------------------------------------------------------------------

    @property
    def id(self) -> str:
        """The session's id."""
        return self.bus.session_id

    @property
    def workspace(self) -> Workspace:
        """The folders it works in."""
        return self._bench.workspace

    @property
    def bench(self) -> Workbench:
        """Its tools, rules and settings."""
        return self._bench

    @property
    def mode(self) -> Mode:
        """The permission mode in force."""
        return self._bench.rulebook.mode

    @property
    def model(self) -> str:
        """The model that requests go to."""
        return self._model

    @property
    def is_busy(self) -> bool:
        """Whether a turn is running."""
        return self._work is not None

    def proposals(self, request_id: str) -> tuple[FileChange, ...]:
        """The changes that an open question is about, with their texts."""
        return self._bench.desk.proposals(request_id)

    def judge(self, request_id: str, input: dict[str, Any]) -> Verdict:
        """What the call of an open question would get with another input."""
        return self._bench.desk.judge(request_id, input)

    # --- commands ----------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Publish what a subscriber must know first: the recorded part, then who and where this is, then any problems."""
        if self._resumed is not None:
            for event in self._resumed.recorded:
                self.bus.republish(event)
            for event in self._resumed.closing:
                self.bus.publish(event)
        opening = self._opening
        self.bus.publish(
            SessionStarted(
                cwd=str(self.workspace.root),
                model=self._model,
                mode=self.mode,
                version=__version__,
                source=opening.source,
                trusted=opening.settings.is_trusted,
                tools=tuple(tool.name for tool in self._bench.pool.tools),
                additional_dirs=tuple(str(folder) for folder in self.workspace.additional),
            )
        )
        if self._bench.problems:
            self.bus.publish(SettingsReloaded(problems=self._bench.problems))
        for text in (*opening.notices, *self._memory.problems):
            self.bus.publish(Notice(level="warning", text=text))
        self._resumed = None

    async def refresh(self) -> None:
        """Look at git again and tell when something changed. Called at the start, after each turn, and when focus returns."""
        found = await git_status(self.workspace.root)
        if self._first_git is None:
            self._first_git = found
        if found != self._git and not self._is_closed:
            self._git = found
            self.bus.publish(BranchChanged(branch=found.branch, changed_files=found.changed_files))

    def submit(self, text: str) -> str:
        """Send a message and return its id; while a turn runs it waits for the next step, or for the turn's end."""
        message_id = f"msg_{uuid.uuid4().hex[:12]}"
        if self._is_closed:
            return message_id
        self._queue.append((message_id, text))
        self._bench.services.person_wrote.set()
        if self.is_busy:
            self.bus.publish(MessageQueued(message_id=message_id, text=text))
        else:
            self._work = asyncio.create_task(self._run_turns())
        return message_id

    @property
    def tool_names(self) -> list[tuple[str, str]]:
        """The tools that may be run by hand, each with what it does in a few words."""
        return [(tool.name, tool.search_hint) for tool in self._bench.pool.tools]

    def run_tool(self, line: str) -> str:
        """Run a tool by hand: `NAME --field=value …`. Return what is wrong with the line, empty when it starts.

        The tool goes through all its stages as if the model had used it, but the result stays out of the conversation; what
        may have changed something is mentioned with the next message. While something runs, nothing else can be run.
        """
        if self._is_closed:
            return "The session is closed."
        if self.is_busy:
            return "A turn is running; a tool can be run by hand when it has ended."
        try:
            turn = self._hands.turn(line, self._bench.toolbox, self._bench.pool)
        except HandError as error:
            return str(error)
        self._work = asyncio.create_task(self._run_by_hand(turn))
        return ""

    def take_back(self) -> str | None:
        """Remove the newest queued message and return its text; None when nothing waits."""
        if not self._queue:
            return None
        message_id, text = self._queue.pop()
        self.bus.publish(MessageUnqueued(message_id=message_id))
        return text

    def interrupt(self) -> None:
        """Stop what runs; messages that wait are sent next. Does nothing when nothing runs."""
        if self._turn is not None:
            self._turn.interrupt()

    def stop_tool(self, tool_use_id: str) -> None:
        """Stop one tool use; the turn goes on."""
        if self._turn is not None:
            self._turn.stop_tool(tool_use_id)

    def stop_job(self, job_id: str) -> None:
        """Stop a background job; nothing happens when it is over."""
        self._bench.jobs.stop_soon(job_id)

    def move_to_background(self, tool_use_id: str) -> None:
        """Let a running command go on in the background, so that the turn goes on without it."""
        self._bench.jobs.want(tool_use_id)

    def answer(self, request_id: str, decision: Decision) -> bool:
        """Settle a question; False when it was settled already."""
        return self._bench.desk.answer(request_id, decision)

    def answer_form(self, request_id: str, answers: Answers | None) -> bool:
        """Settle a form with answers by key, or close it without (None); False when it was settled already."""
        return self._bench.forms.answer(request_id, answers)

    def set_mode(self, mode: Mode) -> None:
        """Change the permission mode. Bypassing needs to have been allowed at the start, and is refused otherwise."""
        previous = self.mode
        if mode == previous:
            return
        if mode == "bypassPermissions" and not self._opening.may_bypass:
            self.bus.publish(
                Notice(
                    level="warning",
                    text="Bypassing permissions was not allowed when this session was started.",
                    hint="Start with --dangerously-skip-permissions if you mean it.",
                )
            )
            return
        self._bench.rulebook.mode = mode
        self.bus.publish(ModeChanged(mode=mode, previous=previous))
        self._bench.desk.reconsider()

    def cycle_mode(self) -> None:
        """Go to the next mode in the cycle."""
        self.set_mode(next_mode(self.mode, is_bypass_enabled=self._opening.may_bypass))

    def set_model(self, model: str) -> None:
        """Send requests to `model` from now on."""
        if model != self._model:
            previous, self._model = self._model, model
            self.bus.publish(ModelChanged(model=model, previous=previous))

    def clear(self) -> None:
        """Start the conversation afresh, without its task list; a running turn is ended first."""
        while self._queue:
            self.take_back()
        if self.is_busy:
            self._is_clear_due = True
            self.interrupt()
        else:
            self._clear_now()

    async def wait_idle(self) -> None:
        """Return when no turn runs."""
        while self._work is not None:
            await asyncio.wait({self._work})

    async def close(self, reason: EndReason = "exit") -> None:
        """Stop what runs, finish the record, and let everything go. May be called again."""
        if self._is_closed:
            return
        self._is_closed = True
        if self._work is not None:
            self._work.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._work
        await self._bench.jobs.close()
        self.bus.publish(SessionEnded(reason=reason))
        await self._journal.close()
        await self._client.close()

    # --- turns -------------------------------------------------------------------------------------------------------

    def _publish(self, event: Event) -> Event:
        """Publish what tool uses say, and keep the data of their results for lines that name it."""
        stamped = self.bus.publish(event)
        self._hands.follow(stamped)
        return stamped

    async def _run_by_hand(self, turn: HandTurn) -> None:
        """Run one tool without the model, then what was written meanwhile."""
        self._turn = turn
        try:
            self._hands.note(turn, await turn.run())
        except asyncio.CancelledError:
            self._work = None
            raise
        except Exception as error:  # noqa: BLE001 - see `_run_turn`
            self._tell_fault(error)
        finally:
            self._turn = None
        if self._is_clear_due:
            self._is_clear_due = False
            self._clear_now()
        await self._run_turns(is_refresh_due=True)

    async def _run_turns(self, *, is_refresh_due: bool = False) -> None:
        """Run turns until no message waits. One that failed keeps the rest waiting, to be taken back or sent with the next."""
        try:
            if self._first_git is None or is_refresh_due:
                await self.refresh()
            while self._queue:
                self._send(*self._queue.popleft())
                outcome = await self._run_turn()
                if self._is_clear_due:
                    self._is_clear_due = False
                    self._clear_now()
                await self.refresh()
                if outcome == "failed":
                    break
        finally:
            self._work = None

    async def _run_turn(self) -> TurnOutcome:
        self._bench.services.person_wrote.clear()
        turn = self._turn = Turn(
            TurnSetup(
                publish=self.bus.publish,
                model=self._client,
                history=self._history,
                new_executor=lambda: StreamingExecutor(self._bench.toolbox),
                build_request=lambda: self._requests.build(self._model, self._first_git or GitStatus()),
                report_usage=lambda request_id, usage: usage_report(self._model, request_id, usage),
                steering=self._steer,
                retries=self._retries,
                max_requests=self._opening.max_turns,
            )
        )
        try:
            return await turn.run()
        except Exception as error:  # noqa: BLE001 - a fault of this program ends the turn, said plainly, not the session
            self._tell_fault(error)
            return "failed"
        finally:
            self._turn = None

    def _tell_fault(self, error: Exception) -> None:
        self.bus.publish(
            Notice(
                level="error",
                text=f"The turn ended by a fault in tui-agent: {type(error).__name__}: {error}",
                hint="The conversation is intact. Please report this, with the session's journal if you can share it.",
            )
        )

    def _steer(self) -> int:
        """Bring messages sent meanwhile into the running turn, between two requests; and the ends of background jobs."""
        if not self._queue and (news := self._job_news()):
            self._history.add_user(news)
            self.bus.publish(ReminderSent(text=news))
        count = len(self._queue)
        while self._queue:
            self._send(*self._queue.popleft())
        self._bench.services.person_wrote.clear()
        return count

    def _send(self, message_id: str, text: str) -> None:
        if self._thinking_model != self._model:
            self._thinking_model = self._model
            self._history.drop_thinking()
        parts = []
        if self._is_memory_due:
            self._is_memory_due = False
            parts.append(self._memory.text)
        if self.mode != self._noted_mode:
            self._noted_mode = self.mode
            parts.append(mode_note(self.mode))
        parts.append(self._job_news())
        parts.append(self._hands.take_news())
        context = "\n\n".join(part for part in parts if part)
        self._history.add_user(text, context)
        self.bus.publish(UserMessageSent(message_id=message_id, text=text, context=context))

    def _job_news(self) -> str:
        """Return what the model has to be told of background jobs that have ended."""
        missed, self._missed_news = self._missed_news, []
        return news_text([*missed, *news_of(self._bench.jobs.take_news())])

    def _clear_now(self) -> None:
        self._history.clear()
        self._job_news()  # a new conversation knows nothing of what ended before it
        self._hands.clear()
        self._bench.toolbox.files.clear()
        self._bench.tools.reset()
        self._bench.services.tasks.clear()
        self._is_memory_due = True
        self._noted_mode = "default"
        self.bus.publish(HistoryCleared())


async def open_session(options: SessionOptions, client: Model) -> Session:
    """Get everything ready in a thread and return the session, not started yet.

    Raises:
        OpeningError: it cannot start as asked.
        JournalError: its record cannot be written, or another window has it open.
    """
    opening = await asyncio.to_thread(prepare, options)
    return Session(opening, client)
