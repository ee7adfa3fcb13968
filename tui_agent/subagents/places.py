"""Where agent files lie: the policy's folders, those of the project, nearest first, the user's, and those of plugins."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tui_agent.settings import standard_paths
from tui_agent.subagents.definition import AgentSource

__all__ = ["AgentPlace", "agent_places"]

_FOLDERS: Final = (".tui-agent/agents", ".claude/agents")


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentPlace:
    """A folder of agent files; it may not exist.

    `within` is a folder that no link may lead out of. `label` is what people know the place by, a plugin's name for example:
    then the names of its agents begin with it.
    """

    path: Path
    source: AgentSource
    is_trusted: bool = True
    within: Path | None = None
    label: str = ""


def agent_places(
    start: Path, *, is_trusted: bool, home: Path | None = None, more: Sequence[AgentPlace] = ()
) -> tuple[AgentPlace, ...]:
    """Return the places that count for a session in `start`, the strongest first; `more` are those of plugins."""
    root = standard_paths.project_root(start)
    start = Path(os.path.abspath(start))  # noqa: PTH100 - links stay as the user wrote them
    folders = [start, *start.parents]
    folders = folders[: folders.index(root) + 1] if root in folders else [start]
    own = (standard_paths.config_dir() / "agents", standard_paths.claude_dir(home) / "agents")
    policy = (standard_paths.POLICY_FOLDER / "agents", standard_paths.CLAUDE_POLICY_FOLDER / ".claude/agents")
    project = (folder / name for folder in folders for name in _FOLDERS)
    return (
        *(AgentPlace(path=path, source="policy") for path in policy),
        *(
            AgentPlace(path=path, source="project", is_trusted=is_trusted, within=root)
            for path in project
            if path not in own
        ),
        *(AgentPlace(path=path, source="user") for path in own),
        *more,
    )
