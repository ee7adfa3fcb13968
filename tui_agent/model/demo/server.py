"""The embedded server: the streamed Messages API on loopback, played from a scenario, as strict as the real one.

It serves the demo and the black-box tests alike: the real client talks to it over a real socket. It knows no tool and runs
nothing; it only answers. `DemoServer` lives in an event loop;
`thread` gives it one of its own.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Final

from tui_agent.model.demo.http import BadRequestError, ChunkedAnswer, Request, read_request, write_json
from tui_agent.model.demo.request_validation import RefusalError, check_headers, check_request
from tui_agent.model.demo.scenario import Scenario, ScriptedFault, ScriptedReply
from tui_agent.model.demo.script import ScenarioScript
from tui_agent.model.demo.template import TemplateError
from tui_agent.model.demo.wire import SentBlock, error_event, reply_events
from tui_agent.model.side_question import is_aside

__all__ = ["DemoServer", "Exchange"]

_ERROR_KINDS: Final = {
    400: "invalid_request_error", 401: "authentication_error", 403: "permission_error", 404: "not_found_error",
    413: "request_too_large", 429: "rate_limit_error", 500: "api_error", 529: "overloaded_error",
}  # fmt: skip


_MODELS_PATH: Final = "/v1/models"
_LISTED: Final = (
    ("claude-sonnet-5-5", "Claude Sonnet 5.5"),
    ("claude-opus-5-5", "Claude Opus 5.5"),
    ("demo-2", "The demo"),
)


@dataclass(slots=True)
class Exchange:
    """One request and what became of it.

    `raw` is the body as it came over the wire and `body` the same parsed. `status` is what was answered, `error` the refusal's
    text, `reply` the name of the scripted reply, `blocks` what was sent of it. `is_whole` says that everything was sent,
    which a fault or a client that hung up prevents.
    """

    raw: bytes
    headers: Mapping[str, str]
    body: dict[str, Any] | None = None
    status: int = 0
    error: str = ""
    reply: str = ""
    blocks: list[SentBlock] = field(default_factory=list)
    is_whole: bool = False


class DemoServer:
    """The server. `pace` scales every delay of the scenario: 1 as written, 0 as fast as possible.

    `variables` are for the scenario's templates (`cwd`: the folder the tools work in). `api_key` is the one key that is taken,
    None takes any. `names` are those it may be called by besides its own. `on_exchange` is called when an exchange is over.
    """

    def __init__(
        self,
        scenario: Scenario,
        host: str = "127.0.0.1",
        port: int = 0,
        *,
        variables: Mapping[str, str] | None = None,
        pace: float = 1.0,
        api_key: str | None = None,
        names: Collection[str] = (),
        on_exchange: Callable[[Exchange], None] | None = None,
    ) -> None:
        self.requests: list[Exchange] = []
        self._scenario = scenario
        self._script = ScenarioScript(scenario, variables)
        self._host = host
        self._port = port
        self._pace = pace
        self._api_key = api_key
        self._own_names = frozenset(("localhost", "127.0.0.1", host, *names))
        self._on_exchange = on_exchange
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self._faults_done: Counter[tuple[str, int]] = Counter()
        self._cached_tokens = 0
        self._thoughts: dict[str, list[str]] = {}  # by tool use: the thinking that led to it

    @property
    def base_url(self) -> str:
        """Where it listens, for `ANTHROPIC_BASE_URL`."""
        return f"http://{self._host}:{self._port}"

    async def start(self) -> None:
        """Listen.

        Raises:
            OSError: the port is taken.
        """
        self._server = await asyncio.start_server(self._serve, self._host, self._port)
        self._port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Hang up on everybody and stop listening."""
        if self._server is None:
            return
        self._server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        await self._server.wait_closed()
        self._server = None

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            while (request := await read_request(reader)) is not None and await self._answer(request, writer):
                pass
        except BadRequestError as error:
            with contextlib.suppress(ConnectionError):
                await self._refuse(
                    writer, RefusalError(error.status, _ERROR_KINDS.get(error.status, "api_error"), error.message)
                )
        except ConnectionError:
            pass  # the client hung up, as clients do when a user presses Esc
        except asyncio.CancelledError:
            pass  # `stop`; asyncio's streams would report a cancelled handler as an error of theirs
        finally:
            self._connections.discard(task)
            writer.close()

    async def _answer(self, request: Request, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; False when the connection is of no more use."""
        if (request.method, request.path) == ("GET", _MODELS_PATH):
            return await self._list_models(request, writer)
        exchange = Exchange(request.body, request.headers)
        self.requests.append(exchange)
        try:
            reply, values, body = self._read(request, exchange)
            return await self._play(reply, values, body, exchange, writer)
        except (RefusalError, TemplateError) as error:
            refusal = (
                error
                if isinstance(error, RefusalError)
                else RefusalError(500, "api_error", f"scenario {self._scenario.name}: {error}")
            )
            exchange.status, exchange.error = refusal.status, refusal.message
            await self._refuse(writer, refusal)
            return True
        finally:
            if self._on_exchange is not None:
                self._on_exchange(exchange)

    def _check_name(self, request: Request) -> None:
        name, _, port = request.headers.get("host", "").rpartition(":")
        if name not in self._own_names or port != str(self._port):
            # A page whose own name was made to lead here would send that name.
            raise RefusalError(403, "permission_error", "Host not allowed")

    def _read(self, request: Request, exchange: Exchange) -> tuple[ScriptedReply, dict[str, Any], dict[str, Any]]:
        self._check_name(request)
        if request.path != "/v1/messages":
            raise RefusalError(404, "not_found_error", f"Not found: {request.path}")
        if request.method != "POST":
            raise RefusalError(405, "invalid_request_error", "Method Not Allowed")
        check_headers(request.headers, self._api_key)
        try:
            parsed = json.loads(request.body)
        except ValueError as error:
            raise RefusalError(400, "invalid_request_error", f"The request body is not valid JSON: {error}") from error
        body = check_request(parsed)
        exchange.body = body
        self._check_thinking_is_kept(body)
        next_reply = self._script.answer_aside if is_aside(body) else self._script.next_reply
        reply, values = next_reply(body["messages"])
        exchange.reply = reply.name
        return _as_told(reply, body), values, body

    async def _list_models(self, request: Request, writer: asyncio.StreamWriter) -> bool:
        try:
            self._check_name(request)
            check_headers(request.headers, self._api_key, has_body=False)
        except RefusalError as error:
            await self._refuse(writer, error)
        else:
            listed = [{"type": "model", "id": name, "display_name": words} for name, words in _LISTED]
            await write_json(writer, 200, {"data": listed, "has_more": False}, {})
        return True

    async def _refuse(
        self, writer: asyncio.StreamWriter, refusal: RefusalError, headers: Mapping[str, str] | None = None
    ) -> None:
        error: dict[str, Any] = {
            "type": "error",
            "error": {"type": refusal.kind, "message": refusal.message},
            "request_id": _request_id(),
        }
        await write_json(writer, refusal.status, error, {"request-id": error["request_id"], **(headers or {})})

    async def _play(
        self,
        reply: ScriptedReply,
        values: dict[str, Any],
        body: dict[str, Any],
        exchange: Exchange,
        writer: asyncio.StreamWriter,
    ) -> bool:
        fault = self._next_fault(reply)
        if fault is not None and fault.kind == "status":
            exchange.status, exchange.error = fault.status, "scripted fault"
            kind = _ERROR_KINDS.get(fault.status, "api_error")
            headers = {"retry-after": fault.retry_after} if fault.retry_after else {}
            message = fault.message or kind.removesuffix("_error").replace("_", " ").capitalize()
            await self._refuse(writer, RefusalError(fault.status, kind, message), headers)
            return True
        frames = reply_events(
            reply, values, model=body["model"], pace=self._scenario.pace, usage=self._usage(exchange.raw)
        )
        first = next(frames)  # a template that cannot be filled in is a 500 as long as nothing was sent
        exchange.status = 200
        answer = ChunkedAnswer(writer)
        await answer.start("text/event-stream; charset=utf-8", {"request-id": _request_id()})
        thoughts: list[str] = []
        number = 0
        for number, frame in enumerate(chain([first], frames)):
            if fault is not None and number == fault.after_events and not await self._misbehave(fault, answer, writer):
                return fault.kind == "error_event"
            if frame.delay_s and self._pace:
                await asyncio.sleep(frame.delay_s * self._pace)
            elif number % 50 == 49:
                await asyncio.sleep(0)  # sending never waits while the client keeps up; others want their turn, too
            if frame.ends is not None:
                frame.ends.stopped_ms = time.monotonic() * 1000
                exchange.blocks.append(frame.ends)
                if frame.ends.kind == "thinking":
                    thoughts.append(frame.ends.content)
                elif frame.ends.kind == "tool_use":
                    self._thoughts[frame.ends.tool_use_id] = list(thoughts)
            await answer.send(frame.data)
        if fault is not None and number < fault.after_events and not await self._misbehave(fault, answer, writer):
            return fault.kind == "error_event"
        exchange.is_whole = True  # before the client can know it
        await answer.finish()
        return True

    async def _misbehave(self, fault: ScriptedFault, answer: ChunkedAnswer, writer: asyncio.StreamWriter) -> bool:
        """Do what the fault says; whether the reply goes on afterwards."""
        match fault.kind:
            case "silence":
                await asyncio.sleep(fault.seconds)
                return True
            case "error_event":
                await answer.send(error_event(fault.error, fault.message or "scripted fault"))
                await answer.finish()
            case _:
                writer.transport.abort()
        return False

    def _next_fault(self, reply: ScriptedReply) -> ScriptedFault | None:
        for number, fault in enumerate(reply.faults):
            key = (reply.name, number)
            if self._faults_done[key] < fault.times:
                self._faults_done[key] += 1
                return fault
        return None

    def _usage(self, raw: bytes) -> dict[str, int]:
        """Count the input at four bytes a token; what the last request held counts as read from the cache."""
        total = len(raw) // 4
        read = min(self._cached_tokens, total) if b'"cache_control"' in raw else 0
        self._cached_tokens = total
        return {
            "input_tokens": min(12, total - read),
            "cache_read_input_tokens": read,
            "cache_creation_input_tokens": max(0, total - read - 12),
        }

    def _check_thinking_is_kept(self, body: Mapping[str, Any]) -> None:
        """While a turn's tools are answered, the thinking that led to them must come back (not so in adaptive thinking)."""
        if (body.get("thinking") or {}).get("type") != "enabled" or len(body["messages"]) < 2:
            return
        number = len(body["messages"]) - 2
        content = body["messages"][number]["content"]
        blocks = [] if isinstance(content, str) else content
        kept = {block["thinking"] for block in blocks if block["type"] == "thinking"}
        for block in blocks:
            if block["type"] == "tool_use" and not kept.issuperset(self._thoughts.get(block["id"], ())):
                raise RefusalError(
                    400,
                    "invalid_request_error",
                    f"messages.{number}.content.0.type: Expected `thinking` or `redacted_thinking`, but found "
                    f"`{blocks[0]['type']}`. When `thinking` is enabled, the last `assistant` message must keep its thinking.",
                )


def _as_told(reply: ScriptedReply, body: Mapping[str, Any]) -> ScriptedReply:
    """Return the reply without its thinking, where the request says so."""
    if (body.get("thinking") or {}).get("type") not in ("disabled", "between_tools"):
        return reply
    return replace(reply, blocks=tuple(block for block in reply.blocks if block.kind != "thinking"))


def _request_id() -> str:
    return f"req_{secrets.token_hex(12)}"
