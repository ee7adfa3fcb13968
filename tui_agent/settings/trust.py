"""Which folders a user has said they trust. A folder's own settings can only tighten things until then.

Trust is kept by repository root, or by folder outside git. Trusting a folder covers what lies below it, except git
repositories of their own: whoever clones something into a trusted folder has not read it yet.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tui_agent.settings.standard_paths import is_repository, project_root, state_home
from tui_agent.settings.state_file import change_state, read_state, strings

__all__ = ["is_trusted", "trust", "trusted_root"]


def trusted_root(folder: Path) -> Path:
    """Return the folder that trust is asked for when someone starts in `folder`, links resolved."""
    return project_root(Path(os.path.realpath(folder)))


def is_trusted(folder: Path, *, home: Path | None = None) -> bool:
    """Whether `folder` was trusted, on its own or by a folder above it.

    Args:
        folder: where a session starts.
        home: the state folder, by default the platform's.
    """
    known = _load(_file(home))
    root = trusted_root(folder)
    if str(root) in known:
        return True
    return not is_repository(root) and any(str(parent) in known for parent in root.parents)


def trust(folder: Path, *, home: Path | None = None) -> Path:
    """Remember that `folder` is trusted; return the root it was recorded for.

    Raises:
        OSError: the state folder cannot be written.
    """
    root = trusted_root(folder)

    def change(data: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"version": 1, "folders": sorted({*strings(data.get("folders")), str(root)})}

    change_state(_file(home), change)
    return root


def _file(home: Path | None) -> Path:
    return (home or state_home()) / "trust.json"


def _load(file: Path) -> frozenset[str]:
    """Return the trusted folders; a file that cannot be read or is damaged trusts nothing."""
    return frozenset(strings(read_state(file).get("folders")))
