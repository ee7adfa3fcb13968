"""The sandboxes that this machine has, for tests that want to try each; those it lacks are named by a skip."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from tui_agent.sandbox.bubblewrap import find_bubblewrap
from tui_agent.sandbox.landlock import find_landlock, landlock_abi
from tui_agent.sandbox.limits import Sandbox, SandboxLimits

NAMES = ("bubblewrap", "landlock")
_REASONS: dict[str, Callable[[], str]] = {
    "bubblewrap": lambda: "not covered here: bwrap is missing, or may not make namespaces",
    "landlock": lambda: f"not covered here: this kernel's Landlock has version {landlock_abi()}, 3 is needed",
}


@cache
def _found(name: str) -> Sandbox | None:
    return find_bubblewrap() if name == "bubblewrap" else find_landlock()


def sandbox_or_skip(name: str) -> Sandbox:
    """Return a sandbox by its name; skips the test where this machine does not have it."""
    found = _found(name)
    if found is None:
        pytest.skip(_REASONS[name]())
    return found


@dataclass(frozen=True)
class Done:
    """What came of a command in a sandbox."""

    code: int
    out: str
    err: str

    @property
    def is_stopped(self) -> bool:
        """Whether something was forbidden, as programs tell it."""
        signs = ("Read-only file system", "Permission denied", "Operation not permitted", "PermissionError")
        return any(sign in self.err for sign in signs)


def confined(
    sandbox: Sandbox, command: str, limits: SandboxLimits, folder: Path, environment: Mapping[str, str] = os.environ
) -> Done:
    """Run a command of bash in `folder` under these limits."""
    argv = ("/bin/bash", "--noprofile", "--norc", "-c", "--", command)
    launch = sandbox.wrap(argv, limits, folder=str(folder), environment=environment)
    try:
        done = subprocess.run(
            launch.argv,
            pass_fds=launch.fds,
            cwd=folder,
            env=launch.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=30,
            start_new_session=True,
            check=False,
        )
    finally:
        launch.close()
        launch.clean()
    return Done(done.returncode, done.stdout, done.stderr)
