"""Where everything is kept: state, configuration, project files, policy. Imports nothing heavy, so that anyone may ask.

`TUI_AGENT_HOME` moves the state (sessions, tool results, history, trust) and nothing else; a person's settings stay where
the platform keeps them (`XDG_CONFIG_HOME` moves those).
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import platformdirs

__all__ = [
    "LOCAL_SETTINGS", "POLICY_FOLDER", "PROJECT_SETTINGS", "config_dir", "is_repository", "local_settings_file",
    "main_checkout", "policy_settings_files", "project_root", "project_settings_file", "state_home", "user_settings_file",
]  # fmt: skip

APP: Final = "tui-agent"
PROJECT_SETTINGS: Final = ".tui-agent/settings.json"
LOCAL_SETTINGS: Final = ".tui-agent/settings.local.json"
POLICY_FOLDER: Final = Path("/etc/tui-agent")


def state_home() -> Path:
    """Return the folder for sessions, tool results, history and trust; it may not exist yet."""
    moved = os.environ.get("TUI_AGENT_HOME")
    if moved:
        return Path(os.path.abspath(Path(moved).expanduser()))  # noqa: PTH100 - links stay as the person wrote them
    return platformdirs.user_state_path(APP, appauthor=False)


def config_dir() -> Path:
    """Return the folder of the person's own `settings.json`; it may not exist yet."""
    return platformdirs.user_config_path(APP, appauthor=False)


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


def main_checkout(root: Path) -> Path:
    """Return the main checkout of a linked worktree, or `root` itself where it is none.

    What is approved in a worktree holds for the repository. The link is believed only when the repository points back, so
    that a `.git` file that came with foreign files cannot borrow another repository's settings.
    """
    marker = root / ".git"
    try:
        if not marker.is_file():
            return root
        line = marker.read_text("utf-8").strip()
        if not line.startswith("gitdir:"):
            return root
        git_dir = (root / line.removeprefix("gitdir:").strip()).resolve()
        back = Path((git_dir / "gitdir").read_text("utf-8").strip())
        common = (git_dir / (git_dir / "commondir").read_text("utf-8").strip()).resolve()
        if (git_dir / back).resolve() == marker.resolve() and common.name == ".git":
            return common.parent
    except (OSError, UnicodeDecodeError):
        pass
    return root


def project_settings_file(start: Path) -> Path:
    """Return the settings file that a project shares with everyone who works on it."""
    return project_root(start) / PROJECT_SETTINGS


def local_settings_file(start: Path, *, home: Path | None = None) -> Path:
    """Return the file of one person's settings for one project, kept out of git.

    It lies at the root of the repository (of its main checkout, from a linked worktree). Where that is the home folder it
    stays in the start folder: what is approved in one subfolder of home is not meant for all of them.
    """
    root = project_root(start)
    if root == (home or Path.home()):
        root = Path(os.path.abspath(start))  # noqa: PTH100
    return main_checkout(root) / LOCAL_SETTINGS


def user_settings_file(config: Path | None = None) -> Path:
    """Return the settings file that holds for one person everywhere."""
    return (config or config_dir()) / "settings.json"


def policy_settings_files(folder: Path = POLICY_FOLDER) -> tuple[Path, ...]:
    """Return the administrator's files in the order in which they are laid over each other, later ones winning."""
    extra = sorted((folder / "settings.d").glob("*.json")) if (folder / "settings.d").is_dir() else []
    main = folder / "settings.json"
    return (*([main] if main.exists() else []), *extra)
