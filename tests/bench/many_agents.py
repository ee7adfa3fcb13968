"""Twenty agents that stream at once: how long a key takes to show meanwhile, and what share of a core all of it takes."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from long_answer import LETTERS
from measuring import Finding, World, cpu_seconds, percentile, scratch, wait_quiet
from terminal import Terminal

APP = Path(__file__).with_name("agents_app.py")
AGENTS = 20
SECONDS = 10.0
ECHO_LIMIT_MS = 20.0
SHARE_LIMIT = 40.0  # per cent of one core


def measure() -> Iterator[Finding]:
    """Yield the echo of keys and the processor's share, with the agents folded and with what they do in sight."""
    for is_open in (False, True):
        with scratch() as world:
            yield from of_agents(world, is_open=is_open)


def of_agents(world: World, *, is_open: bool) -> Iterator[Finding]:
    world.env["AGENTS"] = str(AGENTS)
    with Terminal(
        [sys.executable, str(APP)], env=world.env, cwd=world.folder, is_drawn=False, columns=120, rows=40, patience=60
    ) as app:
        app.wait_for(lambda: app.size, "a first frame")
        wait_quiet(app, 2.0)
        app.type("go")
        app.press("enter")
        written = app.size
        app.wait_for(lambda: app.size > written + 10_000, "the agents to stream")
        if is_open:
            app.press("ctrl+o")
        size, used, since = app.size, cpu_seconds(app.process.pid), time.monotonic()
        app.wait_for(lambda: time.monotonic() >= since + SECONDS, "the time to pass", SECONDS + 10)
        share = (cpu_seconds(app.process.pid) - used) / (time.monotonic() - since) * 100
        written = app.size - size
        echoes: list[float] = []
        for letter in LETTERS:
            start, pressed = app.size, time.monotonic()
            app.type(letter)
            echoes.append(app.wait_for_bytes(letter.encode(), start) - pressed)
    what = f"{AGENTS} agents at once{', opened' if is_open else ''}"
    detail = f"{len(echoes)} keys, median {statistics.median(echoes) * 1000:.0f}, worst {max(echoes) * 1000:.0f}"
    yield Finding(f"echo of keys with {what}, p95", percentile(echoes, 0.95) * 1000, ECHO_LIMIT_MS, "ms", detail)
    yield Finding(
        f"processor with {what}", share, SHARE_LIMIT, "%", f"{written / 1000 / SECONDS:.1f} KB a second written"
    )


if __name__ == "__main__":
    for finding in measure():
        print(finding, flush=True)
