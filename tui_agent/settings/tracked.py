"""Whether a person's local settings of a project are really theirs, or may have come with the project."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Final

from tui_agent.settings.places import is_repository, project_root

__all__ = ["came_with_project"]

_TIMEOUT_S: Final = 3.0


def came_with_project(file: Path) -> bool:
    """Whether `file` may have come with the folder it lies in, so that it needs the same trust.

    It has not when git does not know it: cloning brings only what git tracks. Outside of a repository nobody can tell, and
    what is reached through a link may be anything; then, and where git cannot be asked, it counts as having come.
    """
    root = project_root(file.parent)
    if not is_repository(root) or root == file.parent:
        return True
    inside = os.path.relpath(file, root)
    if os.path.realpath(file) != os.path.join(os.path.realpath(root), inside):  # noqa: PTH118 - text is compared
        return True
    # What the repository's own configuration would have git run is not wanted: nobody trusts it yet.
    wanted = f":(top,icase,literal){inside}"
    command = ("git", "-c", "core.fsmonitor=false", "--no-optional-locks", "ls-files", "--error-unmatch", "--", wanted)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(
            command, cwd=root, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=_TIMEOUT_S, check=False
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return True
    return done.returncode != 1
