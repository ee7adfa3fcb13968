"""bubblewrap: namespaces of the kernel, in which the disk is mounted anew, read-only but for what may be written.

How it is laid out, and why:

- What is mounted where: see `mounts`.
- Always a user namespace of its own, also for root: it takes every right over processes outside, and with it the way through
  `/proc/PID/root` back to the disk as it was.
- Always a process namespace: its first process is a tiny shell that waits for the command, and with it everything ends that
  the command started, whatever sessions or groups it made for itself. A command that only looks still has the machine's
  `/proc`, so that `ps` and `pgrep` tell the truth (its own `$$` is another number there); one that may write has its own.
  What files another process has open the kernel shows to nobody in here, so `lsof`, `fuser` and `ss -p` find little.
- No network is a network namespace with a loopback device only. A command that only looks stays in the machine's, where `ss`
  finds what it looks for, but can open no socket: see `seccomp`.
- The monitor that bubblewrap leaves outside is in the command's process group. A command that may write gets half a second
  after SIGTERM, which dying with the monitor would take from it; one that only looks has nothing to put in order.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from tui_agent.sandbox.limits import Launch, SandboxLimits, SandboxStartError
from tui_agent.sandbox.mounts import mounts
from tui_agent.sandbox.path_overlays import OverlayFiles
from tui_agent.sandbox.seccomp import FilterTerms, build_filter, can_filter

__all__ = ["Bubblewrap", "find_bubblewrap"]

_TRIAL_S: Final = 5.0
_TRIAL_SCRATCH: Final = "/tmp"  # noqa: S108 - in the sandbox's own root
_TRIAL_PLACES: Final = ("/usr", "/bin", "/lib", "/lib64", "/nix", "/gnu", "/etc", "/run/current-system")
# The first process of the namespace. Its own words on how the command died go nowhere: bash says such things itself.
_INIT: Final = 'exec 3>&2 2>/dev/null; (exec "$@" 2>&3 3>&-); exit $?'
_BLOCK: Final = 512  # bytes, of which `ulimit -f` counts how many a file may have
_MOST_ARGUMENTS: Final = 8000  # bubblewrap takes 9000, the command's own included


@dataclass(frozen=True)
class Bubblewrap:
    """bubblewrap at `program`; whether it can give a command a `/proc` and a network of its own was tried.

    `has_sizes` is that it can bound a file system in memory, which older versions cannot.
    """

    program: str
    has_own_proc: bool = True
    has_own_network: bool = True
    has_sizes: bool = True
    name: Literal["bubblewrap"] = "bubblewrap"
    holds_inside: bool = True

    @property
    def holds_sockets(self) -> bool:
        """Whether single local sockets can be reached and no others: those without a path belong to a network."""
        return self.has_own_network and can_filter()

    @property
    def gaps(self) -> tuple[str, ...]:
        """What it cannot prevent, a clause each."""
        found = [
            "with the network on, all hosts can be reached: rules for single hosts need a proxy, which is not built in",
            "`lsof`, `fuser` and `ss -p` do not see what other programs have open",
            "protected files that a command creates exist until it ends; then they are renamed",
        ]
        if not can_filter():
            found.append("on this processor, local sockets (docker, ssh agent) can be reached")
        if not self.has_sizes:
            found.append("bubblewrap is too old to bound temporary files altogether; each is bounded by itself")
        if not self.has_own_proc:
            found.append("commands see the processes of the machine, though they cannot touch them")
        if os.geteuid() == 0:
            found.append("files of other users are out of its reach even for root")
        return tuple(found)

    def wrap(
        self, argv: tuple[str, ...], limits: SandboxLimits, *, folder: str, environment: Mapping[str, str] | None
    ) -> Launch:
        """Return what runs `argv` in `folder`, with this environment, under these limits.

        Raises:
            SandboxStartError: these limits cannot be held here.
        """
        stand_ins = OverlayFiles()
        fds: list[int] = []
        try:
            mounted = mounts(limits, stand_ins, has_own_proc=self._own_proc(limits), has_sizes=self.has_sizes)
            options = [*self._namespaces(limits), *mounted]
            if can_filter():
                fds.append(_in_memory("tui-agent-filter", self._filter(limits)))
                options += ["--seccomp", str(fds[0])]
            for name, value in (environment or {}).items():
                options += ["--setenv", name, value]
            options += ["--chdir", folder]
            if len(options) > _MOST_ARGUMENTS:
                raise SandboxStartError(
                    f"there are too many files and variables to keep apart ({len(options):,} options)"
                )
            # not on the command line, where every user of the machine could read the values of variables
            fds.append(_in_memory("tui-agent-options", b"".join(os.fsencode(option) + b"\0" for option in options)))
        except BaseException as error:
            for fd in fds:
                os.close(fd)
            stand_ins.release()
            if isinstance(error, UnicodeEncodeError):
                raise SandboxStartError(f"a path or variable cannot be written: {error.reason}") from error
            raise
        init = _INIT
        if limits.memory_bytes:
            init = f"ulimit -d {limits.memory_bytes // 1024}; {init}"
        if limits.scratch:
            init = f"ulimit -f {limits.scratch_bytes // _BLOCK}; {init}"
        return Launch(
            (self.program, "--args", str(fds[-1]), "--", "/bin/sh", "-c", init, "sh", *argv),
            tuple(fds),
            {},
            on_clean=stand_ins.release,
            holds_processes=True,
            made=stand_ins.paths,
        )

    def _own_proc(self, limits: SandboxLimits) -> bool:
        return self.has_own_proc and not limits.is_read_only

    def _namespaces(self, limits: SandboxLimits) -> Iterator[str]:
        # run by root, it would leave the command with every right inside of the namespace
        yield from ("--unshare-user", "--unshare-pid", "--as-pid-1", "--unshare-ipc", "--cap-drop", "ALL")
        if limits.is_read_only:
            yield "--die-with-parent"
        if limits.sockets and not self.holds_sockets:
            raise SandboxStartError("single local sockets cannot be opened here")
        if limits.sockets or (not limits.network and not self._is_held_by_filter(limits)):
            if not self.has_own_network:
                raise SandboxStartError("the network cannot be switched off here")
            yield "--unshare-net"

    def _is_held_by_filter(self, limits: SandboxLimits) -> bool:
        """Whether it is the filter that keeps the network away, as no socket can be opened."""
        return can_filter() and (limits.is_read_only or not self.has_own_network)

    def _filter(self, limits: SandboxLimits) -> bytes:
        families = [int(socket.AF_NETLINK)]
        if not limits.is_read_only and (limits.network or self.has_own_network):
            families += [socket.AF_INET, socket.AF_INET6]
        if limits.unix_sockets or limits.sockets:
            families.append(socket.AF_UNIX)
        return build_filter(FilterTerms(families=tuple(families), is_read_only=limits.is_read_only))


def _in_memory(name: str, data: bytes) -> int:
    """Return a descriptor that `data` can be read from; whoever gets it closes it."""
    fd = os.memfd_create(name, os.MFD_CLOEXEC)
    try:
        with open(fd, "wb", closefd=False) as file:
            file.write(data)
        os.lseek(fd, 0, os.SEEK_SET)
    except BaseException:
        os.close(fd)
        raise
    return fd


def find_bubblewrap() -> Bubblewrap | None:
    """Return bubblewrap as it works here; None where it is missing, or may not make namespaces. Runs it once or a few times."""
    program = shutil.which("bwrap")
    if program is None or not Path(program).is_absolute():
        return None
    for has_sizes in (True, False):
        for has_own_proc, has_own_network in ((True, True), (False, True), (True, False), (False, False)):
            if not has_own_network and not can_filter():
                break
            found = Bubblewrap(program, has_own_proc=has_own_proc, has_own_network=has_own_network, has_sizes=has_sizes)
            if _works(found):
                return found
    return None


def _works(found: Bubblewrap) -> bool:
    """Whether it runs a program; with the limits that ask the most of it."""
    limits = SandboxLimits(visible=_TRIAL_PLACES, scratch=_TRIAL_SCRATCH, scratch_bytes=1 << 20)
    launch = found.wrap(("/bin/sh", "-c", "exit 7"), limits, folder="/", environment={})
    try:
        done = subprocess.run(
            launch.argv,
            pass_fds=launch.fds,
            env=launch.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_TRIAL_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    finally:
        launch.close()
        launch.clean()
    return done.returncode == 7
