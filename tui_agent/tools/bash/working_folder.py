"""The folder that a command starts in, and where the shell stands after it."""

from __future__ import annotations

import os
from pathlib import Path

from tui_agent.tools.base import ToolError
from tui_agent.tools.bash.input import BashInput
from tui_agent.tools.files import shown
from tui_agent.tools.workspace import Workspace

__all__ = ["cwd_problem", "existing_folder", "folder_of", "follow"]


def folder_of(input: BashInput, workspace: Workspace) -> str:
    """Return the folder that a command is to start in, whether or not it exists."""
    return str(workspace.cwd) if input.cwd is None else workspace.absolute(input.cwd)


def cwd_problem(cwd: str, workspace: Workspace) -> str:
    """Return why no command can start in `cwd`; empty where one can."""
    try:
        is_name = b"\0" not in os.fsencode(cwd)
    except UnicodeEncodeError:
        is_name = False
    if not is_name:
        return f"{cwd!r} is not a folder."
    path = workspace.absolute(cwd)
    if not workspace.contains(cwd):
        return f"{shown(path)} lies outside the workspace; a command runs in {shown(str(workspace.cwd))} or a folder in it."
    return "" if os.path.isdir(path) else f"There is no folder {shown(path)}."  # noqa: PTH112


def existing_folder(input: BashInput, workspace: Workspace, notes: list[str]) -> str:
    """Return the folder to start in: the one asked for, else where the last command ended, or the root where that is gone."""
    if input.cwd is not None:
        if problem := cwd_problem(input.cwd, workspace):
            raise ToolError(f"The command was not run. {problem}")
        return workspace.absolute(input.cwd)
    if not workspace.cwd.is_dir():
        notes.append(f"{shown(str(workspace.cwd))} is gone. Shell cwd was reset to {shown(str(workspace.root))}")
        workspace.cwd = workspace.root
    return str(workspace.cwd)


def follow(workspace: Workspace, started_in: str, ended_in: str | None, notes: list[str]) -> None:
    """Take over the folder in which a command ended, as long as it lies in the workspace."""
    if ended_in is None or ended_in == started_in:
        return
    if workspace.contains(ended_in):
        workspace.cwd = Path(ended_in)
    else:
        notes.append(f"Shell cwd was reset to {shown(str(workspace.cwd))}")
