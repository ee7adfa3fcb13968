"""When the screen takes in what happened: once a frame, and only while something waits. An idle app has no timer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Protocol

from tui_agent.ui.projection.backlog import Backlog
from tui_agent.ui.projection.frame_pacing import FramePacer

if TYPE_CHECKING:
    from textual.app import App

    from tui_agent.bus import Subscription
    from tui_agent.events import Event

__all__ = ["EventSource", "FrameScheduler"]


class EventSource(Protocol):
    """What publishes events: an engine."""

    def subscribe(self, name: str, on_ready: Callable[[], None] | None = None) -> Subscription:
        """Open a queue of events."""
        ...


class FrameScheduler:
    """Takes what an engine publishes and gives it to `draw`, in the app's own turn; what `draw` raises goes to `report`."""

    def __init__(
        self, app: App[object], draw: Callable[[Iterable[Event]], None], report: Callable[[Exception], None]
    ) -> None:
        self.pace = FramePacer()
        self.backlog = Backlog()
        self._app = app
        self._draw = draw
        self._report = report
        self._subscription: Subscription | None = None
        self._due: asyncio.TimerHandle | None = None

    @property
    def is_listening(self) -> bool:
        """Whether what is published reaches the screen."""
        return self._subscription is not None

    @property
    def is_behind(self) -> bool:
        """Whether events wait that the screen does not show yet."""
        return bool(self.backlog) or bool(self._subscription)

    def listen(self, source: EventSource) -> None:
        """Take in what this engine publishes, and what the one before published no more."""
        if self._subscription is not None:
            self._subscription.close()
            self.backlog = Backlog()
        self._subscription = source.subscribe("screen", self._wake)

    def add(self, event: Event) -> None:
        """Take in something of the front end's own, after what waits."""
        self.backlog.add([*(self._subscription.take() if self._subscription is not None else ()), event])
        self._wake()

    def take_in_whole(self) -> None:
        """Take in whatever waits at once, by no clock: what a picture shows must not depend on how fast the machine was."""
        self.backlog = Backlog(clock=lambda: 0.0)

    def take_rest(self) -> list[Event]:
        """Return all that waits, which no frame will draw then."""
        rest = list(self.backlog.rest())
        if self._subscription is not None:
            rest += self._subscription.take()
        return rest

    def close(self) -> None:
        """Draw no more frames."""
        if self._due is not None:
            self._due.cancel()

    def _wake(self) -> None:
        """Events wait: take them with the next frame, facts and the rest of a slice with an early one, a recording at once."""
        is_pressing = bool(self.backlog) or (self._subscription is not None and self._subscription.has_facts)
        wait = 0.0 if self.backlog.is_long else self.pace.wait(is_pressing=is_pressing)
        loop = asyncio.get_running_loop()
        if self._due is not None:
            if loop.time() + wait >= self._due.when():
                return
            self._due.cancel()
        # Not a timer of Textual's: it leaves out a tick for which it comes too late, and this one must not be lost.
        self._due = loop.call_later(wait, self._app.call_next, self._frame)

    def _frame(self) -> None:
        self._due = None
        self.pace.begin()
        if self._subscription is None:
            return
        self.backlog.add(self._subscription.take())
        try:
            with self.pace.drawing():
                self._draw(self.backlog.slice())
        except Exception as error:  # noqa: BLE001 - a fault in drawing must not take the session with it
            self._report(error)
        if self.backlog:
            self._wake()
