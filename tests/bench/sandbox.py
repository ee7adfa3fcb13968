"""What a sandbox adds to the start of a command, beside bash alone; and what looking for one costs, once in a session."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from measuring import Finding

from tui_agent.sandbox.bubblewrap import find_bubblewrap
from tui_agent.sandbox.landlock import find_landlock
from tui_agent.sandbox.limits import Sandbox, SandboxLimits
from tui_agent.sandbox.visible import system_secrets, visible_places

RUNS = 60
BASH = ("/bin/bash", "--noprofile", "--norc", "-c", "true")


def timed(argv: Sequence[str], fds: Sequence[int] = ()) -> float:
    began = time.perf_counter()
    subprocess.run(argv, pass_fds=fds, stdin=subprocess.DEVNULL, start_new_session=True, check=True)
    return (time.perf_counter() - began) * 1000


def confined(sandbox: Sandbox, limits: SandboxLimits, folder: str) -> float:
    began = time.perf_counter()
    launch = sandbox.wrap(BASH, limits, folder=folder, environment=os.environ)
    try:
        subprocess.run(
            launch.argv,
            pass_fds=launch.fds,
            env=launch.environment,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            check=True,
        )
    finally:
        launch.close()
        launch.clean()
    return (time.perf_counter() - began) * 1000


def measure() -> Iterator[Finding]:
    """Yield the median milliseconds of each, and what is said of those that this machine lacks."""
    alone = statistics.median(timed(BASH) for _ in range(RUNS))
    yield Finding("bash alone", alone, 20, "ms")
    for name, find in (("bubblewrap", find_bubblewrap), ("landlock", find_landlock)):
        began = time.perf_counter()
        sandbox = find()
        if sandbox is None:
            print(f"     {name} was not measured: this machine does not have it", file=sys.stderr)
            continue
        yield Finding(f"looking for {name}", (time.perf_counter() - began) * 1000, 60, "ms")
        with tempfile.TemporaryDirectory() as folder:
            work = SandboxLimits(writable=(folder,), unwritable=(f"{folder}/.git/hooks", f"{folder}/.mcp.json"))
            scratch = f"{folder}/tmp"
            Path(scratch).mkdir(exist_ok=True)
            visible = (folder, *visible_places(str(Path.home()), os.environ, "true"))
            looking = SandboxLimits(
                is_read_only=True, visible=visible, unreadable=system_secrets(), scratch=scratch, scratch_bytes=1 << 28
            )
            for what, limits in (("a command that looks", looking), ("a command that works", work)):
                runs = [confined(sandbox, limits, folder) - alone for _ in range(RUNS)]
                detail = f"95% under {statistics.quantiles(runs, n=20)[-1]:.1f} ms"
                yield Finding(f"{name} adds to {what}", statistics.median(runs), 30, "ms", detail)
