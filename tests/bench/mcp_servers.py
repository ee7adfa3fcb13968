"""What MCP servers cost: thirty that do not answer at the start, and two hundred deferred tools in a turn. Runs interleaved."""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import sys
import time
from pathlib import Path
from typing import Any

from first_frame import KEY
from measuring import Finding, Server, World, open_app, scratch, spread

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

RUNS = 7
START_LIMIT = 1.1
TURN_LIMIT = 1.05
TURNS = 60
TOOLS = 200
SERVERS = 10
STUB = Path(__file__).parents[1] / "support" / "mcp_stdio_server.py"


def configure(world: World, number: int, *arguments: str) -> None:
    """Give the user so many servers."""
    entry = {"command": sys.executable, "args": ["-S", str(STUB), *arguments]}
    folder = Path(world.env["XDG_CONFIG_HOME"]) / "tui-agent"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "mcp.json").write_text(json.dumps({"mcpServers": {f"s{at}": entry for at in range(number)}}))


def first_key(world: World) -> float:
    """Start the app; return seconds to the first key's echo."""
    began = time.monotonic()
    with open_app(world) as terminal:
        terminal.wait_for(lambda: terminal.screen().strip(), "a first frame")
        terminal.type(KEY)
        return terminal.wait_for_bytes(KEY.encode()) - began


async def turns(folder: Path, mcp_config: tuple[str, ...]) -> float:
    """Return the processor time of turns in a session, its servers connected before."""
    from scripted_model import reply, says
    from session_front import begin

    from tui_agent.queries import McpSettledQuery

    front = await begin(folder, *[reply(says(0, "ok"))] * TURNS, mcp_config=mcp_config)
    try:
        await front.session.query(McpSettledQuery())
        front.session.submit("first")
        await front.session.wait_idle()
        began = time.process_time()
        for number in range(TURNS - 1):
            front.session.submit(f"message {number}")
            await front.session.wait_idle()
        return time.process_time() - began
    finally:
        await front.session.close()


def measure() -> list[Finding]:
    """Return the first key and turns with servers, as multiples of those without."""
    keys: dict[str, list[float]] = {"none": [], "hung": []}
    with scratch() as world, Server(world, "long"):
        for _ in range(RUNS):
            for name, number in (("none", 0), ("hung", 30)):
                configure(world, number, "--hang")
                keys[name].append(first_key(world))
        configure(world, 0)
        os.environ.update(
            {name: world.env[name] for name in ("HOME", "XDG_CONFIG_HOME", "TUI_AGENT_HOME") if name in world.env}
        )
        os.environ["MCP_CONNECT_TIMEOUT_MS"] = "60000"
        costs: dict[str, list[float]] = {"none": [], "many": []}
        entry: dict[str, Any] = {
            "command": sys.executable,
            "args": ["-S", str(STUB), f"--many={TOOLS // SERVERS - 14}"],
        }
        many = (json.dumps({"mcpServers": {f"s{at}": entry for at in range(SERVERS)}}),)
        for _ in range(RUNS):
            for name, given in (("none", ()), ("many", many)):
                costs[name].append(asyncio.run(turns(world.folder, given)))
    findings = []
    for what, times, limit in (
        ("first key with 30 servers that do not answer, times one without", list(keys.values()), START_LIMIT),
        (
            f"turns with {SERVERS} servers and {TOOLS} deferred tools, times turns without",
            list(costs.values()),
            TURN_LIMIT,
        ),
    ):
        ratio = statistics.median(times[1]) / statistics.median(times[0])
        findings.append(Finding(what, ratio, limit, "×", f"with {spread(times[1])}, without {spread(times[0])}"))
    return findings


if __name__ == "__main__":
    for finding in measure():
        print(finding)
