"""What the benchmarks share: a world to run in, a server of its own process, processor time, and how a number is reported."""

from __future__ import annotations

import contextlib
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "e2e"), str(ROOT / "tests" / "support")]

from terminal import Terminal  # noqa: E402 - found only now
from world import World  # noqa: E402

__all__ = [
    "EMPTY_APP", "Finding", "Server", "World", "cpu_seconds", "loop_seconds", "open_app", "percentile", "scratch", "spread",
    "wait_quiet",
]  # fmt: skip

EMPTY_APP = Path(__file__).with_name("empty_app.py")
_LOOP = 2_000_000


@dataclass(frozen=True)
class Finding:
    """One measured number and the limit it must keep."""

    name: str
    value: float
    limit: float
    unit: str
    detail: str = ""

    @property
    def is_met(self) -> bool:
        return self.value <= self.limit

    def __str__(self) -> str:
        mark = "ok  " if self.is_met else "MISS"
        return f"{mark} {self.name:<58} {self.value:9.3f} {self.unit:<3} (limit {self.limit:g})  {self.detail}"


def loop_seconds() -> float:
    """Return the processor seconds that five million additions take here and now, by which machines can be compared."""
    total, before = 0, time.process_time()
    for number in range(_LOOP):
        total += number
    return (time.process_time() - before) * 5_000_000 / _LOOP


@contextlib.contextmanager
def scratch() -> Iterator[World]:
    """Yield a world with a copy of the sample project, removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="tui-agent-bench-") as folder:
        world = World.make(Path(folder))
        world.use_sample_project()
        yield world


class Server:
    """The scripted model in a process of its own, so that its processor time is not the program's."""

    def __init__(self, world: World, scenario: str, *, pace: float = 0.0, **variables: object) -> None:
        self.log = world.home / f"exchanges-{time.monotonic_ns()}.jsonl"
        command = [sys.executable, "-m", "tui_agent.model.demo", "--scenario", scenario, "--pace", str(pace)]
        for name, value in {"cwd": world.folder, **variables}.items():
            command += ["--set", f"{name}={value}"]
        self._process = subprocess.Popen(
            [*command, "--log", str(self.log), "--until-eof"],
            cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self._process.stdout is not None
        world.env["ANTHROPIC_BASE_URL"] = self._process.stdout.readline().strip()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(10)
        self._process.stdout.close()

    def exchanges(self) -> list[dict[str, Any]]:
        """Return what was asked and sent so far."""
        return [json.loads(line) for line in self.log.read_text().splitlines()]


def open_app(world: World, *arguments: str, is_drawn: bool = True, columns: int = 120, rows: int = 40) -> Terminal:
    """Start the program in a terminal."""
    command = [sys.executable, "-m", "tui_agent", *arguments]
    return Terminal(
        command, env=world.env, cwd=world.folder, is_drawn=is_drawn, columns=columns, rows=rows, patience=120
    )


def cpu_seconds(pid: int) -> float:
    """Return the processor time a process has used, all its threads, ended ones too.

    Linux has a clock of that for every process, in nanoseconds; elsewhere coarser totals have to do.
    """
    if sys.platform == "linux":
        return time.clock_gettime((~pid << 3) | 2)  # what clock_getcpuclockid(3) returns
    times = psutil.Process(pid).cpu_times()
    return times.user + times.system


def wait_quiet(terminal: Terminal, seconds: float = 1.0) -> None:
    """Wait until the program has written nothing for so long."""
    last, since = terminal.size, time.monotonic()

    def is_quiet() -> bool:
        nonlocal last, since
        if terminal.size != last:
            last, since = terminal.size, time.monotonic()
        return time.monotonic() - since >= seconds

    terminal.wait_for(is_quiet, f"{seconds} s of quiet")


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which this share of the values lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, round(share * (len(ordered) - 1)))]


def spread(values: Sequence[float], scale: float = 1000) -> str:
    """Return median and range for people."""
    return f"median {statistics.median(values) * scale:.0f} ({min(values) * scale:.0f}–{max(values) * scale:.0f}) ms"
