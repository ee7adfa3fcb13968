"""One session at the prompt: what is typed goes to the engine, what happens is told, what is asked is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tui_agent import events as ev
from tui_agent import slash_commands
from tui_agent.commands import Close, Interrupt, Interrupted, Reply, RunShell, Start, Submit
from tui_agent.linear.asker import Asker, EndOfInputError
from tui_agent.linear.questions.queue import Questions
from tui_agent.linear.reporter import Reporter
from tui_agent.linear.slash import SlashRunner
from tui_agent.linear.typed_message import TypedMessage
from tui_agent.queries import CostQuery, IdleQuery, PreferencesQuery, StateQuery
from tui_agent.renewal import settle
from tui_agent.text import clean_line, strip_escapes

if TYPE_CHECKING:
    from tui_agent.boundary import Engine
    from tui_agent.commands import EndReason
    from tui_agent.linear.console import Console, Entry
    from tui_agent.linear.entrance import Entrance
    from tui_agent.linear.questions.queue import Request
    from tui_agent.queries import CostReport

__all__ = ["LinearSession"]

_TWICE_S: Final = 2.0  # Ctrl+C again within that leaves
_TICK_S: Final = 5.0
_BELLS: Final = frozenset({"terminal_bell", "iterm2_with_bell"})
PROMPT: Final = "You: "


class LinearSession:
    """Drives `engine`, and what comes after it by `/resume`. `run` returns the exit code.

    `list_models` gives the names of models that can be chosen, with words on them. `can_resume` is false in a scratch folder
    that goes with the program.
    """

    def __init__(
        self,
        engine: Engine,
        console: Console,
        *,
        entrance: Entrance,
        list_models: Callable[[], list[tuple[str, str]]] = list,
        is_terminal: bool = True,
        can_resume: bool = True,
    ) -> None:
        self._can_resume = can_resume
        self._console = console
        self._entrance = entrance
        self._list_models = list_models
        self._is_terminal = is_terminal
        self._wake = asyncio.Event()
        self._code: int | None = None
        self._is_ending = False  # the input has ended: when nothing runs any more, so does the session
        self._stopped_at = 0.0
        self._dialog: asyncio.Task[None] | None = None
        self._asked: Request | None = None  # what the dialog is about, where that is a question of the engine's
        self._typed = TypedMessage()
        self._is_prompted = False
        self._rings = False
        self.asker = Asker(console, on_early=self._early, has_grace=is_terminal)
        self._take_on(engine)

    def _take_on(self, engine: Engine) -> None:
        self.engine = engine
        self.reporter = Reporter(self._console)
        self.session_id = ""
        self._told_usd = 0.0
        self._was_used = False  # something was said, or done, in this session
        self._questions = Questions(engine, self.asker)
        self._subscription = engine.subscribe("linear", self._wake.set)
        self._slash = SlashRunner(self, list_models=self._list_models)

    # --- the loop ----------------------------------------------------------------------------------------------------

    async def run(self, messages: list[str]) -> int:
        """Begin the session, send what was said already, and go on until the user leaves."""
        await self.begin()
        for text in messages:
            self._console.line(f"{PROMPT}{text}")
            self.engine.send(Submit(text))
        ticking = asyncio.create_task(self._tick())
        try:
            while self._code is None:
                self._pump()
                self._next_dialog()
                is_idle = self._dialog is None and not self.is_busy and not self._questions.waiting
                if is_idle and self._is_ending and not self._wake.is_set():
                    break
                if is_idle and not self._is_prompted:
                    self._console.prompt("... " if self._typed.is_begun else PROMPT)
                elif not is_idle and self._is_prompted and self._dialog is None:
                    self._end_prompt()
                self._is_prompted = is_idle
                if await self._wait():
                    self._is_prompted = False
        finally:
            ticking.cancel()
            if self._dialog is not None:
                self._dialog.cancel()
            await self._leave()
        return self._code or 0

    @property
    def is_busy(self) -> bool:
        """Whether a turn runs, or something that the user runs."""
        state = self.engine.query(StateQuery())
        return state.is_done and state.result().is_busy

    def _wake_when_idle(self) -> None:
        """Look again when nothing runs any more, whatever event that comes with."""
        self.engine.query(IdleQuery()).then(lambda _: self._wake.set())

    async def begin(self) -> None:
        """Start the engine's session; what it has recorded is told in short."""
        await self.engine.send(Start())
        events = self._subscription.take()
        begins = [place for place, event in enumerate(events) if isinstance(event, ev.SessionStarted)]
        recorded, own = events[: begins[-1]] if begins else [], events[begins[-1] if begins else 0 :]
        self.reporter.remember(recorded)
        for event in own:
            self._take(event)
        preferences = await self.engine.query(PreferencesQuery())
        self._rings = preferences is not None and preferences.notification_channel in _BELLS
        state = await self.engine.query(StateQuery())
        self.session_id = state.session_id
        self.reporter.say(f"Folder {state.cwd or state.root}, model {state.model}, permission mode {state.mode}.")
        self._was_used = bool(recorded)
        if recorded:
            _tell_recorded(recorded, self.reporter)

    async def _wait(self) -> bool:
        """Wait until there is something to do; whether something was typed."""
        wake = asyncio.ensure_future(self._wake.wait())
        takes_lines = self._dialog is None and (self._is_terminal or not self.is_busy)  # a script's next line waits
        typed = asyncio.ensure_future(self._console.entry()) if takes_lines else None
        tasks = {task for task in (wake, typed, self._dialog) if task is not None}
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        wake.cancel()
        self._wake.clear()
        if self._dialog is not None and self._dialog.done():
            self._end_dialog()
        if typed is None:
            return False
        if not typed.done():
            typed.cancel()
            return False
        self._pump()
        self._entered(typed.result())
        return True

    def _end_prompt(self) -> None:
        self._console.end_prompt()
        self._is_prompted = False

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(_TICK_S)
            if self.is_busy:
                self.reporter.still()

    def _pump(self) -> None:
        for event in self._subscription.take():
            self._take(event)

    def _take(self, event: ev.Event) -> None:
        match event:
            case ev.SessionStarted():
                self.session_id = event.session_id or self.session_id
            case ev.UserMessageSent() | ev.ToolUseStarted():
                self._was_used = True
            case ev.ProposedFileChanged() if self._asked is not None:
                self.asker.say("Warning: a file that this question is about has changed on disk.")
            case _:
                pass
        self._questions.apply(event)
        self.reporter.take(event)
        if isinstance(event, ev.TurnFinished) and not event.agent_id:
            self.engine.query(CostQuery()).then(self._tell_cost)
            self._wake_when_idle()

    def _tell_cost(self, report: CostReport | None) -> None:
        if report is not None and report.spent_usd != self._told_usd:
            self._told_usd = report.spent_usd
            self.reporter.say(f"Cost of this session so far: ${report.spent_usd:.4f}.")

    # --- questions and other dialogs ---------------------------------------------------------------------------------

    def _next_dialog(self) -> None:
        """Ask the next question that waits; take a question back that was settled without an answer from here."""
        if self._dialog is not None:
            if self._asked is not None and not self._questions.is_open(self._asked) and not self._dialog.done():
                self._dialog.cancel()
            return
        waiting = self._questions.waiting
        if waiting:
            self._asked = waiting[0]
            if self._rings:
                self._console.ring()
            self._end_prompt()
            self.start_dialog(self._questions.ask(waiting[0], base=self.reporter.base))

    def start_dialog(self, work: Coroutine[Any, Any, None]) -> None:
        """Let something have what is typed until it is done. What happens meanwhile is told afterwards."""
        self.reporter.hold()
        self._dialog = asyncio.create_task(work)

    def _end_dialog(self) -> None:
        dialog, asked = self._dialog, self._asked
        self._dialog = self._asked = None
        assert dialog is not None
        self._end_prompt()
        if dialog.cancelled():
            if asked is not None:
                self._console.line("The question is settled.")
        elif error := dialog.exception():
            if isinstance(error, EndOfInputError):
                self._console.line("Cancelled.")
                self._is_ending = not self._is_terminal
            else:
                self._console.line(f"Internal error: {type(error).__name__}: {error}")
                if asked is not None:
                    self.engine.send(Interrupt())
        self.reporter.release()
        self._wake.set()

    # --- what is typed -----------------------------------------------------------------------------------------------

    def _early(self, text: str) -> None:
        self.engine.send(Submit(text))

    def _entered(self, entry: Entry) -> None:
        if entry.text is None:
            self._input_ended()
            return
        text = self._typed.take(strip_escapes(entry.text))
        if text is None or not text.strip():
            return
        self.submit(text)

    def _input_ended(self) -> None:
        if self._is_terminal and not self._console.is_gone and self.is_busy:
            self._console.line("Ctrl+D leaves when nothing runs. Ctrl+C interrupts.")
        elif self._is_terminal:
            self.leave(0)
        else:
            self._is_ending = True

    def submit(self, text: str) -> None:
        """Do what was typed: a command, one of the shell, or a message for the model."""
        typed = slash_commands.split(text)
        if typed is not None:
            self._slash.run(*typed)
        elif text.startswith("!"):
            self.engine.send(RunShell(text[1:].strip())).then(self._tell_problem)
        else:
            self.engine.send(Submit(text)).then(self._tell_problem)
        self._wake_when_idle()

    def _tell_problem(self, reply: Reply[Any]) -> None:
        if reply.error:
            self.reporter.say(clean_line(reply.error, 1000))

    # --- the end -----------------------------------------------------------------------------------------------------

    def interrupt(self) -> None:
        """Ctrl+C: stop what runs; twice leaves."""
        now = asyncio.get_running_loop().time()
        is_again, self._stopped_at = now - self._stopped_at < _TWICE_S, now
        if is_again:
            self.leave(0)
            return
        self._typed.drop()
        if self._dialog is not None and self._asked is None:
            self._end_prompt()
            self._dialog.cancel()
            self._console.line("Cancelled.")
        elif self.is_busy or self._questions.waiting:
            self._end_prompt()
            self._console.line("Interrupting. Press Ctrl+C again to quit.")
            self.engine.send(Interrupt()).then(self._tell_unsent)
        else:
            self._console.line("Press Ctrl+C again to quit, or type a message.")
        self._wake.set()

    def _tell_unsent(self, reply: Reply[Interrupted]) -> None:
        if reply.ok is not None and reply.ok.unsent is not None:
            self.reporter.say(f"Not sent: {reply.ok.unsent.text}")

    def leave(self, code: int) -> None:
        """End the session in order."""
        if self._code is None:
            self._code = code
        self._wake.set()

    async def _leave(self) -> None:
        self._end_prompt()
        self.reporter.release()
        await self.engine.send(Close())
        for event in self._subscription.take():
            self.reporter.take(event)
        spent: CostReport | None = await self.engine.query(CostQuery())
        if spent is not None:
            self.reporter.say(f"This session has cost ${spent.spent_usd:.4f}.")
        if self.session_id and self._can_resume:
            self._console.line(f"Resume it with: tui-agent --linear --resume {self.session_id}")

    # --- another session ---------------------------------------------------------------------------------------------

    async def switch(self, session_id: str, cwd: Path) -> None:
        """Go on with a recorded session in the place of this one. What cannot be opened leaves this one as it was."""
        if self.is_busy:
            if not await self.asker.confirm("A turn is running. Interrupt it, and go to the other session?"):
                return
            await self.engine.send(Interrupt())
            await self.engine.query(IdleQuery())
        try:
            engine = await self._entrance.resume(session_id, cwd)
        except Exception as error:  # noqa: BLE001 - whatever it is, the user is told, in the session that still is there
            self.asker.say(f"The session cannot be resumed: {error}")
            return
        if engine is not None:
            await self._change_to(engine, "exit")

    async def begin_anew(self, title: str) -> None:
        """End this session, which gets this title and can be resumed, and begin a new one in the same folder."""
        if not self._was_used and not self.is_busy:
            self.reporter.say("Nothing has been said in this session yet.")
            return
        jobs = len(self.reporter.jobs)
        if jobs:
            running = "A background job runs" if jobs == 1 else f"{jobs} background jobs run"
            if not await self.asker.confirm(f"{running}. Stop what runs, and begin a new session?"):
                return
        settled = await settle(self.engine, title)
        for message in settled.unsent:
            self.asker.say(f"Not sent: {message.text}")
        if settled.problem:
            self.asker.say(f"The session keeps its name: {settled.problem}")
        try:
            engine = await self._entrance.renew(settled.state, settled.limit_usd)
        except Exception as error:  # noqa: BLE001 - whatever it is, the user is told, in the session that still is there
            self.asker.say(f"A new session cannot start: {error}")
            return
        if engine is None:
            return
        before = self.session_id
        await self._change_to(engine, "clear")
        self.reporter.say(f"This is a new session. /resume {before} goes back to the one before.")

    async def _change_to(self, engine: Engine, reason: EndReason) -> None:
        """Close this session, and go on with another."""
        await self.engine.send(Close(reason))
        self.reporter.release()
        self._subscription.close()
        self._take_on(engine)
        await self.begin()

    async def sign_in(self) -> None:
        """Take another key, or another server."""
        command = await self._entrance.sign_in()
        if command is not None:
            reply = await self.engine.send(command)
            self.asker.say(clean_line(reply.error, 500) if reply.error else "The next message goes there.")

    async def sign_out(self) -> None:
        """Remove the key from the system's keyring."""
        self.asker.say(await self._entrance.sign_out())


def _tell_recorded(recorded: list[ev.Event], reporter: Reporter) -> None:
    """Say what a session that is resumed was about last."""
    from tui_agent.conversation_fold import spoken_text

    main = [event for event in recorded if not event.agent_id]
    asked = [event for event in main if isinstance(event, ev.UserMessageSent)]
    replies = (event for event in reversed(main) if isinstance(event, ev.AssistantMessageCompleted))
    last = next((text for event in replies if (text := spoken_text(event.content).strip())), "")
    reporter.say(f"Resumed. {len(asked)} earlier messages; /export writes all of it to a file.")
    if asked:
        reporter.say(f"{PROMPT}{asked[-1].shown or asked[-1].text}")
    if last:
        reporter.say(f"Model: {last}")
