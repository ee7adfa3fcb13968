"""Which folders a person has said they trust. A folder's own settings can only tighten things until then.

Trust is kept by repository root, or by folder outside git. Trusting a folder covers what lies below it, except git
repositories of their own: whoever clones something into a trusted folder has not read it yet.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

from tui_agent.settings.places import is_repository, project_root, state_home

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
    file = _file(home)
    root = trusted_root(folder)
    known = _load(file) | {str(root)}
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=".trust-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            json.dump({"version": 1, "folders": sorted(known)}, out, indent=2, ensure_ascii=False)
            out.write("\n")
            out.flush()
            os.fsync(out.fileno())
        Path(temporary).replace(file)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return root


def _file(home: Path | None) -> Path:
    return (home or state_home()) / "trust.json"


def _load(file: Path) -> frozenset[str]:
    """Return the trusted folders; a file that cannot be read or is damaged trusts nothing."""
    try:
        data = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return frozenset()
    folders = data.get("folders") if isinstance(data, dict) else None
    return frozenset(item for item in folders if isinstance(item, str)) if isinstance(folders, list) else frozenset()
