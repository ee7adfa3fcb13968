"""The engine as a front end has it: commands in, events out, answers to queries. All three are plain data.

The app, headless runs, replays and other processes use nothing else of it. `engine.opening` makes a session's; a replay and the
tests bring their own. Nothing heavy is imported here, so that the first frame need not wait for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Generator
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeVar, cast

if TYPE_CHECKING:
    from tui_agent.bus import Subscription
    from tui_agent.commands.command import Command, Reply
    from tui_agent.queries.query import Query

__all__ = ["Backend", "Engine", "Pending"]

T = TypeVar("T")


class Pending(Generic[T]):
    """A value that is there already, or will be. It may be awaited, given to `then`, or ignored.

    Awaiting one that is done does not give the event loop a turn.
    """

    __slots__ = ("_task", "_value")

    def __init__(self, value: T | None = None, task: asyncio.Task[T] | None = None) -> None:
        """Made by `of` or `running`."""
        self._value: Final = value
        self._task: Final = task

    @classmethod
    def of(cls, value: T) -> Pending[T]:
        """Return one that is done."""
        return cls(value)

    @classmethod
    def running(cls, work: Coroutine[Any, Any, T]) -> Pending[T]:
        """Start `work` in the running loop and return what it will give. Cancelling who awaits it cancels the work."""
        task = asyncio.get_running_loop().create_task(work)
        _KEPT.add(task)
        task.add_done_callback(_KEPT.discard)
        return cls(task=task)

    @property
    def is_done(self) -> bool:
        """Whether the value is there, or can be no more."""
        return self._task is None or self._task.done()

    def result(self) -> T:
        """Return the value.

        Raises:
            asyncio.InvalidStateError: it is not there yet.
            BaseException: what the work has raised.
        """
        return cast("T", self._value) if self._task is None else self._task.result()

    def then(self, take: Callable[[T], object]) -> None:
        """Give the value to `take`: at once where it is there, else when it is. Cancelled work gives none."""
        if self.is_done:
            take(self.result())
            return
        assert self._task is not None

        def done(task: asyncio.Task[T]) -> None:
            if not task.cancelled():
                take(task.result())

        self._task.add_done_callback(done)

    def __await__(self) -> Generator[Any, None, T]:
        if self._task is None:
            return cast("T", self._value)
        return (yield from self._task.__await__())


# A task that nobody keeps may be collected before it ends.
_KEPT: Final[set[asyncio.Task[Any]]] = set()

R = TypeVar("R")
A = TypeVar("A")


class Backend(Protocol):
    """What takes commands and answers queries: an engine, or what there is of one before a session is chosen."""

    def send(self, command: Command[R]) -> Pending[Reply[R]]:
        """Do what a command says. Within one process it has taken effect on return, unless it is one that takes time.

        What it leads to arrives as events; a command that is refused changes nothing, and the reply says why.
        """
        ...

    def query(self, query: Query[A]) -> Pending[A]:
        """Answer a query. Within one process the answer is there on return, unless it takes files or programs to give it."""
        ...


class Engine(Backend, Protocol):
    """One conversation, as a front end drives it."""

    def subscribe(
        self, name: str, on_ready: Callable[[], None] | None = None, *, is_live_only: bool = False
    ) -> Subscription:
        """Open a queue of events, as `Bus.subscribe` does."""
        ...
