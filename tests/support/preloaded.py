"""The program as a process forked from one that has imported it: importing takes longer than most tests' whole turn.

Each run is a process of its own, with its own folder, environment, streams or terminal, and end. What a start from nothing does
is shown by the tests marked `fresh_start`, which start `python -m tui_agent`.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, TextIO

__all__ = ["Forked", "fork_in_terminal", "fork_piped", "fork_printing", "run_preloaded"]

# What the program imports once it knows that it needs it, besides its own modules.
_LOADED = (
    "anthropic", "anthropic.types.beta", "anyio._backends._asyncio", "httpcore2", "markdown_it", "opentelemetry.propagate",
    "pygments.lexers.python", "rapidfuzz.fuzz", "textual.widgets", "textual.drivers.linux_driver", "tree_sitter_bash",
    "truststore",
)  # fmt: skip
# A program, not a module: importing it runs it.
_RUN = "__main__"


class Forked:
    """One run. What `subprocess.Popen` offers for a process, as far as tests need it."""

    def __init__(self, arguments: Sequence[str]) -> None:
        self.arguments = arguments
        self.pid = 0
        self.returncode: int | None = None
        self._changed = threading.Condition()

    def poll(self) -> int | None:
        """Return how it ended, if it has."""
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end (`timeout` in seconds).

        Raises:
            subprocess.TimeoutExpired: it did not come in time.
        """
        with self._changed:
            if not self._changed.wait_for(lambda: self.returncode is not None, timeout):
                raise subprocess.TimeoutExpired([*self.arguments], timeout or 0.0)
        assert self.returncode is not None
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send it a signal, if it still runs."""
        if self.returncode is None:
            with contextlib.suppress(ProcessLookupError):  # its end has not been told yet
                os.kill(self.pid, number)

    def wait_for_start(self) -> None:
        """Wait until it is a process."""
        with self._changed:
            assert self._changed.wait_for(lambda: self.pid or self.returncode is not None, 60), "nothing was forked"

    def told(self, news: Mapping[str, int]) -> None:
        """Take in what the process it is forked from says of it."""
        with self._changed:
            self.pid = news.get("pid", self.pid)
            self.returncode = news.get("status", self.returncode)
            self._changed.notify_all()


def run_preloaded(
    arguments: Sequence[str], *, cwd: Path, env: Mapping[str, str], stdin: str | None, timeout: float
) -> subprocess.CompletedProcess[str]:
    """Run the program with these arguments to its end, as `subprocess.run` would (`timeout` in seconds).

    Raises:
        subprocess.TimeoutExpired: it did not end in time; it is killed.
    """
    with tempfile.TemporaryDirectory() as name:
        streams = [Path(name, stream) for stream in ("in", "out", "err")]
        streams[0].write_text(stdin or "", encoding="utf-8")
        for stream in streams[1:]:
            stream.touch()
        run = _server().fork(arguments, cwd=cwd, env=env, streams=[str(path) for path in streams])
        try:
            status = run.wait(timeout)
        except subprocess.TimeoutExpired as error:
            run.send_signal(signal.SIGKILL)
            out, err = (stream.read_text(encoding="utf-8") for stream in streams[1:])
            raise subprocess.TimeoutExpired([*arguments], timeout, out, err) from error
        out, err = (stream.read_text(encoding="utf-8") for stream in streams[1:])
        return subprocess.CompletedProcess([*arguments], status, out, err)


def fork_printing(arguments: Sequence[str], pipe: Path, *, cwd: Path, env: Mapping[str, str]) -> tuple[Forked, TextIO]:
    """Run the program with these arguments, and return it with what it prints, as it comes, through a new `pipe`."""
    os.mkfifo(pipe)
    run = _server().fork(arguments, cwd=cwd, env=env, streams=[os.devnull, str(pipe), os.devnull])
    printed = pipe.open(encoding="utf-8")  # the one that is forked opens the other end
    run.wait_for_start()
    return run, printed


def fork_piped(
    arguments: Sequence[str], folder: Path, *, cwd: Path, env: Mapping[str, str]
) -> tuple[Forked, BinaryIO, BinaryIO]:
    """Run the program with these arguments, and return it with pipes (in `folder`) to its input and from its output."""
    streams = [folder / name for name in ("in", "out", "err")]
    for pipe in streams[:2]:
        os.mkfifo(pipe)
    streams[2].touch()
    run = _server().fork(arguments, cwd=cwd, env=env, streams=[str(path) for path in streams])
    given = streams[0].open("wb", buffering=0)  # the one that is forked opens the other ends, in this order
    told = streams[1].open("rb")
    run.wait_for_start()
    return run, given, told


def fork_in_terminal(arguments: Sequence[str], *, cwd: Path, env: Mapping[str, str], slave: int) -> Forked:
    """Run the program with these arguments in the terminal whose end for programs `slave` is, as a session's leader."""
    run = _server().fork(arguments, cwd=cwd, env=env, terminal=os.ttyname(slave))
    run.wait_for_start()
    return run


class _Server:
    """The process that has imported the program, and what is forked from it."""

    def __init__(self) -> None:
        self._process: Any = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True,
            env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TZ": "UTC"},
        )  # fmt: skip
        self._runs: list[Forked] = []
        threading.Thread(target=self._listen, daemon=True).start()
        atexit.register(self._end)

    def fork(self, arguments: Sequence[str], *, cwd: Path, env: Mapping[str, str], **ends: object) -> Forked:
        run = Forked(arguments)
        self._runs.append(run)
        order = {"number": len(self._runs) - 1, "arguments": [*arguments], "cwd": str(cwd), "env": dict(env), **ends}
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return run

    def _listen(self) -> None:
        for line in self._process.stdout:
            news = json.loads(line)
            self._runs[news.pop("number")].told(news)

    def _end(self) -> None:
        """End it with all that was forked from it."""
        for run in self._runs:
            run.send_signal(signal.SIGKILL)
        self._process.stdin.close()
        self._process.kill()
        self._process.wait()


@cache
def _server() -> _Server:
    return _Server()


# --- in the process that forks --------------------------------------------------------------------------------------------


def _serve() -> None:
    """Fork for each order, and tell how what was forked ends; return in the child, once it is what was ordered."""
    import gc
    import importlib

    for name in (*_own_modules(), *_LOADED):
        importlib.import_module(name)
    _read_certificates()
    gc.collect()
    gc.freeze()  # looking for garbage writes to each object, and a page that is written to is copied
    assert threading.active_count() == 1, "a process with threads cannot be forked safely"
    answers = os.dup(1)
    running: dict[int, tuple[int, int]] = {}  # a handle on each process, with its pid and its order's number
    orders = b""

    def tell(**news: int) -> None:
        os.write(answers, json.dumps(news).encode() + b"\n")

    while True:
        ready, _, _ = select.select([0, *running], [], [])
        for handle in ready:
            if handle:
                pid, number = running.pop(handle)
                os.close(handle)
                tell(number=number, status=os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
                continue
            new = os.read(0, 65536)
            if not new:
                os._exit(0)
            *lines, orders = (orders + new).split(b"\n")
            for line in lines:
                order = json.loads(line)
                is_ready, says_ready = os.pipe()
                pid = os.fork()
                if pid == 0:
                    for other in (answers, is_ready, *running):
                        os.close(other)
                    _become(order)
                    os.close(says_ready)
                    return
                os.close(says_ready)
                os.read(is_ready, 1)  # its end: a terminal that nobody has open yet would look as if it had been left
                os.close(is_ready)
                running[os.pidfd_open(pid)] = (pid, order["number"])
                tell(number=order["number"], pid=pid)


def _read_certificates() -> None:
    """Read them once: each client does, and it takes longer than most of what a run does besides."""
    import httpcore2

    sys.path.append(str(Path(__file__).parent))
    from quick_clients import share_certificates

    sys.path.pop()
    share_certificates()
    httpcore2.default_ssl_context(_trust_env=False)


def _own_modules() -> list[str]:
    import pkgutil

    import tui_agent

    names = [module.name for module in pkgutil.walk_packages(tui_agent.__path__, "tui_agent.")]
    return [name for name in names if name.rpartition(".")[2] != _RUN and ".projects." not in name]


def _become(order: Mapping[str, Any]) -> None:
    os.setsid()
    if terminal := order.get("terminal"):
        paths, modes = (
            [terminal] * 3,
            [os.O_RDWR] * 3,
        )  # the first terminal that a session's leader opens becomes its own
    else:
        paths, modes = order["streams"], [os.O_RDONLY, os.O_WRONLY | os.O_APPEND, os.O_WRONLY | os.O_APPEND]
    for number, (path, mode) in enumerate(zip(paths, modes, strict=True)):
        handle = os.open(path, mode)
        os.dup2(handle, number)
        os.close(handle)
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = (  # type: ignore[misc]
        os.fdopen(number, mode, encoding="utf-8") for number, mode in enumerate("rww")
    )
    sys.stdin, sys.stdout, sys.stderr = sys.__stdin__, sys.__stdout__, sys.__stderr__  # type: ignore[assignment]
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
