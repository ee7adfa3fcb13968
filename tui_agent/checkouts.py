"""Git checkouts, by looking at their files: where they begin, where git keeps its own, which branch they are on.

Nothing here runs git, and nothing believes that these files are what git makes of them.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from tui_agent.regular_files import read_regular

__all__ = ["branch_of", "git_folder", "is_repository", "project_root", "worktree_folders"]

_LONGEST: Final = 16_384  # bytes of the small files of git that hold one line: a path, or a branch
_BRANCH: Final = "ref: refs/heads/"


def is_repository(folder: Path) -> bool:
    """Whether `folder` is the top of a git checkout; in a linked worktree or a submodule `.git` is a file."""
    return (folder / ".git").exists()


def project_root(start: Path) -> Path:
    """Return the top of the git checkout that `start` lies in, or `start` itself outside git, as an absolute path."""
    start = Path(os.path.abspath(start))  # noqa: PTH100 - `resolve` would follow links
    for folder in (start, *start.parents):
        if is_repository(folder):
            return folder
    return start


def worktree_folders(root: Path) -> tuple[Path, Path] | None:
    """Return git's own folder of a linked worktree and that of its repository, links resolved; None where it is none.

    The link is believed only when the repository has it among its worktrees and points back, so that a `.git` file that
    came with foreign files cannot borrow another repository's settings.
    """
    marker = root / ".git"
    try:
        line = _line(marker)
        if not line.startswith("gitdir:"):
            return None
        own = (root / line.removeprefix("gitdir:").strip()).resolve()
        back = Path(_line(own / "gitdir"))
        common = (own / _line(own / "commondir")).resolve()
    except (OSError, ValueError):
        return None
    is_known = own.parent == common / "worktrees" and (own / back).resolve() == marker.resolve()
    return (own, common) if is_known else None


def git_folder(root: Path) -> Path | None:
    """Return the folder of git's own files of the checkout at `root`, or None. Where `.git` is a file, it is believed."""
    marker = root / ".git"
    try:
        if marker.is_dir():
            return marker
        line = _line(marker)
    except (OSError, ValueError):
        return None
    return root / line.removeprefix("gitdir:").strip() if line.startswith("gitdir:") else None


def branch_of(start: Path) -> str:
    """Return the branch of the checkout that `start` lies in, without running git; a detached head shows its short commit.

    Empty outside git, and where git's own file is not as git writes it.
    """
    git = git_folder(project_root(start))
    try:
        head = "" if git is None else _line(git / "HEAD")
    except (OSError, ValueError):
        return ""
    if head.startswith(_BRANCH):
        return head.removeprefix(_BRANCH)
    return head[:7] if len(head) in (40, 64) and head.isalnum() else ""


def _line(file: Path) -> str:
    """Return the only line of a file that a repository brings.

    Raises:
        OSError: it is missing, no regular file, or larger than such a file is.
        UnicodeDecodeError: it is not UTF-8 text.
    """
    return read_regular(file, _LONGEST).decode("utf-8").strip()
