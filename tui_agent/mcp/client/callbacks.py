"""What a server asks and tells by itself, as the SDK calls it: each becomes a question to the host, or a line of the log."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import mcp_types as types
from mcp.client import ClientRequestContext

from tui_agent.mcp.client import answers
from tui_agent.mcp.host import Host
from tui_agent.mcp.log_tail import LogTail

__all__ = ["ServerCallbacks"]


class ServerCallbacks:
    """The callbacks of one connection. `on_change` is as for `Connection`."""

    def __init__(self, server: str, host: Host, log: LogTail, on_change: Callable[[str], None]) -> None:
        self._server = server
        self._host = host
        self._log = log
        self._on_change = on_change

    async def elicit(self, context: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:  # noqa: ARG002
        """Put what the server wants to know to the user."""
        answer = await self._host.elicit(self._server, answers.elicitation(params))
        return answers.elicitation_result(answer)

    async def sample(
        self,
        context: ClientRequestContext,  # noqa: ARG002
        params: types.CreateMessageRequestParams,
    ) -> types.CreateMessageResult | types.ErrorData:
        """Let a model answer, if the user agrees."""
        return answers.sampling_result(await self._host.sample(self._server, answers.sampling(params)))

    async def list_roots(self, context: ClientRequestContext) -> types.ListRootsResult:  # noqa: ARG002
        """Name the folders that the work is in."""
        roots = [types.Root(uri=cast("Any", root.uri), name=root.name or None) for root in self._host.roots()]
        return types.ListRootsResult(roots=roots)

    async def take_log(self, params: types.LoggingMessageNotificationParams) -> None:
        """Keep a message of the server's log."""
        text = params.data if isinstance(params.data, str) else repr(params.data)
        self._log.line(f"{params.level}: {text[:2000]}")

    async def take_message(self, message: Any) -> None:  # noqa: ANN401 - any notification, or an exception
        match message:
            case types.ToolListChangedNotification():
                self._on_change("tools")
            case types.PromptListChangedNotification():
                self._on_change("prompts")
            case types.ResourceListChangedNotification():
                self._on_change("resources")
            case Exception():
                self._log.line(f"not a message of the protocol: {message!s}"[:400])
