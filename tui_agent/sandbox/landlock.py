"""Landlock: a process of Linux gives up rights on the disk for itself and all that it starts. Needs nothing to be installed.

Rights are given to folders and reach down into all that is in them; nothing can be taken out of a folder again. So what is
not to be written inside of a folder that is cannot be held, and what is not to be read is held by giving the right to read to
everything beside it. Names of files can be seen everywhere, but where only some places are visible, no other folder can be
listed. What other programs have in memory or open (`/proc/PID/root`) the kernel closes to whoever is confined. Modes, owners
and times of files it leaves alone, and of the network it knows TCP only; both are up to the filter of system calls, without
which there is no Landlock here.
"""

from __future__ import annotations

import ctypes
import os
import platform
import socket
import struct
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from tui_agent.lone_programs import is_startable, lone_argv, lone_order
from tui_agent.sandbox.limits import Launch, SandboxLimits, SandboxStartError
from tui_agent.sandbox.path_overlays import is_inside, outermost, real
from tui_agent.sandbox.seccomp import FilterTerms, build_filter, can_filter

__all__ = ["Landlock", "find_landlock", "landlock_abi"]

_LAUNCHER: Final = "tui_agent.sandbox.landlock_launcher"
_CREATE_RULESET: Final = 444

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_MAKE_AND_REMOVE: Final = sum(1 << bit for bit in range(4, 13))
_REFER, _TRUNCATE, _DEVICE_REQUESTS = 1 << 13, 1 << 14, 1 << 15
_READING: Final = _EXECUTE | _READ_FILE
_LISTING: Final = _READING | _READ_DIR
_OF_FILES: Final = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _DEVICE_REQUESTS
_TCP: Final = 0b11  # bind and connect
_SCOPES: Final = 0b11  # abstract sockets and signals
_SINCE: Final = {"refer": 2, "truncate": 3, "tcp": 4, "devices": 5, "scopes": 6}
_OLDEST: Final = 3  # before, files could be cut to nothing

_DEVICES: Final = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx")
_DEVICE_FOLDERS: Final = ("/dev/pts", "/dev/shm")  # noqa: S108 - for commands that may write: terminals, semaphores
_READ_DEVICES: Final = (*_DEVICES, "/dev/pts")
_MOST_PLACES: Final = 20_000  # beside what is hidden; each costs microseconds
_NOT_INSIDE: Final = (
    "nothing inside a folder that may be written can be kept from being written (`.git/hooks`, `denyWrite` …), so commands "
    "that may write are asked about; install bubblewrap to have them run without asking"
)
_NOT_LOCAL: Final = (
    "Landlock alone stops TCP only; the rest of the network, local sockets included, is stopped by a filter of system calls, "
    "so that without the network there is not even a local server"
)
# What root needs for files of other users: CAP_DAC_READ_SEARCH; and CAP_CHOWN, DAC_OVERRIDE, FOWNER
_ROOT_READING: Final = 1 << 2
_ROOT_WRITING: Final = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 3


@dataclass(frozen=True)
class Landlock:
    """Landlock of this version of its interface."""

    abi: int
    name: Literal["landlock"] = "landlock"
    holds_inside: bool = False
    holds_sockets: bool = False

    @property
    def gaps(self) -> tuple[str, ...]:
        """What it cannot prevent, a clause each."""
        found = [
            _NOT_INSIDE,
            "commands that may write can change modes, owners and times of files anywhere",
            "names of files that must not be read can still be listed",
            "where something inside a working folder must not be read, commands cannot read what they make beside it",
            _NOT_LOCAL,
            "no single local socket can be opened, so `docker ps`, `systemctl status` and their like are asked about",
            "`lsof`, `fuser` and `ss -p` do not see what other programs have open",
            "with the network on, all hosts can be reached: rules for single hosts need a proxy, which is not built in",
        ]
        if self.abi < _SINCE["scopes"]:
            found.append("signals reach other programs of the same user")
        return tuple(found)

    def wrap(
        self,
        argv: tuple[str, ...],
        limits: SandboxLimits,
        *,
        folder: str,  # noqa: ARG002
        environment: Mapping[str, str] | None,
    ) -> Launch:
        """Return what runs `argv`, with this environment, under these limits; whoever starts it sets the folder.

        Raises:
            SandboxStartError: these limits cannot be held here.
        """
        rules = dict(_merged(self._rules(limits)))
        variables = None if environment is None else dict(environment)
        kept = _ROOT_READING if limits.is_read_only else _ROOT_WRITING
        most = limits.scratch_bytes if limits.scratch else 0
        order = lone_order(
            _LAUNCHER,
            (
                self._handled(limits),
                list(rules.items()),
                _filter(limits),
                kept,
                most,
                limits.memory_bytes,
                argv,
                variables,
            ),
        )
        fd = os.memfd_create("tui-agent-sandbox", os.MFD_CLOEXEC)
        try:
            with open(fd, "wb", closefd=False) as file:
                file.write(order)
            os.lseek(fd, 0, os.SEEK_SET)
        except BaseException:
            os.close(fd)
            raise
        return Launch(lone_argv("landlock", fd), (fd,), dict(os.environ), watched=limits.scratch, most_bytes=most)

    @property
    def _writing(self) -> int:
        rights = _WRITE_FILE | _MAKE_AND_REMOVE
        if self.abi >= _SINCE["refer"]:
            rights |= _REFER
        if self.abi >= _SINCE["truncate"]:
            rights |= _TRUNCATE
        if self.abi >= _SINCE["devices"]:
            rights |= _DEVICE_REQUESTS
        return rights

    def _handled(self, limits: SandboxLimits) -> bytes:
        """Return what is forbidden unless a rule gives it, as the kernel's `landlock_ruleset_attr` of this version."""
        files = self._writing | self._handled_reading(limits)
        if self.abi < _SINCE["tcp"]:
            return struct.pack("=Q", files)
        tcp = 0 if limits.network else _TCP
        if self.abi < _SINCE["scopes"]:
            return struct.pack("=QQ", files, tcp)
        return struct.pack("=QQQ", files, tcp, _SCOPES)

    def _rules(self, limits: SandboxLimits) -> Iterator[tuple[str, int]]:
        writing = self._writing
        for path in _DEVICES:
            yield path, writing & _OF_FILES
        if not limits.is_read_only:
            for path in _DEVICE_FOLDERS:
                yield path, writing
        for path in real(limits.writable):
            yield path, writing
        if limits.scratch:
            yield os.path.realpath(limits.scratch), writing | self._handled_reading(limits)
        yield from self._reading(limits)

    def _handled_reading(self, limits: SandboxLimits) -> int:
        """Return the rights to read that are taken away unless a rule gives them."""
        if limits.visible is not None:
            return _LISTING
        return _READING if limits.unreadable else 0

    def _reading(self, limits: SandboxLimits) -> Iterator[tuple[str, int]]:
        """Yield the rights to read: to what is visible, or to everything, but for what is hidden in it."""
        rights = self._handled_reading(limits)
        if not rights:
            return
        hidden = outermost(limits.unreadable)
        if "/" in hidden:
            raise SandboxStartError("everything would be unreadable, programs too")
        if limits.visible is not None:
            yield from ((path, rights) for path in (*_READ_DEVICES, "/proc"))
        for place in outermost(limits.visible) if limits.visible is not None else ("/",):
            if is_inside(place, hidden):
                continue
            if not any(is_inside(path, (place,)) for path in hidden):
                yield place, rights
                continue
            if rights & _READ_DIR:
                yield place, _READ_DIR
            for path in _beside(place, hidden):
                yield path, _READING
        for path in real(limits.readable):
            yield path, rights


def _merged(rules: Iterable[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    """Join the rights of each path, less what makes sense for folders only where it is none. What is missing is left out."""
    found: dict[str, int] = {}
    for path, rights in rules:
        found[path] = found.get(path, 0) | rights
    for path, rights in found.items():
        if os.path.lexists(path):
            yield path, rights if os.path.isdir(path) else rights & _OF_FILES  # noqa: PTH112


def _beside(place: str, hidden: tuple[str, ...]) -> Iterator[str]:
    """Yield paths that together hold all of `place` but `hidden`. Links are left out: what they lead to has its own place.

    Raises:
        SandboxStartError: a folder on the way cannot be looked at, or there are too many.
    """
    waiting = [place]
    above = {parent for path in hidden for parent in _parents(path)}
    seen = 0
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    seen += 1
                    if entry.path in hidden or entry.is_symlink():
                        continue
                    if entry.path in above:
                        waiting.append(entry.path)
                    else:
                        yield entry.path
        except OSError as error:
            raise SandboxStartError(f"{folder} cannot be looked at: {error.strerror or error}") from error
        if seen > _MOST_PLACES:
            raise SandboxStartError("what must not be read lies among too many files")


def _parents(path: str) -> Iterator[str]:
    while path != (path := os.path.dirname(path)):  # noqa: PTH120 - texts
        yield path


def _filter(limits: SandboxLimits) -> bytes:
    families = [int(socket.AF_NETLINK)]
    if limits.network and not limits.is_read_only:
        families += [socket.AF_INET, socket.AF_INET6]
    if limits.unix_sockets:
        families.append(socket.AF_UNIX)
    return build_filter(FilterTerms(families=tuple(families), is_read_only=limits.is_read_only))


def landlock_abi() -> int:
    """Return the version of the kernel's interface; 0 where there is none."""
    if sys.platform != "linux" or platform.machine() not in ("x86_64", "aarch64"):
        return 0
    libc = ctypes.CDLL(None, use_errno=True)
    return max(0, int(libc.syscall(ctypes.c_long(_CREATE_RULESET), None, ctypes.c_size_t(0), ctypes.c_uint(1))))


def find_landlock() -> Landlock | None:
    """Return Landlock if this kernel has a version that can hold what is asked of it."""
    abi = landlock_abi()
    return Landlock(abi) if abi >= _OLDEST and can_filter() and is_startable(_LAUNCHER) else None
