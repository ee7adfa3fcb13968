"""A path that was resolved leads through no link any more, whatever has become of its folders since."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tui_agent import nofollow
from tui_agent.nofollow import LinkInPath


@pytest.fixture(params=["openat2", "step by step"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to open a path without links; the second is that of systems whose kernel has no single call for it."""
    if request.param == "step by step":
        monkeypatch.setattr(nofollow, "_openat2", lambda: None)
    elif nofollow._openat2() is None:
        pytest.skip("this kernel has no openat2")
    return request.param


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return Path(os.path.realpath(tmp_path))


def open_descriptors() -> int:
    return len(list(Path("/dev/fd").iterdir()))


@pytest.mark.usefixtures("way")
def test_nothing_is_done_through_a_folder_that_is_a_link(root: Path) -> None:
    outside, inside = root / "outside", root / "inside"
    outside.mkdir()
    (outside / "file").write_bytes(b"secret")
    (outside / "empty").mkdir()
    (root / "own").write_bytes(b"own")
    inside.symlink_to(outside)
    before, listed = open_descriptors(), sorted(outside.iterdir())
    file = str(inside / "file")
    folders = nofollow.Folders()
    acts = [
        lambda: nofollow.open_file(file, os.O_RDONLY),
        lambda: nofollow.open_file(str(inside / "new"), os.O_WRONLY | os.O_CREAT),
        lambda: nofollow.open_folder(str(inside)),
        lambda: nofollow.open_folder(str(inside / "empty"), is_listed=True),
        lambda: nofollow.status(file),
        lambda: nofollow.identity(str(inside)),
        lambda: folders.open(file, os.O_RDONLY),
        lambda: folders.open(str(inside / "new"), os.O_WRONLY | os.O_CREAT),
        lambda: folders.status(file),
        lambda: folders.make(str(inside / "new")),
        lambda: folders.remove(str(inside / "empty")),
        lambda: folders.unlink(file),
        lambda: folders.replace(file, str(inside / "new")),
        lambda: folders.link(file, str(inside / "new")),
        lambda: folders.sync(str(inside)),
    ]
    for act in acts:
        with pytest.raises(LinkInPath):
            act()
    assert sorted(outside.iterdir()) == listed
    assert (outside / "file").read_bytes() == b"secret"
    assert (root / "own").read_bytes() == b"own"
    assert open_descriptors() == before


@pytest.mark.usefixtures("way")
def test_the_last_name_is_not_followed_either(root: Path) -> None:
    (root / "file").write_bytes(b"secret")
    (root / "a").symlink_to("file")
    with pytest.raises(LinkInPath):
        nofollow.open_file(str(root / "a"), os.O_RDONLY)
    with pytest.raises(LinkInPath):
        nofollow.open_file(str(root / "a"), os.O_WRONLY | os.O_CREAT)
    assert nofollow.status(str(root / "a")).st_size == len("file")
    assert (root / "file").read_bytes() == b"secret"


@pytest.mark.usefixtures("way")
def test_without_links_all_of_it_does_what_the_system_does(root: Path) -> None:
    before = open_descriptors()
    inner, file = str(root / "inner"), str(root / "inner" / "file")
    with nofollow.Folders() as folders:
        folders.make(inner)
        handle = folders.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o640)
        os.write(handle, b"abc")
        os.close(handle)
        folders.link(file, file + "2")
        assert nofollow.status(file).st_nlink == folders.status(file).st_nlink == 2
        folders.replace(file + "2", file + "3")
        folders.sync(inner)
        folders.check()
        assert Path(file + "3").read_bytes() == b"abc"
        with pytest.raises(NotADirectoryError):
            nofollow.status(file + "/inner")
        folders.unlink(file)
        folders.unlink(file + "3")
        folders.remove(inner)
    assert not os.path.lexists(inner)
    for act in (nofollow.open_folder, nofollow.identity, nofollow.status):
        with pytest.raises(FileNotFoundError):
            act(inner)
    found, top = root.stat(), Path("/").stat()
    assert nofollow.identity(str(root)) == (found.st_dev, found.st_ino)
    assert nofollow.identity("/") == (top.st_dev, top.st_ino)
    assert nofollow.status("/").st_ino == top.st_ino
    assert open_descriptors() == before


@pytest.mark.usefixtures("way")
def test_a_folder_that_may_only_be_gone_through_is_gone_through(root: Path) -> None:
    if not hasattr(os, "O_PATH"):
        pytest.skip("only Linux can open a folder for that alone")
    (root / "closed").mkdir()
    (root / "closed" / "file").write_bytes(b"abc")
    (root / "closed").chmod(0o111)
    handle = nofollow.open_file(str(root / "closed" / "file"), os.O_RDONLY)
    assert os.read(handle, 10) == b"abc"
    os.close(handle)
    (root / "closed").chmod(0o755)


def test_a_relative_path_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError):
        nofollow.open_folder("here")


@pytest.mark.usefixtures("way")
def test_a_folder_that_is_held_stays_the_same_when_a_link_takes_its_name(root: Path) -> None:
    inner, outside = root / "inner", root / "outside"
    inner.mkdir()
    outside.mkdir()
    (inner / "file").write_bytes(b"abc")
    with nofollow.Folders() as folders:
        folders.status(str(inner / "file"))
        inner.rename(root / "moved")
        inner.symlink_to(outside)
        with pytest.raises(LinkInPath):
            folders.check()
        folders.replace(str(inner / "file"), str(inner / "other"))
        inner.unlink()
        inner.mkdir()
        with pytest.raises(FileNotFoundError, match="another folder"):
            folders.check()
    assert (root / "moved" / "other").read_bytes() == b"abc"
    assert not list(outside.iterdir())


@pytest.mark.usefixtures("way")
def test_only_so_many_folders_are_held_at_once(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nofollow, "_MOST_HELD", 2)
    before = open_descriptors()
    with nofollow.Folders() as folders:
        for name in "abcd":
            folders.make(str(root / name))
            folders.make(str(root / name / "inner"))
        assert open_descriptors() <= before + 2
    assert open_descriptors() == before
