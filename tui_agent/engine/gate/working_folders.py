"""The working folders of one session besides the one it was started in: the settings', and those added since."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tui_agent.engine.gate.rulebook import Rulebook
from tui_agent.tools.workspace import Workspace

__all__ = ["WorkingFolders"]


class WorkingFolders:
    """Changes the folders of `workspace`, and tells the rules. `added` were given on the command line."""

    def __init__(self, workspace: Workspace, rulebook: Rulebook, *, added: Sequence[Path]) -> None:
        self._workspace = workspace
        self._rulebook = rulebook
        self._added = tuple(added)

    def add(self, folders: Sequence[Path]) -> None:
        """Add working folders until the session ends."""
        self._change(folders, folders)

    def remove(self, folders: Sequence[Path]) -> None:
        """Take some away."""
        self._change(folders, ())

    def reload(self, from_settings: Sequence[Path]) -> None:
        """Go on with the folders that settings name now, and those added here."""
        self._workspace.set_additional((*self._added, *from_settings))

    def _change(self, old: Sequence[Path], new: Sequence[Path]) -> None:
        self._added = (*(folder for folder in self._added if folder not in old), *new)
        self._workspace.set_additional((*(folder for folder in self._workspace.additional if folder not in old), *new))
        self._rulebook.folders_changed()
