"""The embedded server in a thread and an event loop of its own, beside the program that talks to it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections.abc import Mapping
from typing import Final

from tui_agent.model.demo.scenario import Scenario
from tui_agent.model.demo.server import DemoServer, Exchange

__all__ = ["PACE_VARIABLE", "ServerThread", "pace_from_environment", "start_in_thread"]

PACE_VARIABLE: Final = "TUI_AGENT_DEMO_PACE"


class ServerThread:
    """A server in a thread and an event loop of its own. Make it with `start_in_thread`; `stop` ends it."""

    def __init__(self, server: DemoServer) -> None:
        self.server = server
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._error: OSError | None = None
        self._thread = threading.Thread(target=self._run, name="demo-server", daemon=True)
        self._thread.start()
        self._ready.wait()
        if self._error is not None:
            raise self._error

    @property
    def base_url(self) -> str:
        """Where it listens."""
        return self.server.base_url

    @property
    def requests(self) -> list[Exchange]:
        """What it was asked so far."""
        return list(self.server.requests)

    def stop(self) -> None:
        """Hang up, stop listening, end the thread. Doing it twice does no harm."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stopping.set)
            self._thread.join()

    def _run(self) -> None:
        with contextlib.closing(self._loop):
            self._loop.run_until_complete(self._main())

    async def _main(self) -> None:
        self._stopping = asyncio.Event()
        try:
            await self.server.start()
        except OSError as error:
            self._error = error
            return
        finally:
            self._ready.set()
        await self._stopping.wait()
        await self.server.stop()


def start_in_thread(
    scenario: Scenario,
    *,
    variables: Mapping[str, str] | None = None,
    pace: float | None = None,
    api_key: str | None = None,
) -> ServerThread:
    """Start a server in a thread of its own on a free port, and return it listening.

    `pace` as for `DemoServer`; None takes it from the environment variable `TUI_AGENT_DEMO_PACE`.
    """
    speed = pace_from_environment() if pace is None else pace
    return ServerThread(DemoServer(scenario, variables=variables, pace=speed, api_key=api_key))


def pace_from_environment() -> float:
    """Return the factor for a scenario's delays that the environment asks for, 1 when it asks for none that makes sense."""
    try:
        return max(0.0, float(os.environ.get(PACE_VARIABLE, "1")))
    except ValueError:
        return 1.0
