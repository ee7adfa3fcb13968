"""Files of the system that anybody may read: what machine this is, and what its packages came with. None tells of a user.

Of these folders only packages write to any: people's own things lie in `/usr/local`, in `/opt` and at home.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

__all__ = ["is_public"]

_ETC: Final = (
    "os-release", "lsb-release", "debian_version", "redhat-release", "fedora-release", "centos-release", "alpine-release",
    "arch-release", "system-release", "timezone", "issue",
)  # fmt: skip
_PROC: Final = ("cpuinfo", "meminfo", "loadavg", "uptime", "version", "filesystems", "stat", "vmstat")
_CGROUP: Final = (
    "memory.max", "memory.high", "memory.current", "memory.peak", "memory.stat", "memory.swap.max", "memory.swap.current",
    "cpu.max", "cpu.weight", "cpu.stat", "cpuset.cpus.effective", "pids.max", "pids.current", "cgroup.controllers",
    "memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes", "memory/memory.stat", "cpu/cpu.cfs_quota_us",
    "cpu/cpu.cfs_period_us", "cpu/cpu.shares", "cpu,cpuacct/cpu.cfs_quota_us", "cpu,cpuacct/cpu.cfs_period_us",
)  # fmt: skip
_FILES: Final = frozenset({
    *(f"/etc/{name}" for name in _ETC),
    *(f"/proc/{name}" for name in _PROC),
    *(f"/sys/fs/cgroup/{name}" for name in _CGROUP),
    "/usr/lib/os-release",
    # As they stand in a command: the files that they find are asked about one by one.
    "/etc/*release",
    "/etc/*-release",
})  # fmt: skip
_FOLDERS: Final = (
    "/usr/share/doc", "/usr/share/man", "/usr/share/common-licenses", "/usr/share/zoneinfo", "/usr/include", "/usr/bin",
    "/usr/lib/python3", "/usr/lib/gcc", "/usr/lib/jvm", "/usr/lib/go", "/usr/share/cmake", "/usr/share/pkgconfig",
    "/usr/share/aclocal",
)  # fmt: skip
_INSIDE: Final = tuple(f"{folder}/" for folder in _FOLDERS)
_VERSIONED: Final = re.compile(
    r"/usr/(?:lib/(?:python3|go-1|llvm-)[0-9.]*|share/(?:cmake|go)-[0-9.]+)(?:/.*)?", re.DOTALL
)


def is_public(path: str, resolve: Callable[[str], str]) -> bool:
    """Whether an absolute, normal path is such a file or lies in such a folder, and so does what it leads to.

    Args:
        path: the path.
        resolve: follows links.
    """
    return _is_listed(path) and _is_listed(resolve(path))


def _is_listed(path: str) -> bool:
    if not path.startswith("/usr/"):
        return path in _FILES
    return path in _FILES or path in _FOLDERS or path.startswith(_INSIDE) or _VERSIONED.fullmatch(path) is not None
