"""The client side of MCP's official conformance suite, through this program's own client.

The suite starts it once for each scenario, with the server's address as the last argument and the scenario in the environment:

    node …/@modelcontextprotocol/conformance/dist/index.js client \\
        --command ".venv/bin/python tests/conformance/client.py" --requirements 2026-07-28

It needs Node 22. The user who signs in and fills forms in is played here; all else is what a session does.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx2

from tui_agent.engine.mcp.elicitation import elicitation_content, elicitation_form
from tui_agent.engine.mcp.surroundings import surroundings
from tui_agent.mcp.catalog import ToolInfo
from tui_agent.mcp.client.connection import Connection
from tui_agent.mcp.faults import McpFault
from tui_agent.mcp.host import Elicitation, ElicitationAnswer, NoHost, Root, SamplingAnswer, SamplingRequest
from tui_agent.mcp.log_tail import LogTail
from tui_agent.mcp.oauth.callback import callback_server
from tui_agent.mcp.oauth.signer import Interaction
from tui_agent.mcp.servers import Era, OAuthOptions, Remote, ServerConfig
from tui_agent.settings.schema import SettingsValues

CLIENT_METADATA = "https://conformance-test.local/client-metadata.json"
ARGUMENTS: Mapping[str, dict[str, Any]] = {"add_numbers": {"a": 5, "b": 3}}
SAMPLES = {"string": "text", "integer": 1, "number": 1.5, "boolean": True, "array": [], "object": {}, "null": None}


class Person(NoHost):
    """Accepts every form as it is offered, and answers for the model."""

    async def elicit(self, server: str, asked: Elicitation) -> ElicitationAnswer:
        if asked.url:
            return ElicitationAnswer("accept")
        form = elicitation_form(server, asked)
        answers: dict[str, Any] = {
            field.key: field.options[0].label if field.options else "text" for field in form.fields if field.is_required
        }
        return ElicitationAnswer("accept", elicitation_content(asked, answers))

    async def sample(self, server: str, asked: SamplingRequest) -> SamplingAnswer:
        return SamplingAnswer("an answer", model="test")

    def roots(self) -> list[Root]:
        return [Root("file:///work", "work")]


async def visit(address: str) -> None:
    """Play the browser of a user who agrees."""
    async with httpx2.AsyncClient(follow_redirects=True) as browser:
        await browser.get(address)


def sample(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments that a schema may take: of each property something of its type."""
    found: dict[str, Any] = {}
    for name, inner in schema.get("properties", {}).items():
        kind = inner.get("type") if isinstance(inner, Mapping) else None
        found[name] = inner.get("default", SAMPLES.get(kind if isinstance(kind, str) else "string", "text"))
    return found


def context() -> dict[str, Any]:
    text = os.environ.get("MCP_CONFORMANCE_CONTEXT")
    found = json.loads(text) if text else {}
    return found if isinstance(found, dict) else {}


async def call_all(connection: Connection, tools: tuple[ToolInfo, ...]) -> None:
    wanted = [(one["name"], one.get("arguments", {})) for one in context().get("toolCalls", [])]
    for name, arguments in wanted or [(tool.name, ARGUMENTS.get(tool.name, sample(tool.schema))) for tool in tools]:
        try:
            result = await connection.call_tool(name, arguments, timeout_s=25, idle_s=25)
            print(f"{name}: {result}", file=sys.stderr)
        except McpFault as fault:
            print(f"{name}: {fault}", file=sys.stderr)
            if os.environ["MCP_CONFORMANCE_SCENARIO"].startswith("auth/"):
                raise


async def run(url: str) -> None:
    given = context()
    version = os.environ.get("MCP_CONFORMANCE_PROTOCOL_VERSION", "")
    era: Era = "auto" if version >= "2026" or not version else "legacy"
    oauth = OAuthOptions(client_id=given.get("client_id", ""), client_secret=given.get("client_secret", ""))
    config = ServerConfig(
        name="conformance", scope="user", reach=Remote(transport="http", url=url, oauth=oauth), era=era
    )
    values = SettingsValues.model_validate({"mcpClientMetadataUrl": CLIENT_METADATA})
    with tempfile.TemporaryDirectory() as folder:
        async with callback_server() as callback:
            around = surroundings(
                config,
                root=Path(folder),
                environment=dict(os.environ),
                kept=frozenset(),
                values=values,
                host=Person(),
                state=Path(folder),
                interaction=Interaction(visit, callback),
            )
            connection = Connection(config, around, log=LogTail())
            try:
                await connection.open(25)
                catalog = await connection.catalog()
                await call_all(connection, catalog.tools)
                for prompt in catalog.prompts:
                    await connection.get_prompt(prompt.name, {one.name: "text" for one in prompt.arguments})
                for resource in catalog.resources:
                    if not resource.is_template:
                        await connection.read_resource(resource.uri)
            finally:
                await connection.close()


if __name__ == "__main__":
    try:
        asyncio.run(run(sys.argv[-1]))
    except McpFault as fault:
        sys.exit(f"{type(fault).__name__}: {fault}")
