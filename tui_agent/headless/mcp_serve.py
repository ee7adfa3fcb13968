"""`tui-agent mcp serve`: this program's tools as an MCP server, for other agents and editors.

Each call goes through all eight stages: rules, modes, hooks, limits, masks. What would ask the user asks the client, by
elicitation; nothing that asks runs without a yes. In the newer era of the protocol, which has no way to ask in the middle of a
call, the call comes back as one that needs input, and is judged from the beginning when it comes again with the answer.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import hmac
import json
import secrets
from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from tui_agent import __version__
from tui_agent.changes import FileChange
from tui_agent.engine.inspection import PermissionBroker, SessionConfig, SessionCore, ToolRuntime
from tui_agent.execution.execution_context import PermissionQuestion
from tui_agent.execution.responders import ResponderAnswer, Responders
from tui_agent.execution.single_use import run_one
from tui_agent.headless.options import unrecorded
from tui_agent.headless.output import CliOutput
from tui_agent.headless.parsers import UsageError
from tui_agent.permissions.verdict import Decision, ToolCall, Verdict
from tui_agent.text import clean, clean_line, sound_json
from tui_agent.tools.base import PromptContext
from tui_agent.tools.inputs.schema import api_schema

if TYPE_CHECKING:
    import mcp_types as types
    from mcp.server.context import ServerRequestContext
    from mcp.server.lowlevel import Server

__all__ = ["ToolServer", "serve_tools"]

# They need a conversation, a user before a screen, or another model.
_NOT_SERVED: Final = frozenset({
    "Agent", "Architect", "AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "SendMessage", "Skill", "Sleep",
    "StickerRequest", "Think", "ToolSearch",
})  # fmt: skip
_ANSWER: Final = "permission"
_LONGEST_QUESTION: Final = 4000
_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"allow": {"type": "boolean", "title": "Allow this call?", "default": False}},
    "required": ["allow"],
}


@dataclass(slots=True)
class _Call:
    """How one call is asked about. `ask` puts a question to the client (None: it has to be asked by the result)."""

    ask: Callable[[str], Awaitable[bool]] | None = None
    is_allowed: bool = False
    question: str = ""
    asked: list[str] = field(default_factory=list)


_call: ContextVar[_Call] = ContextVar("mcp_call")


class _ClientGate:
    """Judges as always, and asks the client where the user would be asked."""

    def __init__(self, broker: PermissionBroker) -> None:
        self._broker = broker

    def decide(self, call: ToolCall, proposals: tuple[FileChange, ...]) -> Verdict:
        return self._broker.decide(call, proposals)

    async def ask(self, question: PermissionQuestion, rivals: Responders) -> ResponderAnswer:  # noqa: ARG002
        call = _call.get(_Call())
        if call.is_allowed:
            return ResponderAnswer(decision=Decision(behavior="allow"), by="person")
        text = _question(question)
        if call.ask is not None and await call.ask(text):
            return ResponderAnswer(decision=Decision(behavior="allow"), by="person")
        call.question = text
        return ResponderAnswer(decision=Decision(behavior="deny", message="It was not allowed."), by="person")


def _question(question: PermissionQuestion) -> str:
    shown = json.dumps(question.input, ensure_ascii=False, indent=1)
    cut = shown if len(shown) <= _LONGEST_QUESTION else f"{shown[:_LONGEST_QUESTION]}…"
    return clean(f"{question.name} asks for permission: {question.verdict.reason}\n{cut}")


class ToolServer:
    """The tools of one folder as a server of the SDK. Calls run one after the other, as they may change the same files."""

    def __init__(self, opening: SessionConfig) -> None:
        core = SessionCore.make(opening.settings, mode=opening.runtime.mode, may_bypass=opening.may_bypass)
        self._runtime = ToolRuntime(
            opening.runtime,
            core,
            results_dir=opening.folder.results,
            state_dir=opening.state,
            is_attended=False,
            takes_late_commands=False,
        )
        self._gate = _ClientGate(self._runtime.broker)
        self._one_at_a_time = asyncio.Lock()
        self._key: Final = secrets.token_bytes(32)

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong with the settings."""
        return self._runtime.problems

    async def close(self) -> None:
        """End what runs."""
        await self._runtime.jobs.close()
        await self._runtime.hooks.close()

    def server(self) -> Server[Any]:
        """Return the server. Imports the SDK."""
        from mcp.server.lowlevel import Server

        return Server(
            "tui-agent",
            version=__version__,
            title="tui-agent",
            instructions=f"Tools for the files in {self._runtime.workspace.root}. What needs permission asks you for it.",
            on_list_tools=self._list,
            on_call_tool=self._call,
        )

    async def _list(self, _ctx: ServerRequestContext[Any], _params: object) -> types.ListToolsResult:
        import mcp_types as types

        pool = self._runtime.pool
        context = PromptContext(tool_names=pool.names)
        tools = [
            types.Tool(name=tool.name, description=tool.describe(context), input_schema=api_schema(tool))
            for tool in pool.tools
            if tool.name not in _NOT_SERVED
        ]
        return types.ListToolsResult(tools=tools)

    async def _call(
        self, ctx: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        import mcp_types as types

        name, given = params.name, sound_json(params.arguments or {})
        if name in _NOT_SERVED or self._runtime.pool.get(name) is None:
            return types.CallToolResult(content=[types.TextContent(text=f"There is no tool {name}.")], is_error=True)
        call = self._asking(ctx, name, given, params)
        token = _call.set(call)
        try:
            async with self._one_at_a_time:
                context = replace(self._runtime.execution_context, gate=self._gate)
                outcome, _, _ = await run_one(context, name, given)
        finally:
            _call.reset(token)
        if call.question and call.ask is None and self._may_ask(ctx) and not params.input_responses:
            wanted = types.ElicitRequest(
                params=types.ElicitRequestFormParams(message=call.question, requested_schema=_SCHEMA)
            )
            return types.InputRequiredResult(input_requests={_ANSWER: wanted}, request_state=self._state(name, given))
        return types.CallToolResult(content=_content(outcome.content), is_error=outcome.is_error)

    def _asking(
        self, ctx: ServerRequestContext[Any], name: str, given: dict[str, Any], params: types.CallToolRequestParams
    ) -> _Call:
        """Return how a call is asked about: at once, or by its result; and whether this one comes with a yes."""
        from mcp_types.version import MODERN_PROTOCOL_VERSIONS

        if not self._may_ask(ctx):
            return _Call()
        if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:

            async def ask(text: str) -> bool:
                answer = await ctx.session.elicit_form(text, _SCHEMA, ctx.request_id)
                return _is_yes(answer.action, answer.content)

            return _Call(ask=ask)
        said = (params.input_responses or {}).get(_ANSWER)
        is_same = hmac.compare_digest(params.request_state or "", self._state(name, given))
        action, content = getattr(said, "action", ""), getattr(said, "content", None)
        return _Call(is_allowed=is_same and _is_yes(action, content))

    @staticmethod
    def _may_ask(ctx: ServerRequestContext[Any]) -> bool:
        said = ctx.session.client_capabilities
        return said is not None and said.elicitation is not None

    def _state(self, name: str, given: Mapping[str, Any]) -> str:
        """Return what proves that an answer is to this very call, and to this process."""
        text = json.dumps([name, given], sort_keys=True).encode("utf-8", "surrogatepass")
        return hmac.new(self._key, text, hashlib.sha256).hexdigest()


def _is_yes(action: str, content: Mapping[str, Any] | None) -> bool:
    return action == "accept" and content is not None and content.get("allow") is True


def _content(content: str | list[dict[str, Any]]) -> list[Any]:
    """Return a result as the protocol has it; what it has no form for is named."""
    import mcp_types as types

    if isinstance(content, str):
        return [types.TextContent(text=content)]
    found: list[Any] = []
    for block in content:
        source = block.get("source", {})
        if block.get("type") == "image":
            found.append(types.ImageContent(data=source.get("data", ""), mime_type=source.get("media_type", "")))
        else:
            found.append(types.TextContent(text=str(block.get("text", f"[{block.get('type')}]"))))
    return found


# --- running ---------------------------------------------------------------------------------------------------------


async def serve_tools(options: argparse.Namespace, output: CliOutput) -> int:
    """Serve until the client, or the user, ends it.

    Raises:
        UsageError: it cannot be served so.
    """
    with unrecorded(options) as opening:
        tools = ToolServer(opening)
        for problem in tools.problems:
            output.message(problem)
        try:
            if options.http is None:
                await _serve_stdio(tools)
            else:
                await _serve_http(tools, options, output)
        finally:
            await tools.close()
    return 0


async def _serve_stdio(tools: ToolServer) -> None:
    from mcp.server.stdio import stdio_server

    server = tools.server()
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


async def _serve_http(tools: ToolServer, options: argparse.Namespace, output: CliOutput) -> None:
    import uvicorn

    host, _, port = options.http.rpartition(":")
    host = host.strip("[]") or "127.0.0.1"
    if not port.isdigit() or int(port) > 65535:
        raise UsageError(f"--http {options.http}: expected [HOST:]PORT", "For example: --http 8765")
    if options.no_token and host not in ("127.0.0.1", "localhost", "::1"):
        raise UsageError("--no-token is for this machine alone", "Leave it out, or listen on 127.0.0.1.")
    token = "" if options.no_token else secrets.token_urlsafe(32)
    app: Any = tools.server().streamable_http_app(host=host)
    config = uvicorn.Config(
        _WithToken(app, token) if token else app, host=host, port=int(port), log_level="critical", access_log=False
    )

    class Announcing(uvicorn.Server):
        """Says where it listens once it does."""

        async def startup(self, sockets: Any = None) -> None:  # noqa: ANN401 - as uvicorn has it
            await super().startup(sockets)
            if self.started:
                shown = self.servers[0].sockets[0].getsockname()[1]
                output.message(
                    f"Serving at http://{host}:{shown}/mcp", f"Authorization: Bearer {token}" if token else ""
                )

    try:
        await Announcing(config).serve()
    except SystemExit:
        raise UsageError(f"port {clean_line(port)} cannot be had on {host}", "Choose another one.") from None


class _WithToken:
    """Lets in who has the token: on a machine with other users, a port is open to all of them."""

    def __init__(self, app: Any, token: str) -> None:  # noqa: ANN401 - an ASGI application
        self._app = app
        self._wanted = f"Bearer {token}".encode()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401 - as ASGI has it
        headers = dict(scope.get("headers", ()))
        if scope["type"] == "http" and not hmac.compare_digest(headers.get(b"authorization", b""), self._wanted):
            await send({"type": "http.response.start", "status": 401, "headers": [(b"content-length", b"0")]})
            await send({"type": "http.response.body", "body": b""})
            return
        await self._app(scope, receive, send)
