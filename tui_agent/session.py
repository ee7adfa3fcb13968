"""One conversation: wires the rooms together and takes the commands of a front end.

Commands return at once; what they lead to arrives as events on `bus`. Subscribe first, then `start`: a session that is taken up
again publishes its recorded events then, so that a front end needs no second way of filling itself.
"""

from __future__ import annotations

import asyncio
import uuid
from dataclasses import replace
from typing import Any, Literal

from tui_agent.agent.attaching import Attaching
from tui_agent.agent.briefing import Briefing
from tui_agent.agent.by_hand import HandDesk, HandError, HandTurn
from tui_agent.agent.context_report import ContextReport, context_report
from tui_agent.agent.git import GitStatus
from tui_agent.agent.history import History
from tui_agent.agent.hook_moments import HookMoments, StartSource
from tui_agent.agent.introduction import introduction
from tui_agent.agent.job_news import missed_news
from tui_agent.agent.ledger import Ledger
from tui_agent.agent.mailbox import Mailbox
from tui_agent.agent.masked_events import EventMasks
from tui_agent.agent.opening import Opening, Resumed, SessionOptions, prepare
from tui_agent.agent.own_shell import OwnCommandGate, OwnShell, ShellTurn
from tui_agent.agent.permission_room import PermissionRoom
from tui_agent.agent.plan import PlanOffer
from tui_agent.agent.refreshing import Refresher
from tui_agent.agent.reloading import Reloader
from tui_agent.agent.requests import RequestBuilder, usage_report
from tui_agent.agent.shrinking import Shrinker
from tui_agent.agent.side_model import SideModel
from tui_agent.agent.spending import Spending
from tui_agent.agent.switches import Switches
from tui_agent.agent.turn import TurnSetup
from tui_agent.agent.turns import Turns
from tui_agent.agent.workbench import Workbench
from tui_agent.bus import Bus
from tui_agent.changes import FileChange
from tui_agent.drafts import Draft
from tui_agent.events import (
    Event,
    HistoryCleared,
    MaskingChanged,
    ModelChanged,
    Notice,
    SessionEnded,
    ToolResultReady,
    UsageReported,
)
from tui_agent.execution.executor import StreamingExecutor
from tui_agent.execution.results import ResultStore
from tui_agent.execution.toolbox import ToolOutcome
from tui_agent.hooks.book import HookBook
from tui_agent.journal.writer import JournalWriter
from tui_agent.model.prices import full_name
from tui_agent.model.protocol import Model
from tui_agent.model.retry import RetryPolicy
from tui_agent.permissions.modes import Mode
from tui_agent.permissions.verdict import Decision, Verdict
from tui_agent.sandbox.find import find_sandbox
from tui_agent.settings.load import Settings
from tui_agent.tools.changing.versions import Versions
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
        self._is_closed = False
        resumed = opening.resumed
        self._journal = JournalWriter(
            opening.folder.journal, self.bus, keep_bytes=resumed.intact_bytes if resumed else None
        )
        self._history = History.from_events(resumed.events) if resumed else History()
        self._hands = HandDesk()
        self._ledger = Ledger(
            Versions(opening.folder.versions),
            publish=self.bus.publish,
            folder=lambda: self._bench.workspace.cwd,
            state=opening.state,
            on_undone=lambda path: self._bench.toolbox.files.forget(path),
        )
        self._bench = Workbench(
            opening.bench,
            opening.settings,
            publish=self._publish,
            results_dir=opening.folder.results,
            state_dir=opening.state,
            is_attended=opening.is_attended,
            conversation=self._history,
            ask_model=SideModel(
                client,
                publish=self._report_aside,
                main=lambda: self._model,
                small=opening.small_model,
                refusal=lambda: self._spending.refusal,
            ).ask,
            session_id=self.bus.session_id,
            transcript=opening.folder.journal,
            own_secrets=getattr(client, "secrets", ()),
            keep_versions=self._ledger.keep,
        )
        self._spending = Spending(
            self.bus,
            lambda: self._bench.settings,
            ask=self._bench.forms.ask if opening.is_attended else None,
            given=opening.max_budget_usd,
            recorded=resumed.events if resumed else (),
        )
        self.bus.rewrite = EventMasks(self._bench.masker)
        self._moments = HookMoments(self._bench.hooks, self.bus, self._bench.jobs, self._wake)
        self._switches = Switches(self._bench, self.bus.publish, may_start_bypassing=opening.may_bypass)
        self._bench.permission_updates.set_mode = self._switches.set_mode
        self._bench.plan.set_mode = self._change_mode_as_told
        self._bench.plan.can_bypass = lambda: self._switches.may_bypass
        self._refresher = Refresher(
            self._bench,
            Reloader(opening.reload),
            self._moments,
            self._switches,
            self.bus.publish,
            first_git=resumed.first_git if resumed else None,
        )
        self._briefing = Briefing(
            self._bench,
            self._history,
            opening.memory,
            hands=self._hands,
            undone=self._ledger.take_news,
            moments=self._moments,
            publish=self.bus.publish,
            model=lambda: self._model,
            known_mode="plan" if resumed and resumed.mode == "plan" else "default",
            missed=missed_news(resumed.events) if resumed else (),
        )
        self._mailbox = Mailbox(
            self._briefing,
            self._moments,
            Attaching(self._bench, self._history, self.bus.publish),
            self.bus.publish,
            before_each=self._refresher.reload_settings,  # a rule that was just written counts for what is sent now
            person_wrote=self._bench.services.person_wrote,
        )
        self._shell = OwnShell(self.bus.publish, self._shell_turn)
        self._turns = Turns(
            self._turn_setup(),
            self._mailbox,
            self._refresher,
            clear=self._clear_now,
            note=self._note_by_hand,
            by_hand=self._shell.next,
        )
        if resumed:
            self._take_up(resumed)

    def _turn_setup(self) -> TurnSetup:
        # The prompt stays what it was when the conversation began: cached, and the ground its thinking was signed on.
        requests = self._requests = RequestBuilder(self._bench, self._history, began=self._opening.began)
        return TurnSetup(
            publish=self.bus.publish,
            model=self._client,
            history=self._history,
            new_executor=lambda: StreamingExecutor(self._bench.toolbox),
            build_request=lambda: requests.build(self._model, self._refresher.first_git or GitStatus()),
            report_usage=lambda request_id, usage: self._spending.count(usage_report(self._model, request_id, usage)),
            steering=self._mailbox.steer,
            retries=RetryPolicy(),
            max_requests=self._opening.max_turns,
            before_request=lambda: self._spending.may_ask(self._model),
            before_end=self._moments.stop,
            after_tools=self._moments.after_batch,
        )

    def _take_up(self, resumed: Resumed) -> None:
        """Let the parts know what a recorded session left."""
        for event in resumed.events:
            self._hands.follow(event)
            self._ledger.follow(event)
            if isinstance(event, ToolResultReady):
                self._bench.masker.recall(event.content)
        self._bench.services.tasks.restore(resumed.task_lists)
        self._bench.tools.restore(resumed.activated_tools)

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
    def permissions(self) -> PermissionRoom:
        """Its rules and refusals: to see, to change, to try."""
        return self._bench.permissions

    @property
    def ledger(self) -> Ledger:
        """What it has changed in files, and the way back."""
        return self._ledger

    @property
    def hooks(self) -> HookBook:
        """The hooks of the settings in force, and what is wrong with any."""
        return self._bench.hooks.book

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._bench.settings

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
        return self._turns.is_busy

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
        for event in introduction(self._opening, self._bench, self._switches, model=self._model):
            self.bus.publish(event)
        self._spending.tell()
        # Everybody has what they need of the recording: to keep its events would be to keep the conversation twice.
        self._resumed, self._opening = None, replace(self._opening, resumed=None)
        self._begin("startup" if self._opening.source == "startup" else "resume")

    async def refresh(self) -> None:
        """Look at settings and git again and tell what changed: at the start, after each turn, and when focus returns."""
        await self._refresher.refresh()

    async def reload_settings(self) -> None:
        """Read the settings anew if one of their files has changed, and tell what is different now.

        What is read at the start only (the model, for example) is told as well, and counts in the next session.
        """
        await self._refresher.reload_settings()

    def submit(self, message: str | Draft) -> str:
        """Send a message and return its id; while a turn runs it waits for the next step, or for the turn's end."""
        message_id = f"msg_{uuid.uuid4().hex[:12]}"
        if not self._is_closed:
            self._mailbox.put(message_id, Draft.of(message), is_announced=self.is_busy)
            self._turns.start()
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
        self._turns.start_by_hand(turn)
        return ""

    def run_shell(self, command: str) -> str:
        """Run a command of the person's own in the shell. Return why that cannot be, empty where it is run, or will be.

        It goes through all the stages of a use of Bash; the person is not asked about what they typed, but what a rule or a
        hook forbids is not run. While a turn runs it waits for its end. The model gets command and output, and by the setting
        answers at once.
        """
        if self._is_closed:
            return "The session is closed."
        if self._bench.pool.get("Bash") is None:
            return "There is no Bash in this session: a rule, or the way it was started, leaves it out."
        self._shell.put(command, is_announced=self.is_busy)
        self._turns.start()
        return ""

    def take_back(self) -> list[Draft]:
        """Remove all queued messages and return them, the oldest first; where none waits, the newest command of the shell."""
        heard = self._mailbox.take_heard()
        if messages := [*([heard] if heard is not None else []), *self._mailbox.take_back()]:
            return messages
        command = self._shell.take_back()
        return [command] if command is not None else []

    def interrupt(self) -> Draft | None:
        """Stop what runs; messages that wait are sent next. Does nothing when nothing runs.

        A message that was just being made ready is not sent: it is returned.
        """
        heard = self._mailbox.take_heard()
        self._turns.interrupt()
        return heard

    def stop_tool(self, tool_use_id: str) -> None:
        """Stop one tool use; the turn goes on."""
        self._turns.stop_tool(tool_use_id)

    def stop_job(self, job_id: str) -> None:
        """Stop a background job; nothing happens when it is over."""
        self._bench.jobs.stop_soon(job_id)

    def move_to_background(self, tool_use_id: str) -> None:
        """Let a running command go on in the background, so that the turn goes on without it."""
        self._bench.jobs.want(tool_use_id)

    def answer(self, request_id: str, decision: Decision) -> bool:
        """Settle a question; False when it was settled already."""
        if decision.behavior == "allow" and decision.mode is not None:
            self._bench.plan.choose(decision.mode)
        return self._bench.desk.answer(request_id, decision)

    def plan(self) -> PlanOffer:
        """The plan that is put to the person, and the modes to go on in."""
        offer = self._bench.plan.offer()
        return replace(offer, text=self._bench.masker.mask(offer.text))

    def plan_edited(self) -> None:
        """The person has changed the plan's file: what it says now is what they approve."""
        try:
            self._bench.plan.reload()
        except OSError as error:
            self.bus.publish(Notice(level="warning", text=f"The plan cannot be read: {error.strerror or error}"))

    def answer_form(self, request_id: str, answers: Answers | None) -> bool:
        """Settle a form with answers by key, or close it without (None); False when it was settled already."""
        return self._bench.forms.answer(request_id, answers)

    def set_mode(self, mode: Mode) -> None:
        """Change the permission mode. Bypassing needs to have been allowed at the start, and is refused otherwise."""
        self._switches.set_mode(mode)

    def set_masking(self, is_on: bool) -> None:
        """Hide secrets from now on, or show them until the session ends; a policy may forbid that. What was hidden stays so."""
        self._switches.set_masking(is_on)

    @property
    def masking(self) -> MaskingChanged:
        """Whether secrets are hidden, and which are known by name."""
        return self._switches.masking

    def cycle_mode(self) -> None:
        """Go to the next mode in the cycle."""
        self._switches.cycle_mode()

    def set_model(self, model: str) -> None:
        """Send requests to `model` from now on; `opus` and the like stand for the newest of their kind."""
        model = full_name(model)
        if model != self._model:
            previous, self._model = self._model, model
            self.bus.publish(ModelChanged(model=model, previous=previous))

    def set_spending_limit(self, usd: float | None) -> None:
        """Limit what this session may cost from now on, in US dollars; None takes the limit away."""
        self._spending.set_limit(usd)

    async def context_report(self) -> ContextReport:
        """Return what the next request would carry, part by part."""
        request = self._requests.build(self._model, self._refresher.first_git or GitStatus())
        return await asyncio.to_thread(context_report, request, shortened=self._history.shortened)

    async def drop_result(self, tool_use_id: str) -> str:
        """Leave a tool's result out of what the model gets from now on. Return why that cannot be; empty where it is done."""
        store = ResultStore(self._opening.folder.results, self.bus.publish)
        return await Shrinker(self._history, store, self.bus.publish).drop(tool_use_id)

    def clear(self) -> None:
        """Start the conversation afresh, without its task list; a running turn is ended first."""
        while self._shell.take_back() is not None:
            pass
        self._mailbox.take_back()
        self._turns.clear()

    async def wait_idle(self) -> None:
        """Return when no turn runs."""
        await self._turns.wait_idle()

    async def close(self, reason: EndReason = "exit") -> None:
        """Stop what runs, finish the record, and let everything go. May be called again."""
        if self._is_closed:
            return
        self._is_closed = True
        self._refresher.stop()
        await self._turns.close()
        await self._bench.jobs.close()
        try:
            await self._moments.end({"exit": "prompt_input_exit", "clear": "clear"}.get(reason, "other"))
        finally:  # told once more to stop, it does not wait for hooks any longer
            await self._moments.close()
            self.bus.publish(SessionEnded(reason=reason))
            await self._journal.close()
            await self._client.close()

    # --- what the parts need of each other ---------------------------------------------------------------------------

    def _publish(self, event: Event) -> Event:
        """Publish what tool uses say, and keep the data of their results for lines that name it."""
        stamped = self.bus.publish(event)
        self._hands.follow(stamped)
        self._ledger.follow(event)
        return stamped

    def _shell_turn(self, command: str) -> ShellTurn:
        gate = OwnCommandGate(self._bench.desk, self._bench.rulebook)
        return ShellTurn(command, replace(self._hands.own(self._bench.toolbox), gate=gate))

    def _note_by_hand(self, turn: HandTurn, outcome: ToolOutcome) -> None:
        """Keep in mind what the model has to know of what the person did, and let it answer to a command's output."""
        self._hands.note(turn, outcome)
        if isinstance(turn, ShellTurn) and turn.wants_answer(outcome) and self.settings.values.respond_to_bash_commands:
            self._mailbox.wake()

    def _report_aside(self, event: Event) -> Event:
        """Publish what a small question beside the conversation cost, counted."""
        if isinstance(event, UsageReported):
            self._spending.count(event)
        return self.bus.publish(event)

    def _wake(self, text: str) -> None:
        """Have the model act on what a hook in the background found, at the next step or in a turn of its own."""
        if not self._is_closed:
            self._mailbox.wake(text)
            self._turns.start()

    def _change_mode_as_told(self, mode: Mode) -> None:
        """Change the mode for a tool, whose result tells the model."""
        self._switches.set_mode(mode)
        self._briefing.mode_is_told()

    def _begin(self, source: StartSource) -> None:
        """Let hooks hear that a conversation begins; no message goes out before they are done."""
        self._mailbox.hold_for(self._moments.begin(source, self._model, self._opening.memory.files))

    def _clear_now(self) -> None:
        self._history.clear()
        self._hands.clear()
        self._bench.toolbox.files.clear()
        self._bench.tools.reset()
        self._bench.services.tasks.clear()
        self._briefing.clear()
        self.bus.publish(HistoryCleared())
        self._mailbox.stop_hearing()
        self._begin("clear")


async def open_session(options: SessionOptions, client: Model) -> Session:
    """Get everything ready in a thread and return the session, not started yet.

    Raises:
        OpeningError: it cannot start as asked.
        JournalError: its record cannot be written, or another window has it open.
    """
    opening = await asyncio.to_thread(prepare, options)
    await asyncio.to_thread(find_sandbox)  # tried out here, so that nothing waits for it later
    return Session(opening, client)
