"""Files that others control are read only when they are regular, within a limit, and without waiting."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from tui_agent.regular_files import NotRegularError, TooLargeError, open_regular, read_regular


def test_a_regular_file_is_read_whole_up_to_the_limit(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"12345")
    assert read_regular(file, 5) == b"12345"
    with pytest.raises(TooLargeError):
        read_regular(file, 4)


def test_pipes_devices_sockets_and_folders_are_refused_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        for name in ("pipe", "/dev/zero", "/dev/tty", ".", "socket"):
            with pytest.raises(OSError):
                read_regular(name, 10)
            with pytest.raises(OSError):
                read_regular(name, 10, follow_links=True)


def test_links_are_followed_only_where_that_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"x")
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "zero").symlink_to("/dev/zero")
    with pytest.raises(NotRegularError, match="link"):
        read_regular(tmp_path / "link", 10)
    assert read_regular(tmp_path / "link", 10, follow_links=True) == b"x"
    with pytest.raises(NotRegularError, match="regular"):
        read_regular(tmp_path / "zero", 10, follow_links=True)


def test_a_missing_file_says_so(tmp_path: Path) -> None:
    for name in (tmp_path / "gone", f"{tmp_path}/a\0b"):
        with pytest.raises(FileNotFoundError):
            open_regular(name)


def test_nothing_stays_open(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    before = len(list(Path("/proc/self/fd").iterdir())) if Path("/proc/self/fd").exists() else 0
    for _ in range(5):
        with pytest.raises(NotRegularError):
            open_regular(tmp_path / "folder")
    assert not before or len(list(Path("/proc/self/fd").iterdir())) == before
