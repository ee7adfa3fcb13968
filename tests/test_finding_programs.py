"""Programs of our own are never found in the folder that the user works in."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tui_agent.programs import find_program


def test_entries_of_the_search_path_that_are_relative_find_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("sh", "bin/sh"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("#!/bin/sh\n")
        file.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    for path in (".", "", "bin", "./bin::.", "bin:.:/nowhere"):
        assert find_program("sh", path) is None
    found = find_program("sh", f".:bin:{os.environ['PATH']}")
    assert found is not None
    assert Path(found).is_absolute()
    assert not Path(found).is_relative_to(tmp_path)
