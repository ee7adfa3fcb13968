"""A session's parts, wired to each other: who tells whom, and in which order they begin and end."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from tui_agent.agent.attaching import Attaching
from tui_agent.agent.briefing import Briefing
from tui_agent.agent.by_hand import HandDesk, HandTurn
from tui_agent.agent.git import GitStatus
from tui_agent.agent.history import History
from tui_agent.agent.hook_moments import HookMoments, StartSource
from tui_agent.agent.job_news import missed_news
from tui_agent.agent.ledger import Ledger
from tui_agent.agent.mailbox import Mailbox
from tui_agent.agent.masked_events import EventMasks
from tui_agent.agent.opening import Opening, Resumed
from tui_agent.agent.own_shell import OwnCommandGate, OwnShell, ShellTurn
from tui_agent.agent.refreshing import Refresher
from tui_agent.agent.reloading import Reloader
from tui_agent.agent.requests import RequestBuilder, usage_report
from tui_agent.agent.side_model import SideModel
from tui_agent.agent.spending import Spending
from tui_agent.agent.switches import Switches
from tui_agent.agent.thinking import Thinking
from tui_agent.agent.turn import TurnSetup
from tui_agent.agent.turns import Turns
from tui_agent.agent.workbench import Workbench
from tui_agent.bus import Bus
from tui_agent.events import Event, HistoryCleared, SessionEnded, ToolResultReady, UsageReported
from tui_agent.execution.executor import StreamingExecutor
from tui_agent.execution.toolbox import ToolOutcome
from tui_agent.journal.writer import JournalWriter
from tui_agent.model.protocol import Model
from tui_agent.model.retry import RetryPolicy
from tui_agent.permissions.modes import Mode
from tui_agent.tools.changing.versions import Versions

__all__ = ["EndReason", "Parts"]

EndReason = Literal["exit", "clear", "done", "failed", "interrupted"]


class Parts:
    """The parts of one session, which know of each other only what they are handed here; `close` ends them all.

    `model` is the one that requests go to.
    """

    def __init__(self, opening: Opening, client: Model) -> None:
        self.bus = Bus(opening.folder.id)
        self.client = client
        self.model = opening.model
        self.is_closed = False
        self._memory = opening.memory
        resumed = opening.resumed
        self.journal = JournalWriter(
            opening.folder.journal, self.bus, keep_bytes=resumed.intact_bytes if resumed else None
        )
        self.history = History.from_events(resumed.events) if resumed else History()
        self.hands = HandDesk()
        self.ledger = Ledger(
            Versions(opening.folder.versions),
            publish=self.bus.publish,
            folder=lambda: self.bench.workspace.cwd,
            state=opening.state,
            on_undone=lambda path: self.bench.toolbox.files.forget(path),
        )
        self.bench = Workbench(
            opening.bench,
            opening.settings,
            publish=self._publish,
            results_dir=opening.folder.results,
            state_dir=opening.state,
            is_attended=opening.is_attended,
            conversation=self.history,
            ask_model=SideModel(
                client,
                publish=self._report_aside,
                main=lambda: self.model,
                small=opening.small_model,
                refusal=lambda: self.spending.refusal,
            ).ask,
            session_id=self.bus.session_id,
            transcript=opening.folder.journal,
            own_secrets=getattr(client, "secrets", ()),
            keep_versions=self.ledger.keep,
        )
        self.spending = Spending(
            self.bus,
            lambda: self.bench.settings,
            ask=self.bench.forms.ask if opening.is_attended else None,
            given=opening.max_budget_usd,
            recorded=resumed.events if resumed else (),
        )
        self.bus.rewrite = EventMasks(self.bench.masker)
        self.moments = HookMoments(self.bench.hooks, self.bus, self.bench.jobs, self._wake)
        thinking = Thinking(is_on=opening.is_thinking)
        self.switches = Switches(
            self.bench, thinking, self.bus.publish, model=lambda: self.model, may_start_bypassing=opening.may_bypass
        )
        self.bench.permission_updates.set_mode = self.switches.set_mode
        self.bench.plan.set_mode = self._change_mode_as_told
        self.bench.plan.can_bypass = lambda: self.switches.may_bypass
        self.refresher = Refresher(
            self.bench,
            Reloader(opening.reload),
            self.moments,
            self.switches,
            self.bus.publish,
            first_git=resumed.first_git if resumed else None,
        )
        self.briefing = Briefing(
            self.bench,
            self.history,
            opening.memory,
            hands=self.hands,
            undone=self.ledger.take_news,
            moments=self.moments,
            publish=self.bus.publish,
            model=lambda: self.model,
            known_mode="plan" if resumed and resumed.mode == "plan" else "default",
            missed=missed_news(resumed.events) if resumed else (),
        )
        self.mailbox = Mailbox(
            self.briefing,
            self.moments,
            Attaching(self.bench, self.history, self.bus.publish),
            self.bus.publish,
            before_each=self.refresher.reload_settings,  # a rule that was just written counts for what is sent now
            person_wrote=self.bench.services.person_wrote,
        )
        # The prompt stays what it was when the conversation began: cached, and the ground its thinking was signed on.
        self.requests = RequestBuilder(self.bench, self.history, thinking, began=opening.began)
        self.shell = OwnShell(self.bus.publish, self._shell_turn)
        self.turns = Turns(
            self._turn_setup(opening.max_turns),
            self.mailbox,
            self.refresher,
            clear=self._clear_now,
            note=self._note_by_hand,
            by_hand=self.shell.next,
        )
        if resumed:
            self._take_up(resumed)

    def _turn_setup(self, max_requests: int | None) -> TurnSetup:
        return TurnSetup(
            publish=self.bus.publish,
            model=self.client,
            history=self.history,
            new_executor=lambda: StreamingExecutor(self.bench.toolbox),
            build_request=lambda: self.requests.build(self.model, self.refresher.first_git or GitStatus()),
            report_usage=lambda request_id, usage: self.spending.count(usage_report(self.model, request_id, usage)),
            steering=self.mailbox.steer,
            retries=RetryPolicy(),
            max_requests=max_requests,
            before_request=lambda: self.spending.may_ask(self.model),
            before_end=self.moments.stop,
            after_tools=self.moments.after_batch,
        )

    def _take_up(self, resumed: Resumed) -> None:
        """Let the parts know what a recorded session left."""
        for event in resumed.events:
            self.hands.follow(event)
            if isinstance(event, ToolResultReady):
                self.bench.masker.recall(event.content)
        self.ledger.recall(resumed.events)
        self.bench.services.tasks.restore(resumed.task_lists)
        self.bench.tools.restore(resumed.activated_tools)

    # --- from the beginning to the end -------------------------------------------------------------------------------

    def begin(self, source: StartSource) -> None:
        """Let hooks hear that a conversation begins; no message goes out before they are done."""
        self.mailbox.hold_for(self.moments.begin(source, self.model, self._memory.files))

    async def close(self, reason: EndReason) -> None:
        """Stop what runs, finish the record, and let everything go. May be called again."""
        if self.is_closed:
            return
        self.is_closed = True
        self.refresher.stop()
        await self.turns.close()
        await self.bench.jobs.close()
        try:
            await self.moments.end({"exit": "prompt_input_exit", "clear": "clear"}.get(reason, "other"))
        finally:  # told once more to stop, it does not wait for hooks any longer
            await self.moments.close()
            self.bus.publish(SessionEnded(reason=reason))
            await self.journal.close()
            await self.client.close()

    # --- what the parts need of each other ---------------------------------------------------------------------------

    def _publish(self, event: Event) -> Event:
        """Publish what tool uses say, and keep the data of their results for lines that name it."""
        stamped = self.bus.publish(event)
        self.hands.follow(stamped)
        self.ledger.follow(event)
        return stamped

    def _shell_turn(self, command: str) -> ShellTurn:
        gate = OwnCommandGate(self.bench.desk, self.bench.rulebook)
        return ShellTurn(command, replace(self.hands.own(self.bench.toolbox), gate=gate))

    def _note_by_hand(self, turn: HandTurn, outcome: ToolOutcome) -> None:
        """Keep in mind what the model has to know of what the person did, and let it answer to a command's output."""
        self.hands.note(turn, outcome)
        answers = self.bench.settings.values.respond_to_bash_commands
        if answers and isinstance(turn, ShellTurn) and turn.wants_answer(outcome):
            self.mailbox.wake()

    def _report_aside(self, event: Event) -> Event:
        """Publish what a small question beside the conversation cost, counted."""
        if isinstance(event, UsageReported):
            self.spending.count(event)
        return self.bus.publish(event)

    def _wake(self, text: str) -> None:
        """Have the model act on what a hook in the background found, at the next step or in a turn of its own."""
        if not self.is_closed:
            self.mailbox.wake(text)
            self.turns.start()

    def _change_mode_as_told(self, mode: Mode) -> None:
        """Change the mode for a tool, whose result tells the model."""
        self.switches.set_mode(mode)
        self.briefing.mode_is_told()

    def _clear_now(self) -> None:
        self.history.clear()
        self.hands.clear()
        self.bench.toolbox.files.clear()
        self.bench.tools.reset()
        self.bench.services.tasks.clear()
        self.briefing.clear()
        self.bus.publish(HistoryCleared())
        self.mailbox.stop_hearing()
        self.begin("clear")
