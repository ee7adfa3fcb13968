"""What a search found is shown only as far as it lies where it was found, behind no link, with the lines that are told."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tui_agent.tools.shared_search import result_check
from tui_agent.tools.shared_search.result_check import ResultCheck


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "src/deep").mkdir(parents=True)
    (tmp_path / "src/deep/a").write_text("one\ntwo\n")
    return Path(os.path.realpath(tmp_path))


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the search begin when all that was made for it is old."""
    monkeypatch.setattr(result_check, "_TICK_NS", -(10**12))


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the search begin while all that was made for it counts as new, however long this takes."""
    monkeypatch.setattr(result_check, "_TICK_NS", 10**15)


@pytest.mark.usefixtures("later")
def test_where_nothing_moved_no_file_is_read(root: Path) -> None:
    assert ResultCheck(str(root)).holds("src/deep/a", [b"not looked at"])


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize(
    ("content", "line", "is_held"),
    [
        (b"one\ntwo\n", b"two", True),
        (b"one\r\ntwo\r\n", b"two\r", True),
        (b"one\ntwo\n", b"three", False),
        (b"x" * 3000, b"x" * 1000 + b" [... omitted end of long line]", True),
        (b"y" * 3000, b"x" * 1000 + b" [... omitted end of long line]", False),
        ("größe\n".encode(), "größe".encode(), True),
        ("größe\n".encode("utf-16"), "größe".encode(), True),
        ("größe\n".encode("cp1252"), "größe".encode("cp1252"), True),
        (b"a\0b one\n", b"a\0b one", True),
    ],
)
def test_where_a_folder_changed_meanwhile_the_lines_have_to_be_there(
    root: Path, content: bytes, line: bytes, is_held: bool
) -> None:
    (root / "src/deep/a").write_bytes(content)
    assert ResultCheck(str(root)).holds("src/deep/a", [line]) is is_held


@pytest.mark.usefixtures("later")
def test_what_lies_behind_a_link_is_not_there(root: Path) -> None:
    looking = ResultCheck(str(root))
    assert looking.is_there("src/deep/a")
    (root / "src").rename(root / "moved")
    (root / "src").symlink_to("moved")
    (root / "moved/deep/b").symlink_to("a")
    assert not looking.is_there("src/deep/a")
    assert not looking.holds("src/deep/a", [])
    assert not looking.is_there("moved/deep/b")
    assert not looking.is_there("moved/deep")
    assert looking.is_there("moved/deep/a")
