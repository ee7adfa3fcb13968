"""One server while a session runs: connected in the background, closed when it is idle, and back on the next call.

The connection may come and go; what the server has (`catalog`) stays, and so do its tools. The SDK is imported with the first
connection, in a thread.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import random
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

from tui_agent.mcp.catalog import Catalog
from tui_agent.mcp.faults import ConnectionLostError, McpFault, SessionExpiredError, SignInNeededError
from tui_agent.mcp.host import CallProgress
from tui_agent.mcp.log_tail import LogTail
from tui_agent.mcp.servers import ServerConfig, Stdio

if TYPE_CHECKING:
    from tui_agent.mcp.client.connection import CallResult, Connection
    from tui_agent.mcp.client.opening import Discovery, Surroundings

__all__ = ["ManagedServer", "ServerState", "Timing"]

T = TypeVar("T")
# `idle`: closed as nobody used it; `held`: it may not start, and `reason` says why.
ServerState = Literal["held", "off", "connecting", "connected", "idle", "sign-in", "failed"]
_FIRST_TRIES: Final = 3
_TRIES: Final = 5  # to come back to a remote server that was lost
_FIRST_PAUSE_S: Final = 1.0
_CHANGES_PAUSE_S: Final = 0.1  # a server that changes much tells of it often


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """Limits, in seconds. `call_s` is for a whole call, `silent_…` for one without progress; `idle_s` 0: never close."""

    connect_s: float = 30.0
    call_s: float = 100_000.0
    silent_remote_s: float = 300.0
    silent_stdio_s: float = 1800.0
    idle_s: float = 300.0
    pause_s: float = _FIRST_PAUSE_S
    tries: int = _FIRST_TRIES  # to connect to a remote server for the first time


class ManagedServer:
    """A server and its connection. `surroundings` makes what a connection needs, in a thread's time; it may import the SDK.

    `on_change` hears that state, catalog or both are different now.
    """

    def __init__(
        self,
        config: ServerConfig,
        surroundings: Callable[[], Surroundings],
        timing: Timing,
        *,
        on_change: Callable[[ManagedServer], None] = lambda _server: None,
    ) -> None:
        self.config: Final = config
        self.log: Final = LogTail()
        self.state: ServerState = "off"
        self.reason = ""
        self.catalog: Catalog | None = None
        self._surroundings = surroundings
        self._timing = timing
        self._on_change = on_change
        self._connection: Connection | None = None
        self._prior: Discovery | None = None
        self._opening: asyncio.Task[Connection] | None = None
        self._tasks: set[asyncio.Task[Any]] = set()
        self._refreshing: asyncio.Task[None] | None = None
        self._idle_timer: asyncio.TimerHandle | None = None
        self._calls = 0
        self._is_closed = False

    # --- state -------------------------------------------------------------------------------------------------------

    def hold(self, reason: str, *, is_off: bool = False) -> None:
        """Do not start it, and say why."""
        self._set("off" if is_off else "held", reason)

    def _set(self, state: ServerState, reason: str = "") -> None:
        if (state, reason) != (self.state, self.reason):
            self.state, self.reason = state, reason
            self._on_change(self)

    @property
    def is_remote(self) -> bool:
        """Whether it is at an address, and may come back by itself."""
        return not isinstance(self.config.reach, Stdio)

    # --- connecting --------------------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Connect for the first time. What goes wrong shows in the state."""
        self._is_closed = False
        await self._try(self._timing.tries if self.is_remote else 1)

    async def reconnect(self) -> None:
        """Close the connection if there is one, and make another. What goes wrong shows in the state."""
        await self._drop()
        self._prior = None
        await self._try(1)

    async def close(self) -> None:
        """End everything. It may be started again."""
        self._is_closed = True
        if self._idle_timer is not None:
            self._idle_timer.cancel()
        running = (*self._tasks, *((self._opening,) if self._opening is not None else ()))
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)  # what is being opened has to be closed, too
        await self._drop()

    async def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()

    async def _try(self, tries: int) -> bool:
        pause = self._timing.pause_s
        for left in range(tries - 1, -1, -1):
            try:
                await self._ensure()
            except SignInNeededError:
                return False
            except McpFault:
                if not left or self._is_closed:
                    return False
                await asyncio.sleep(pause * (1 + random.random() / 4))  # noqa: S311 - so that not all come back at once
                pause *= 2
            else:
                return True
        return False

    async def _ensure(self) -> Connection:
        """Return an open connection: the one there is, or a new one; whoever comes meanwhile waits for the same.

        Raises:
            McpFault: there is none.
        """
        if self._connection is not None and self._connection.is_open:
            return self._connection
        if self._is_closed:
            raise ConnectionLostError("is closed")
        if self._opening is None or self._opening.done():
            self._opening = asyncio.create_task(self._open())
        try:
            return await asyncio.shield(self._opening)
        except asyncio.CancelledError:
            if self._opening.cancelled():
                raise ConnectionLostError("is closed") from None
            raise

    async def _open(self) -> Connection:
        was_idle = self.state == "idle"
        if not was_idle:
            self._set("connecting")
        try:
            module = await asyncio.to_thread(importlib.import_module, "tui_agent.mcp.client.connection")
            around = await asyncio.to_thread(self._surroundings)
            connection: Connection = module.Connection(
                self.config, around, log=self.log, prior=self._prior, on_change=self._list_changed
            )
            await connection.open(self._timing.connect_s)
            try:
                if not was_idle or self.catalog is None:
                    self.catalog = await connection.catalog()
            except BaseException:
                await connection.close()
                raise
        except SignInNeededError as fault:
            self._set("sign-in", str(fault))
            raise
        except McpFault as fault:
            self.log.line(str(fault))
            self._set("failed", str(fault))
            raise
        self._connection = connection
        self._prior = connection.discovery
        self.state, self.reason = "connected", ""
        self._on_change(self)
        self._keep(self._watch(connection))
        self._arm()
        return connection

    async def _watch(self, connection: Connection) -> None:
        """When the connection is lost, say so; and come back to a remote server."""
        fault = await connection.wait_gone()
        if fault is None or connection is not self._connection or self._is_closed:
            return
        self._connection = None
        self._prior = None
        self.log.line(str(fault))
        self._set("sign-in" if isinstance(fault, SignInNeededError) else "failed", str(fault))
        if self.is_remote and not isinstance(fault, SignInNeededError):
            await asyncio.sleep(self._timing.pause_s)
            await self._try(_TRIES)

    # --- idle --------------------------------------------------------------------------------------------------------

    def _arm(self) -> None:
        """Close the connection when it has not been used for a while."""
        if self._idle_timer is not None:
            self._idle_timer.cancel()
            self._idle_timer = None
        if self._timing.idle_s and not self._calls and not self._is_closed:
            self._idle_timer = asyncio.get_running_loop().call_later(self._timing.idle_s, self._rest)

    def _rest(self) -> None:
        if self._connection is not None and not self._calls:
            self._set("idle")
            self._keep(self._drop())

    # --- lists that change -------------------------------------------------------------------------------------------

    def _list_changed(self, _what: str) -> None:
        if self._refreshing is None or self._refreshing.done():
            self._refreshing = self._keep(self._refresh())

    async def _refresh(self) -> None:
        """Read what the server has anew. What changes while that is done is read again."""
        await asyncio.sleep(_CHANGES_PAUSE_S)
        connection = self._connection
        if connection is None:
            return
        self._refreshing = None
        with contextlib.suppress(McpFault):
            catalog = await connection.catalog()
            if catalog != self.catalog and connection is self._connection:
                self.catalog = catalog
                self._on_change(self)

    # --- what is asked of it -----------------------------------------------------------------------------------------

    async def call_tool(
        self,
        name: str,
        arguments: dict[str, Any],
        on_progress: Callable[[CallProgress], None] = lambda _progress: None,
    ) -> CallResult:
        """Call a tool, as `Connection.call_tool`; connect first where there is no connection.

        Raises:
            McpFault: there is no result.
        """
        timing = self._timing

        async def call(connection: Connection) -> CallResult:
            return await connection.call_tool(
                name,
                arguments,
                timeout_s=self.config.timeout_ms / 1000 or timing.call_s,
                idle_s=timing.silent_remote_s if self.is_remote else timing.silent_stdio_s,
                on_progress=on_progress,
            )

        return await self._ask(call)

    async def read_resource(self, uri: str) -> tuple[Mapping[str, Any], ...]:
        """Return the contents of a resource, as `Connection.read_resource`.

        Raises:
            McpFault: it cannot be read.
        """
        return await self._ask(lambda connection: connection.read_resource(uri))

    async def get_prompt(self, name: str, arguments: dict[str, str]) -> tuple[tuple[str, Mapping[str, Any]], ...]:
        """Return the messages of a prompt, as `Connection.get_prompt`.

        Raises:
            McpFault: it cannot be had.
        """
        return await self._ask(lambda connection: connection.get_prompt(name, arguments))

    async def tell_roots_changed(self) -> None:
        """Tell the server that the folders have changed, where it is connected."""
        if self._connection is not None and self._connection.is_open:
            with contextlib.suppress(McpFault):
                await self._connection.tell_roots_changed()

    async def _ask(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        """Do something with an open connection, which is not closed for idleness meanwhile.

        A server that has restarted does not know the session; what it has not looked at is asked again in a new one.
        """
        if self.state in ("held", "off"):
            raise ConnectionLostError(self.reason or "is switched off")
        self._calls += 1
        try:
            try:
                return await work(await self._ensure())
            except SessionExpiredError:
                await self._drop()
                return await work(await self._ensure())
        finally:
            self._calls -= 1
            self._arm()

    def _keep(self, work: Any) -> asyncio.Task[Any]:  # noqa: ANN401 - any coroutine
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task
