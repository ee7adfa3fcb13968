"""Programs that this program itself runs in a folder it knows nothing about, to look at something: they can only look.

What git runs is up to the repository's own configuration (`core.fsmonitor`, filters), and that may have been written by anyone.
So git runs with all of that overruled, and in the sandbox. Where there is no sandbox, it runs in folders that the user trusts,
and in no others.
"""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path
from typing import Final

from tui_agent.checkouts import git_folder, project_root
from tui_agent.git_config import git_folders
from tui_agent.neutral_git import neutral_environment
from tui_agent.programs import find_program
from tui_agent.sandbox.find import find_sandbox
from tui_agent.sandbox.limits import Launch, SandboxLimits, SandboxStartError
from tui_agent.sandbox.visible import visible_places

__all__ = ["UntrustedFolderError", "run_git"]

# What git opens whatever it is asked. A pipe in place of one of them would make it wait for a writer.
_OPENED: Final = (
    "HEAD",
    "config",
    "config.worktree",
    "commondir",
    "index",
    "packed-refs",
    "info/exclude",
    "info/attributes",
)
_OPENED_AT_TOP: Final = (".git", ".gitignore", ".gitattributes", ".gitmodules")


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
    _check(folder)
    argv = (program, *words)
    try:
        places = (str(project_root(folder)), *git_folders(str(folder), is_trusted=is_trusted))
        visible = (*places, *visible_places(str(Path.home()), environment, "git"))
        limits = SandboxLimits(only_looks=True, visible=visible)
        launch = (
            Launch(argv) if sandbox is None else sandbox.wrap(argv, limits, folder=str(folder), environment=environment)
        )
    except SandboxStartError as error:
        raise OSError(str(error)) from error
    try:
        done = subprocess.run(
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
    return done.stdout


def _check(folder: Path) -> None:
    """Refuse a repository that git would hang in.

    Raises:
        OSError: something that git reads is neither a file nor a folder.
    """
    top = project_root(folder)
    git = git_folder(top)
    files = [top / name for name in _OPENED_AT_TOP] + ([git / name for name in _OPENED] if git is not None else [])
    for file in files:
        try:
            mode = file.stat().st_mode
        except (OSError, ValueError):
            continue
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise OSError(f"{file} is not a regular file")
