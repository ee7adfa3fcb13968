"""Servers at addresses: what goes wrong on the way is an answer, WebSocket works, and tokens are renewed once for everybody."""

from __future__ import annotations

import asyncio
import gzip
import json
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
import uvicorn

from tui_agent.mcp.client.http import GuardedClient, HttpFaults
from tui_agent.mcp.client.opening import Surroundings
from tui_agent.mcp.client.stdio import MOST_MESSAGE_BYTES
from tui_agent.mcp.faults import SignInNeededError
from tui_agent.mcp.managed_server import ManagedServer, Timing
from tui_agent.mcp.oauth.callback import callback_server
from tui_agent.mcp.oauth.credentials import CredentialStore
from tui_agent.mcp.oauth.signer import Interaction, RequestSigner
from tui_agent.mcp.servers import OAuthOptions, Remote, ServerConfig

STUB = Path(__file__).parents[1] / "support" / "mcp_stdio_server.py"
URL = "https://mcp.example.com/mcp"


# --- faults on the way -----------------------------------------------------------------------------------------------


async def sent(handler: Any) -> tuple[httpx2.Response, HttpFaults]:
    faults = HttpFaults()
    async with GuardedClient(faults, transport=httpx2.MockTransport(handler)) as client:
        return await client.send(client.build_request("POST", URL, json={})), faults


async def test_a_refused_connection_is_an_answer_that_says_so() -> None:
    def refuse(request: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError("refused", request=request)

    response, faults = await sent(refuse)
    assert response.json()["error"]["message"] == "no connection: refused" == faults.last


@pytest.mark.parametrize("packed", [False, True])
async def test_an_answer_without_end_is_not_taken_in(packed: bool) -> None:
    body = b"x" * (MOST_MESSAGE_BYTES + 1)

    def answer(_request: httpx2.Request) -> httpx2.Response:
        headers = {"content-type": "application/json", **({"content-encoding": "gzip"} if packed else {})}

        async def stream() -> AsyncIterator[bytes]:
            yield gzip.compress(body) if packed else body

        return httpx2.Response(200, headers=headers, content=stream())

    response, _ = await sent(answer)
    assert "larger than 16 MiB" in response.json()["error"]["message"]


async def test_a_server_that_is_not_there_fails_alone(tmp_path: Path) -> None:
    config = ServerConfig(name="gone", scope="user", reach=Remote(transport="http", url="http://127.0.0.1:9/mcp"))
    timing = Timing(connect_s=5, pause_s=0.01)
    server = ManagedServer(config, lambda: Surroundings(cwd=tmp_path, project=tmp_path), timing)
    await server.start()
    assert (server.state, "no connection" in server.reason) == ("failed", True)
    await server.close()


# --- WebSocket -------------------------------------------------------------------------------------------------------


async def bridge(scope: Any, receive: Any, send: Any) -> None:
    """An ASGI application that gives each WebSocket a server of its own: one message, one line."""
    if scope["type"] != "websocket":
        return
    await receive()
    await send({"type": "websocket.accept", "subprotocol": "mcp"})
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-S", str(STUB), stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.DEVNULL
    )
    assert process.stdin is not None
    assert process.stdout is not None

    async def answer() -> None:
        assert process.stdout is not None
        while line := await process.stdout.readline():
            await send({"type": "websocket.send", "text": line.decode()})

    answering = asyncio.create_task(answer())
    while (message := await receive())["type"] == "websocket.receive":
        process.stdin.write(message["text"].encode() + b"\n")
    process.stdin.close()
    await process.wait()
    await answering


async def test_a_server_at_a_websocket(tmp_path: Path) -> None:
    config = uvicorn.Config(bridge, host="127.0.0.1", port=0, log_level="critical", lifespan="off", ws="wsproto")
    running = uvicorn.Server(config)
    started = asyncio.Event()
    startup = running.startup

    async def announce(sockets: Any = None) -> None:
        await startup(sockets)
        started.set()

    running.startup = announce  # type: ignore[method-assign]
    serving = asyncio.create_task(running.serve())
    await started.wait()
    port = running.servers[0].sockets[0].getsockname()[1]
    reach = Remote(transport="ws", url=f"ws://127.0.0.1:{port}/mcp")
    server = ManagedServer(
        ServerConfig(name="ws", scope="user", reach=reach),
        lambda: Surroundings(cwd=tmp_path, project=tmp_path),
        Timing(connect_s=20, idle_s=0),
    )
    try:
        await server.start()
        assert server.state == "connected", server.reason
        result = await server.call_tool("echo", {"text": "over a socket"})
        assert result.content[0]["text"] == "over a socket"
    finally:
        await server.close()
        running.should_exit = True
        await serving


# --- signing in ------------------------------------------------------------------------------------------------------


class Authority:
    """A server and its authorization server. Refresh tokens rotate: one that is used twice ends the sign-in."""

    def __init__(self) -> None:
        self.good = "a0"
        self.refresh = "r0"
        self.renewed = 0
        self.registered = 0

    async def __call__(self, request: httpx2.Request) -> httpx2.Response:
        path = request.url.path
        if path == "/mcp":
            is_good = request.headers.get("authorization") == f"Bearer {self.good}"
            return httpx2.Response(200 if is_good else 401, json={}, request=request)
        if path == "/.well-known/oauth-protected-resource/mcp":
            return httpx2.Response(200, json={"resource": URL, "authorization_servers": ["https://auth.example.com"]})
        if path == "/.well-known/oauth-authorization-server":
            base = "https://auth.example.com"
            return httpx2.Response(
                200,
                json={
                    "issuer": base, "authorization_endpoint": f"{base}/authorize", "token_endpoint": f"{base}/token",
                    "registration_endpoint": f"{base}/register", "response_types_supported": ["code"],
                    "code_challenge_methods_supported": ["S256"],
                },
            )  # fmt: skip
        if path == "/register":
            self.registered += 1
            return httpx2.Response(201, json={**json.loads(request.content), "client_id": "c1"})
        if path == "/token":
            return await self._token(dict(httpx2.QueryParams(request.content.decode())))
        return httpx2.Response(404)

    async def _token(self, form: dict[str, str]) -> httpx2.Response:
        await asyncio.sleep(0)  # others have a turn
        if form["grant_type"] == "refresh_token":
            if form["refresh_token"] != self.refresh:
                self.refresh = "burned"
                return httpx2.Response(400, json={"error": "invalid_grant"})
            self.renewed += 1
        self.good, self.refresh = f"{self.good}+", f"{self.refresh}+"
        return httpx2.Response(
            200,
            json={"access_token": self.good, "refresh_token": self.refresh, "token_type": "Bearer", "expires_in": 3600},
        )


def store(tmp_path: Path) -> CredentialStore:
    return CredentialStore(URL, "", tmp_path)


def expired(tmp_path: Path) -> None:
    """Keep a sign-in whose token has ended."""
    store(tmp_path).save({
        "tokens": {"access_token": "a0", "refresh_token": "r0", "token_type": "Bearer"},
        "expires_at": time.time() - 10,
        "client": {"client_id": "c1", "redirect_uris": ["http://127.0.0.1:1/callback"]},
        "metadata": {
            "issuer": "https://auth.example.com", "authorization_endpoint": "https://auth.example.com/authorize",
            "token_endpoint": "https://auth.example.com/token", "response_types_supported": ["code"],
        },
    })  # fmt: skip


async def post(authority: Authority, signer: RequestSigner) -> int:
    async with httpx2.AsyncClient(transport=httpx2.MockTransport(authority), auth=signer) as client:
        return (await client.post(URL)).status_code


async def test_a_token_is_renewed_once_whoever_wants_it(tmp_path: Path) -> None:
    expired(tmp_path)
    authority = Authority()
    # Two signers that know nothing of each other, as in two processes, and several requests of each.
    signers = [RequestSigner(URL, OAuthOptions(), store(tmp_path)) for _ in range(2)]
    codes = await asyncio.gather(*(post(authority, signer) for signer in signers for _ in range(4)))
    assert (codes, authority.renewed) == ([200] * 8, 1)
    kept = store(tmp_path).load()
    assert kept["tokens"]["refresh_token"] == "r0+"
    assert (tmp_path / "mcp-credentials.json").stat().st_mode & 0o077 == 0


async def test_nothing_is_registered_and_no_browser_opened_unless_the_user_asks(tmp_path: Path) -> None:
    authority = Authority()
    with pytest.raises(SignInNeededError):
        await post(authority, RequestSigner(URL, OAuthOptions(), store(tmp_path)))
    assert authority.registered == 0


async def test_the_user_signs_in_once(tmp_path: Path) -> None:
    authority = Authority()
    async with callback_server() as callback:

        async def show(address: str) -> None:
            asked = httpx2.URL(address).params
            assert (asked["resource"], asked["code_challenge_method"]) == (URL, "S256")
            async with httpx2.AsyncClient() as browser:
                assert (await browser.get(callback.redirect_uri.replace("/callback", "/other"))).status_code == 404
                await browser.get(asked["redirect_uri"], params={"code": "x", "state": asked["state"]})

        signer = RequestSigner(URL, OAuthOptions(), store(tmp_path), interaction=Interaction(show, callback))
        assert await post(authority, signer) == 200
    assert authority.registered == 1
    assert await post(authority, RequestSigner(URL, OAuthOptions(), store(tmp_path))) == 200
    assert store(tmp_path).forget()
    assert store(tmp_path).load() == {}
