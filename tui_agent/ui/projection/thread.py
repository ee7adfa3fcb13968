"""One agent's conversation as it is shown: its blocks, its turns, and what its model does right now."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from tui_agent import events
from tui_agent.ui.projection.block_reducer import BlockReducer, MarkdownFeed
from tui_agent.ui.projection.state import Dirty, Retry, TurnInfo

if TYPE_CHECKING:
    from tui_agent.events import Event
    from tui_agent.ui.projection.blocks import Block
    from tui_agent.viewkit.tool_use import ToolUse

__all__ = ["PREPARING", "Thread"]

PREPARING: Final = "preparing"  # a tool use whose input arrives


class Thread:
    """What one agent says and does. `begin` names the `Dirty` that what changed goes into.

    `talk` is what the model does, in a word or two, and `prepared` the tool use that it is writing; `retry` is the next
    attempt of a request that failed.
    """

    def __init__(self, markdown: Callable[[], MarkdownFeed]) -> None:
        self.blocks = BlockReducer(markdown)
        self.turns: list[TurnInfo] = []
        self.has_turn = False  # one runs now
        self.retry: Retry | None = None
        self.talk = ""
        self.prepared = ""
        self._dirty = Dirty()

    @property
    def turn(self) -> TurnInfo | None:
        """The turn that runs, or ran last."""
        return self.turns[-1] if self.turns else None

    @property
    def dirty(self) -> Dirty:
        """What has changed with the last events that were about it."""
        return self._dirty

    def begin(self, dirty: Dirty) -> None:
        """Put what changes from now on into `dirty`."""
        self._dirty = self.blocks.dirty = dirty

    # --- what is said ------------------------------------------------------------------------------------------------

    def write(self, block_id: str, text: str) -> None:
        """Go on with a text of a reply."""
        self.blocks.write(block_id, text)
        self.talk = "writing"

    def think(self, block_id: str, text: str) -> None:
        """Go on with a thought."""
        self.blocks.thinking(block_id).append(text)
        self.talk = "thinking"

    def end_thought(self, block_id: str, duration_ms: float) -> None:
        """A thought is whole."""
        block = self.blocks.thinking(block_id)
        block.is_live, block.duration_ms = False, duration_ms

    def notice(self, event: events.Notice) -> None:
        """Show something the user should know."""
        self.blocks.add("notice", f"notice:{event.seq}", text=event.text, hint=event.hint, level=event.level)

    def hear_of_use(self, event: events.ToolUseStarted | events.ToolUseCompleted, key: str) -> None:
        """Follow the model as it writes a tool use."""
        if isinstance(event, events.ToolUseStarted):
            self.talk, self.prepared = PREPARING, key
        elif self.talk == PREPARING and self.prepared == key:
            self.talk = ""  # it may run already, whatever the model says next

    def add_use(self, use: ToolUse) -> Block:
        """Show a tool use that is new."""
        return self.blocks.add("tool", use.id, tool=use)

    def apply(self, event: Event) -> bool:
        """Take in an event about the turn and its requests; False when it is not one."""
        match event:
            case events.UserMessageSent(message_id=message_id, text=text):
                block = self.blocks.add("user", message_id, group=message_id, text=text)
                block.shown, block.attached = event.shown, event.attached
            case events.MessageWithdrawn(message_id=message_id):
                self.blocks.withdraw(message_id)
            case events.TurnStarted(turn_id=turn_id):
                self.turns.append(TurnInfo(turn_id, event.monotonic_ms))
                self.has_turn, self.talk = True, "starting"
                self._dirty.tools = True
            case events.RequestSent():
                self._end_stream(event.monotonic_ms)
                self.retry, self.talk = None, "waiting for the model"
            case events.ResponseStarted(message_id=message_id):
                self.blocks.message, self.talk = message_id, "thinking"
                if self.turn is not None:
                    self.turn.stream_since_ms = event.monotonic_ms
            case events.AssistantMessageCompleted():
                self._end_stream(event.monotonic_ms)
                self.talk = ""
            case events.RetryScheduled():
                self._end_stream(event.monotonic_ms)
                due = event.monotonic_ms + event.delay_s * 1000
                self.retry = Retry(event.attempt, event.max_attempts, due, event.delay_s, event.reason)
                self._dirty.status = True
            case events.TurnFailed(message=message, hint=hint):
                self.blocks.add("error", f"failed:{event.seq}", text=message, hint=hint, level="error")
            case events.TurnFinished():
                self._finish_turn(event)
            case _:
                return False
        return True

    def _end_stream(self, now_ms: float) -> None:
        turn = self.turn
        if turn is not None and turn.stream_since_ms is not None:
            turn.stream.append((turn.stream_since_ms, now_ms))
            turn.stream_since_ms = None
            self._dirty.tools = True

    def _finish_turn(self, event: events.TurnFinished) -> None:
        self.rest(event.monotonic_ms)
        turn = self.turn
        if turn is not None and turn.id == event.turn_id:
            turn.ended_ms, turn.outcome = event.monotonic_ms, event.outcome
        block = self.blocks.add("turn", f"turn:{event.turn_id}", text=event.detail)
        block.outcome, block.duration_ms = event.outcome, event.duration_ms
        self._dirty.status = self._dirty.tools = True

    def rest(self, now_ms: float) -> None:
        """Close what is open: nothing goes on any more."""
        self._end_stream(now_ms)
        self.blocks.finish_all()
        self.has_turn, self.retry, self.talk = False, None, ""

    def clear(self) -> None:
        """Forget everything that was said."""
        self.blocks.clear()
        self.turns = []
        self.talk = ""
