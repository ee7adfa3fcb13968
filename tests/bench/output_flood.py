"""A command that prints far more than anybody reads: memory, keys meanwhile, and what is told of its end."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

import psutil
from long_answer import LETTERS, has_ended, submit_when_ready
from measuring import Finding, Server, World, open_app, percentile, scratch
from terminal import Terminal

from tui_agent.events import ToolProgressed, ToolResultReady

FLOODS = (("100 MB in 10 s", 100, 10.0), ("2 GB at full speed", 2000, 0.0))
GROWTH_LIMIT_MB = 50.0
ECHO_LIMIT_MS = 50.0
SCENARIO = str(Path(__file__).with_suffix(".toml"))
PRINTER = Path(__file__).with_name("flood_printer.py")


def measure() -> list[Finding]:
    """Return growth, echo and the truth of the end, for each flood."""
    return [finding for flood in FLOODS for finding in cost_of(*flood)]


def cost_of(name: str, megabytes: int, seconds: float) -> list[Finding]:
    command = f"{sys.executable} {PRINTER} {megabytes} {seconds:g}"
    with scratch() as world:
        with (
            Server(world, SCENARIO, command=command),
            open_app(world, "--dangerously-skip-permissions", is_drawn=False) as app,
        ):
            submit_when_ready(app)
            memory = Memory(app.process.pid)
            began = time.monotonic()
            app.press("enter")
            echoes = echoes_during(world, app)
            app.wait_for(lambda: has_ended(world), "the end of the turn")
            took = time.monotonic() - began
            grown = memory.stop()
        wrong = faults_of(world, megabytes)
    p95 = percentile(echoes, 0.95) * 1000 if echoes else 0.0
    return [
        Finding(f"{name}: growth of the program", grown, GROWTH_LIMIT_MB, "MB", f"took {took:.1f} s"),
        Finding(
            f"{name}: echo of keys, p95",
            p95,
            ECHO_LIMIT_MS,
            "ms",
            f"{len(echoes)} keys, worst {max(echoes, default=0) * 1000:.0f}",
        ),
        Finding(f"{name}: mistakes in what is told of it", len(wrong), 0, "", "; ".join(wrong)),
    ]


def echoes_during(world: World, app: Terminal) -> list[float]:
    """Return the seconds from each key to its echo while the command prints."""
    found: list[float] = []
    app.wait_for(lambda: world.has(ToolProgressed), "the first output")
    for letter in LETTERS:
        if has_ended(world):
            break
        start, pressed = app.size, time.monotonic()
        app.type(letter)
        found.append(app.wait_for_bytes(letter.encode(), start) - pressed)
    return found


def faults_of(world: World, megabytes: int) -> list[str]:
    """Return what is not as it should be in the result that the model got."""
    (result,) = world.of(ToolResultReady)
    text = str(result.content)
    checks = {
        "the exit code is missing": "Exit code 3" in text,
        "the tail is wrong": "the very last line" in text[-200:],
        "the result is too long": len(text) <= 31_000,
        "not all of it was kept": (result.data or {}).get("totalBytes", 0) >= megabytes * 1_000_000,
    }
    return [fault for fault, is_right in checks.items() if not is_right]


class Memory:
    """Watches a process's resident memory from a thread; `stop` returns by how many megabytes it grew at most."""

    def __init__(self, pid: int) -> None:
        self._process = psutil.Process(pid)
        self._first = self._most = self._process.memory_info().rss
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def stop(self) -> float:
        self._done.set()
        self._thread.join()
        return (self._most - self._first) / 1_000_000

    def _watch(self) -> None:
        while not self._done.wait(0.05) and self._process.is_running():
            self._most = max(self._most, self._process.memory_info().rss)


if __name__ == "__main__":
    print(*measure(), sep="\n")
