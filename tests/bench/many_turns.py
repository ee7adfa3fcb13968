"""Forty turns of 5 KB each: what they leave in the program's memory."""

from __future__ import annotations

from pathlib import Path

import psutil
from long_answer import submit_when_ready
from measuring import Finding, Server, World, open_app, scratch, wait_quiet
from terminal import Terminal

SCENARIO = str(Path(__file__).with_suffix(".toml"))
TURNS = 40
WARM_TURNS = 2  # the first ones import what a turn needs
GROWTH_LIMIT_MB = 10.0


def measure() -> list[Finding]:
    """Return by how much the memory that is the program's alone has grown."""
    with scratch() as world, Server(world, SCENARIO), open_app(world, is_drawn=False) as app:
        submit_when_ready(app)
        take_turns(world, app, 0, WARM_TURNS)
        before, resident = memory(app)
        take_turns(world, app, WARM_TURNS, TURNS)
        after, resident_after = memory(app)
    detail = f"from {before:.1f} to {after:.1f}; resident from {resident:.1f} to {resident_after:.1f}"
    return [Finding(f"memory after {TURNS} turns of 5 KB, growth", after - before, GROWTH_LIMIT_MB, "MB", detail)]


def take_turns(world: World, app: Terminal, done: int, more: int) -> None:
    """Send messages and wait for their answers; the first one's text is typed already."""
    for number in range(done + 1, done + more + 1):
        if number > 1:
            app.type("And now?")
        app.press("enter")
        app.wait_for(lambda number=number: turns(world) >= number, f"the end of turn {number}")
    wait_quiet(app)


def turns(world: World) -> int:
    """Return how many turns the journal says are over."""
    return sum(journal.read_bytes().count(b'"turn_finished"') for journal in world.journals())


def memory(app: Terminal) -> tuple[float, float]:
    """Return megabytes: those that nobody shares, and the resident ones."""
    info = psutil.Process(app.process.pid).memory_full_info()
    return info.uss / 1e6, info.rss / 1e6


if __name__ == "__main__":
    print(*measure(), sep="\n")
