from __future__ import annotations

import random
import subprocess
import unicodedata
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_agent.ui.prompting.file_index import FileIndex
from tui_agent.ui.prompting.file_lists import find_files, git_files, git_stamp, in_folder, untracked_files
from tui_agent.ui.prompting.fuzzy import compared, fit, positions, score

PATHS = st.text("abcxyzABC/_-. é", min_size=1, max_size=30).map(lambda path: path.strip("/")).filter(bool)
TREE = [
    "README.md",
    "cart/refund.py",
    "cart/refund_policy.py",
    "cart/total.py",
    "docs/refunds/index.md",
    "tests/test_refund.py",
    "src/prompt_text.py",
    "src/my file.py",
    "src/deep/er/Makefile",
]


def found(query: str, files: list[str] = TREE, **options: object) -> list[str]:
    return [one.path for one in FileIndex(files).search(query, 50, **options)[0]]  # type: ignore[arg-type]


# --- letters ----------------------------------------------------------------------------------------------------------


@given(PATHS, st.data())
def test_letters_of_a_path_in_their_order_always_fit(path: str, data: st.DataObject) -> None:
    places = sorted(data.draw(st.sets(st.integers(0, len(path) - 1), min_size=1, max_size=6)))
    query = "".join(path[place] for place in places)
    assert fit(query, path)
    assert score(query, path) is not None
    marks = positions(query, path)
    assert "".join(path[mark] for mark in marks) == query
    assert list(marks) == sorted(set(marks))


@given(PATHS, st.text("abcxyz/", min_size=1, max_size=5))
def test_what_does_not_fit_has_no_score(path: str, query: str) -> None:
    assert (score(query, path) is not None) == fit(query, path)
    assert (positions(query, path) != ()) == fit(query, path)


@given(st.lists(PATHS, max_size=30), st.text("abcxyzABC/", min_size=1, max_size=4))
def test_a_search_finds_exactly_what_fits(paths: list[str], query: str) -> None:
    index = FileIndex(paths)
    hits = [one.path for one in index.search(query, 1000)[0]]
    everything = [one.path for one in index.search("", 1000)[0]] + paths
    assert len(hits) == len(set(hits))
    assert set(hits) >= {path for path in everything if fit(query.lower(), _lower(path))}
    assert all(fit(query.lower(), _lower(path)) for path in hits)


@given(st.lists(PATHS, max_size=30), st.text("abcxyz/", min_size=1, max_size=5))
def test_typing_on_finds_what_typing_at_once_does(paths: list[str], query: str) -> None:
    index, narrowed = FileIndex(paths), None
    for end in range(1, len(query) + 1):
        hits, narrowed = index.search(query[:end], 1000, within=narrowed)
    assert hits == index.search(query, 1000)[0]


def _lower(path: str) -> str:
    return compared(path)


# --- order ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("refund", "cart/refund.py"),
        ("refund.py", "cart/refund.py"),
        ("readme", "README.md"),
        ("tref", "tests/test_refund.py"),
        ("pt", "src/prompt_text.py"),
        ("makef", "src/deep/er/Makefile"),
        ("my f", "src/my file.py"),
        ("cart/t", "cart/total.py"),
        ("refunds/", "docs/refunds/"),
    ],
)
def test_what_is_likeliest_comes_first(query: str, first: str) -> None:
    assert found(query)[0] == first


@pytest.mark.parametrize("query", ["uber", "über", "UBER", "Übers"])
@pytest.mark.parametrize("form", ["NFC", "NFD"])  # as typed, and as macOS keeps names
def test_a_name_is_found_with_and_without_its_accents(query: str, form: Literal["NFC", "NFD"], tmp_path: Path) -> None:
    name = unicodedata.normalize(form, "Übersicht.md")
    assert [one.path for one in FileIndex(["a.md", f"x/{name}"]).search(query, 10)[0]] == [f"x/{name}"]
    (tmp_path / name).touch()
    assert [one.path for one in in_folder(tmp_path, tmp_path, f"./{query}", 10)] == [f"./{name}"]


def test_what_was_worked_on_comes_first() -> None:
    recent = ["tests/test_refund.py", "cart/total.py"]
    assert found("refund", recent=recent)[0] == "tests/test_refund.py"
    assert found("", recent=recent)[:2] == recent
    assert found("makefile", recent=recent)[0] == "src/deep/er/Makefile"


def test_before_a_letter_is_typed_the_top_of_the_folder_is_offered() -> None:
    assert found("") == ["cart/", "docs/", "src/", "tests/", "README.md"]


def test_a_folder_shows_what_lies_in_it() -> None:
    index = FileIndex(TREE)
    assert [one.path for one in index.inside("src/", 10)] == ["src/deep/", "src/my file.py", "src/prompt_text.py"]
    assert index.inside("nothing/", 10) == []


def test_a_large_list_finds_a_deep_file_by_its_name() -> None:
    random.seed(1)
    words = ["core", "cart", "user", "model", "view", "event", "token", "parse"]
    many = [
        f"{'/'.join(random.choices(words, k=4))}/{random.choice(words)}_{number}.py" for number in range(30_000)
    ]  # fmt: skip
    many.append("a/very/deep/folder/of/its/own/somewhere/zebra_crossing.ts")
    index = FileIndex(many)
    narrowed = None
    for query in ("z", "ze", "zeb", "zebc"):
        hits, narrowed = index.search(query, 50, within=narrowed)
        assert hits[0].path == many[-1]
    assert index.search("zcr", 50)[0][0].path == many[-1]
    assert len(index.search("core", 50)[0]) == 50


def test_a_list_is_bounded_and_says_so() -> None:
    from tui_agent.ui.prompting.file_index import MOST_PATHS

    index = FileIndex(f"f{number}" for number in range(MOST_PATHS + 5))
    assert (len(index), index.is_cut) == (MOST_PATHS, True)


# --- what there is ----------------------------------------------------------------------------------------------------


def git(folder: Path, *words: str) -> None:
    subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@b.c", *words], cwd=folder, check=True, capture_output=True
    )


def make(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x\n")


def test_git_tells_what_it_knows_and_what_is_new(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    make(tmp_path, "known.py", "src/ä b.py", "build/out.log")
    (tmp_path / ".gitignore").write_text("*.log\n")
    git(tmp_path, "add", ".")
    make(tmp_path, "new.py")
    assert sorted(git_files(tmp_path, is_trusted=True) or []) == [".gitignore", "known.py", "src/ä b.py"]
    assert untracked_files(tmp_path, is_trusted=True, respects_ignore=True) == ["new.py"]
    assert sorted(untracked_files(tmp_path, is_trusted=True, respects_ignore=False)) == ["build/out.log", "new.py"]
    assert git_files(tmp_path / "src", is_trusted=True) == ["ä b.py"]
    assert git_stamp(tmp_path / "src") == (tmp_path / ".git" / "index").stat().st_mtime_ns


def test_outside_of_git_the_folder_is_walked(tmp_path: Path) -> None:
    make(tmp_path, "a.py", ".hidden", "sub/b.py", "sub/c.log")
    (tmp_path / ".gitignore").write_text("*.log\n")
    assert git_files(tmp_path, is_trusted=True) is None
    assert git_stamp(tmp_path) == 0
    names, is_cut = find_files(tmp_path, respects_ignore=True)
    assert (sorted(names), is_cut) == ([".gitignore", ".hidden", "a.py", "sub/b.py"], False)
    assert "sub/c.log" in find_files(tmp_path, respects_ignore=False)[0]


def test_paths_elsewhere_come_from_the_disk(tmp_path: Path) -> None:
    make(tmp_path, "home/notes.txt", "home/.secret", "home/new/x", "work/here.py", "other.md")
    root, home = tmp_path / "work", tmp_path / "home"
    names = lambda typed: [one.path for one in in_folder(root, home, typed, 20)]  # noqa: E731
    assert names("~/n") == ["~/new/", "~/notes.txt"]
    assert names("~/.s") == ["~/.secret"]
    assert names("../o")[0] == "../other.md"
    assert names(f"{tmp_path}/wo") == [f"{tmp_path}/work/"]
    assert names("..") == ["../"]
    assert names("./") == ["./here.py"]
    assert names("~/nothing/") == []
