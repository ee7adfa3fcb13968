"""The program as a process forked from one that has imported it: importing takes longer than most tests' whole turn.

Each run is a process of its own, with its own folder, environment, streams and end. What a start from nothing does is shown by
the tests that use a terminal, which start `python -m tui_agent`.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["run_preloaded"]

_LOADED = ("tui_agent.cli", "tui_agent.headless.answer", "tui_agent.session", "anthropic", "anthropic.types.beta")


def run_preloaded(
    arguments: Sequence[str], *, cwd: Path, env: Mapping[str, str], stdin: str | None, timeout: float
) -> subprocess.CompletedProcess[str]:
    """Run the program with these arguments to its end, as `subprocess.run` would (`timeout` in seconds).

    Raises:
        subprocess.TimeoutExpired: it did not end in time; it and the process it came from are killed.
    """
    with tempfile.TemporaryDirectory() as name:
        streams = [Path(name, stream) for stream in ("in", "out", "err")]
        streams[0].write_text(stdin or "", encoding="utf-8")
        for stream in streams[1:]:
            stream.touch()
        order = {
            "arguments": [*arguments],
            "cwd": str(cwd),
            "env": dict(env),
            "streams": [str(path) for path in streams],
        }
        server = _server()
        server.stdin.write(json.dumps(order) + "\n")
        server.stdin.flush()
        is_answered, _, _ = select.select([server.stdout], [], [], timeout)
        answer = server.stdout.readline() if is_answered else ""
        out, err = (stream.read_text(encoding="utf-8") for stream in streams[1:])
        if not answer:
            _end(server)
            _server.cache_clear()
            raise subprocess.TimeoutExpired([*arguments], timeout, out, err)
        return subprocess.CompletedProcess([*arguments], int(answer), out, err)


@cache
def _server() -> Any:
    server = subprocess.Popen(
        [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True,
        env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TZ": "UTC"},
    )  # fmt: skip
    atexit.register(_end, server)
    return server


def _end(server: Any) -> None:
    """End the process that forks, with a run of it that hangs."""
    if server.poll() is None:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()
    server.stdin.close()
    server.stdout.close()


def _serve() -> None:
    """Fork for each order; return in the child, once it is what was ordered."""
    import importlib
    import threading

    for name in _LOADED:
        importlib.import_module(name)
    assert threading.active_count() == 1, "a process with threads cannot be forked safely"
    for line in sys.stdin:
        order = json.loads(line)
        pid = os.fork()
        if pid == 0:
            _become(order)
            return
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)
    os._exit(0)


def _become(order: Mapping[str, Any]) -> None:
    for number, (path, mode) in enumerate(zip(order["streams"], (os.O_RDONLY, os.O_WRONLY, os.O_WRONLY), strict=True)):
        handle = os.open(path, mode | (os.O_APPEND if number else 0))
        os.dup2(handle, number)
        os.close(handle)
    sys.stdin, sys.stdout, sys.stderr = (os.fdopen(number, mode, encoding="utf-8") for number, mode in enumerate("rww"))
    os.chdir(order["cwd"])
    os.environ.clear()
    os.environ.update(order["env"])
    time.tzset()
    sys.argv = ["tui-agent", *order["arguments"]]


if __name__ == "__main__":
    # This folder's modules are no part of the program.
    sys.path[0] = str(Path(__file__).parents[2])
    _serve()
    from tui_agent.__main__ import main

    main()
