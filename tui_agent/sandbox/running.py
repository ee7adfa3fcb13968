"""Programs that this program itself runs in a folder it knows nothing about, to look at something: they can only look.

What git runs is up to the repository's own configuration (`core.fsmonitor`, filters), and that may have been written by anyone.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping

from tui_agent.sandbox.find import find_sandbox
from tui_agent.sandbox.limits import Launch, SandboxLimits, SandboxStartError

__all__ = ["run_looking"]


def run_looking(
    argv: tuple[str, ...], *, folder: str, environment: Mapping[str, str], timeout_s: float
) -> subprocess.CompletedProcess[bytes]:
    """Run a program to its end, in the sandbox where there is one, and return what it printed. Blocks.

    Raises:
        OSError: it cannot be started, or not in the sandbox.
        subprocess.SubprocessError: it failed, or took too long.
    """
    program = shutil.which(argv[0], path=environment.get("PATH"))
    if program is None:
        raise FileNotFoundError(f"{argv[0]} is not installed")
    argv = (program, *argv[1:])  # not every sandbox looks for it
    sandbox = find_sandbox()
    try:
        limits = SandboxLimits(only_looks=True)
        launch = Launch(argv) if sandbox is None else sandbox.wrap(argv, limits, folder=folder, environment=environment)
    except SandboxStartError as error:
        raise OSError(str(error)) from error
    try:
        return subprocess.run(
            launch.argv,
            pass_fds=launch.fds,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=environment if launch.environment is None else launch.environment,
            timeout=timeout_s,
            check=True,
        )
    finally:
        launch.close()
        launch.clean()
