"""Nobody but the user reads the program's state, whoever made its folder and how."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tui_agent.private_folders import make_private, open_private, tighten


@pytest.fixture(autouse=True)
def _usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def test_every_folder_that_is_made_is_private(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    make_private(tmp_path / "a/b/c")
    make_private(tmp_path / "a/b/c")
    assert [mode(tmp_path / name) for name in ("a", "a/b", "a/b/c", ".")] == [0o700, 0o700, 0o700, 0o755]
    with open(tmp_path / "file", "wb", opener=open_private):
        pass
    assert mode(tmp_path / "file") == 0o600


def test_a_state_folder_that_was_open_to_others_is_closed_with_all_that_is_in_it(tmp_path: Path) -> None:
    state = tmp_path / "state"
    (state / "sessions/x/y").mkdir(parents=True)
    outside = tmp_path / "outside"
    outside.write_text("x")
    for name in ("trust.json", "sessions/x/y/journal.jsonl", "run.sh"):
        (state / name).write_text("x")
    (state / "run.sh").chmod(0o755)
    (state / "link").symlink_to(outside)
    os.mkfifo(state / "pipe")
    tighten(state)
    found = {
        path: mode(path) for path in state.rglob("*") if path.is_dir() or (path.is_file() and not path.is_symlink())
    }
    assert mode(state) == 0o700
    assert found.pop(state / "run.sh") == 0o700
    assert {found_mode & 0o077 for found_mode in found.values()} == {0}
    assert mode(outside) == 0o644


def test_folders_that_are_not_the_programs_own_stay_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "top/home"))
    (tmp_path / "top/home").mkdir(parents=True)
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    for folder in (shared, tmp_path / "top", tmp_path / "top/home", tmp_path / "gone"):
        before = mode(folder) if folder.exists() else None
        tighten(folder)
        assert (mode(folder) if folder.exists() else None) == before
