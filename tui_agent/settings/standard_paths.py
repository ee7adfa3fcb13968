"""Where everything is kept: state, configuration, project files, policy. Imports nothing heavy, so that anyone may ask.

`TUI_AGENT_HOME` moves the state (sessions, tool results, history, trust) and nothing else; a user's settings stay where
the platform keeps them (`XDG_CONFIG_HOME` moves those).
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

import platformdirs

from tui_agent.checkouts import is_repository, project_root, worktree_folders

__all__ = [
    "CLAUDE_FOLDER", "CLAUDE_POLICY_FOLDER", "LOCAL_SETTINGS", "POLICY_FOLDER", "PROJECT_SETTINGS", "claude_dir", "config_dir",
    "is_repository", "local_root", "local_settings_file", "main_checkout", "policy_settings_files",
    "project_root", "project_settings_file", "state_home", "user_settings_file", "worktree_folders",
]  # fmt: skip

APP: Final = "tui-agent"
PROJECT_SETTINGS: Final = ".tui-agent/settings.json"
LOCAL_SETTINGS: Final = ".tui-agent/settings.local.json"
POLICY_FOLDER: Final = Path("/etc/tui-agent")
CLAUDE_FOLDER: Final = ".claude"
CLAUDE_POLICY_FOLDER: Final = (
    Path("/Library/Application Support/ClaudeCode") if sys.platform == "darwin" else Path("/etc/claude-code")
)


def state_home() -> Path:
    """Return the folder for sessions, tool results, history and trust; it may not exist yet."""
    moved = os.environ.get("TUI_AGENT_HOME")
    if moved:
        return Path(os.path.abspath(Path(moved).expanduser()))  # noqa: PTH100 - links stay as the user wrote them
    return platformdirs.user_state_path(APP, appauthor=False)


def config_dir() -> Path:
    """Return the folder of the user's own `settings.json`; it may not exist yet."""
    return platformdirs.user_config_path(APP, appauthor=False)


def claude_dir(home: Path | None = None) -> Path:
    """Return the user's `.claude` folder, which is read beside our own; `CLAUDE_CONFIG_DIR` moves the real home's."""
    moved = os.environ.get("CLAUDE_CONFIG_DIR") if home is None else None
    if moved:
        return Path(os.path.abspath(Path(moved).expanduser()))  # noqa: PTH100 - see `state_home`
    return (home or Path.home()) / CLAUDE_FOLDER


def main_checkout(root: Path) -> Path:
    """Return the main checkout of a linked worktree, or `root` itself where it is none.

    What is approved in a worktree holds for the repository.
    """
    folders = worktree_folders(root)
    return root if folders is None or folders[1].name != ".git" else folders[1].parent


def project_settings_file(start: Path) -> Path:
    """Return the settings file that a project shares with everyone who works on it."""
    return project_root(start) / PROJECT_SETTINGS


def local_settings_file(start: Path, *, home: Path | None = None) -> Path:
    """Return the file of one user's settings for one project, kept out of git.

    Where that is: see `local_root`.
    """
    return local_root(start, home=home) / LOCAL_SETTINGS


def local_root(start: Path, *, home: Path | None = None) -> Path:
    """Return the folder that one user's settings for one project lie in.

    It is the root of the repository (of its main checkout, from a linked worktree). Where that is the home folder, or
    somebody else's, it is the start folder: what is approved in one subfolder of home is not meant for all of them.
    """
    start = Path(os.path.abspath(start))  # noqa: PTH100
    root = project_root(start)
    if root == (home or Path.home()):
        return start
    root = main_checkout(root)
    return root if _is_ours(root) else start


def _is_ours(folder: Path) -> bool:
    try:
        return not hasattr(os, "geteuid") or folder.stat().st_uid == os.geteuid()
    except OSError:
        return False


def user_settings_file(config: Path | None = None) -> Path:
    """Return the settings file that holds for one user everywhere."""
    return (config or config_dir()) / "settings.json"


def policy_settings_files(folder: Path = POLICY_FOLDER, stem: str = "settings") -> tuple[Path, ...]:
    """Return the administrator's files in the order in which they are laid over each other, later ones winning.

    They are `<stem>.json` and what lies in `<stem>.d`; the first need not exist.
    """
    more = folder / f"{stem}.d"
    return (folder / f"{stem}.json", *(sorted(more.glob("*.json")) if more.is_dir() else ()))
