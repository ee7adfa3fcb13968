"""Which files there are: what git knows of in a repository, else what ripgrep finds; and names in any folder of the disk.

Everything here blocks, and is called in a thread. `is_trusted` is whether the user trusts the folder: without that, and without
a sandbox, git does not run.
"""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tui_agent.checkouts import git_folder, project_root
from tui_agent.ignore_files import IgnoreFiles
from tui_agent.ui.prompting.file_index import MOST_PATHS, FileMatch
from tui_agent.ui.prompting.fuzzy import compared, fit

__all__ = ["find_files", "git_files", "git_stamp", "in_folder", "is_on_disk", "untracked_files"]

_GIT_S: Final = 8.0
_WALK_S: Final = 5.0
_SILENT_S: Final = 0.3  # then it is looked whether ripgrep waits for a pipe
_MOST_IN_FOLDER: Final = 5_000
_CHUNK: Final = 1 << 16


def git_files(root: Path, *, is_trusted: bool) -> list[str] | None:
    """Return the files below a folder that git has in its index; None where there is no repository, or no git."""
    found = _git(root, is_trusted, "--cached", "--recurse-submodules")
    return found if found is not None else _git(root, is_trusted, "--cached")


def untracked_files(root: Path, *, is_trusted: bool, respects_ignore: bool) -> list[str]:
    """Return the files that git does not know yet; without `respects_ignore` also those it is told to ignore."""
    return _git(root, is_trusted, "--others", *(("--exclude-standard",) if respects_ignore else ())) or []


def git_stamp(root: Path) -> int:
    """Return what changes with every change of git's index: its time; 0 where there is none."""
    git = git_folder(project_root(root))
    try:
        return 0 if git is None else (git / "index").stat().st_mtime_ns
    except (OSError, ValueError):
        return 0


def find_files(root: Path, *, respects_ignore: bool) -> tuple[list[str], bool]:
    """Return the files below a folder that is in no repository, and whether there are more. Hidden ones count."""
    from tui_agent.tools.shared_search.ripgrep import COMMON, find_ripgrep

    program = find_ripgrep()
    if program is None:
        return [], False
    more = () if respects_ignore else ("--no-ignore",)
    command = [program, *COMMON, *more, "--files", "./"]
    names: list[str] = []
    is_cut = False
    try:
        process = subprocess.Popen(
            command, cwd=root, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
    except OSError:
        return [], False
    # It may wait for something that the folder holds, such as a pipe called `.gitignore`.
    ended = threading.Event()
    watching = threading.Thread(target=_watch, args=(process, root, ended, respects_ignore), daemon=True)
    watching.start()
    try:
        with process:
            rest = b""
            assert process.stdout is not None
            while chunk := process.stdout.read1(_CHUNK):  # type: ignore[attr-defined]
                *whole, rest = (rest + chunk).split(b"\0")
                names += (name for raw in whole if (name := _name(raw.removeprefix(b"./"))))
                if len(names) > MOST_PATHS:
                    is_cut = True
                    process.kill()
                    break
    finally:
        ended.set()
    return sorted(names), is_cut or process.returncode < 0


def _watch(process: subprocess.Popen[bytes], root: Path, ended: threading.Event, respects_ignore: bool) -> None:
    """Let ripgrep go on where it waits for a pipe, and end it when its time is up."""
    lists = IgnoreFiles(os.path.realpath(root), are_read=respects_ignore)
    deadline = time.monotonic() + _WALK_S
    while not ended.wait(_SILENT_S):
        if time.monotonic() > deadline or lists.release():
            process.kill()
            return


def is_on_disk(typed: str) -> bool:
    """Whether a path that is being typed leads out of the workspace: at home, above, or from the root."""
    return typed.startswith(("/", "~", "../", "./")) or typed in (".", "..")


def in_folder(root: Path, home: Path, typed: str, limit: int) -> list[FileMatch]:
    """Return what a path that is being typed may become: names in its folder, as the path would be written."""
    if typed in ("~", ".", ".."):
        return [FileMatch(f"{typed}/")]
    head, _, beginning = typed.rpartition("/")
    folder = str(home) + head[1:] if head == "~" or head.startswith("~/") else os.path.join(root, head or "/")  # noqa: PTH118
    wanted = compared(beginning)
    found = [
        (not lower.startswith(wanted), not is_folder, lower, f"{head}/{name}{'/' if is_folder else ''}")
        for name, is_folder in _entries(folder)
        if fit(wanted, lower := compared(name)) and (not name.startswith(".") or beginning.startswith("."))
    ]
    at = len(head) + 1
    return [
        FileMatch(path, tuple(range(at, at + len(wanted))) if not is_other else ())
        for is_other, _, _, path in sorted(found)[:limit]
    ]


def _entries(folder: str) -> Iterator[tuple[str, bool]]:
    try:
        with os.scandir(folder) as entries:
            for number, entry in enumerate(entries):
                if number >= _MOST_IN_FOLDER:
                    return
                if _name(os.fsencode(entry.name)):
                    yield entry.name, entry.is_dir()
    except (OSError, ValueError):
        return


def _git(root: Path, is_trusted: bool, *options: str) -> list[str] | None:
    from tui_agent.sandbox.neutral_run import run_git

    try:
        output = run_git("ls-files", "-z", *options, folder=root, is_trusted=is_trusted, timeout_s=_GIT_S)
    except (OSError, subprocess.SubprocessError):
        return None
    return [name for raw in output.split(b"\0") if (name := _name(raw))]


def _name(raw: bytes) -> str:
    """Return a name as text; empty for what nobody could write."""
    try:
        name = raw.decode()
    except UnicodeDecodeError:
        return ""
    return "" if "\n" in name else name
