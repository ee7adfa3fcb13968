"""The engine's place in a replay: what it would be asked, answered from a recording.

The recording takes the place of the engine. Its clock is the recorded one, so that times, bars and spinners say what they
said then, however fast it is played; questions it asks can be read, and answering them changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

from tui_agent.boundary import Backend, Pending
from tui_agent.bus import Bus, Subscription
from tui_agent.commands import (
    Close,
    Command,
    DeleteSession,
    Done,
    Interrupt,
    Interrupted,
    Reply,
    Start,
    Submit,
    TakeBack,
    TakenBack,
)
from tui_agent.conversation_fold import events_of
from tui_agent.events import Event, ModeChanged, ModelChanged, Notice, SessionStarted
from tui_agent.journal.export import as_markdown
from tui_agent.permissions.modes import MODES
from tui_agent.permissions.rule_notes import rule_notes
from tui_agent.permissions.verdict import Verdict
from tui_agent.queries import (
    CostQuery,
    CostReport,
    ExportQuery,
    Idle,
    IdleQuery,
    JudgeQuery,
    MarkdownExport,
    McpSettled,
    McpSettledQuery,
    ModelList,
    ModelsQuery,
    Proposals,
    ProposalsQuery,
    Query,
    RuleCheckQuery,
    RuleNotes,
    SessionList,
    SessionPreviewQuery,
    SessionQuery,
    SessionsQuery,
    SessionState,
    StateQuery,
    ToolList,
    ToolsQuery,
    TrialQuery,
)
from tui_agent.ui.replay.playback import Playback
from tui_agent.ui.replay.timeline import Timeline

__all__ = ["Player"]

R = TypeVar("R")
A = TypeVar("A")


class Player:
    """An engine that plays recorded events, by its `playback`.

    Args:
        events: what was recorded, oldest first.
        speed: in times of the recorded one; None plays all at once.
        problems: what is missing from the recording; told before it begins.
        sessions: what answers for other recorded sessions; without it there are none.
        at: where to begin, or with `speed` None to stand still: 1:23, 40%, turn 2 … as `Timeline.parse` reads it.

    Raises:
        PlaceError: `at` names no place of the recording.
    """

    def __init__(
        self,
        events: Sequence[Event],
        *,
        speed: float | None = None,
        problems: Sequence[str] = (),
        at: str | None = None,
        sessions: Backend | None = None,
    ) -> None:
        self._events = tuple(events)
        self._sessions = sessions
        self._is_still = speed is None
        self._fed_ms: float | None = None  # the time of what came from elsewhere than the timeline
        timeline = Timeline([*map(_left_out, problems), *self._events])
        self._beginning = (
            timeline.parse(at) if at is not None else (timeline.total, len(timeline)) if self._is_still else (0.0, 0)
        )
        session = self._events[0].session_id if self._events else ""
        self._bus = Bus(session, wall=lambda: self._events[-1].time, monotonic=lambda: self.now_ms() / 1000)
        self.playback = Playback(timeline, self._bus.republish, speed=speed or 1.0)

    def now_ms(self) -> float:
        """Milliseconds on the recorded clock."""
        return self.playback.recorded_ms if self._fed_ms is None else self._fed_ms

    # --- playing -----------------------------------------------------------------------------------------------------

    def _start(self) -> None:
        """Play from where it is to begin; or show that place, and stand still."""
        self.playback.go(*self._beginning)
        if not self._is_still:
            self.playback.play()

    def _give(self, event: Event) -> None:
        """Give an event that is not on the timeline."""
        self._fed_ms = event.monotonic_ms
        self._bus.republish(event)

    # --- what an engine is asked -------------------------------------------------------------------------------------

    def send(self, command: Command[R]) -> Pending[Reply[R]]:
        """Begin, or stop playing. Whatever else was to be done: nobody is there to do it."""
        match command:
            case Start():
                self._start()
            case Close():
                self.playback.pause()
            case Submit():
                hint = "^q leaves it."
                self._bus.publish(Notice(level="info", text="This is a recording: nothing can be sent.", hint=hint))
                return self._refuse()
            case DeleteSession() if self._sessions is not None:
                return cast("Pending[Reply[R]]", self._sessions.send(cast("Command[Any]", command)))
            case TakeBack():
                return cast("Pending[Reply[R]]", Pending.of(Reply(TakenBack(()))))
            case Interrupt():
                return cast("Pending[Reply[R]]", Pending.of(Reply(Interrupted())))
            case _:
                return self._refuse()
        return cast("Pending[Reply[R]]", Pending.of(Reply(Done())))

    @staticmethod
    def _refuse() -> Pending[Reply[R]]:
        return Pending.of(Reply(error="This is a recording: nothing can be done in it."))

    def query(self, query: Query[A]) -> Pending[A]:
        """Answer what is known of a recording; of the rest there is none."""
        answer: object = None
        match query:
            case StateQuery():
                answer = self._state()
            case ToolsQuery():
                answer = ToolList()
            case ModelsQuery():
                answer = ModelList(problem="this is a recording")
            case CostQuery():
                answer = CostReport()
            case ExportQuery() if query.session_id in ("", self._bus.session_id):
                answer = MarkdownExport(self._bus.session_id, as_markdown(self._events))
            case SessionsQuery() | SessionQuery() | SessionPreviewQuery() | ExportQuery() if self._sessions is not None:
                return cast("Pending[A]", self._sessions.query(cast("Query[Any]", query)))
            case SessionsQuery():
                answer = SessionList()
            case RuleCheckQuery():
                answer = RuleNotes(*rule_notes(query.text, query.behavior))
            case ProposalsQuery():
                answer = Proposals()  # it holds hunks, not the texts to apply them to
            case JudgeQuery() | TrialQuery():
                answer = Verdict(behavior="deny", by="default", reason="this is a recording")
            case McpSettledQuery():
                answer = McpSettled()
            case IdleQuery():
                return cast("Pending[A]", Pending.running(self._played()))
            case _:
                pass
        return cast("Pending[A]", Pending.of(answer))

    def subscribe(
        self, name: str, on_ready: Callable[[], None] | None = None, *, is_live_only: bool = False
    ) -> Subscription:
        """Open a queue of what is played."""
        return self._bus.subscribe(name, on_ready, is_live_only=is_live_only)

    def _state(self) -> SessionState:
        """Return where the recording ended."""
        own = tuple(events_of(self._events))
        modes = [event.mode for event in own if isinstance(event, SessionStarted | ModeChanged)]
        models = [event.model for event in own if isinstance(event, SessionStarted | ModelChanged)]
        return SessionState(
            session_id=self._bus.session_id,
            model=models[-1] if models else "",
            mode=next((mode for mode in MODES if modes and mode == modes[-1]), "default"),
            is_busy=False,
            is_thinking=False,
        )

    async def _played(self) -> Idle:
        await self.playback.wait()
        return Idle()


def _left_out(problem: str) -> Notice:
    return Notice(level="warning", text=f"Left out of this recording: {problem}")
