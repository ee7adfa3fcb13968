"""The program that takes rights away from itself and becomes the command. It runs alone, before any of the rest is imported.

Started as `lone_programs` says, with what `landlock` orders. It decides nothing. Whatever fails ends it before the
command runs.
"""

import _signal  # type: ignore[import-not-found]  # `signal` costs milliseconds
import ctypes
import os
import sys

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_PATH_RULE = 1
_NO_NEW_PRIVILEGES, _SECCOMP, _FILTER, _DROP_BOUND = 38, 22, 2, 24
_FILE_SIZE, _DATA = 1, 2  # of the limits of a process
_NOT_STARTED = 126

_Order = tuple[bytes, list[tuple[str, int]], bytes, int, int, int, tuple[str, ...], dict[str, str] | None]


def main(order: _Order) -> None:
    """Become the command, under the limits of the order. Does not return."""
    try:
        _confine(order)
    except Exception as error:  # noqa: BLE001 - whatever it is, the command must not run
        sys.stderr.write(f"tui-agent: the sandbox could not be set up: {error}\n")
    os._exit(_NOT_STARTED)


def _confine(order: _Order) -> None:
    handled, rules, filter_code, capabilities, file_bytes, data_bytes, argv, environment = order
    libc = ctypes.CDLL(None, use_errno=True)

    def call(number: int, *arguments: object) -> int:
        found = int(libc.syscall(ctypes.c_long(number), *arguments))
        if found < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        return found

    def control(option: int, *arguments: object) -> None:
        if libc.prctl(option, *arguments) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

    control(_NO_NEW_PRIVILEGES, ctypes.c_ulong(1), ctypes.c_ulong(0), ctypes.c_ulong(0), ctypes.c_ulong(0))
    ruleset = call(_CREATE, ctypes.c_char_p(handled), ctypes.c_size_t(len(handled)), ctypes.c_uint(0))
    for path, rights in rules:
        try:
            place = os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            continue  # it is gone since: then it gets no rights
        rule = rights.to_bytes(8, sys.byteorder) + place.to_bytes(4, sys.byteorder)
        call(_ADD, ctypes.c_int(ruleset), ctypes.c_int(_PATH_RULE), ctypes.c_char_p(rule), ctypes.c_uint(0))
        os.close(place)
    if os.geteuid() == 0:
        _drop(libc, capabilities)
    call(_RESTRICT, ctypes.c_int(ruleset), ctypes.c_uint(0))
    os.close(ruleset)
    code = ctypes.create_string_buffer(filter_code, len(filter_code))
    program = len(filter_code) // 8, ctypes.addressof(code)

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_void_p))

    control(_SECCOMP, ctypes.c_ulong(_FILTER), ctypes.byref(Program(*program)), ctypes.c_ulong(0), ctypes.c_ulong(0))
    for limit, most in ((_FILE_SIZE, file_bytes), (_DATA, data_bytes)):
        if most and libc.setrlimit(limit, (ctypes.c_uint64 * 2)(most, most)) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    for number in (_signal.SIGPIPE, _signal.SIGXFSZ):  # which Python ignores, and would hand on like that
        _signal.signal(number, _signal.SIG_DFL)
    if environment is None:  # it is run several times, each with variables and arguments of its own
        argv, environment = (*argv, *sys.argv[3:]), dict(os.environ)
    os.execve(argv[0], argv, environment)  # noqa: S606


def _drop(libc: ctypes.CDLL, kept: int) -> None:
    """Give up root's rights but those of the mask `kept`, for good."""
    for number in range(64):
        if not kept >> number & 1:  # those that this kernel does not know cannot be dropped, nor had
            libc.prctl(_DROP_BOUND, ctypes.c_ulong(number), ctypes.c_ulong(0), ctypes.c_ulong(0), ctypes.c_ulong(0))
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    low, high = kept & 0xFFFFFFFF, kept >> 32
    data = (ctypes.c_uint32 * 6)(low, low, 0, high, high, 0)
    if libc.capset(header, data) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
