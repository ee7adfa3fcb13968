"""Programs that this program itself runs in a folder it knows nothing about, to look at something: they can only look.

What git runs is up to the repository's own configuration (`core.fsmonitor`, filters), and that may have been written by anyone.
So git runs with all of that overruled, and in the sandbox. Where there is no sandbox, it runs in folders that the user trusts,
and in no others.
"""

from __future__ import annotations

import os
import stat
import subprocess
import time
from pathlib import Path
from typing import Final

from tui_agent.checkouts import project_root
from tui_agent.git_config import GitConfigError, config_files, git_folders
from tui_agent.git_control_files import why_git_cannot_read
from tui_agent.ignore_files import IgnoreFiles
from tui_agent.neutral_git import neutral_environment
from tui_agent.programs import find_program
from tui_agent.sandbox.find import find_sandbox
from tui_agent.sandbox.limits import MEMORY_BYTES, Launch, SandboxLimits, SandboxStartError
from tui_agent.sandbox.visible import visible_places

__all__ = ["UntrustedFolderError", "run_git"]

_SILENT_S: Final = 0.2  # then it is looked whether git waits for a pipe
_MOST_BYTES: Final = 16 << 20  # of a configuration file of the user's own


class UntrustedFolderError(OSError):
    """The program would run what the folder says, and nothing would hold it back."""


def run_git(*words: str, folder: Path, is_trusted: bool, timeout_s: float) -> bytes:
    """Run git to its end and return what it printed. Blocks.

    It runs in the sandbox where there is one. `is_trusted` is whether the user trusts the folder.

    Raises:
        UntrustedFolderError: there is no sandbox, and no trust.
        OSError: it cannot be started, or not in the sandbox; or the repository holds something that git would wait for.
        subprocess.SubprocessError: it failed, or took too long.
    """
    sandbox = find_sandbox()
    if sandbox is None and not is_trusted:
        raise UntrustedFolderError(f"{folder} is not trusted, and there is no sandbox for git")
    environment = neutral_environment([str(folder)], os.environ)
    program = find_program("git", environment.get("PATH"))
    if program is None:
        raise FileNotFoundError("git is not installed")
    _check(folder, environment)
    argv = (program, *words)
    try:
        places = (str(project_root(folder)), *git_folders(str(folder)))
        visible = (*places, *visible_places(str(Path.home()), environment, "git"))
        limits = SandboxLimits(is_read_only=True, visible=visible, memory_bytes=MEMORY_BYTES)
        launch = (
            Launch(argv) if sandbox is None else sandbox.wrap(argv, limits, folder=str(folder), environment=environment)
        )
    except SandboxStartError as error:
        raise OSError(str(error)) from error
    try:
        with subprocess.Popen(
            launch.argv,
            pass_fds=launch.fds,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment if launch.environment is None else launch.environment,
        ) as process:
            return _output(process, folder, timeout_s)
    finally:
        launch.close()
        launch.clean()


def _output(process: subprocess.Popen[bytes], folder: Path, timeout_s: float) -> bytes:
    """Return what git prints; where it waits for a pipe that is called like a list of what to ignore, let it go on.

    Raises:
        subprocess.SubprocessError: it failed, or took too long.
    """
    lists = IgnoreFiles(os.path.realpath(folder), is_git=True)
    deadline = time.monotonic() + timeout_s
    while True:
        left = deadline - time.monotonic()
        try:
            output, complaints = process.communicate(timeout=max(0.0, min(left, _SILENT_S)))
        except subprocess.TimeoutExpired:
            if left <= 0 or lists.release():
                process.kill()
                process.communicate()
                raise
        except BaseException:
            process.kill()
            raise
        else:
            if process.returncode:
                raise subprocess.CalledProcessError(process.returncode, process.args, output, complaints)
            return output


def _check(folder: Path, environment: dict[str, str]) -> None:
    """Refuse a repository, or a configuration, that git would hang in.

    Raises:
        OSError: something that git reads is neither a file nor a folder, or is larger than any that git wrote.
    """
    if reason := why_git_cannot_read(str(folder)):
        raise OSError(reason)
    for file in _personal(environment):
        try:
            found = file.stat()
        except (OSError, ValueError):
            continue
        if file == Path(os.devnull) or stat.S_ISDIR(found.st_mode):
            continue
        if not stat.S_ISREG(found.st_mode):
            raise OSError(f"{file} is not a regular file")
        if found.st_size > _MOST_BYTES:
            raise OSError(f"{file} is too large")


def _personal(environment: dict[str, str]) -> list[Path]:
    """Return the files of the user's own that git reads.

    Raises:
        OSError: they cannot be told.
    """
    try:
        files = config_files("/", environment)
    except GitConfigError as error:
        raise OSError(str(error)) from error
    home = environment.get("HOME", "")
    ignored = Path(environment.get("XDG_CONFIG_HOME") or f"{home}/.config", "git")
    return [*map(Path, files), ignored / "ignore", ignored / "attributes"]
