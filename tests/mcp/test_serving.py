"""`mcp serve`: our tools as a server, spoken to by our own client in this process, in both eras of the protocol."""

from __future__ import annotations

import argparse
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tui_agent.headless.arguments import parse_arguments
from tui_agent.headless.mcp_serve import ToolServer, _WithToken
from tui_agent.headless.options import unrecorded
from tui_agent.mcp.client.opening import Surroundings
from tui_agent.mcp.host import Elicitation, ElicitationAnswer, NoHost
from tui_agent.mcp.managed_server import ManagedServer, Timing
from tui_agent.mcp.servers import Era, InProcess, ServerConfig


class Client(NoHost):
    """Says what it is told to whatever is asked."""

    def __init__(self, answer: ElicitationAnswer) -> None:
        self.answer = answer
        self.asked: list[str] = []

    async def elicit(self, server: str, asked: Elicitation) -> ElicitationAnswer:
        self.asked.append(asked.message)
        return self.answer


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("HOME", "TUI_AGENT_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
        (tmp_path / name.lower()).mkdir()
    work = tmp_path / "work"
    work.mkdir()
    return work


def options(place: Path, *words: str) -> argparse.Namespace:
    return parse_arguments(["--cwd", str(place), "mcp", "serve", *words])


@pytest.fixture
async def tools(place: Path) -> AsyncIterator[ToolServer]:
    with unrecorded(options(place, "--disallowedTools", "Bash(touch *)")) as opening:
        server = ToolServer(opening)
        yield server
        await server.close()


async def connected(tools: ToolServer, host: Any, era: Era, place: Path) -> ManagedServer:
    config = ServerConfig(name="own", scope="user", reach=InProcess(server=tools.server()), era=era)
    server = ManagedServer(config, lambda: Surroundings(cwd=place, project=place, host=host), Timing(idle_s=0))
    await server.start()
    assert server.state == "connected", server.reason
    return server


YES, UNDECIDED, NO = (
    ElicitationAnswer("accept", {"allow": True}),
    ElicitationAnswer("accept", {"allow": False}),
    ElicitationAnswer("decline"),
)


@pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
@pytest.mark.parametrize("answer", [YES, UNDECIDED, NO])
async def test_what_asks_runs_with_a_yes_of_the_client_and_only_then(
    tools: ToolServer, place: Path, era: Era, answer: ElicitationAnswer
) -> None:
    client = Client(answer)
    server = await connected(tools, client, era, place)
    try:
        assert server.catalog is not None
        assert {"Bash", "Read", "Write"} < {tool.name for tool in server.catalog.tools}
        read = await server.call_tool("LS", {"path": str(place)})
        assert (read.is_error, client.asked) == (False, [])
        written = await server.call_tool("Write", {"file_path": str(place / "new"), "content": "x"})
        assert (place / "new").exists() is (answer is YES) is not written.is_error
        assert len(client.asked) == 1
        assert "Write asks for permission" in client.asked[0]
        denied = await server.call_tool("Bash", {"command": f"touch {place}/denied"})
        assert denied.is_error
        assert len(client.asked) == 1  # what a rule denies is not asked about
        assert not (place / "denied").exists()
        assert (await server.call_tool("AskUserQuestion", {})).is_error
        assert "`file_path`" in str((await server.call_tool("Read", {})).content)
    finally:
        await server.close()


async def test_over_http_nobody_gets_in_without_the_token() -> None:
    async def app(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    transport = httpx2.ASGITransport(app=_WithToken(app, "secret"))
    async with httpx2.AsyncClient(transport=transport, base_url="http://x") as client:
        assert (await client.post("/mcp")).status_code == 401
        assert (await client.post("/mcp", headers={"Authorization": "Bearer secre"})).status_code == 401
        assert (await client.post("/mcp", headers={"Authorization": "Bearer secret"})).status_code == 200
