"""A copy of the project for one agent: made by git beside the user's own, looked through when the agent has ended, removed.

git runs here with nothing of the repository's own (`neutral_git`), in trusted folders alone: it has to write, so no sandbox
holds it. What the agent made of the copy is only read; how it gets into the workspace is `merging`'s affair.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tui_agent.checkouts import is_repository, project_root
from tui_agent.git_control_files import why_git_cannot_read
from tui_agent.neutral_git import neutral_environment
from tui_agent.programs import find_program
from tui_agent.regular_files import open_regular
from tui_agent.text import clean_line
from tui_agent.tools.encodings import NotTextError, decode
from tui_agent.tools.files import WHOLE_FILE_LIMIT

__all__ = ["CopiedFile", "Worktree", "WorktreeError", "make_worktree"]

_TIMEOUT_S: Final = 120.0
_MOST_FILES: Final = 200


class WorktreeError(Exception):
    """The copy cannot be made or looked at; the text says why."""


@dataclass(frozen=True, slots=True)
class CopiedFile:
    """A file that differs: its path in the project, and its text as it was copied and as the agent left it.

    None where there was, or is, no file. `problem` says why it cannot be taken over, where it cannot.
    """

    name: str
    base: str | None = None
    after: str | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Worktree:
    """A copy of the commit `commit` of `project`. `root` is the session's folder in it, `top` that of the whole project."""

    project: Path
    top: Path
    root: Path
    commit: str

    def changed(self) -> list[CopiedFile]:
        """Return the files that differ from the commit, by name; blocks.

        Raises:
            WorktreeError: git cannot say.
        """
        names = set(self._names("diff", "--name-only", "--no-renames", "-z", self.commit))
        names.update(self._names("ls-files", "--others", "--exclude-standard", "-z"))
        return [self._file(name) for name in sorted(names)[:_MOST_FILES]] + [
            CopiedFile(name, problem="too many files have changed") for name in sorted(names)[_MOST_FILES:]
        ]

    def remove(self) -> None:
        """Remove the copy; blocks. What is left of it after a failure is in a folder for temporary files."""
        try:
            _git("worktree", "remove", "--force", str(self.top), folder=self.project)
        except WorktreeError:
            shutil.rmtree(self.top.parent, ignore_errors=True)
            return
        shutil.rmtree(self.top.parent, ignore_errors=True)

    def _names(self, *words: str) -> Iterator[str]:
        output = _git(*words, folder=self.top)
        yield from (os.fsdecode(name) for name in output.split(b"\0") if name)

    def _file(self, name: str) -> CopiedFile:
        shown = clean_line(name, 200)
        if os.path.isabs(name) or ".." in Path(name).parts or ".git" in Path(name).parts:  # noqa: PTH117
            return CopiedFile(name, problem=f"{shown} is no name of a file in the project")
        try:
            base = self._base(name)
            after = _text_at(self.top / name)
        except WorktreeError as error:
            return CopiedFile(name, problem=str(error))
        return CopiedFile(name, base, after)

    def _base(self, name: str) -> str | None:
        kinds = _git("ls-tree", "-z", self.commit, "--", name, folder=self.top).split()
        if not kinds:
            return None
        if kinds[0] not in (b"100644", b"100755"):
            raise WorktreeError("it is a link or a repository of its own")
        return _text(_git("cat-file", "blob", kinds[2].decode("ascii"), folder=self.top))


def make_worktree(root: Path, *, name: str, is_trusted: bool) -> Worktree:
    """Copy the last commit of the project that `root` lies in; blocks.

    Raises:
        WorktreeError: it is no repository, has no commit, is not trusted, or git fails.
    """
    project = project_root(root)
    if not is_repository(project):
        raise WorktreeError("the project is no git repository")
    if not is_trusted:
        raise WorktreeError("the folder is not trusted, and git would run what its repository says")
    commit = _git("rev-parse", "--verify", "HEAD^{commit}", folder=project).decode("ascii", "replace").strip()
    holder = Path(os.path.realpath(tempfile.mkdtemp(prefix=f"tui-agent-{name}-")))
    top = holder / project.name
    try:
        _git("worktree", "add", "--detach", str(top), commit, folder=project)
    except WorktreeError:
        shutil.rmtree(holder, ignore_errors=True)
        raise
    return Worktree(project, top, top / Path(os.path.abspath(root)).relative_to(project), commit)  # noqa: PTH100


def _git(*words: str, folder: Path) -> bytes:
    if reason := why_git_cannot_read(str(folder)):
        raise WorktreeError(reason)
    environment = neutral_environment([str(folder)], os.environ)
    program = find_program("git", environment.get("PATH"))
    if program is None:
        raise WorktreeError("git is not installed")
    try:
        done = subprocess.run(
            [program, *words],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=True,
        )
    except subprocess.CalledProcessError as error:
        said = clean_line(error.stderr.decode("utf-8", "replace"), 300)
        raise WorktreeError(f"git {words[0]} failed: {said}") from error
    except (OSError, subprocess.SubprocessError) as error:
        raise WorktreeError(f"git {words[0]} failed: {error}") from error
    return done.stdout


def _text_at(path: Path) -> str | None:
    try:
        with os.fdopen(open_regular(path), "rb") as file:
            return _text(file.read(WHOLE_FILE_LIMIT + 1))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise WorktreeError(error.strerror or str(error)) from error


def _text(data: bytes) -> str:
    if len(data) > WHOLE_FILE_LIMIT:
        raise WorktreeError("it is too large")
    try:
        return decode(data).text
    except NotTextError as error:
        raise WorktreeError("it is not text") from error
