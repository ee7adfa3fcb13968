"""The subreaper: a tiny process between the program and a command, so that nothing the command starts can outlive it.

Linux hands a process whose parent has died to the nearest ancestor that is a subreaper (`PR_SET_CHILD_SUBREAPER`). This process
becomes one before it starts the command, so whatever the command starts stays below it, whichever sessions, groups and
environments it makes for itself. When the command ends, or the program lets go of the leash (also by being killed), the
subreaper ends all of it.

Started as `lone_programs` says with an order (argv and environment) and two more descriptors: the leash (a pipe: `e` in it, or
its end, means that everything is to end, `k` at once) and the report (a pipe for lines: see `_end_all`).
"""

import _ctypes  # `ctypes` and `signal` cost milliseconds
import _signal  # type: ignore[import-not-found]
import os
import select
import sys
import time

_SUBREAPER = 36
_NOT_STARTED = 126
_GRACE_S = 0.5  # how long processes may take to end by themselves before they are killed
_KILLING_S = 2.0  # how long killing is tried; what is left then cannot be killed
_POLL_S = 0.01
_REAP_S = 1.0  # how often processes that were handed over are collected while the command runs
_MOST_NAMED = 20


class _Subreaper:
    def __init__(self, leash: int, report: int) -> None:
        self.leash = leash
        self.report = report
        self.child = 0
        self.code = -1  # of the command; -1 while it runs
        self.has_children = True

    def run(self, argv: tuple[str, ...], environment: dict[str, str]) -> int:
        self.child = os.fork()
        if self.child == 0:
            _become(argv, environment)
        null = os.open(os.devnull, os.O_RDWR)
        for fd in (0, 1, 2):  # else the command's pipes would stay open
            os.dup2(null, fd)
        for number in (_signal.SIGTERM, _signal.SIGHUP, _signal.SIGINT, _signal.SIGQUIT):
            _signal.signal(number, _signal.SIG_IGN)
        self._wait()
        self.reap()
        if self.has_children:
            self._end_all()
        return self.code if self.code >= 0 else 128 + _signal.SIGKILL

    def _wait(self) -> None:
        """Return when the command has ended, or the leash is let go."""
        poll = select.poll()
        poll.register(self.leash, select.POLLIN | select.POLLHUP)
        try:
            poll.register(os.pidfd_open(self.child), select.POLLIN)
            pause = _REAP_S
        except OSError:  # a kernel before 5.3
            pause = _POLL_S
        while self.code < 0:
            if any(fd == self.leash for fd, _ in poll.poll(pause * 1000)):
                return
            self.reap()

    def reap(self) -> None:
        """Collect what has ended."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                self.has_children = False
                return
            if pid == 0:
                return
            if pid == self.child:
                code = os.waitstatus_to_exitcode(status)
                self.code = code if code >= 0 else 128 - code

    def _end_all(self) -> None:
        """End all that is left: politely first, then not. Reports `left`, and `stuck PID NAME` for what could not be ended."""
        if self.code >= 0:
            self.say("left")
        self._signal_all(_signal.SIGTERM)
        deadline = time.monotonic() + _GRACE_S
        while self.has_children and time.monotonic() < deadline and not self._is_hurried():
            time.sleep(_POLL_S)
            self.reap()
        deadline = time.monotonic() + _KILLING_S
        while self.has_children and time.monotonic() < deadline:
            self._signal_all(_signal.SIGKILL)
            time.sleep(_POLL_S / 10)
            self.reap()
        if self.has_children:
            for pid, name in list(_below(os.getpid()).items())[:_MOST_NAMED]:
                self.say(f"stuck {pid} {name}")

    def _signal_all(self, number: int) -> None:
        for pid in _below(os.getpid()):
            try:
                os.kill(pid, number)
            except OSError:  # it has gone meanwhile, or belongs to another user
                continue

    def _is_hurried(self) -> bool:
        ready, _, _ = select.select([self.leash], [], [], 0)
        try:
            return bool(ready) and b"k" in os.read(self.leash, 16)
        except OSError:
            return False

    def say(self, line: str) -> None:
        try:
            os.write(self.report, line.replace("\n", " ").encode("utf-8", "replace") + b"\n")
        except OSError:  # nobody listens: the program is gone
            return


def _become(argv: tuple[str, ...], environment: dict[str, str]) -> None:
    """Turn into the command. Does not return."""
    try:
        os.setsid()
        for number in (_signal.SIGPIPE, _signal.SIGXFSZ):  # which Python ignores, and would hand on like that
            _signal.signal(number, _signal.SIG_DFL)
        os.execve(argv[0], argv, environment)  # noqa: S606
    except OSError as error:
        os.write(2, f"tui-agent: {argv[0]} could not be started: {error}\n".encode("utf-8", "replace"))
    finally:
        os._exit(_NOT_STARTED)


def _below(top: int) -> dict[int, str]:
    """Return all processes below one, by number, with their names."""
    names: dict[int, str] = {}
    children: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):  # noqa: PTH208 - as light as it can be
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat", "rb") as file:  # noqa: PTH123
                    head, _, rest = file.read().rpartition(b")")
                parent = int(rest.split()[1])
            except (OSError, ValueError, IndexError):
                continue  # it has gone meanwhile
            names[int(entry)] = head.partition(b"(")[2].decode("utf-8", "replace")
            children.setdefault(parent, []).append(int(entry))
    found: dict[int, str] = {}
    waiting = [top]
    while waiting:
        for pid in children.get(waiting.pop(), ()):
            if pid not in found:
                found[pid] = names[pid]
                waiting.append(pid)
    return found


def main(order: tuple[tuple[str, ...], dict[str, str]]) -> None:
    """Run a command under a subreaper, given its argv and environment. Ends the process with its exit code."""
    ended = _NOT_STARTED
    try:
        ended = _run(*order)
    except Exception as error:  # noqa: BLE001 - whatever it is, the command must not run, or has been ended
        os.write(2, f"tui-agent: the command could not be watched: {error}\n".encode("utf-8", "replace"))
    os._exit(ended)


def _run(argv: tuple[str, ...], environment: dict[str, str]) -> int:
    leash, report = map(int, sys.argv[3:5])
    for fd in (leash, report):
        os.set_inheritable(fd, False)
    subreaper = _Subreaper(leash, report)
    prctl = _ctypes.dlsym(_ctypes.dlopen(None, 0), "prctl")  # type: ignore[arg-type]
    if _ctypes.call_function(prctl, (_SUBREAPER, 1, 0, 0, 0)) != 0:
        subreaper.say("weak")  # some containers do not let it: then the program looks for what got away
    return subreaper.run(argv, environment)
