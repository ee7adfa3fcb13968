"""The workspace's git branch and how many files differ, for the status line and the prompt. Nothing here ever fails."""

from __future__ import annotations

import asyncio
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tui_agent.checkouts import branch_of
from tui_agent.sandbox.neutral_run import UntrustedFolderError, run_git

__all__ = ["GitStatus", "git_status"]

_TIMEOUT_SECONDS: Final = 3.0


@dataclass(frozen=True, slots=True)
class GitStatus:
    """`branch` is empty outside a repository; a detached head shows its short commit. `changed_files` is None if unknown."""

    branch: str = ""
    changed_files: int | None = 0


async def git_status(folder: Path, *, is_trusted: bool = False) -> GitStatus:
    """Ask git, without taking its locks and without its optional refresh of the index; an empty status where it cannot say.

    What the repository has git run, it runs in the sandbox, where it can change nothing. Where there is none, and the folder
    is not trusted, git does not run: the branch is read from its file, and nothing is known of changes.
    A thread waits for git: a start that is cancelled half-way would leave a process nobody waits for.
    """
    return await asyncio.to_thread(_ask, folder, is_trusted)


def _ask(folder: Path, is_trusted: bool) -> GitStatus:
    words = ("status", "--porcelain=v2", "--branch", "--untracked-files=normal", "-z")
    try:
        output = run_git(*words, folder=folder, is_trusted=is_trusted, timeout_s=_TIMEOUT_SECONDS)
    except UntrustedFolderError:
        return GitStatus(branch_of(folder), None)
    except (OSError, subprocess.SubprocessError):
        return GitStatus()
    return _read(output.decode("utf-8", "replace"))


def _read(output: str) -> GitStatus:
    branch = commit = ""
    changed = 0
    records = iter(output.split("\0"))
    for record in records:
        if record.startswith("# branch.head "):
            branch = record.removeprefix("# branch.head ")
        elif record.startswith("# branch.oid "):
            commit = record.removeprefix("# branch.oid ")[:7]
        elif record[:2] in ("1 ", "2 ", "u ", "? "):
            changed += 1
            if record.startswith("2 "):
                next(records, None)  # a renamed file's old name is a record of its own
    return GitStatus(commit if branch == "(detached)" else branch, changed)
