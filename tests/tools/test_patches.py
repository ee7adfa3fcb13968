"""A patch of many files: git makes exactly the files of it that there were."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tui_agent.tools.file_changes.patches import PatchedFile, make_patch

LINES = st.lists(
    st.sampled_from([b"a", b"b", b"def f():", b"\treturn 1", b"", b" ", b"-- x", b"\xe9\xff", "é日本".encode(), b"+"]),
    max_size=12,
)
ENDS = st.sampled_from([b"\n", b"\n", b"\r\n"])


@st.composite
def contents(draw: st.DrawFn) -> bytes:
    """Some lines, often without an end at the end; now and then something that is no text."""
    if draw(st.integers(0, 9)) == 0:
        return draw(st.binary(max_size=300)) + b"\0"
    end = draw(ENDS)
    data = b"".join(line + end for line in draw(LINES))
    return data[: -len(end)] if data and draw(st.booleans()) else data


NAMES = st.lists(
    st.sampled_from([
        "a.py", "with space.txt", 'quo"te.txt', "naïve.txt", "folder/b.txt", "folder/日本.md", "tab\there", "back\\slash",
        "folder/sub folder/c d.txt", "-dash", "a\nb", " lead", "trail ", "'single'",
    ]),
    min_size=1,
    max_size=5,
    unique=True,
)  # fmt: skip


@st.composite
def file_sets(draw: st.DrawFn) -> list[PatchedFile]:
    files = []
    for name in draw(NAMES):
        before = draw(st.none() | contents())
        after = draw(contents() if before is None else st.none() | contents() | st.just(before))
        files.append(PatchedFile(name, before, after, is_executable=before is None and draw(st.booleans())))
    return files


def put(root: Path, name: str, data: bytes | None) -> None:
    if data is not None:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)


def applied(root: Path, patch: bytes) -> None:
    for options in (["--check"], []):
        done = subprocess.run(
            ["git", "apply", "--whitespace=nowarn", *options, "-"],
            input=patch, cwd=root, capture_output=True, check=False, env={**os.environ, "GIT_CEILING_DIRECTORIES": "/"},
        )  # fmt: skip
        assert done.returncode == 0, (done.stderr, patch)


@settings(max_examples=80, deadline=None)
@given(file_sets())
def test_git_makes_the_very_bytes_of_any_set_of_files(files: list[PatchedFile]) -> None:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        for file in files:
            put(root, file.name, file.before)
        patch = make_patch(files)
        if patch:
            applied(root, patch)
        for file in files:
            path = root / file.name
            assert (path.read_bytes() if path.exists() else None) == file.after
            if file.before is None and file.is_executable:
                assert os.access(path, os.X_OK)


def test_files_that_do_not_differ_are_left_out() -> None:
    assert make_patch([PatchedFile("a", b"x\n", b"x\n"), PatchedFile("b", None, None)]) == b""


@pytest.mark.parametrize(
    ("before", "after"), [(None, b""), (b"", None), (b"", b"x"), (b"x", b""), (b"x\n", b"x"), (b"x", b"x\n")]
)
def test_empty_files_and_missing_last_ends(before: bytes | None, after: bytes | None, tmp_path: Path) -> None:
    put(tmp_path, "f", before)
    applied(tmp_path, make_patch([PatchedFile("f", before, after)]))
    assert ((tmp_path / "f").read_bytes() if (tmp_path / "f").exists() else None) == after


def test_it_is_applied_at_the_root_of_a_repository(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    put(tmp_path, "folder/f.txt", b"one\n")
    applied(
        tmp_path, make_patch([PatchedFile("folder/f.txt", b"one\n", b"two\n"), PatchedFile("new.txt", None, b"x\n")])
    )
    assert (tmp_path / "folder/f.txt").read_bytes() == b"two\n"
