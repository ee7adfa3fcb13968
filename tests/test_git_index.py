"""Repositories that an index names are found in each of git's forms, and where that cannot be told it is said."""

from __future__ import annotations

import os
import shutil
import subprocess
import tracemalloc
from pathlib import Path

import pytest

from tui_agent.git_index import inner_links, tracked_names

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="not covered here: git is missing")


def git(folder: Path, *words: str) -> None:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    named = ("-c", "user.name=n", "-c", "user.email=e")
    subprocess.run(["git", *named, *words], cwd=folder, env=environment, check=True, capture_output=True)


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """A repository with a file in it and two others."""
    top = tmp_path / "top"
    for name in ("", "one", "deep/two"):
        (top / name).mkdir(parents=True, exist_ok=True)
        (top / name / "a.txt").write_text("a\n")
        git(top / name, "init", "-q")
        git(top / name, "add", "a.txt")
        git(top / name, "commit", "-qm", "c")
    git(top, "add", "one", "deep/two")
    return top


@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_inner_repositories_are_named(top: Path, version: str) -> None:
    git(top, "update-index", "--index-version", version)
    if version == "3":
        (top / "later.txt").write_text("l\n")
        git(top, "add", "-N", "later.txt")
    assert inner_links(str(top / ".git")) == ("deep/two", "one")
    assert "a.txt" in (tracked_names(str(top)) or ())


def test_a_repository_without_others_names_none_in_any_form(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a\n")
    git(tmp_path, "init", "-q", "--object-format=sha256")
    assert inner_links(str(tmp_path / ".git")) == ()
    git(tmp_path, "add", ".")
    assert inner_links(str(tmp_path / ".git")) == ()
    git(tmp_path, "update-index", "--split-index")
    assert inner_links(str(tmp_path / ".git")) == ()


def test_what_cannot_be_told_is_not_taken_for_none(top: Path, tmp_path: Path) -> None:
    index = top / ".git/index"
    whole = index.read_bytes()
    index.write_bytes(whole[:-1])
    assert inner_links(str(top / ".git")) is None
    index.write_bytes(whole)
    git(top, "update-index", "--split-index")
    assert inner_links(str(top / ".git")) is None
    index.unlink()
    os.mkfifo(index)
    assert inner_links(str(top / ".git")) is None
    long = tmp_path / "long"
    long.mkdir()
    git(long, "init", "-q", "--object-format=sha256")
    git(long, "config", "index.skipHash", "true")
    git(long, "update-index", "--add", "--cacheinfo", f"160000,{'a' * 64},inner")
    assert inner_links(str(long / ".git")) is None


def test_an_index_without_end_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "index").open("wb") as file:
        file.truncate(5 << 30)
    tracemalloc.start()
    try:
        assert inner_links(str(tmp_path)) is None
        with (tmp_path / "index").open("wb") as file:
            file.truncate(200 << 20)
        assert inner_links(str(tmp_path)) == ()
        assert tracemalloc.get_traced_memory()[1] < 20 << 20, "bytes"
    finally:
        tracemalloc.stop()
