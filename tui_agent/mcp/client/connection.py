"""One connection to one server. A task of its own opens, holds and closes it: what the SDK opens has to be closed there.

Calls come from any task: each is raced against the end of the connection, so that whatever takes it down fails the calls that
wait, and nothing else.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar, cast

import mcp_types as types
from mcp.client import Client
from mcp.client.subscriptions import SubscriptionLost
from mcp.shared.exceptions import MCPError, UrlElicitationRequiredError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from tui_agent.mcp.catalog import Catalog
from tui_agent.mcp.client import answers
from tui_agent.mcp.client.callbacks import ServerCallbacks
from tui_agent.mcp.client.http import HttpFaults
from tui_agent.mcp.client.idle_limit import IdleLimit, seconds
from tui_agent.mcp.client.list_filter import ListFilter
from tui_agent.mcp.client.opening import Discovery, Surroundings, open_client
from tui_agent.mcp.client.reasons import leaves, reason
from tui_agent.mcp.faults import (
    CallTimeoutError,
    ConnectionLostError,
    McpFault,
    ServerError,
    SessionExpiredError,
    SignInNeededError,
)
from tui_agent.mcp.host import CallProgress, Elicitation
from tui_agent.mcp.log_tail import LogTail
from tui_agent.mcp.servers import Era, ServerConfig
from tui_agent.text import clean_line

__all__ = ["CallResult", "Connection"]

T = TypeVar("T")
_MOST_PAGES: Final = 100
_MOST_ENTRIES: Final = 2_000  # tools, resources or prompts of one server
_LIST_S: Final = 30.0
_LISTEN_AGAIN_S: Final = 5.0
_SESSION_GONE: Final = "Session terminated"  # the SDK's words for a 404 that answers a request of a session
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallResult:
    """What a tool answered: content blocks as the protocol has them, structured data, and whether it is an error."""

    content: tuple[Mapping[str, Any], ...] = ()
    structured: Any = None
    is_error: bool = False


class Connection:
    """A connection that `open` opens once and `close` closes. `log` keeps what the server says besides.

    `on_change` hears that a list may have changed: `tools`, `prompts` or `resources`.
    """

    def __init__(
        self,
        config: ServerConfig,
        surroundings: Surroundings,
        *,
        log: LogTail,
        prior: Discovery | None = None,
        on_change: Callable[[str], None] = lambda _what: None,
    ) -> None:
        self._config = config
        self._around = surroundings
        self._log = log
        self._prior = prior
        self._on_change = on_change
        self._faults = HttpFaults()
        self._dropped: list[str] = []
        self._filter = ListFilter(self._dropped.append)
        self._callbacks = ServerCallbacks(config.name, surroundings.host, log, on_change)
        self._client: Client | None = None
        self._stop = asyncio.Event()
        self._ended = asyncio.Event()  # the transport has no more to read
        self._gone = asyncio.Event()
        self._failure: McpFault | None = None
        self._owner: asyncio.Task[None] | None = None

    # --- from the beginning to the end -------------------------------------------------------------------------------

    async def open(self, timeout_s: float) -> None:
        """Connect, and agree on a revision of the protocol.

        Raises:
            McpFault: it cannot be done, or takes longer than `timeout_s` seconds.
        """
        opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._owner = asyncio.create_task(self._own(opened), name=f"MCP server {self._config.name}")
        try:
            async with asyncio.timeout(timeout_s):
                await asyncio.shield(opened)
        except TimeoutError:
            await self.close()
            raise ConnectionLostError(f"did not answer within {seconds(timeout_s)}") from None
        except asyncio.CancelledError:
            await self.close()
            raise

    async def close(self) -> None:
        """End the connection, and the server where it is a program of ours. May be called again."""
        self._stop.set()
        if self._owner is not None:
            if self._client is None:
                self._owner.cancel()
            await asyncio.wait([self._owner])

    @property
    def is_open(self) -> bool:
        """Whether calls can be made."""
        return self._client is not None and not self._ended.is_set() and not self._gone.is_set()

    async def wait_gone(self) -> McpFault | None:
        """Wait until the connection has ended; return why, None where it was closed from here."""
        await self._gone.wait()
        return self._failure

    async def _own(self, opened: asyncio.Future[None]) -> None:
        try:
            async with open_client(
                self._config,
                self._around,
                self._callbacks,
                prior=self._prior,
                lists=self._filter,
                faults=self._faults,
                log=self._log,
                on_end=self._ended.set,
            ) as client:
                self._filter.protocol = client.protocol_version
                self._client = client
                opened.set_result(None)
                listening = self._start_listening(client)
                try:
                    await self._wait_for_end()
                finally:
                    if listening is not None:
                        listening.cancel()
                        await asyncio.wait([listening])
        except asyncio.CancelledError:
            if not opened.done():
                opened.cancel()
        except BaseException as error:  # noqa: BLE001 - also groups of errors, which the SDK's task groups raise
            self._failure = self._fault(error)
            _log.debug("connection to %s ended", self._config.name, exc_info=True)
            if not opened.done():
                opened.set_exception(self._failure)
                opened.exception()  # nobody may be waiting any longer
        finally:
            self._client = None
            self._gone.set()

    async def _wait_for_end(self) -> None:
        """Wait until this end closes, or the other one has."""
        ended = asyncio.create_task(self._ended.wait())
        stopped = asyncio.create_task(self._stop.wait())
        try:
            await asyncio.wait([ended, stopped], return_when=asyncio.FIRST_COMPLETED)
            if not self._stop.is_set():
                raise ConnectionLostError("the connection ended")
        finally:
            for task in (ended, stopped):
                task.cancel()
            await asyncio.wait([ended, stopped])

    def _fault(self, error: BaseException) -> McpFault:
        """Return what has gone wrong in words for the user."""
        for inner in leaves(error):
            if isinstance(inner, McpFault):
                return inner
        if self._faults.wants_sign_in:
            return SignInNeededError(self._faults.last or "the server wants to know who asks")
        return ConnectionLostError(reason(error, self._faults.last))

    # --- lists that change -------------------------------------------------------------------------------------------

    def _start_listening(self, client: Client) -> asyncio.Task[None] | None:
        """Listen for changed lists, in the era in which a client has to ask for that."""
        said = client.server_capabilities
        wanted = {
            f"{what}_list_changed": True
            for what in ("tools", "prompts", "resources")
            if getattr(getattr(said, what), "list_changed", None)
        }
        if client.protocol_version not in MODERN_PROTOCOL_VERSIONS or not wanted:
            return None
        return asyncio.create_task(self._listen(client, wanted))

    async def _listen(self, client: Client, wanted: dict[str, bool]) -> None:
        while True:
            try:
                async with client.listen(**wanted) as changes:  # type: ignore[arg-type]
                    async for change in changes:
                        kind = type(change).__name__.lower()
                        self._on_change(next((what for what in ("prompts", "resources") if what in kind), "tools"))
            except (SubscriptionLost, TimeoutError):
                pass
            except (MCPError, RuntimeError):
                return  # the server does not have it after all
            await asyncio.sleep(_LISTEN_AGAIN_S)

    # --- what is asked of the server ---------------------------------------------------------------------------------

    @property
    def discovery(self) -> Discovery | None:
        """What to hand to the next connection; None in the older era, in which a server has to be asked anew."""
        client = self._client
        if client is None or client.session.discover_result is None:
            return None
        return Discovery(cast("Era", client.protocol_version), client.session.discover_result)

    async def tell_roots_changed(self) -> None:
        """Tell the server that the folders have changed, in the era in which it can be told."""
        client = self._client
        if client is not None and client.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            await self._guarded(client.send_roots_list_changed())

    async def catalog(self) -> Catalog:
        """Return all that the server has. What it has not is not asked for.

        Raises:
            McpFault: a list cannot be had.
        """
        client = self._connected()
        said = client.server_capabilities
        self._dropped.clear()
        tools = await self._pages(client.list_tools, "tools") if said.tools else []
        resources = await self._pages(client.list_resources, "resources") if said.resources else []
        templates: list[types.ResourceTemplate] = []
        if said.resources:
            with contextlib.suppress(ServerError):  # many have resources and no templates
                templates = await self._pages(client.list_resource_templates, "resource_templates")
        prompts = await self._pages(client.list_prompts, "prompts") if said.prompts else []
        info = client.server_info
        return Catalog(
            tools=tuple(map(answers.tool_info, tools)),
            resources=(*map(answers.resource_info, resources), *map(answers.template_info, templates)),
            prompts=tuple(map(answers.prompt_info, prompts)),
            instructions=answers.short(client.instructions),
            server_name=clean_line(info.name, 100) if info else "",
            server_version=clean_line(info.version, 60) if info else "",
            protocol=client.protocol_version,
            has_resources=said.resources is not None,
            problems=tuple(dict.fromkeys(self._dropped)),
        )

    async def _pages(self, ask: Callable[..., Awaitable[Any]], key: str) -> list[Any]:
        found: list[Any] = []
        cursor: str | None = None
        for _ in range(_MOST_PAGES):
            page = await self._guarded(ask(cursor=cursor, cache_mode="refresh"), timeout_s=_LIST_S)
            found += getattr(page, key)
            cursor = page.next_cursor
            if cursor is None or len(found) >= _MOST_ENTRIES:
                break
        if len(found) > _MOST_ENTRIES or cursor is not None:
            self._dropped.append(f"The server lists more than {_MOST_ENTRIES:,} {key}; the rest was left out.")
        return found[:_MOST_ENTRIES]

    async def call_tool(
        self,
        name: str,
        arguments: dict[str, Any],
        *,
        timeout_s: float,
        idle_s: float,
        on_progress: Callable[[CallProgress], None] = lambda _progress: None,
    ) -> CallResult:
        """Call a tool. Cancelling the caller cancels the call at the server.

        Args:
            name: the tool's, as the server has it.
            arguments: its input.
            timeout_s: how long it may take altogether.
            idle_s: how long it may be silent: without progress.
            on_progress: hears how far it is.

        Raises:
            McpFault: there is no result.
        """
        client = self._connected()
        clock = IdleLimit(idle_s)

        async def told(progress: float, total: float | None, message: str | None) -> None:
            clock.touch()
            on_progress(CallProgress(done=progress, total=total, message=clean_line(message or "", 300)))

        async def call() -> types.CallToolResult:
            try:
                return await client.call_tool(name, arguments, progress_callback=told)
            except MCPError as error:
                if error.code != types.URL_ELICITATION_REQUIRED or not await self._visit(error):
                    raise
                return await client.call_tool(name, arguments, progress_callback=told)

        result = await self._guarded(clock.watch(call()), timeout_s=timeout_s)
        return CallResult(
            content=answers.blocks(result.content),
            structured=result.structured_content,
            is_error=bool(result.is_error),
        )

    async def _visit(self, error: MCPError) -> bool:
        """Put the addresses to the user that a server wants visited first; whether they agreed to all."""
        try:
            wanted = UrlElicitationRequiredError.from_error(error.error).elicitations
        except (ValueError, TypeError):
            return False
        for one in wanted[:5]:
            asked = Elicitation(message=answers.short(one.message, 2000), url=one.url)
            if (await self._around.host.elicit(self._config.name, asked)).action != "accept":
                return False
        return bool(wanted)

    async def read_resource(self, uri: str) -> tuple[Mapping[str, Any], ...]:
        """Return the contents of a resource, as the protocol has them: `text` or `blob` (base64), with address and kind.

        Raises:
            McpFault: it cannot be read.
        """
        result = await self._guarded(self._connected().read_resource(uri), timeout_s=_LIST_S * 2)
        return answers.blocks(result.contents)

    async def get_prompt(self, name: str, arguments: dict[str, str]) -> tuple[tuple[str, Mapping[str, Any]], ...]:
        """Return the messages of a prompt: role and content block.

        Raises:
            McpFault: it cannot be had.
        """
        result = await self._guarded(self._connected().get_prompt(name, arguments), timeout_s=_LIST_S * 2)
        return tuple((message.role, answers.blocks([message.content])[0]) for message in result.messages)

    def _connected(self) -> Client:
        if self._client is None or self._gone.is_set():
            raise self._failure or ConnectionLostError("the connection is closed")
        return self._client

    async def _guarded(self, work: Awaitable[T], *, timeout_s: float | None = None) -> T:
        """Return what `work` gives, unless the connection ends first or time runs out.

        Raises:
            McpFault: it gives nothing.
        """
        task = asyncio.ensure_future(work)
        gone = asyncio.create_task(self._gone.wait())
        try:
            await asyncio.wait([task, gone], timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return self._result(task)
            if self._gone.is_set():
                raise self._failure or ConnectionLostError("the connection was closed")
            raise CallTimeoutError(f"gave no answer within {seconds(timeout_s or 0)}")
        finally:
            gone.cancel()
            if not task.done():
                task.cancel()
                await asyncio.wait([task])
            elif not task.cancelled():
                task.exception()

    def _result(self, task: asyncio.Future[T]) -> T:
        try:
            return task.result()
        except asyncio.CancelledError:
            raise ConnectionLostError("the call was dropped") from None
        except MCPError as error:
            if self._faults.wants_sign_in:
                raise SignInNeededError(self._faults.last) from error
            if error.code == types.INVALID_REQUEST and error.message == _SESSION_GONE:
                raise SessionExpiredError("has forgotten the session") from error
            if error.code == types.CONNECTION_CLOSED:
                raise ConnectionLostError(clean_line(error.message, 500) or "the connection ended") from error
            raise ServerError(clean_line(error.message, 2000) or f"error {error.code}") from error
        except ValidationError as error:
            first = error.errors()[0]
            raise ServerError(f"answered against the protocol: {clean_line(str(first['msg']), 300)}") from error
        except (RuntimeError, ValueError, TypeError) as error:  # a result that breaks its own schema, endless questions
            raise ServerError(clean_line(str(error), 500)) from error
