"""The filter of system calls, run by an interpreter of its language, for both kinds of processor."""

from __future__ import annotations

import errno
import re
import socket
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_agent.sandbox.seccomp import FilterTerms, build_filter
from tui_agent.sandbox.syscalls import AARCH64, NEWEST, X86_64

MACHINES = {"x86_64": (0xC000003E, X86_64), "aarch64": (0xC00000B7, AARCH64)}
HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}
ALLOWED = 0
LOOKING = FilterTerms(families=(socket.AF_NETLINK,), is_read_only=True)
WORKING = FilterTerms(families=(socket.AF_NETLINK, socket.AF_INET, socket.AF_INET6))


def answer(program: bytes, machine: str, number: int, *arguments: int, kind: int | None = None) -> int:
    """Return the error that a call gets, 0 where it goes through."""
    given = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("=iIQ6Q", number, MACHINES[machine][0] if kind is None else kind, 0, *given)
    code = [struct.unpack_from("HBBI", program, at) for at in range(0, len(program), 8)]
    at, loaded = 0, 0
    while True:
        operation, then, otherwise, value = code[at]
        at += 1
        if operation == 0x20:
            loaded = struct.unpack_from("=I", data, value)[0]
        elif operation == 0x54:
            loaded &= value
        elif operation == 0x06:
            assert value == 0x7FFF0000 or value >> 16 == 5
            return ALLOWED if value == 0x7FFF0000 else value & 0xFFFF
        else:
            holds = {0x15: loaded == value, 0x35: loaded >= value, 0x45: bool(loaded & value)}[operation]
            at += then if holds else otherwise


@pytest.fixture(params=MACHINES)
def machine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize("terms", [LOOKING, WORKING])
def test_reading_and_writing_go_through(machine: str, terms: FilterTerms) -> None:
    numbers = {"x86_64": (0, 1, 3, 9, 59, 231, 257), "aarch64": (56, 57, 63, 64, 221, 222, 94)}[machine]
    assert [answer(build_filter(terms, machine), machine, number) for number in numbers] == [0] * len(numbers)


@pytest.mark.parametrize("name", ["ptrace", "mount", "bpf", "keyctl", "userfaultfd", "setns", "open_by_handle_at"])
@pytest.mark.parametrize("terms", [LOOKING, WORKING])
def test_ways_out_are_closed_to_all(machine: str, name: str, terms: FilterTerms) -> None:
    assert answer(build_filter(terms, machine), machine, MACHINES[machine][1][name]) == errno.EPERM


def test_modes_and_times_are_closed_to_looking_alone(machine: str) -> None:
    for name in ("fchmodat", "fchownat", "utimensat", "setxattr", "fchmodat2", "truncate", "setsid", "connect"):
        number = MACHINES[machine][1][name]
        assert answer(build_filter(LOOKING, machine), machine, number) == errno.EPERM
        assert answer(build_filter(WORKING, machine), machine, number) == ALLOWED


@given(number=st.integers(NEWEST, 2**32 - 1))
def test_what_is_newer_is_unknown(number: int) -> None:
    for machine in MACHINES:
        signed = number - 2**32 if number >= 2**31 else number
        assert answer(build_filter(WORKING, machine), machine, signed) == errno.ENOSYS


@given(kind=st.integers(0, 2**32 - 1), number=st.integers(0, NEWEST))
def test_calls_of_another_processor_are_unknown(kind: int, number: int) -> None:
    for machine, (own, _) in MACHINES.items():
        if kind != own:
            assert answer(build_filter(WORKING, machine), machine, number, kind=kind) == errno.ENOSYS


@given(family=st.integers(0, 2**32 - 1), high=st.integers(0, 2**32 - 1))
def test_only_named_families_have_sockets(family: int, high: int) -> None:
    for machine, (_, numbers) in MACHINES.items():
        for terms in (LOOKING, WORKING):
            found = answer(build_filter(terms, machine), machine, numbers["socket"], high << 32 | family)
            assert found == (ALLOWED if family in terms.families else errno.EPERM)


@given(high=st.integers(0, 2**32 - 1), request=st.sampled_from([0x5412, 0x541C]))
def test_typing_into_a_terminal_is_refused_whatever_the_upper_half(high: int, request: int) -> None:
    for machine, (_, numbers) in MACHINES.items():
        program = build_filter(WORKING, machine)
        assert answer(program, machine, numbers["ioctl"], 0, high << 32 | request) == errno.EPERM
        assert answer(program, machine, numbers["ioctl"], 0, 0x5401) == ALLOWED


@pytest.mark.parametrize("name", ["clone", "unshare"])
def test_no_namespaces(machine: str, name: str) -> None:
    program, number = build_filter(WORKING, machine), MACHINES[machine][1][name]
    assert answer(program, machine, number, 0x01200011 if name == "clone" else 0x200) == ALLOWED
    for flag in (0x20000, 0x10000000, 0x20000000, 0x40000000):
        assert answer(program, machine, number, flag | 0x11) == errno.EPERM


@pytest.mark.parametrize(
    ("family", "kind", "error"),
    [
        (socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC, ALLOWED),
        (socket.AF_UNIX, socket.SOCK_SEQPACKET, ALLOWED),
        (socket.AF_UNIX, socket.SOCK_DGRAM, errno.EPERM),
        (socket.AF_INET, socket.SOCK_STREAM, errno.EPERM),
    ],
)
def test_pairs(machine: str, family: int, kind: int, error: int) -> None:
    number = MACHINES[machine][1]["socketpair"]
    assert answer(build_filter(LOOKING, machine), machine, number, family, kind) == error


@pytest.mark.parametrize("name", ["io_uring_setup", "clone3"])
def test_what_programs_can_do_without_looks_missing(machine: str, name: str) -> None:
    assert answer(build_filter(WORKING, machine), machine, MACHINES[machine][1][name]) == errno.ENOSYS


def test_numbers_are_those_of_the_kernel(machine: str) -> None:
    header = HEADERS[machine]
    if not header.exists():
        pytest.skip(f"not covered here: {header} is missing")
    found = re.findall(r"^#define __NR(?:3264)?_(\w+)\s+(\d+)", header.read_text(), re.MULTILINE)
    known = {name: int(number) for name, number in found}
    own = MACHINES[machine][1]
    assert {name: known[name] for name in own if name in known} == {name: own[name] for name in own if name in known}
    assert len([name for name in own if name in known]) > len(own) - 10  # a few are newer than an older header
