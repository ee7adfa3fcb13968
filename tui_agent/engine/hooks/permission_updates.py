"""Makes the changes of rules, mode and folders that a hook wants with its yes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final, Literal

from tui_agent.engine.gate.permission_mode import PermissionMode
from tui_agent.engine.gate.rulebook import Rulebook
from tui_agent.engine.gate.working_folders import WorkingFolders
from tui_agent.events import Event, Notice
from tui_agent.hooks.permission_request import PermissionUpdate
from tui_agent.permissions.modes import mode_from_setting
from tui_agent.permissions.verdict import Scope
from tui_agent.settings.change import change_file
from tui_agent.settings.confirmed import note_written
from tui_agent.text import clean_line
from tui_agent.tools.workspace import Workspace

__all__ = ["PermissionUpdates"]

_SCOPES: Final[dict[str, Scope]] = {
    "session": "session", "localSettings": "local", "projectSettings": "project", "userSettings": "user",
}  # fmt: skip


class PermissionUpdates:
    """Called with updates, it makes them one after the other; one that cannot be made is told to the user.

    A mode always counts until the session ends, wherever the hook wants it kept.
    """

    def __init__(
        self,
        rulebook: Rulebook,
        workspace: Workspace,
        *,
        publish: Callable[[Event], object],
        mode: PermissionMode,
        folders: WorkingFolders,
    ) -> None:
        self._rulebook = rulebook
        self._workspace = workspace
        self._publish = publish
        self._mode = mode
        self._working_folders = folders

    def __call__(self, updates: Sequence[PermissionUpdate]) -> None:
        for update in updates:
            try:
                self._make(update)
            except (OSError, ValueError) as error:
                text = f"A hook's change of permissions ({update.type}) was not made, or not kept: {error}"
                self._publish(Notice(level="warning", text=clean_line(text, 400)))

    def _make(self, update: PermissionUpdate) -> None:
        scope = _SCOPES[update.destination]
        match update.type:
            case "addRules":
                for rule in update.rules:
                    self._rulebook.add(rule, scope, update.behavior)
            case "removeRules":
                self._remove(self._kept(update, scope, set(update.rules)), update.behavior)
            case "replaceRules":
                for rule in update.rules:
                    self._rulebook.add(rule, scope, update.behavior)
                old = [row for row in self._kept(update, scope, None) if row[0] not in update.rules]
                self._remove(old, update.behavior)
            case "setMode":
                mode = mode_from_setting(update.mode)
                if mode is None:
                    raise ValueError(f"there is no mode {update.mode}")
                self._mode.change(mode)
            case "addDirectories" | "removeDirectories":
                self._folders(update, scope, is_more=update.type == "addDirectories")

    def _kept(self, update: PermissionUpdate, scope: Scope, wanted: set[str] | None) -> list[tuple[str, str]]:
        """Return the rules of a list that are kept where the update says, each with its source; `wanted` alone, or all."""
        return [
            (row.text, row.source)
            for row in self._rulebook.rows()
            if row.kind == scope and row.behavior == update.behavior and row.is_removable
            if wanted is None or row.text in wanted
        ]

    def _remove(self, rows: Iterable[tuple[str, str]], behavior: Literal["allow", "ask", "deny"]) -> None:
        for text, source in rows:
            self._rulebook.remove(text, source, behavior)

    def _folders(self, update: PermissionUpdate, scope: Scope, *, is_more: bool) -> None:
        folders = [Path(self._workspace.absolute(folder)) for folder in update.directories]
        missing = next((folder for folder in folders if is_more and not folder.is_dir()), None)
        if missing is not None:
            raise ValueError(f"{missing} is not a folder")
        if is_more:
            self._working_folders.add(folders)
        else:
            self._working_folders.remove(folders)
        if scope == "session":
            return
        texts = [str(folder) for folder in folders]

        def change(settings: dict[str, object]) -> bool:
            permissions = settings.setdefault("permissions", {})
            if not isinstance(permissions, dict):
                raise ValueError("`permissions` in that file is no object")
            known = permissions.setdefault("additionalDirectories", [])
            if not isinstance(known, list):
                raise ValueError("`additionalDirectories` in that file is no list")
            left = [folder for folder in known if folder not in texts]
            new = [*left, *texts] if is_more else left
            permissions["additionalDirectories"] = new
            return bool(new != known)

        file = self._rulebook.file_of(scope)
        change_file(file, change)
        if is_more and scope != "user":
            note_written(file, ("permissions", "additionalDirectories"), texts)
