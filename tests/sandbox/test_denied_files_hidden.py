"""Files that rules forbid to read are not read by a command that names a folder, or nothing, instead of them."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from policed import Place
from sandboxes import NAMES, sandbox_or_skip

from tui_agent.permissions import matching_files
from tui_agent.permissions.matching_files import MatchingFiles, PatternMatcher
from tui_agent.permissions.path_context import PathContext
from tui_agent.permissions.paths import PathPattern
from tui_agent.sandbox.limits import Sandbox
from tui_agent.tools.base import ToolError

RULES = ["Read(.env)", "Read(**/*.pem)", "Read(secrets/**)", "Read(lib/*/private/**)"]
HIDDEN = (
    ".env", "sub/.env", "sub/deep/.env", "sub/deep/a name.pem", "top.pem", "sub/secrets/one", "secrets/deep/two",
    "lib/a/private/x", "sub/deep/new\nline.pem",
)  # fmt: skip


@pytest.fixture(params=NAMES)
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    return sandbox_or_skip(request.param)


@pytest.fixture
def place(tmp_path: Path, sandbox: Sandbox) -> Place:
    place = Place(tmp_path, sandbox, settings={"permissions": {"deny": RULES}})
    for name in HIDDEN:
        (place.work / name).parent.mkdir(parents=True, exist_ok=True)
        (place.work / name).write_text("SECRET\n")
    for name in ("sub/.envrc", "sub/deep/x.pem.txt", "lib/a/public", "sub/secret"):
        (place.work / name).write_text("public\n")
    (place.work / "link").symlink_to("sub/.env")
    return place


@pytest.mark.parametrize(
    "command",
    [
        "grep -r . .",
        "find . -type f -print0 | xargs -0 cat",
        "cat .env sub/.env sub/deep/*.pem link sub/../sub/.env sub/secrets/one lib/a/private/x",
        "cd sub/deep; cat .env ../.env *",
        "tar -c . | cat",
        "shopt -s globstar dotglob; cat **/*",
        "cat /proc/self/cwd/sub/.env",
    ],
)
@pytest.mark.parametrize("confinement", ["read_only", "workspace"])
def test_what_rules_forbid_is_not_read(place: Place, command: str, confinement: str) -> None:
    said = place.run(command, confinement, readable=() if confinement == "read_only" else None)  # type: ignore[arg-type]
    assert "SECRET" not in said
    assert place.look("cat sub/.envrc sub/deep/x.pem.txt lib/a/public sub/secret file.txt") == "public\n" * 5


def test_what_came_into_being_since_is_hidden_too(place: Place) -> None:
    sandbox_policy = place.sandbox_policy()
    for name in ("sub/deep/again/.env", "late.pem"):
        sandbox_policy.confine("read_only", ())
        (place.work / name).parent.mkdir(exist_ok=True)
        (place.work / name).write_text("SECRET\n")
        confined = sandbox_policy.confine("read_only", ())
        assert confined
        assert str(place.work / name) in confined.limits.unreadable


def test_where_there_is_too_much_to_look_through_it_is_asked(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    sandbox_policy = place.sandbox_policy()
    monkeypatch.setattr(sandbox_policy, "_on_cannot_hide", told.append)
    monkeypatch.setattr(matching_files, "_MOST_FOLDERS", 3)
    with pytest.raises(ToolError, match="too many files"):
        sandbox_policy.confine("read_only", ())
    assert told
    monkeypatch.undo()
    monkeypatch.setattr(matching_files, "_MOST_MATCHES", 3)
    with pytest.raises(ToolError, match="more than 3"):
        place.sandbox_policy().confine("read_only", ())


def test_a_second_look_is_short(tmp_path: Path) -> None:
    for number in range(300):
        (tmp_path / f"d{number}/sub").mkdir(parents=True)
    os.utime(tmp_path, ns=(0, 0))
    for folder in tmp_path.rglob("*"):
        os.utime(folder, ns=(0, 0))
    where = PathContext(cwd=str(tmp_path), project_root=str(tmp_path), home="/home/x")
    files = MatchingFiles()
    matcher = PatternMatcher([PathPattern.parse(".env", base=None, is_allow=False)], where)
    looked: list[str] = []
    scandir = os.scandir
    matching_files.os.scandir = lambda path: looked.append(path) or scandir(path)  # type: ignore[assignment,func-returns-value]
    try:
        assert files.find(matcher, [str(tmp_path)]) == ()
        assert len(looked) == 601
        looked.clear()
        began = time.perf_counter()
        files.find(matcher, [str(tmp_path)])
        assert looked == []
        assert time.perf_counter() - began < 1
        (tmp_path / "d7/sub/.env").touch()
        assert files.find(matcher, [str(tmp_path)]) == (str(tmp_path / "d7/sub/.env"),)
        assert len(looked) == 1
    finally:
        matching_files.os.scandir = scandir


SEGMENTS = st.sampled_from([".env", "*.pem", "**", "a", "a*", "[ab]", "?", ".e*", "b"])
TEXTS = st.builds(
    lambda anchor, parts, end: anchor + "/".join(parts) + end,
    st.sampled_from(["", "./", "/", "//", "~/"]),
    st.lists(SEGMENTS, min_size=1, max_size=3),
    st.sampled_from(["", "/", "/**"]),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=3))
def test_what_is_found_is_what_the_rules_match(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    """Each file of a tree is forbidden exactly if it, or a folder above it, was found."""
    base = tmp_path_factory.getbasetemp() / "tree-to-match"
    names = [".env", "x.pem", "a", "b", "ab"]
    paths = [base / one / two for one in ("a", "b", "c") for two in names] + [base / "d" / two for two in names]
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    where = PathContext(cwd=str(base), project_root=str(base), home=str(base / "a"))
    patterns = [PathPattern.parse(text, base=str(base / "b"), is_allow=False) for text in texts]
    found = MatchingFiles().find(PatternMatcher(patterns, where), [os.path.realpath(base)])
    for path in paths:
        is_hidden = any(str(path) == one or str(path).startswith(f"{one}/") for one in found)
        assert is_hidden == any(pattern.matches(str(path), where) for pattern in patterns), path
