"""What several tests of decisions work on."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tui_agent.permissions.path_context import PathContext


@pytest.fixture
def disk(tmp_path: Path) -> PathContext:
    top = Path(os.path.realpath(tmp_path))
    for folder in ("w/sub/deep", "out/secret", "h"):
        (top / folder).mkdir(parents=True)
    for file in ("w/a.py", "w/b.py", "w/sub/c.py", "w/.env", "out/secret/key", "out/x.py"):
        (top / file).write_text("")
    (top / "w/link").symlink_to(top / "out")
    (top / "w/sub/far.py").symlink_to(top / "out/x.py")
    (top / "w/jump").symlink_to(top / "w/sub/deep")
    (top / "w/copy").mkdir()
    (top / "w/copy/a.py").symlink_to(top / "out/x.py")
    return PathContext(cwd=str(top / "w"), project_root=str(top / "w"), home=str(top / "h"))
