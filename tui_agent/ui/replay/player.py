"""The engine's place in a replay: what it would be asked, answered from a recording.

The recording takes the place of the engine. Its clock is the recorded one, so that times, bars and spinners say what they
said then, however fast it is played; questions it asks can be read, and answering them changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tui_agent.bus import Bus
from tui_agent.conversation_fold import events_of
from tui_agent.events import Event, ModeChanged, ModelChanged, Notice, SessionStarted
from tui_agent.permissions.modes import MODES, Mode
from tui_agent.permissions.verdict import Decision, Verdict
from tui_agent.ui.replay.playback import Playback
from tui_agent.ui.replay.timeline import Timeline

if TYPE_CHECKING:
    from tui_agent.changes import FileChange
    from tui_agent.drafts import Draft
    from tui_agent.engine.files.change_history import ChangeHistory
    from tui_agent.tools.forms import Answers

__all__ = ["Player"]


class Player:
    """An engine that plays recorded events, by its `deck`.

    Args:
        events: what was recorded, oldest first.
        speed: in times of the recorded one; None plays all at once.
        problems: what is missing from the recording; told before it begins.
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
    ) -> None:
        self._events = tuple(events)
        self._is_still = speed is None
        self._fed_ms: float | None = None  # the time of what came from elsewhere than the tape
        tape = Timeline([*map(_left_out, problems), *self._events])
        self._beginning = tape.parse(at) if at is not None else (tape.total, len(tape)) if self._is_still else (0.0, 0)
        session = self._events[0].session_id if self._events else ""
        self.bus = Bus(session, wall=lambda: self._events[-1].time, monotonic=lambda: self.now_ms() / 1000)
        self.deck = Playback(tape, self.bus.republish, speed=speed or 1.0)

    def now_ms(self) -> float:
        """Milliseconds on the recorded clock."""
        return self.deck.recorded_ms if self._fed_ms is None else self._fed_ms

    # --- playing -----------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Play from where it is to begin; or show that place, and stand still."""
        self.deck.go(*self._beginning)
        if not self._is_still:
            self.deck.play()

    def _give(self, event: Event) -> None:
        """Give an event that is not on the tape."""
        self._fed_ms = event.monotonic_ms
        self.bus.republish(event)

    # --- what an engine is asked -------------------------------------------------------------------------------------

    @property
    def id(self) -> str:
        """The recorded session's id."""
        return self.bus.session_id

    @property
    def mode(self) -> Mode:
        """The mode the recording ended in."""
        named = [event.mode for event in events_of(self._events) if isinstance(event, SessionStarted | ModeChanged)]
        return next((mode for mode in MODES if named and mode == named[-1]), "default")

    @property
    def model(self) -> str:
        """The model the recording ended with."""
        named = [event.model for event in events_of(self._events) if isinstance(event, SessionStarted | ModelChanged)]
        return named[-1] if named else ""

    @property
    def is_busy(self) -> bool:
        """Nothing runs in a recording."""
        return False

    def submit(self, message: str | Draft) -> str:  # noqa: ARG002 - an engine's signature
        """Say that nobody listens."""
        self.bus.publish(
            Notice(level="info", text="This is a recording: nobody is there to answer.", hint="^q leaves it.")
        )
        return ""

    def answer(self, request_id: str, decision: Decision) -> bool:  # noqa: ARG002
        """What was asked is long settled."""
        return False

    def proposals(self, request_id: str) -> tuple[FileChange, ...]:  # noqa: ARG002
        """A recording holds hunks, not the texts to apply them to."""
        return ()

    def answer_form(self, request_id: str, answers: Answers | None) -> bool:  # noqa: ARG002
        """What was asked is long answered."""
        return False

    def judge(self, request_id: str, input: dict[str, Any]) -> Verdict:  # noqa: ARG002
        """Nothing is judged in a recording."""
        return Verdict(behavior="deny", by="default", reason="this is a recording")

    @property
    def hooks(self) -> None:
        """No hook runs in a recording."""

    @property
    def change_history(self) -> ChangeHistory | None:
        """A recording has no files that could be put back."""
        return None

    @property
    def permissions(self) -> None:
        """Nothing is judged in a recording."""

    @property
    def tool_names(self) -> Sequence[tuple[str, str]]:
        """Nothing can be run in a recording."""
        return ()

    def run_tool(self, line: str) -> str:  # noqa: ARG002
        """Nothing is run in a recording."""
        return "This is a recording: nothing can be run in it."

    def run_shell(self, command: str) -> str:  # noqa: ARG002
        """Nothing is run in a recording."""
        return "This is a recording: nothing can be run in it."

    def take_back(self) -> list[Draft]:
        """Nothing waits."""
        return []

    def interrupt(self) -> None:
        """Nothing runs."""

    def plan(self) -> None:
        """Nothing can be approved in a recording."""

    def plan_edited(self) -> None:
        """Nothing can be approved in a recording."""

    @property
    def masking(self) -> None:
        """A recording is as it was masked when it was made."""

    def set_masking(self, is_on: bool) -> None:
        """A recording is as it was masked when it was made."""

    def set_mode(self, mode: Mode) -> None:
        """What was recorded stays."""

    def cycle_mode(self) -> None:
        """What was recorded stays."""

    def set_model(self, model: str) -> None:
        """What was recorded stays."""

    @property
    def is_thinking(self) -> bool:
        """No model thinks about a recording."""
        return False

    def set_thinking(self, is_on: bool) -> None:
        """What was recorded stays."""

    def set_spending_limit(self, usd: float | None) -> None:
        """A recording costs nothing."""

    async def context_report(self) -> None:
        """Nothing is sent in a recording."""

    async def drop_result(self, tool_use_id: str) -> str:  # noqa: ARG002
        """Nothing is sent in a recording."""
        return "This is a recording: nothing is sent to a model."

    def stop_tool(self, tool_use_id: str) -> None:
        """Nothing runs."""

    def stop_job(self, job_id: str) -> None:
        """Nothing runs."""

    def move_to_background(self, tool_use_id: str) -> None:
        """Nothing runs."""

    def clear(self) -> None:
        """What was recorded stays."""

    @property
    def workspace(self) -> None:
        """A recording works in no folder of this machine."""

    @property
    def settings(self) -> None:
        """Nothing is set in a recording."""

    async def reload_settings(self) -> None:
        """A recording has no settings."""

    async def refresh(self) -> None:
        """What surrounded a recording is in the recording."""

    async def wait_idle(self) -> None:
        """Return when the recording has been played."""
        await self.deck.wait()

    async def close(self) -> None:
        """Stop playing."""
        self.deck.pause()


def _left_out(problem: str) -> Notice:
    return Notice(level="warning", text=f"Left out of this recording: {problem}")
