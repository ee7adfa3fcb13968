"""The embedded server as a process of its own: `python -m tui_agent.model.demo --scenario NAME --port-file FILE`.

For measurements, and for tests that kill things: its processor time is its own. It ends on SIGTERM, or when standard input
closes if `--until-eof` is given, so that it never outlives whoever started it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TextIO

from tui_agent.model.demo.scenario import ScenarioError
from tui_agent.model.demo.scenario_file import find_scenario
from tui_agent.model.demo.server import DemoServer, Exchange
from tui_agent.model.demo.thread import pace_from_environment


def main(arguments: list[str] | None = None) -> int:
    """Serve until told to stop; return the exit code: 2 for a scenario that cannot be read, 1 for a port that is taken."""
    parser = argparse.ArgumentParser(prog="python -m tui_agent.model.demo", description=__doc__)
    parser.add_argument("--scenario", default="fix", help="name of a shipped scenario, or a .toml file")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a variable of the scenario")
    parser.add_argument("--port", type=int, default=0, help="where to listen on 127.0.0.1; 0 picks a free port")
    parser.add_argument("--port-file", type=Path, help="where to write the port once it listens")
    parser.add_argument("--log", type=Path, help="where to append every exchange as a line of JSON")
    parser.add_argument("--pace", type=float, default=pace_from_environment(), help="factor for all delays; 0: none")
    parser.add_argument("--api-key", help="the only key to take; without it, any")
    parser.add_argument("--until-eof", action="store_true", help="end when standard input closes")
    options = parser.parse_args(arguments)
    variables = dict(entry.partition("=")[::2] for entry in options.set)
    try:
        scenario = find_scenario(options.scenario, variables)
        with _open_log(options.log) as log:
            server = DemoServer(
                scenario,
                port=options.port,
                variables=variables,
                pace=options.pace,
                api_key=options.api_key,
                on_exchange=lambda exchange: _write(log, exchange),
            )
            asyncio.run(_serve(server, options.port_file, until_eof=options.until_eof))
    except ScenarioError as error:
        print(error, file=sys.stderr)  # noqa: T201 - this is a command
        return 2
    except OSError as error:
        print(f"cannot serve: {error}", file=sys.stderr)  # noqa: T201
        return 1
    return 0


async def _serve(server: DemoServer, port_file: Path | None, *, until_eof: bool) -> None:
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    if until_eof:
        loop.add_reader(0, lambda: None if os.read(0, 4096) else stopping.set())
    await server.start()
    if port_file is not None:
        _write_whole(port_file, server.base_url.rpartition(":")[2])
    print(server.base_url, flush=True)  # noqa: T201
    await stopping.wait()
    if until_eof:
        loop.remove_reader(0)
    await server.stop()


def _write_whole(path: Path, text: str) -> None:
    """Write so that whoever waits for the file never reads half of it."""
    draft = path.with_name(path.name + ".new")
    draft.write_text(text)
    draft.replace(path)


def _open_log(path: Path | None) -> TextIO:
    return Path("/dev/null" if path is None else path).open("a", encoding="utf-8")


def _write(log: TextIO, exchange: Exchange) -> None:
    data = asdict(exchange)
    del data["raw"], data["headers"]
    log.write(json.dumps(data) + "\n")
    log.flush()


if __name__ == "__main__":
    sys.exit(main())
