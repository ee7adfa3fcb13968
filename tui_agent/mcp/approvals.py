"""Which servers of a project the user lets start, and which servers they have switched off. Kept in the program's own state.

A yes is to an entry as it was shown: to its hash. An entry that has changed since, be it by one argument, is asked about again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from tui_agent.mcp.servers import ServerConfig
from tui_agent.settings.schema import SettingsValues
from tui_agent.settings.standard_paths import state_home
from tui_agent.settings.state_file import change_state, read_state, strings

__all__ = ["Approvals", "Standing"]

# Whether a server may start: `ask` is that the user has not said anything on the entry as it is now.
Standing = Literal["yes", "no", "ask", "off"]
_NAME: Final = "mcp-servers.json"


@dataclass(frozen=True, slots=True)
class Approvals:
    """The record of one project, known by its root. Reading and writing block."""

    root: Path
    state: Path | None = None

    @property
    def _file(self) -> Path:
        return (self.state or state_home()) / _NAME

    def standing(self, server: ServerConfig, values: SettingsValues) -> Standing:
        """Return whether a server may start, by what is on record and what the settings say."""
        if server.name in values.disabled_mcpjson_servers and server.scope == "project":
            return "no"
        known = self._project(read_state(self._file))
        if server.name in strings(known.get("off")):
            return "off"
        if server.scope != "project" or values.enable_all_project_mcp_servers:
            return "yes"
        return self._said(known, server, values)

    @staticmethod
    def _said(known: Mapping[str, Any], server: ServerConfig, values: SettingsValues) -> Standing:
        said = known.get("servers")
        entry = said.get(server.name) if isinstance(said, Mapping) else None
        if isinstance(entry, Mapping) and isinstance(entry.get("hash"), str):
            if entry["hash"] != server.entry_hash:
                return "ask"
            return "yes" if entry.get("said") == "yes" else "no"
        # A name in the settings is a yes to the entry that is there when it is first met, not to whatever the name means later.
        return "yes" if server.name in values.enabled_mcpjson_servers else "ask"

    def decide(self, server: ServerConfig, *, may_start: bool) -> None:
        """Remember what the user says of an entry.

        Raises:
            OSError: the state folder cannot be written.
        """

        def change(known: dict[str, Any]) -> None:
            said = known.get("servers")
            entry = {"hash": server.entry_hash, "said": "yes" if may_start else "no"}
            known["servers"] = {**(said if isinstance(said, Mapping) else {}), server.name: entry}

        self._change(change)

    def switch(self, name: str, *, is_on: bool) -> None:
        """Remember that a server is not to start here, or is to again.

        Raises:
            OSError: the state folder cannot be written.
        """

        def change(known: dict[str, Any]) -> None:
            off = [one for one in strings(known.get("off")) if one != name]
            known["off"] = off if is_on else [*off, name]

        self._change(change)

    def reset(self) -> int:
        """Forget what the user said of this project's servers; return of how many that was.

        Raises:
            OSError: the state folder cannot be written.
        """
        forgotten: list[str] = []

        def change(known: dict[str, Any]) -> None:
            said = known.pop("servers", None)
            forgotten.extend(said if isinstance(said, Mapping) else ())

        self._change(change)
        return len(forgotten)

    def _project(self, data: Mapping[str, Any]) -> Mapping[str, Any]:
        projects = data.get("projects")
        known = projects.get(str(self.root)) if isinstance(projects, Mapping) else None
        return known if isinstance(known, Mapping) else {}

    def _change(self, change: Any) -> None:  # noqa: ANN401 - takes the project's part and changes it
        def changed(data: Mapping[str, Any]) -> Mapping[str, Any]:
            known = dict(self._project(data))
            change(known)
            projects = data.get("projects")
            return {
                "version": 1,
                **data,
                "projects": {**(projects if isinstance(projects, Mapping) else {}), str(self.root): known},
            }

        change_state(self._file, changed)
