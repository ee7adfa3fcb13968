"""The turns of a session, one after the other: what starts one, what ends it, and what happens between two."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

from tui_agent.drafts import Draft
from tui_agent.engine.conversation.turn import Turn, TurnSetup
from tui_agent.engine.session.manual_tools import ManualToolTurn
from tui_agent.engine.session.message_queue import MessageQueue
from tui_agent.engine.session.refresh import Refresher
from tui_agent.events import MessageWithdrawn, Notice, TurnOutcome
from tui_agent.execution.execution_context import ToolOutcome

__all__ = ["TurnRunner"]


class TurnRunner:
    """Runs a turn as `setup` says for what waits in `message_queue`, until nothing does.

    `refresher` looks at what others may have changed: before the first turn of the conversation, and after each. `clear` starts
    the conversation afresh; it is called when nothing runs. `note` takes the outcome of a tool that was run by hand; `by_hand`
    gives the next that waits to be run so.
    """

    def __init__(
        self,
        setup: TurnSetup,
        message_queue: MessageQueue,
        refresher: Refresher,
        *,
        clear: Callable[[], None],
        note: Callable[[ManualToolTurn, ToolOutcome], None],
        by_hand: Callable[[], ManualToolTurn | None] = lambda: None,
    ) -> None:
        self._setup = setup
        self._message_queue = message_queue
        self._refresher = refresher
        self._clear = clear
        self._note = note
        self._next_by_hand = by_hand
        self._turn: Turn | ManualToolTurn | None = None
        self._work: asyncio.Task[None] | None = None
        self._is_clear_due = False
        self._withdrawn = ""  # the message that is taken back when its turn has ended
        self._is_closed = False
        message_queue.wakeups.follow(self.start)

    # --- commands ----------------------------------------------------------------------------------------------------

    @property
    def is_busy(self) -> bool:
        """Whether a turn runs, or is about to."""
        return self._work is not None

    def start(self) -> None:
        """Run turns for what waits; does nothing where they run, or after `close`."""
        if self._work is None and not self._is_closed:
            self._work = asyncio.create_task(self._run())

    def start_manual(self, turn: ManualToolTurn) -> None:
        """Run one tool without the model, then turns for what was written meanwhile. Nothing may be running."""
        self._work = asyncio.create_task(self._run_by_hand(turn))

    def interrupt(self) -> None:
        """Stop what runs, and hooks that it waits for."""
        self._message_queue.stop_hearing()
        if self._turn is not None:
            self._turn.interrupt()

    def withdraw(self) -> Draft | None:
        """Take back the message that the turn was to answer, and stop the turn; None where the model has begun to answer."""
        turn, newest = self._turn, self._message_queue.newest
        if not isinstance(turn, Turn) or turn.is_answered or newest is None or self._message_queue.has_any:
            return None
        self._withdrawn = newest[0]
        self.interrupt()
        return newest[1]

    def stop_tool(self, tool_use_id: str) -> None:
        """Stop one tool use; the turn goes on."""
        if self._turn is not None:
            self._turn.stop_tool(tool_use_id)

    def clear(self) -> None:
        """Have the conversation start afresh: now, or when the turn that runs has been interrupted."""
        if self.is_busy:
            self._is_clear_due = True
            self.interrupt()
        else:
            self._clear()

    async def wait_idle(self) -> None:
        """Return when no turn runs."""
        while self._work is not None:
            await asyncio.wait({self._work})

    async def close(self) -> None:
        """Stop what runs and wait until it has ended. Nothing starts any more."""
        self._is_closed = True
        hooks = self._message_queue.stop_hearing()
        if self._work is not None:
            self._work.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._work
        if hooks:
            await asyncio.wait(hooks)

    # --- running -----------------------------------------------------------------------------------------------------

    async def _run_by_hand(self, turn: ManualToolTurn) -> None:
        try:
            await self._do_by_hand(turn)
        except asyncio.CancelledError:
            self._work = None
            raise
        await self._run(has_changed=True)

    async def _do_by_hand(self, turn: ManualToolTurn) -> None:
        self._turn = turn
        try:
            self._note(turn, await turn.run())
        except Exception as error:  # noqa: BLE001 - see `_run_turn`
            self._tell_fault(error)
        finally:
            self._turn = None
        self._clear_if_due()

    async def _run(self, *, has_changed: bool = False) -> None:
        """Run turns until no message waits. One that failed, or may cost no more, keeps the rest waiting, to be taken back."""
        try:
            if has_changed or self._refresher.first_git is None:
                await self._refresher.refresh()
            while True:
                if (turn := self._next_by_hand()) is not None:
                    await self._do_by_hand(turn)
                    await self._refresher.refresh()
                    continue
                if not self._message_queue.has_any:
                    break
                outcome = await self._run_turn() if await self._message_queue.send_next() else None
                self._clear_if_due()
                if outcome is not None:
                    await self._refresher.refresh()
                if outcome in ("failed", "spending_limit"):
                    break
        finally:
            self._work = None

    async def _run_turn(self) -> TurnOutcome:
        self._message_queue.mark_read()
        turn = self._turn = Turn(self._setup)
        try:
            return await turn.run()
        except Exception as error:  # noqa: BLE001 - a fault of this program ends the turn, said plainly, not the session
            self._tell_fault(error)
            return "failed"
        finally:
            self._turn = None
            withdrawn, self._withdrawn = self._withdrawn, ""
            if withdrawn and not turn.is_answered:
                self._setup.history.withdraw(withdrawn)
                self._setup.publish(MessageWithdrawn(message_id=withdrawn))

    def _clear_if_due(self) -> None:
        if self._is_clear_due:
            self._is_clear_due = False
            self._clear()

    def _tell_fault(self, error: Exception) -> None:
        self._setup.publish(
            Notice(
                level="error",
                text=f"The turn ended because of a bug in tui-agent: {type(error).__name__}: {error}",
                hint="The conversation is intact. Please report this, with the session's journal if you can share it.",
            )
        )
