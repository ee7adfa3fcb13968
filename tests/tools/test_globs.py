"""Globs mean here what they mean to ripgrep, and reach it without becoming something else."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tui_agent.tools.shared_search.globs import accepts, ignore_text, matches, split_globs
from tui_agent.tools.shared_search.ripgrep import find_ripgrep

FILES = [
    "a.py", "b.ts", "a-b.py", "ab", "src/a.py", "src/b.tsx", "src/deep/a.py", "src/deep/er/x.py", "#x#", "!x", "sp ace.py",
    "docs/a/b.md", "docs/b.md", "[x].py", "a{b}.py", "é.py",
]  # fmt: skip


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tree")
    for name in FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x\n")
    return folder


def listed(tree: Path, *arguments: str) -> set[str]:
    program = find_ripgrep()
    assert program
    done = subprocess.run(
        [program, "--no-config", "--files", "--hidden", "--no-ignore", "--null", *arguments, "./"],
        cwd=tree, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    return {path.removeprefix("./") for path in done.stdout.decode().split("\0") if path}


PIECES = st.sampled_from([
    "*", "**", "?", "/", "a", "b", "src", "deep", "docs", ".py", "*.py", "**/", "/**", "{a,b}", "{*.py,*.md}", "[ab]", "[!a]",
    "[^a]", "[a-c]", "x", "é", " ", "\\*", "\\[x\\]", "#",
])  # fmt: skip


def is_readable(glob: str) -> bool:
    return not glob.startswith(("!", "#")) and not glob.endswith((" ", "\\")) and glob.strip() != ""


GLOBS = st.lists(PIECES, min_size=1, max_size=5).map("".join).filter(is_readable)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(glob=GLOBS)
def test_a_glob_matches_what_it_matches_for_ripgrep(tree: Path, glob: str) -> None:
    # For ripgrep a glob that names a folder takes in nothing of what lies in it, and one that ends in a slash no file.
    assert {name for name in FILES if matches(glob, name)} == listed(tree, f"--glob={glob}")


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(globs=st.lists(st.tuples(st.sampled_from(["", "", "!"]), GLOBS).map("".join), min_size=1, max_size=3))
def test_an_ignore_file_leaves_what_the_globs_say(tree: Path, tmp_path: Path, globs: list[str]) -> None:
    (tmp_path / "ignore").write_text(ignore_text(globs))
    found = listed(tree, f"--ignore-file={tmp_path / 'ignore'}")
    assert found == {name for name in FILES if accepts(globs, name)}


@pytest.mark.parametrize("glob", ["#x#", "sp ace.py", "\\!x", "\\[x\\].py", "a\\{b\\}.py", "a.p[y]"])
def test_odd_names_can_be_named(tree: Path, tmp_path: Path, glob: str) -> None:
    (tmp_path / "ignore").write_text(ignore_text([glob]))
    (name,) = listed(tree, f"--ignore-file={tmp_path / 'ignore'}") - {"src/a.py", "src/deep/a.py"}
    assert name == glob.replace("\\", "").replace("[y]", "y")


@pytest.mark.parametrize("glob", ["[", "a{b", "a\\", "x[a"])
def test_a_glob_without_an_end_matches_nothing(glob: str) -> None:
    assert not matches(glob, glob)


def test_a_folder_that_is_left_out_takes_its_files_along() -> None:
    assert accepts(["*.py", "!vendor/"], "src/a.py")
    assert not accepts(["*.py", "!vendor/"], "lib/vendor/deep/a.py")
    assert not accepts(["!vendor"], "vendor/a.py")
    assert accepts(["!vendor"], "a.py")


def test_several_globs_may_stand_in_one() -> None:
    assert split_globs("*.py, src/**/*.{ts,tsx} a") == ["*.py", "src/**/*.{ts,tsx}", "a"]
