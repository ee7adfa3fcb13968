"""Publish and subscribe: the engine's one way of telling anybody anything.

`publish` never blocks and never raises. Those who listen come in two kinds:

- Followers are parts of the engine that keep books: they are called with the events they name before `publish` returns, each
  event as the engine said it, in the order of publication.
- Subscribers are everybody else. Each has a queue of its own, merged while it waits: text deltas of an agent's block join, the
  progress of a tool or job keeps its newest, everything else is kept as it came. A slow subscriber's queue therefore grows with
  the number of facts, not with the number of tokens. What subscribers get has passed the redaction first.

What a listener raises is told to the others as a notice, and the engine goes on.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, replace
from typing import Final

from tui_agent.events import Event, JobProgressed, Notice, TextDelta, ThinkingDelta, ToolInputDelta, ToolProgressed

__all__ = ["AgentPublisher", "Bus", "Subscription"]

Clock = Callable[[], float]
Redact = Callable[[Event], Sequence[Event]]
Follow = Callable[[Event], object]
_HEADER: Final = frozenset(field.name for field in fields(Event))
_OWN_FIELDS: dict[type[Event], tuple[str, ...]] = {}


class Bus:
    """One session's events. `wall` gives seconds since the epoch, `monotonic` seconds on a clock that never goes back.

    `redact` gets each event, in order, and returns what subscribers get instead of it, which may be several or nothing.
    """

    def __init__(
        self,
        session_id: str,
        *,
        redact: Redact = lambda event: (event,),
        wall: Clock = time.time,
        monotonic: Clock = time.monotonic,
    ) -> None:
        self.session_id = session_id
        self._redact = redact
        self._wall = wall
        self._monotonic = monotonic
        self._seq = 0
        self._subscriptions: list[Subscription] = []
        self._followers: dict[type[Event], list[tuple[str, Follow]]] = {}
        self._unfollowed: deque[Event] = deque()
        self._is_telling_followers = False
        self._failed_followers: set[str] = set()

    def publish(self, event: Event) -> Event:
        """Stamp `event`, queue it for every subscriber, tell its followers, and return the stamped one, the last if several.

        Call it from the event loop's thread.
        """
        stamped = event
        for item in self._redacted(event):
            stamped = self._publish(item)
        if type(event) in self._followers:
            self._unfollowed.append(event)
            self._tell_followers()
        return stamped

    def follow(self, name: str, kinds: Iterable[type[Event]], take: Follow) -> None:
        """Have `take` called with each event of exactly these types that is published from now on; recorded ones are not.

        What it publishes itself is queued at once, and told to followers when this event has been told to all of them.
        """
        for kind in kinds:
            self._followers.setdefault(kind, []).append((name, take))

    def _redacted(self, event: Event) -> Sequence[Event]:
        try:
            return self._redact(event)
        except Exception as error:  # noqa: BLE001 - what cannot be redacted is shown to nobody
            text = (
                f"Internal error: {type(event).__name__} could not be redacted and is not shown: {type(error).__name__}"
            )
            return (Notice(level="error", text=text),)

    def _tell_followers(self) -> None:
        if self._is_telling_followers:
            return
        self._is_telling_followers = True
        try:
            while self._unfollowed:
                event = self._unfollowed.popleft()
                for name, take in self._followers[type(event)]:
                    try:
                        take(event)
                    except Exception as error:  # noqa: BLE001 - a follower's fault must not stop the engine; it is told
                        self._report_follower(name, event, error)
        finally:
            self._is_telling_followers = False

    def _report_follower(self, name: str, event: Event, error: Exception) -> None:
        """Tell of a follower that failed: once each, as one that fails at every event would fill the screen."""
        if name in self._failed_followers:
            return
        self._failed_followers.add(name)
        text = f"Internal error: {name} could not take {type(event).__name__}: {type(error).__name__}: {error}"
        self.publish(Notice(level="error", text=text))

    def for_agent(self, agent_id: str) -> AgentPublisher:
        """Return what publishes the events of one agent."""
        return AgentPublisher(self, agent_id)

    def _publish(self, event: Event) -> Event:
        self._seq += 1
        kind = type(event)
        names = _OWN_FIELDS.get(kind)
        if names is None:
            names = _OWN_FIELDS[kind] = tuple(field.name for field in fields(kind) if field.name not in _HEADER)
        # What `replace` does, without its look at each field: this is done for each token.
        stamped = kind(
            session_id=self.session_id,
            agent_id=event.agent_id,
            seq=self._seq,
            time=self._wall(),
            monotonic_ms=self._monotonic() * 1000,
            **{name: getattr(event, name) for name in names},
        )
        self._deliver(stamped)
        return stamped

    def republish(self, event: Event) -> None:
        """Queue a recorded event as it is, header included: replay and resume feed the same subscribers this way."""
        self._seq = max(self._seq, event.seq)
        self._deliver(event, is_recorded=True)

    def subscribe(
        self, name: str, on_ready: Callable[[], None] | None = None, *, is_live_only: bool = False
    ) -> Subscription:
        """Open a queue. `on_ready` must only arrange for a later `take`.

        It is called when the queue stops being empty, and again when the first fact joins deltas and progress that wait.

        `is_live_only` leaves recorded events out, for whoever wrote the record.
        """
        subscription = Subscription(name, on_ready, self._drop, is_live_only=is_live_only)
        self._subscriptions.append(subscription)
        return subscription

    @property
    def waiting(self) -> int:
        """How many entries subscribers have not taken yet, over all queues."""
        return sum(len(subscription) for subscription in self._subscriptions)

    def _drop(self, subscription: Subscription) -> None:
        if subscription in self._subscriptions:
            self._subscriptions.remove(subscription)

    def _deliver(self, event: Event, *, is_recorded: bool = False) -> None:
        for subscription in tuple(self._subscriptions):
            if is_recorded and subscription.is_live_only:
                continue
            try:
                subscription._put(event)  # noqa: SLF001 - the queue's writing end is for the bus alone
            except Exception as error:  # noqa: BLE001 - a subscriber's fault must not stop the engine; it is told to the others
                self._drop(subscription)
                self.publish(
                    Notice(
                        level="error",
                        text=f"{subscription.name} stopped listening after an error: {type(error).__name__}: {error}",
                    )
                )


class AgentPublisher:
    """Publishes events as those of the agent `agent_id`. Whatever works for an agent gets this one's `publish`."""

    def __init__(self, bus: Bus, agent_id: str) -> None:
        self.agent_id: Final = agent_id
        self._bus = bus

    def publish(self, event: Event) -> Event:
        """Do what `Bus.publish` does, with the agent's id in the header."""
        return self._bus.publish(replace(event, agent_id=self.agent_id) if self.agent_id else event)


Delta = TextDelta | ThinkingDelta | ToolInputDelta


def _delta_text(event: Delta) -> str:
    return event.partial_json if isinstance(event, ToolInputDelta) else event.text


class _Joined:
    """Deltas of one block that wait together; joined once, when they are taken."""

    __slots__ = ("last", "parts")

    def __init__(self, event: Delta) -> None:
        self.last = event
        self.parts = [_delta_text(event)]

    def add(self, event: Delta) -> None:
        self.last = event
        self.parts.append(_delta_text(event))

    def event(self) -> Event:
        if len(self.parts) == 1:
            return self.last
        text = "".join(self.parts)
        if isinstance(self.last, ToolInputDelta):
            return replace(self.last, partial_json=text)
        return replace(self.last, text=text)


class _Newest:
    """A tool's or a job's progress that waits; a newer one takes its place."""

    __slots__ = ("latest",)

    def __init__(self, event: ToolProgressed | JobProgressed) -> None:
        self.latest = event

    def event(self) -> Event:
        return self.latest


class Subscription:
    """The reading end of one subscriber's queue. Read it by `take`, or by `async for`; `close` ends both."""

    def __init__(
        self,
        name: str,
        on_ready: Callable[[], None] | None,
        on_close: Callable[[Subscription], None],
        *,
        is_live_only: bool,
    ) -> None:
        self.name: Final = name
        self.is_live_only: Final = is_live_only
        self._on_ready = on_ready
        self._on_close = on_close
        self._waiting: list[Event | _Joined | _Newest] = []
        self._mergeable: dict[tuple[type[Event], str, str], _Joined | _Newest] = {}
        self._has_facts = False
        self._ready = asyncio.Event()
        self._closed = False

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def has_facts(self) -> bool:
        """Whether more waits than pieces of texts and news of progress."""
        return self._has_facts

    def take(self) -> list[Event]:
        """Return what waits, oldest first, and empty the queue."""
        waiting, self._waiting = self._waiting, []
        self._mergeable.clear()
        self._has_facts = False
        self._ready.clear()
        return [item if isinstance(item, Event) else item.event() for item in waiting]

    async def wait(self) -> bool:
        """Wait until something can be taken; False when the subscription is closed and empty."""
        while not self._waiting:
            if self._closed:
                return False
            await self._ready.wait()
            self._ready.clear()
        return True

    def close(self) -> None:
        """Stop receiving. What waits can still be taken."""
        if not self._closed:
            self._closed = True
            self._on_close(self)
            self._ready.set()

    def _put(self, event: Event) -> None:
        had_facts = self._has_facts
        if self._merge(event):
            return
        self._ready.set()
        is_news = len(self._waiting) == 1 or self._has_facts != had_facts
        if is_news and self._on_ready is not None:
            self._on_ready()

    def _merge(self, event: Event) -> bool:
        """Queue `event`; True when it merged into one that waits already."""
        match event:
            case TextDelta(block_id=key) | ThinkingDelta(block_id=key) | ToolInputDelta(tool_use_id=key):
                found = self._mergeable.get((type(event), event.agent_id, key))
                if isinstance(found, _Joined):
                    found.add(event)
                    return True
                entry: _Joined | _Newest = _Joined(event)
            case ToolProgressed(tool_use_id=key) | JobProgressed(job_id=key):
                found = self._mergeable.get((type(event), event.agent_id, key))
                if isinstance(found, _Newest):
                    found.latest = event
                    return True
                entry = _Newest(event)
            case _:
                self._waiting.append(event)
                self._has_facts = True
                return False
        self._mergeable[type(event), event.agent_id, key] = entry
        self._waiting.append(entry)
        return False
