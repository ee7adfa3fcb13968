"""Runs a command where everything may be written and nothing is: all that it changed, tried and left behind is recorded.

The whole disk lies under layers that live in memory (overlayfs in a user namespace of its own), so whatever the command
makes, changes, touches or removes, anywhere, is found in a layer afterwards and is gone with it. A filter of system calls
hands each attempt to open a socket, and a few other calls that have no place in reading, over to be noted and refused.
Processes are counted in a process namespace, when the command has ended.

    recording = record("sort -o out in", folder=tmp_path)
    assert recording.is_clean, recording

The file is also the program that runs inside; it then imports nothing but the standard library.
"""

# ruff: noqa: PTH101, PTH102, PTH114, PTH115, PTH116, PTH123, PTH208, PTH211

from __future__ import annotations

import ctypes
import json
import os
import select
import signal
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fcntl import ioctl
from functools import cache
from pathlib import Path
from typing import Any

_NOTED = (
    "socket", "connect", "io_uring_setup", "ptrace", "process_vm_writev", "mount", "umount2", "setns", "pivot_root",
    "keyctl", "add_key", "bpf", "perf_event_open", "settimeofday", "clock_settime", "sethostname", "reboot", "shmget",
    "semget", "msgget", "mq_open", "mq_unlink", "swapon", "acct", "userfaultfd", "init_module",
)  # fmt: skip
_SETTLE_S = 0.15  # how long what was running beside the command may take to end


@dataclass(frozen=True)
class Recording:
    """What came of a command.

    `changed` are lines such as `written /etc/x`; `tried` calls such as `socket 2`, with the family's number, or
    `connect /run/x.sock`; `left` the command lines of what still ran.
    """

    exit_code: int
    stdout: str
    stderr: str
    changed: tuple[str, ...] = ()
    tried: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    is_late: bool = False

    @property
    def is_clean(self) -> bool:
        """Whether it wrote nothing, tried nothing that has no place in reading, and left no process behind."""
        return not (self.changed or self.tried or self.left)


class CannotRecord(RuntimeError):  # noqa: N818 - the name says what is wrong
    """This machine does not let it be set up; the text says what failed."""


@cache
def why_not() -> str:
    """Return why nothing can be recorded here, for a test to be skipped with; empty where it works."""
    from tui_agent.sandbox.seccomp import can_filter

    if not can_filter():
        return "the filter of system calls does not know this system"
    try:
        probe = record("echo x > probe; exit 3", folder=Path(tempfile.gettempdir()))
    except CannotRecord as error:
        return str(error)
    wanted = f"written {os.path.realpath(tempfile.gettempdir())}/probe"
    return "" if probe.exit_code == 3 and probe.changed == (wanted,) else f"a trial recorded {probe}"


def record(
    command: str,
    *,
    folder: Path,
    home: Path | None = None,
    environment: Mapping[str, str] | None = None,
    timeout_s: float = 20.0,
) -> Recording:
    """Run a command of bash in `folder` and return all that it did. The disk stays as it is.

    Raises:
        CannotRecord: it cannot be set up here.
    """
    import platform

    from tui_agent.sandbox.seccomp import _KINDS

    kind, numbers = _KINDS[platform.machine()]
    noted = {numbers[name]: name for name in _NOTED if name in numbers}
    usual = {"PATH": os.environ["PATH"], "HOME": str(home or Path.home()), "LANG": "C.UTF-8", "TERM": "dumb"}
    with tempfile.TemporaryDirectory(prefix="tui-agent-recording-") as base:
        order = {
            "base": base,
            "folder": str(folder),
            "argv": ["/bin/bash", "--noprofile", "--norc", "-c", "--", command],
            "environment": {**usual, **(environment or {}), "TMPDIR": "/dev/shm/tmp"},
            "filter": _noting_filter(kind, list(noted)).hex(),
            "noted": {str(number): name for number, name in noted.items()},
            "timeout_s": timeout_s,
        }
        done = subprocess.run(
            [sys.executable, "-I", "-S", __file__],
            input=json.dumps(order),
            capture_output=True,
            text=True,
            timeout=timeout_s + 20,
            check=False,
        )
    if done.returncode != 0 or not done.stdout:
        raise CannotRecord(f"nothing can be recorded here: {done.stderr.strip()[-300:] or done.returncode}")
    found = json.loads(done.stdout)
    return Recording(
        exit_code=found["exit_code"],
        stdout=found["stdout"],
        stderr=found["stderr"],
        changed=tuple(found["changed"]),
        tried=tuple(found["tried"]),
        left=tuple(found["left"]),
        is_late=found["is_late"],
    )


def _noting_filter(kind: int, numbers: list[int]) -> bytes:
    """Return the filter: what is for another processor fails, calls to be noted are handed over, all else goes through."""
    out = [(0x20, 0, 0, 4), (0x15, 1, 0, kind), (0x06, 0, 0, 0x00050026), (0x20, 0, 0, 0)]
    for number in numbers:
        out += [(0x15, 0, 1, number), (0x06, 0, 0, 0x7FC00000)]  # SECCOMP_RET_USER_NOTIF
    out.append((0x06, 0, 0, 0x7FFF0000))
    return b"".join(struct.pack("HBBI", *instruction) for instruction in out)


# --- inside


_NEWNS, _NEWIPC, _NEWUSER, _NEWPID, _NEWNET = 0x20000, 0x08000000, 0x10000000, 0x20000000, 0x40000000
_BIND, _REC, _PRIVATE, _RDONLY, _REMOUNT = 0x1000, 0x4000, 0x40000, 1, 0x20
_RECEIVE, _SEND = 0xC0502100, 0xC0182101
# Where the C library asks who a user is, before it looks into /etc/passwd; every bash does so when it starts.
_ASKED_FOR_NAMES = ("/var/run/nscd/socket", "/run/systemd/userdb/io.systemd.DynamicUser", "/var/lib/sss/pipes/nss")
Layer = tuple[str, str, int]  # the folder, where its layer is kept, and when the folder was last changed (nanoseconds)
_libc = ctypes.CDLL(None, use_errno=True)


def _checked(found: int, what: str) -> int:
    if found < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return found


def _mount(source: str, target: str, kind: str = "", flags: int = 0, data: str = "") -> None:
    given = [text.encode() if text else None for text in (source, target, kind)]
    _checked(_libc.mount(*given, ctypes.c_ulong(flags), data.encode() if data else None), f"mount {kind} {target}")


def _run_inside() -> None:
    order = json.load(sys.stdin)
    uid, gid = os.geteuid(), os.getegid()
    _checked(_libc.unshare(_NEWUSER | _NEWNS | _NEWPID | _NEWIPC | _NEWNET), "unshare")
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
    Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        os._exit(os.waitstatus_to_exitcode(status) and 1)
    try:
        print(json.dumps(_as_first_process(order)), flush=True)
        code = 0
    except OSError as error:
        sys.stderr.write(f"{error}\n")
        code = 1
    os._exit(code)


def _as_first_process(order: dict[str, Any]) -> dict[str, Any]:
    base = order["base"]
    _mount("none", "/", flags=_REC | _PRIVATE)
    _mount("tmpfs", base, "tmpfs")
    layers = _lay_over(base)
    made = set(os.listdir(f"{base}/root"))
    root = f"{base}/root"
    _mount("proc", f"{root}/proc", "proc")
    _mount("/sys", f"{root}/sys", flags=_BIND | _REC)
    _mount("/dev", f"{root}/dev", flags=_BIND | _REC)
    _mount("tmpfs", f"{root}/dev/shm", "tmpfs")
    os.mkdir(f"{root}/dev/shm/tmp")
    _mount("proc", "/proc", "proc")
    outputs = [os.open(f"{base}/{name}", os.O_RDWR | os.O_CREAT) for name in ("stdout", "stderr")]
    listener = _listen(bytes.fromhex(order["filter"]))
    pid = os.fork()
    if pid == 0:
        _become(order, root, outputs)
    tried: list[str] = []
    code, is_late = _supervise(pid, listener, {int(key): name for key, name in order["noted"].items()}, tried, order)
    left = _left_over(listener, tried, order)
    changed = [f"written /{name}" for name in set(os.listdir(root)) ^ made]
    changed += [line for layer in layers[1:] for line in _changes(*layer)]
    changed += [f"written /dev/shm/{name}" for name in os.listdir(f"{root}/dev/shm") if name != "tmp"]
    texts = []
    for handle in outputs:
        os.lseek(handle, 0, os.SEEK_SET)
        texts.append(os.read(handle, 200_000).decode("utf-8", "replace"))
    return {
        "exit_code": code, "stdout": texts[0], "stderr": texts[1], "changed": sorted(changed), "tried": tried, "left": left,
        "is_late": is_late,
    }  # fmt: skip


def _lay_over(base: str) -> list[Layer]:
    """Build a root of which each folder has an empty layer over it; return the folders and where their layers are kept.

    In a namespace of one's own the kernel lays nothing over a folder in which something else is mounted: such a folder is
    made anew, and its parts are treated one by one. What can have no layer is there to be read.
    """
    root = f"{base}/root"
    os.mkdir(root)
    mounted = {
        line.split()[4].encode().decode("unicode_escape")
        for line in Path("/proc/self/mountinfo").read_text().splitlines()
    } - {base}
    layers = [("/", root, 0)]
    waiting = ["/"]
    while waiting:
        parent = waiting.pop()
        for entry in os.scandir(parent):
            place, target = entry.path, root + entry.path
            if entry.is_symlink():
                os.symlink(os.readlink(place), target)
            elif not entry.is_dir(follow_symlinks=False):
                os.close(os.open(target, os.O_CREAT))
                _mount(place, target, flags=_BIND)
            elif place in ("/dev", "/proc", "/sys"):
                os.mkdir(target)
            elif any(other.startswith(place + "/") for other in mounted):
                os.mkdir(target)
                waiting.append(place)
            else:
                os.mkdir(target)
                _lay_one(base, place, target, layers)
    return layers


def _lay_one(base: str, place: str, target: str, layers: list[Layer]) -> None:
    upper, work = f"{base}/upper{len(layers)}", f"{base}/work{len(layers)}"
    os.mkdir(upper)
    os.mkdir(work)
    here = os.stat(place)
    os.chmod(upper, stat.S_IMODE(here.st_mode))
    os.utime(upper, ns=(here.st_atime_ns, here.st_mtime_ns))
    try:
        _mount("overlay", target, "overlay", data=f"lowerdir={place},upperdir={upper},workdir={work},userxattr")
        layers.append((place, upper, here.st_mtime_ns))
    except OSError:
        _mount(place, target, flags=_BIND | _REC)
        _mount("none", target, flags=_BIND | _REC | _REMOUNT | _RDONLY)


def _listen(code: bytes) -> int:
    """Take on the filter, which the command inherits, and return where its calls are heard."""
    buffer = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(buffer))
    _checked(_libc.prctl(38, 1, 0, 0, 0), "no_new_privs")
    number = 317 if os.uname().machine == "x86_64" else 277
    return _checked(_libc.syscall(number, 1, 8, ctypes.c_char_p(program)), "seccomp")


def _become(order: dict[str, Any], root: str, outputs: list[int]) -> None:
    try:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        os.setsid()
        os.chroot(root)
        os.chdir(order["folder"])
        os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
        os.dup2(outputs[0], 1)
        os.dup2(outputs[1], 2)
        os.execve(order["argv"][0], order["argv"], order["environment"])
    except OSError as error:
        os.write(2, f"{error}\n".encode())
    os._exit(127)


def _supervise(
    pid: int, listener: int, names: dict[int, str], tried: list[str], order: dict[str, Any]
) -> tuple[int, bool]:
    handle = os.pidfd_open(pid)
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    poll.register(listener, select.POLLIN)
    deadline = time.monotonic() + order["timeout_s"]
    is_late = False
    while True:
        if time.monotonic() > deadline:
            is_late = True
            os.kill(pid, signal.SIGKILL)
        ready = dict(poll.poll(100))
        if listener in ready and ready[listener] & select.POLLIN:
            _hear(listener, names, tried)
        if handle in ready:
            _, status = os.waitpid(pid, 0)
            code = os.waitstatus_to_exitcode(status)
            return (code if code >= 0 else 128 - code), is_late


def _hear(listener: int, names: dict[int, str], tried: list[str]) -> None:
    """Note one call, and let it fail as not permitted."""
    call = bytearray(80)
    try:
        ioctl(listener, _RECEIVE, call)
        caller, number = struct.unpack_from("I", call, 8)[0], struct.unpack_from("i", call, 16)[0]
        first, second, third = struct.unpack_from("QQQ", call, 32)
        name = names.get(number, str(number))
        error, flags = -1, 0
        if name == "socket" and (first, second & 0xF) == (socket.AF_UNIX, socket.SOCK_STREAM):
            error, flags = 0, 1  # let it go on; what counts is where it connects to
        elif name == "connect":
            address = _address(caller, second, third)
            if address not in _ASKED_FOR_NAMES:
                tried.append(f"connect {address}")
        else:
            tried.append(f"{name} {first}" if name == "socket" else name)
        ioctl(listener, _SEND, struct.pack("QqiI", struct.unpack_from("Q", call, 0)[0], 0, error, flags))
    except OSError:
        return  # whoever called is gone by now


def _address(pid: int, place: int, size: int) -> str:
    """Return where a call wants to connect to, from the memory of the process that waits in it."""
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        memory.seek(place)
        raw = memory.read(min(size, 128))
    family = struct.unpack_from("H", raw)[0]
    return raw[2:].split(b"\0")[0].decode("utf-8", "replace") if family == socket.AF_UNIX else f"family {family}"


def _left_over(listener: int, tried: list[str], order: dict[str, Any]) -> list[str]:
    """Return what still runs after a moment, and end it."""
    names = {int(key): name for key, name in order["noted"].items()}
    deadline = time.monotonic() + _SETTLE_S
    while True:
        _reap()
        left = list(_others())
        if not left or time.monotonic() > deadline:
            break
        if select.select([listener], [], [], 0.01)[0]:
            _hear(listener, names, tried)
    for pid, _ in left:
        os.kill(pid, signal.SIGKILL)
    return [name for _, name in left]


def _reap() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def _others() -> Iterator[tuple[int, str]]:
    for name in os.listdir("/proc"):
        if name.isdigit() and name != "1":
            try:
                text = Path("/proc", name, "stat").read_text()
                words = Path("/proc", name, "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            except OSError:
                continue
            if text.rpartition(")")[2].split()[0] not in "ZX":
                yield int(name), words.strip()


def _changes(place: str, upper: str, mtime_ns: int) -> Iterator[str]:
    """Yield what a layer holds over the disk below it."""
    for folder, folders, files in os.walk(upper):
        below = os.path.normpath(place + folder[len(upper) :])
        here, there = os.lstat(folder), _stat(below)
        if there is None:
            yield f"made {below}"
        elif (here.st_mode, here.st_uid, here.st_gid) != (there.st_mode, there.st_uid, there.st_gid):
            yield f"changed {below}"
        elif here.st_mtime_ns != (mtime_ns if folder == upper else there.st_mtime_ns) and not (folders or files):
            yield f"touched {below}"
        for name in [*files, *(name for name in folders if os.path.islink(f"{folder}/{name}"))]:
            found = os.lstat(f"{folder}/{name}")
            is_gone = stat.S_ISCHR(found.st_mode) and found.st_rdev == 0
            yield f"{'removed' if is_gone else 'written'} {below.rstrip('/')}/{name}"


def _stat(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except OSError:
        return None


if __name__ == "__main__":
    _run_inside()
