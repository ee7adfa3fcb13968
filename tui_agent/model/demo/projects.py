"""The sample projects that demo scenarios work on, and fresh copies of them."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Final

__all__ = ["prepare_project"]

FOLDER: Final = Path(__file__).parent / "projects"
# A demo commits in the name of nobody, whatever the person's own git is set up to do (hooks, signing, templates).
_GIT_IDENTITY: Final = {
    "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "tui-agent demo", "GIT_AUTHOR_EMAIL": "demo@localhost",
    "GIT_COMMITTER_NAME": "tui-agent demo", "GIT_COMMITTER_EMAIL": "demo@localhost",
}  # fmt: skip


def prepare_project(name: str, parent: Path | None = None) -> Path:
    """Copy a sample project into a new temporary folder (in `parent`, if given) and return it; the caller removes it.

    Where git is installed the copy is a repository with one commit, so that branch and changes can be seen.

    Raises:
        LookupError: there is no such project.
        OSError: the copy cannot be made.
    """
    source = FOLDER / name
    if not name.isidentifier() or not source.is_dir():
        raise LookupError(f"no sample project {name!r}")
    target = Path(tempfile.mkdtemp(prefix="tui-agent-demo-", dir=parent)).resolve() / name
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", "*.pyc"))
    (target / ".gitignore").write_text("__pycache__/\n", encoding="utf-8")
    _make_repository(target)
    return target


def _make_repository(folder: Path) -> None:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")} | _GIT_IDENTITY
    for command in (
        ["git", "init", "-q", "-b", "main", "--template="],
        ["git", "add", "-A"],
        ["git", "commit", "-q", "-m", "Sell, discount, take back"],
    ):
        try:
            done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False, timeout=20)
        except (OSError, subprocess.TimeoutExpired):
            return  # a project without a repository is a project still
        if done.returncode != 0:
            return
