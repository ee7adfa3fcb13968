"""Path patterns of rules, compared with git's own reading of the same patterns."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tui_agent.permissions.path_context import PathContext
from tui_agent.permissions.paths import BadPattern, PathPattern, escape, translate

FILES = (
    "a", "b.txt", ".env", "src/a", "src/b.txt", "src/src/a", "src/deep/x/a", "lib/src/a", "lib/a b", "lib/a[1]", "x/y/z/b.txt",
    "x/y/b.txt", "x/b.txt", "x/.env", "x/a*", "x/back\\slash",
)  # fmt: skip
SEGMENTS = st.sampled_from(
    ["a", "b.txt", ".env", "src", "lib", "x", "y", "*", "**", "?", "*.txt", "[a-c]", "[!a]", "[ab].txt", "s*", "a[[]1]",
     "a\\*", "back\\\\slash", "a*b", "[]-a]", "[^.]*", "***", "de?p", "[[:alpha:]]"]
)  # fmt: skip


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("tree")
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    for name in FILES:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    return root


@given(segments=st.lists(SEGMENTS, min_size=1, max_size=4), is_tied=st.booleans(), is_folder=st.booleans())
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_pattern_matches_the_files_that_git_would_ignore(
    tree: Path, segments: list[str], is_tied: bool, is_folder: bool
) -> None:
    pattern = "/" * is_tied + "/".join(segments) + "/" * is_folder
    (tree / ".gitignore").write_text(pattern + "\n")
    answer = subprocess.run(
        ["git", "check-ignore", "--no-index", "-z", "--stdin"],
        cwd=tree, input="\0".join(FILES), capture_output=True, text=True, check=False,
    )  # fmt: skip
    ignored = {name for name in answer.stdout.split("\0") if name}
    regex = re.compile(translate(pattern, is_strict=True), re.DOTALL)
    assert {name for name in FILES if regex.fullmatch(name)} == ignored, pattern


def where() -> PathContext:
    return PathContext(cwd="/w/sub", project_root="/w", home="/h", resolve=lambda path: path)


@pytest.mark.parametrize(
    ("pattern", "path", "allows", "forbids"),
    [
        ("//etc/hosts", "/etc/hosts", True, True),
        ("//etc", "/etc/deep/er", True, True),
        ("~/x/*", "/h/x/y", True, True),
        ("/x", "/w/x", True, True),
        ("/x", "/w/sub/x", False, False),
        ("x", "/w/sub/deep/x", True, True),
        ("x", "/w/x", False, False),
        ("./x", "/w/sub/x", True, True),
        ("./x", "/w/sub/deep/x", False, True),
        ("x/**", "/w/sub/x/y", True, True),
        ("x/**", "/w/sub/deep/x/y", False, True),
        ("x/**", "/w/sub/x", False, True),
        ("x/", "/w/sub/x", False, True),
        ("**", "/w/sub/anything/at/all", True, True),
        ("**", "/w/other", False, False),
        ("//**", "/anything", True, True),
        ("~", "/h/any", True, True),
        ("a/b", "/w/sub/a/b", True, True),
        ("a/b", "/w/sub/x/a/b", False, False),
        ("*.{pem,key}", "/w/sub/deep/x.key", True, True),
        ("*.{pem,key}", "/w/sub/x.{pem,key}", False, False),
        ("{src,lib/a}/*.py", "/w/sub/lib/a/x.py", True, True),
        ("{src,lib/a}/*.py", "/w/sub/lib/x.py", False, False),
        ("**/{.env{,.local},id_rsa}", "/w/sub/deep/.env.local", True, True),
        ("**/{.env{,.local},id_rsa}", "/w/sub/deep/.env", True, True),
        ("src/{id}", "/w/sub/src/{id}", True, True),
        ("src/\\{a,b}", "/w/sub/src/{a,b}", True, True),
        ("src/\\{a,b}", "/w/sub/src/a", False, False),
    ],
)
def test_an_anchor_says_where_a_pattern_starts(pattern: str, path: str, allows: bool, forbids: bool) -> None:
    for is_allow, expected in ((True, allows), (False, forbids)):
        assert PathPattern.parse(pattern, base="/w", is_allow=is_allow).matches(path, where()) is expected


@pytest.mark.parametrize(
    ("pattern", "path", "forbids"),
    [
        ("../x", "/w/x", True), ("../x", "/w/sub/x", False), ("../x/**", "/w/x/deep/y", True),
        ("../../h/*.key", "/h/a.key", True),
        ("~/../x", "/x", True), ("~/../x/**", "/x/y", True), ("/../x", "/x", True), ("//w/../x", "/x", True),
        ("a/../b/c", "/w/sub/b/c", True), ("../{x,y}", "/w/y", True), ("../sub/x", "/w/sub/x", True),
        ("../../../../x", "/x", True),
    ],
)  # fmt: skip
def test_a_rule_that_forbids_may_climb(pattern: str, path: str, forbids: bool) -> None:
    assert PathPattern.parse(pattern, base="/w", is_allow=False).matches(path, where()) is forbids
    with pytest.raises(BadPattern):
        PathPattern.parse(pattern, base="/w", is_allow=True)


@pytest.mark.parametrize("pattern", ["!x", "*/../b", "{a,b}/../c", "[x", "x\\", "{a,b,c,d}" * 4])
def test_a_pattern_without_meaning_is_refused(pattern: str) -> None:
    with pytest.raises(BadPattern):
        PathPattern.parse(pattern, base="/w", is_allow=False)


@given(st.text(alphabet="ab*?[]\\ !#{}.~", min_size=1, max_size=8).filter(lambda name: name not in {".", ".."}))
@settings(max_examples=100, deadline=None)
def test_an_escaped_path_matches_itself_and_no_neighbour(name: str) -> None:
    pattern = PathPattern.parse(f"//w/{escape(name)}", base=None, is_allow=True)
    assert pattern.matches(f"/w/{name}", where())
    assert not pattern.matches(f"/w/{name}x", where())
    assert not pattern.matches(f"/w/x{name}", where())


def test_a_link_inside_the_anchor_is_followed() -> None:
    links = {"/w/sub": "/real/sub"}
    linked = PathContext(cwd="/w/sub", project_root="/w", home="/h", resolve=lambda path: links.get(path, path))
    pattern = PathPattern.parse("secret", base=None, is_allow=False)
    assert pattern.matches("/w/sub/secret", linked)
    assert pattern.matches("/real/sub/secret", linked)
