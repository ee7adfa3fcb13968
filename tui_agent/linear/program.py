"""Linear mode from its arguments to its exit code."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tui_agent.linear.asker import Asker, EndOfInputError
from tui_agent.linear.console import Console
from tui_agent.linear.session import LinearSession
from tui_agent.linear.startup import Startup

if TYPE_CHECKING:
    from tui_agent.engine.opening import SessionOptions
    from tui_agent.model.demo.demo import Demo

__all__ = ["run_linear"]


def run_linear(
    make_options: Callable[[Path | None], SessionOptions],
    *,
    demo: Demo | None,
    message: str | None,
    list_models: Callable[[], list[tuple[str, str]]] = list,
) -> int:
    """Run until the user leaves, and return the exit code. `message` is what was said already.

    Raises:
        SessionConfigError, JournalError: a session cannot start as it was asked for.
    """
    return asyncio.run(_run(make_options, demo, message, list_models))


async def _run(
    make_options: Callable[[Path | None], SessionOptions],
    demo: Demo | None,
    message: str | None,
    list_models: Callable[[], list[tuple[str, str]]],
) -> int:
    console = Console()
    is_terminal = os.isatty(sys.stdin.fileno())
    stop_reading = console.open()
    asker = Asker(console)
    asker.say("tui-agent, linear mode. /help lists the commands. Ctrl+C interrupts, twice quits.")
    startup = Startup(asker, make_options, demo=demo)
    starting = asyncio.current_task()
    session: LinearSession | None = None
    code = 0

    def interrupted() -> None:
        if session is not None:
            session.interrupt()
        elif starting is not None:
            starting.cancel()

    def told(number: int) -> None:
        nonlocal code
        code = 128 + number
        if session is not None:
            session.leave(code)
        elif starting is not None:
            starting.cancel()

    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGINT, interrupted)
    for number in (signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, told, number)
    try:
        engine = await startup.connect()
        if engine is None:
            return 0
        session = LinearSession(
            engine,
            console,
            entrance=startup,
            list_models=list_models,
            is_terminal=is_terminal,
            can_resume=startup.demo is None,
        )
        return await session.run([message] if message else [])
    except EndOfInputError:
        return code
    except asyncio.CancelledError:
        with contextlib.suppress(Exception):
            console.end_prompt()
        return code or 128 + signal.SIGINT
    finally:
        stop_reading()
        startup.close()
