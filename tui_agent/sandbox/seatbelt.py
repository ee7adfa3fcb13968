"""The sandbox of macOS, by its `sandbox-exec`: a profile of rules, of which the last that matches counts.

Nobody has run this on a Mac yet. What the profiles say is tested; what macOS makes of them is not.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from tui_agent.sandbox.limits import Launch, SandboxLimits, SandboxStartError
from tui_agent.sandbox.path_overlays import real

__all__ = ["Seatbelt", "find_seatbelt"]

_TRIAL_S: Final = 5.0
_DEVICES: Final = ("/dev/null", "/dev/zero", "/dev/tty", "/dev/ptmx", "/dev/stdout", "/dev/stderr", "/dev/dtracehelper")
# Where people and programs keep their own. Not everything but the visible places is denied: programs of the system need more
# of it than anybody has listed.
_PRIVATE: Final = ("/Users", "/Volumes", "/private/tmp", "/private/var/folders", "/private/var/root", "/private/var/db")


@dataclass(frozen=True)
class Seatbelt:
    """`sandbox-exec` at `program`."""

    program: str
    name: Literal["seatbelt"] = "seatbelt"
    holds_inside: bool = True
    holds_sockets: bool = False  # it could, but nobody has seen it do so

    @property
    def gaps(self) -> tuple[str, ...]:
        """What it cannot prevent, a clause each."""
        return (
            "on macOS the sandbox is untested",
            "with the network on, all hosts can be reached: rules for single hosts need a proxy, which is not built in",
            "a process that makes a session and an environment of its own outlives its command",
        )

    def wrap(
        self,
        argv: tuple[str, ...],
        limits: SandboxLimits,
        *,
        folder: str,  # noqa: ARG002
        environment: Mapping[str, str] | None,
    ) -> Launch:
        """Return what runs `argv`, with this environment, under these limits; whoever starts it sets the folder.

        The system itself keeps variables that name libraries from its own programs, `sandbox-exec` among them.

        Raises:
            SandboxStartError: these limits cannot be held here.
        """
        names: dict[str, str] = {}
        profile = "\n".join(_profile(limits, names))
        given = tuple(part for name, path in names.items() for part in ("-D", f"{name}={path}"))
        variables = None if environment is None else dict(environment)
        command = (self.program, "-p", profile, *given, "--", *argv)
        return Launch(command, watched=limits.scratch, most_bytes=limits.scratch_bytes, environment=variables)


def _profile(limits: SandboxLimits, names: dict[str, str]) -> Iterator[str]:
    """Yield the rules; paths are named in `names`, so that none of them is read as part of a rule."""

    def place(path: str) -> str:
        name = f"P{len(names)}"
        names[name] = path
        return f'(subpath (param "{name}"))'

    if "/" in real(limits.unreadable):
        raise SandboxStartError("everything would be unreadable, programs too")
    yield "(version 1)"
    yield "(allow default)"
    yield "(deny file-write*)"
    yield "(allow file-write* " + " ".join(f'(literal "{device}")' for device in _DEVICES) + ")"
    for path in real((*limits.writable, *filter(None, (limits.scratch,)))):
        yield f"(allow file-write* {place(path)})"
    for path in real(limits.unwritable):
        yield f"(deny file-write* {place(path)})"
    if limits.visible is not None:
        yield "(deny file-read-data " + " ".join(f'(subpath "{path}")' for path in _PRIVATE) + ")"
        for path in real((*limits.visible, *limits.writable, *filter(None, (limits.scratch,)))):
            yield f"(allow file-read-data {place(path)})"
    for path in real(limits.unreadable):
        yield f"(deny file-read* file-write* {place(path)})"
        for again in real(limits.readable):
            if again.startswith(path.rstrip("/") + "/"):
                yield f"(allow file-read* {place(again)})"
    yield "(deny process-info* (target others))" if not limits.is_read_only else "(allow process-info*)"
    yield "(deny signal (target others))"
    yield "(deny mach-priv-task-port)"
    if not limits.network or limits.is_read_only:
        yield "(deny network*)"
        if not limits.is_read_only:
            yield '(allow network-bind network-inbound network-outbound (local ip "localhost:*") (remote ip "localhost:*"))'
    if limits.unix_sockets:
        yield "(allow network* (local unix-socket) (remote unix-socket))"
    else:
        yield "(deny network* (remote unix-socket))"


def find_seatbelt() -> Seatbelt | None:
    """Return macOS' sandbox if it runs a program."""
    program = shutil.which("sandbox-exec")
    if program is None:
        return None
    found = Seatbelt(program)
    launch = found.wrap(("/bin/sh", "-c", "exit 7"), SandboxLimits(), folder="/", environment={})
    try:
        done = subprocess.run(launch.argv, capture_output=True, timeout=_TRIAL_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return found if done.returncode == 7 else None
