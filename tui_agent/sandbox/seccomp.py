"""The filter of system calls: what neither a read-only file system nor a network of one's own prevents.

A local socket is reached by its name on a disk that cannot be written just as well; whoever may talk to `docker.sock` or an
ssh agent has them act outside of any sandbox. Besides, calls go that serve to look into other programs or to climb out:
tracing, kernel keys, mounting, namespaces of one's own, io_uring (which opens sockets past every filter), typing into
terminals. They fail as for want of permission, so that programs can say so.

It is classic BPF over `struct seccomp_data`: the call's number at 0, the processor's kind at 4, arguments of 8 bytes from 16.
"""

from __future__ import annotations

import errno
import platform
import socket
import struct
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from tui_agent.sandbox.syscalls import AARCH64, NEWEST, X86_64

__all__ = ["FilterTerms", "build_filter", "can_filter"]

_LOAD: Final = 0x20  # BPF_LD | BPF_W | BPF_ABS
_EQUAL: Final = 0x15  # BPF_JMP | BPF_JEQ | BPF_K
_AT_LEAST: Final = 0x35  # BPF_JMP | BPF_JGE | BPF_K
_ANY_BIT: Final = 0x45  # BPF_JMP | BPF_JSET | BPF_K
_MASK: Final = 0x54  # BPF_ALU | BPF_AND | BPF_K
_RETURN: Final = 0x06  # BPF_RET | BPF_K
_ALLOW: Final = 0x7FFF0000
_FAIL: Final = 0x00050000  # with the error's number in the lower half
_NUMBER, _KIND, _ARGUMENTS = 0, 4, 16

_KINDS: Final[Mapping[str, tuple[int, Mapping[str, int]]]] = {
    "x86_64": (0xC000003E, X86_64),
    "aarch64": (0xC00000B7, AARCH64),
}

_NEVER: Final = (
    "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp", "keyctl", "add_key", "request_key",
    "userfaultfd", "bpf", "perf_event_open", "mount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree",
    "open_tree_attr", "fsopen", "fsmount", "fsconfig", "fspick", "mount_setattr", "setns", "init_module", "finit_module",
    "delete_module", "kexec_load", "kexec_file_load", "reboot", "swapon", "swapoff", "acct", "quotactl", "quotactl_fd",
    "open_by_handle_at", "settimeofday", "clock_settime", "sethostname", "setdomainname", "ioperm", "iopl", "vhangup",
    "fanotify_init",
)  # fmt: skip
# As on a kernel that lacks them: programs then fall back on what can be filtered.
_UNKNOWN: Final = ("io_uring_setup", "io_uring_enter", "io_uring_register", "clone3")
# A file's mode, owner, times and labels, which Landlock leaves alone; and what would outlive the command.
_DENIED_READ_ONLY: Final = (
    "chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat", "utime", "utimes", "futimesat",
    "utimensat", "setxattr", "lsetxattr", "fsetxattr", "setxattrat", "removexattr", "lremovexattr", "fremovexattr",
    "removexattrat", "file_setattr", "truncate", "connect", "listen", "accept", "accept4", "setsid", "shmget",
    "semget", "msgget", "mq_open", "mq_unlink",
)  # fmt: skip
# CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
_NAMESPACES: Final = 0x20000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000
_NEW_TIME: Final = 0x80  # CLONE_NEWTIME; means something to unshare alone
# TIOCSTI, TIOCLINUX (type into the terminal), TIOCSETD, TIOCCONS
_TERMINAL_REQUESTS: Final = (0x5412, 0x541C, 0x5423, 0x541D)
# FS_IOC_SETFLAGS (two sizes), FS_IOC_FSSETXATTR, FS_IOC_SETVERSION, FICLONE, FICLONERANGE, FIDEDUPERANGE
_FILE_REQUESTS: Final = (0x40086602, 0x40046602, 0x401C5820, 0x40087602, 0x40049409, 0x4020940D, 0xC0189436)
_TYPE_BITS: Final = 0xF  # of a socket's type, without SOCK_CLOEXEC and SOCK_NONBLOCK


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterTerms:
    """What is let through: the families of sockets by number, and whether files' modes, owners and times may change."""

    families: tuple[int, ...] = ()
    is_read_only: bool = False


def can_filter() -> bool:
    """Whether the filter knows this processor."""
    return sys.platform == "linux" and platform.machine() in _KINDS and sys.maxsize > 2**32


@lru_cache(maxsize=16)
def build_filter(terms: FilterTerms, machine: str = "") -> bytes:
    """Return the filter as an array of `struct sock_filter`.

    Raises:
        KeyError: the processor is not known.
    """
    kind, numbers = _KINDS[machine or platform.machine()]
    out: list[tuple[int, int, int, int]] = [
        (_LOAD, 0, 0, _KIND),
        (_EQUAL, 1, 0, kind),
        _fail(errno.ENOSYS),  # a program for another kind of processor, whose calls have other numbers
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, NEWEST),  # newer calls, and on x86_64 those of x32
        _fail(errno.ENOSYS),
    ]
    for name in (*_NEVER, *(_DENIED_READ_ONLY if terms.is_read_only else ())):
        if name != "connect" or socket.AF_UNIX not in terms.families:
            out += _refused(numbers, name, errno.EPERM)
    for name in _UNKNOWN:
        out += _refused(numbers, name, errno.ENOSYS)
    out += _on_call(numbers["clone"], _flagged(0, _NAMESPACES))
    out += _on_call(numbers["unshare"], _flagged(0, _NAMESPACES | _NEW_TIME))
    requests = (*_TERMINAL_REQUESTS, *(_FILE_REQUESTS if terms.is_read_only else ()))
    out += _on_call(numbers["ioctl"], _one_of(1, requests, found=_fail(errno.EPERM), else_=_pass()))
    out += _on_call(numbers["socket"], _one_of(0, terms.families, found=_pass(), else_=_fail(errno.EPERM)))
    out += _on_call(numbers["socketpair"], _pair())
    out.append(_pass())
    return b"".join(struct.pack("HBBI", *instruction) for instruction in out)


def _pass() -> tuple[int, int, int, int]:
    return (_RETURN, 0, 0, _ALLOW)


def _fail(number: int) -> tuple[int, int, int, int]:
    return (_RETURN, 0, 0, _FAIL | number)


def _argument(index: int) -> tuple[int, int, int, int]:
    """Load the lower half of an argument, which is all that the kernel itself looks at for those asked about here."""
    return (_LOAD, 0, 0, _ARGUMENTS + 8 * index)


def _refused(numbers: Mapping[str, int], name: str, error: int) -> list[tuple[int, int, int, int]]:
    return [(_EQUAL, 0, 1, numbers[name]), _fail(error)] if name in numbers else []


def _on_call(number: int, body: list[tuple[int, int, int, int]]) -> list[tuple[int, int, int, int]]:
    """Return `body`, which answers in every case, for one call; the number is loaded for what comes after it."""
    return [(_EQUAL, 0, len(body), number), *body]


def _flagged(index: int, bits: int) -> list[tuple[int, int, int, int]]:
    return [_argument(index), (_ANY_BIT, 0, 1, bits), _fail(errno.EPERM), _pass()]


def _one_of(
    index: int, values: Collection[int], *, found: tuple[int, int, int, int], else_: tuple[int, int, int, int]
) -> list[tuple[int, int, int, int]]:
    out = [_argument(index)]
    for value in values:
        out += [(_EQUAL, 0, 1, value), found]
    return [*out, else_]


def _pair() -> list[tuple[int, int, int, int]]:
    """Let pairs of connected local sockets be made, which programs use as pipes; one for datagrams can be turned elsewhere."""
    return [
        _argument(0),
        (_EQUAL, 1, 0, socket.AF_UNIX),
        _fail(errno.EPERM),
        _argument(1),
        (_MASK, 0, 0, _TYPE_BITS),
        (_EQUAL, 1, 0, socket.SOCK_STREAM),
        (_EQUAL, 0, 1, socket.SOCK_SEQPACKET),
        _pass(),
        _fail(errno.EPERM),
    ]
