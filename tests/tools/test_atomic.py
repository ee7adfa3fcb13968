"""A file is written whole or not at all, and nothing else is left in its folder."""

from __future__ import annotations

import asyncio
import os
import stat
from pathlib import Path

import pytest

from tui_agent.changes import content_hash
from tui_agent.tools.cancel_shield import unbroken
from tui_agent.tools.file_changes import atomic
from tui_agent.tools.file_changes.apply import write_bytes
from tui_agent.tools.resolved_path import resolve


def replace(path: str, data: bytes) -> None:
    """Put `data` in the place of a file that holds `old`."""
    write_bytes(resolve(path), data, content_hash(b"old"))


@pytest.mark.parametrize("step", ["write", "fsync", "replace"])
def test_a_failure_at_any_step_leaves_the_old_file_alone(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"old")

    def fail(*_arguments: object, **_more: object) -> None:
        raise OSError(28, "No space left on device")

    if step == "write":
        monkeypatch.setattr(atomic.os, "fchmod", fail)
    else:
        monkeypatch.setattr(atomic.os, step, fail)
    with pytest.raises(OSError, match="No space"):
        replace(str(path), b"new")
    assert (path.read_bytes(), [entry.name for entry in tmp_path.iterdir()]) == (b"old", ["f"])


def test_replacing_keeps_the_mode_and_follows_links(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_bytes(b"old")
    target.chmod(0o640)
    (tmp_path / "link").symlink_to("target")
    replace(str(tmp_path / "link"), b"new")
    assert (target.read_bytes(), stat.S_IMODE(target.stat().st_mode)) == (b"new", 0o640)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["link", "target"]


@pytest.mark.parametrize("mode", [0o4755, 0o2755, 0o6711, 0o1644, 0o755])
def test_new_content_does_not_run_with_the_rights_of_others(tmp_path: Path, mode: int) -> None:
    target = tmp_path / "program"
    target.write_bytes(b"old")
    target.chmod(mode)
    replace(str(target), b"new")
    assert stat.S_IMODE(target.stat().st_mode) == mode & ~0o6000


def test_a_new_file_has_the_mode_of_any_new_file(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        atomic.create(str(tmp_path / "a/b/f"), b"x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a/b/f").stat().st_mode) == 0o640


@pytest.mark.parametrize("has_links", [True, False])
def test_a_name_that_is_taken_is_left_alone(has_links: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "f").write_bytes(b"old")
    if not has_links:

        def refuse(*_arguments: object, **_more: object) -> None:
            raise OSError(95, "Operation not supported")

        monkeypatch.setattr(atomic.os, "link", refuse)
        atomic.create(str(tmp_path / "g"), b"new")
        assert (tmp_path / "g").read_bytes() == b"new"
        (tmp_path / "g").unlink()
    with pytest.raises(FileExistsError):
        atomic.create(str(tmp_path / "f"), b"new")
    assert ((tmp_path / "f").read_bytes(), [entry.name for entry in tmp_path.iterdir()]) == (b"old", ["f"])


async def test_a_step_that_is_cancelled_runs_to_its_end_and_is_undone() -> None:
    begun, go, undone = asyncio.Event(), asyncio.Event(), []

    async def step() -> str:
        begun.set()
        await go.wait()
        return "made"

    async def undo(made: str) -> None:
        undone.append(made)

    task = asyncio.create_task(unbroken(step(), undo))
    await begun.wait()
    for _ in range(2):
        task.cancel()
        await asyncio.sleep(0)
    assert not task.done()
    go.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert undone == ["made"]


async def test_a_step_that_fails_says_so() -> None:
    async def step() -> None:
        raise OSError("no")

    with pytest.raises(OSError, match="no"):
        await unbroken(step())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_the_owner_stays_where_that_is_allowed(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"old")
    os.chown(path, 1234, 2345)
    path.chmod(0o4755)
    replace(str(path), b"new")
    status = path.stat()
    assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (1234, 2345, 0o755)


def test_where_the_owner_cannot_stay_the_group_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"old")
    given: list[tuple[int, int]] = []

    def refuse(_handle: int, owner: int, group: int) -> None:
        given.append((owner, group))
        if owner >= 0:
            raise PermissionError(1, "Operation not permitted")

    status = path.stat()
    monkeypatch.setattr(atomic.os, "fchown", refuse)
    monkeypatch.setattr(atomic.os, "geteuid", lambda: status.st_uid + 1)
    replace(str(path), b"new")
    assert given == [(status.st_uid, status.st_gid), (-1, status.st_gid)]
    assert path.read_bytes() == b"new"


def test_a_name_as_long_as_a_name_may_be_can_be_replaced(tmp_path: Path) -> None:
    path = tmp_path / ("é" * 127)
    path.write_bytes(b"old")
    replace(str(path), b"new")
    assert path.read_bytes() == b"new"
