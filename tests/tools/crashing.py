"""Writes approved changes in child processes that fail at every single step in turn, and tells what is left each time.

    python crashing.py FOLDER SCENARIO:FAULT...

prints a JSON line for each step: its number, what the system call was, how the child ended, and whether the folder holds the
old state or the new one, whole (else what it holds). Faults: `kill` (SIGKILL at the step), `again` (the recovery is killed at
steps of its own too), `fail` (the step alone fails for want of space), `full` (from the step on whatever needs space
fails), `pause` (another program starts while the child stands still at the step).
"""

from __future__ import annotations

import errno
import gc
import itertools
import json
import os
import shutil
import signal
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tui_agent.changes import ApprovedChange, FileChange
from tui_agent.tools.file_changes.apply import apply_changes
from tui_agent.tools.file_changes.checks import RefusedChange
from tui_agent.tools.file_changes.intents import recover
from tui_agent.tools.files import load
from tui_agent.tools.resolved_path import resolve

CALLS = (
    "open", "write", "fsync", "close", "link", "replace", "rename", "unlink", "mkdir", "rmdir", "fchmod", "fchown", "utime",
    "setxattr",
)  # fmt: skip
NEED_SPACE = {"write", "fsync", "link", "mkdir"}
STOPPING = {"kill", "again", "pause"}
HARMLESS = {"fsync", "close"}  # who stops at one of these leaves what the step before has left
LINES = "".join(f"line {number}\n" for number in range(40))
FAILED = 3
AFTER: dict[str, dict[str, Any]] = {}  # by scenario: the world as it is to become


def build(folder: Path, scenario: str) -> tuple[ApprovedChange, ...]:
    """Make the world of a scenario, and return what is to be written in it."""
    (folder / "real").mkdir(parents=True)
    files = {"a.txt": 0o640, "tool.sh": 0o755, "real/c.txt": 0o600}
    for number, (name, mode) in enumerate(files.items()):
        path = folder / name
        path.write_text(f"{name}\n{LINES}")
        path.chmod(mode)
        os.utime(path, ns=(10**18 + number, 10**18 + number))
    (folder / "link.txt").symlink_to("real/c.txt")
    edits = [edit(folder / name) for name in ("a.txt", "tool.sh", "link.txt")]
    made = [FileChange.between(str(folder / name), None, "new\n").approve() for name in ("y.txt", "new/deep/x.txt")]
    match scenario:
        case "one":
            return (edits[2],)
        case "made":
            return (made[1],)
        case _:
            return (*edits[:2], *made, edits[2])


def edit(path: Path) -> ApprovedChange:
    file = load(resolve(str(path)))
    after = file.text.replace("line 3\n", "LINE three\n").replace("line 30\n", "")
    return FileChange.between(str(path), file.text, after, before_hash=file.hash).approve()


def look(folder: Path) -> dict[str, Any]:
    """Return everything there is below a folder: kind, content, mode, time."""
    found: dict[str, Any] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = ["link", str(path.readlink())]
        elif path.is_dir():
            found[name] = ["folder"]
        else:
            status = path.stat()
            found[name] = [path.read_text(), oct(status.st_mode), status.st_mtime_ns]
    return found


def without_times(world: dict[str, Any]) -> dict[str, Any]:
    return {name: entry[:2] for name, entry in world.items()}


class Faults:
    """Stands between the program and the system calls that change something, and lets the n-th of them fail."""

    def __init__(self, fault: str, at: int, log: int) -> None:
        self.fault, self.at, self.log = fault, at, log
        self.count = 0
        self.real = {name: getattr(os, name) for name in CALLS if hasattr(os, name)}

    def install(self, *, has_links: bool) -> None:
        for name, real in self.real.items():
            setattr(os, name, self.wrapped(name, real))
        if not has_links:
            os.link = self.no_links  # type: ignore[assignment]

    def no_links(self, *_: Any, **__: Any) -> None:
        raise OSError(errno.EPERM, "no hard links here")

    def wrapped(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **more: Any) -> Any:
            if self.fault in STOPPING and (name in HARMLESS or (name == "open" and not arguments[1] & os.O_CREAT)):
                return real(*arguments, **more)
            if name == "close" and stat.S_ISDIR(os.fstat(arguments[0]).st_mode):  # nothing hangs on it
                return real(*arguments, **more)
            self.count += 1
            if self.count == self.at:
                self.real["write"](self.log, name.encode())
                self.strike(name, arguments)
            elif self.fault == "full" and self.count > self.at:
                self.strike(name, arguments)
            return real(*arguments, **more)

        return call

    def strike(self, name: str, arguments: tuple[Any, ...]) -> None:
        if self.fault == "pause":
            os.kill(os.getpid(), signal.SIGSTOP)
            return
        if self.fault == "full" and not (name in NEED_SPACE or (name == "open" and arguments[1] & os.O_CREAT)):
            return
        if name == "write" and self.fault != "full":
            self.real["write"](arguments[0], bytes(arguments[1])[: len(arguments[1]) // 2])
        if self.fault in ("kill", "again"):
            os.kill(os.getpid(), signal.SIGKILL)
        raise OSError(errno.ENOSPC, "No space left on device")


def in_child(work: Callable[[], object], faults: Faults, *, has_links: bool) -> int:
    """Run work in a child process with faults; return its process id."""
    child = os.fork()
    if child:
        return child
    try:
        faults.install(has_links=has_links)
        work()
    except (OSError, RefusedChange):
        os._exit(FAILED)
    except BaseException as error:  # noqa: BLE001 - the child must not run on as a second parent
        sys.stderr.write(f"{error!r}\n")
        os._exit(4)
    os._exit(0)


def ended(child: int) -> str:
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return "killed"
    return {0: "done", FAILED: "failed"}.get(os.WEXITSTATUS(status), "broken")


def run(root: Path, scenario: str, fault: str, at: int) -> dict[str, Any]:
    """Let one child fail at one step, recover, and tell what is left."""
    if root.exists():
        shutil.rmtree(root)
    folder, state = root / "work", root / "state"
    state.mkdir(parents=True)
    approved = build(folder, scenario)
    before = look(folder)
    reading, writing = os.pipe()
    has_links = scenario != "copies"
    child = in_child(lambda: apply_changes(approved, state), Faults(fault, at, writing), has_links=has_links)
    told: tuple[str, ...] = ()
    if fault == "pause":
        _, status = os.waitpid(child, os.WUNTRACED)
        if not os.WIFSTOPPED(status):
            end = "done" if os.WEXITSTATUS(status) == 0 else "broken"
        else:
            told = recover(state)
            os.kill(child, signal.SIGCONT)
            end = ended(child)
    else:
        end = ended(child)
    if fault == "again":
        for later in itertools.count(1 + at % 8, 8):
            nested = Faults("kill", later, writing)
            if ended(in_child(lambda: recover(state), nested, has_links=has_links)) == "done":
                break
    told += recover(state)
    os.close(writing)
    call = os.read(reading, 100).decode()
    os.close(reading)
    left = look(folder)
    is_old = left == before
    if scenario not in AFTER:
        apply_changes(build(root / "second", scenario), None)
        AFTER[scenario] = look(root / "second")
    after = AFTER[scenario]
    is_new = without_times(left) == without_times(after) and all(
        entry == before[name] for name, entry in left.items() if name in before and entry[:2] == before[name][:2]
    )
    return {
        "at": at,
        "call": call,
        "end": end,
        "told": told,
        "left": "old" if is_old else "new" if is_new else left,
        "notes": [path.name for path in (state / "intents").glob("*")] if (state / "intents").exists() else [],
    }


def main() -> None:
    os.fsync = lambda _: None  # nobody pulls the plug here
    gc.disable()
    gc.freeze()  # a child that collects nothing shares nearly all pages with its parent
    for pair in sys.argv[2:]:
        scenario, fault = pair.split(":")
        for at in itertools.count(1):
            found = run(Path(sys.argv[1]), scenario, fault, at)
            sys.stdout.write(json.dumps({"of": pair} | found) + "\n")
            if not found["call"]:
                break


if __name__ == "__main__":
    main()
