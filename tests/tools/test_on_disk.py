"""Files of proposed changes, looked at again and again: what has become of them is told once, and nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tui_agent.changes import FileChange
from tui_agent.tools.file_changes import on_disk
from tui_agent.tools.file_changes.on_disk import OnDisk
from tui_agent.tools.files import load
from tui_agent.tools.resolved_path import ResolvedPaths, resolve


def proposed(path: Path, after: str = "new\n") -> FileChange:
    """Return a change of the file as it is now, or of one that is to be made."""
    if not path.exists():
        return FileChange.between(str(path), None, after)
    file = load(resolve(str(path)))
    return FileChange.between(file.path, file.text, after, before_hash=file.hash)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a.txt"
    path.write_text("old\n")
    return path


def test_a_change_is_told_once_and_so_is_the_way_back(path: Path) -> None:
    disk = OnDisk([proposed(path)], ResolvedPaths())
    assert disk.news() == []
    path.write_text("theirs\n")
    assert disk.news() == [(str(path), "changed")]
    assert disk.news() == []
    path.write_text("theirs, longer\n")
    assert disk.news() == []
    path.write_text("old\n")
    assert disk.news() == [(str(path), "as_read")]


def test_what_changed_before_the_first_look_is_told_by_it(path: Path) -> None:
    change = proposed(path)
    path.write_text("theirs\n")
    assert OnDisk([change], ResolvedPaths()).news() == [(str(path), "changed")]


def test_a_file_that_is_removed_is_gone_and_may_come_back_as_another(path: Path) -> None:
    disk = OnDisk([proposed(path)], ResolvedPaths())
    path.unlink()
    assert disk.news() == [(str(path), "gone")]
    path.mkdir()
    assert disk.news() == [(str(path), "changed")]
    path.rmdir()
    path.write_text("old\n")
    assert disk.news() == [(str(path), "as_read")]


def test_a_file_that_was_to_be_new_is_told_where_there_is_one_by_now(tmp_path: Path) -> None:
    fresh = tmp_path / "fresh.txt"
    disk = OnDisk([proposed(fresh)], ResolvedPaths())
    assert disk.news() == []
    fresh.symlink_to(tmp_path / "nowhere")  # leads to nothing, and is in the way all the same
    assert disk.news() == [(str(fresh), "made")]
    fresh.unlink()
    assert disk.news() == [(str(fresh), "as_read")]


def test_of_several_files_those_that_changed_are_named(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "b.txt"
    other.write_text("b\n")
    disk = OnDisk([proposed(path), proposed(other), proposed(tmp_path / "c.txt")], ResolvedPaths())
    other.unlink()
    (tmp_path / "c.txt").write_text("c\n")
    assert disk.news() == [(str(other), "gone"), (str(tmp_path / "c.txt"), "made")]


def test_a_file_that_nobody_touched_is_not_read_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[str] = []
    load_bytes = on_disk.load_bytes
    monkeypatch.setattr(
        on_disk, "load_bytes", lambda path, limit: (reads.append(path.path), load_bytes(path, limit))[1]
    )
    disk = OnDisk([proposed(path)], ResolvedPaths())
    assert [disk.news() for _ in range(3)] == [[], [], []]
    assert len(reads) == 1
    os.utime(path, ns=(1, 1))  # another time of the same content
    assert [disk.news() for _ in range(3)] == [[], [], []]
    assert len(reads) == 2
