"""In the neutral environment git runs nothing that a repository names, and still does its work."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tui_agent.git_config import parse
from tui_agent.neutral_git import neutral_environment

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="not covered here: git is missing")

# What a repository would like git to run, by where its configuration says so; `X` is the program.
NAMED = """
[core]
    fsmonitor = X
    hooksPath = HOOKS
    pager = X
    editor = X
    sshCommand = X
    askPass = X
    alternateRefsCommand = X
[diff]
    external = X
[DIFF "a\\"b.c"]
    textconv = X
    command = X
[filter "one"]
    clean = X
    smudge = X
    required = true
[filter "Two"]  process = X ; required
    required
[alias]
    st = !X
[pager]
    log = X
    status = X
[gpg]
    program = X
[gpg "ssh"]
    program = X
[credential]
    helper = !X
[tar "x"]
    command = X
[merge "m"]
    driver = X
[hook "h"]
    command = X
    event = post-index-change
[log]
    showSignature = true
[sequence]
    editor = X
"""
ATTRIBUTES = '* diff=a"b.c merge=m filter=one\n*.two filter=Two\n'
COMMANDS = (
    ("status",), ("diff",), ("diff", "--cached"), ("log", "-p", "--all"), ("show",), ("show", "HEAD:a.txt"), ("blame", "a.txt"),
    ("grep", "--textconv", "a"), ("cat-file", "--textconv", "HEAD:a.txt"), ("cat-file", "--filters", "HEAD:a.txt"),
    ("st",), ("ls-files", "-m"), ("-p", "log"), ("add", "a.txt"), ("add", "b.two"), ("commit", "-m", "x"), ("checkout", "-f"),
    ("archive", "--format=x", "HEAD"), ("fetch", "ext::sh -c % >&2"), ("merge-base", "HEAD", "HEAD"), ("stash",),
    ("verify-commit", "HEAD"), ("describe", "--dirty", "--always"), ("ls-remote", "."), ("worktree", "list"),
)  # fmt: skip


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "home").mkdir()
    (tmp_path / "home/.gitconfig").write_text(
        "[user]\n\tname = A\n\temail = a@example.org\n[init]\n\tdefaultBranch = main\n"
    )
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {**kept, "HOME": str(tmp_path / "home"), "XDG_CONFIG_HOME": str(tmp_path / "home/.config")}


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A program that leaves a mark when it runs; beside it a folder of hooks that are links to it."""
    file = tmp_path / "evil"
    file.write_text(f'#!/bin/sh\necho "$0 $*" >> {tmp_path}/ran\ncat\n')
    file.chmod(0o755)
    (tmp_path / "hooks").mkdir()
    for name in (
        "pre-commit",
        "post-checkout",
        "post-index-change",
        "post-commit",
        "reference-transaction",
        "fsmonitor-watchman",
    ):
        (tmp_path / "hooks" / name).symlink_to(file)
    return file


def git(folder: Path, environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ("git", *arguments),
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )


def repository(folder: Path, environment: dict[str, str]) -> Path:
    folder.mkdir(exist_ok=True)
    git(folder, environment, "init", "-q")
    (folder / "a.txt").write_text("one\n")
    (folder / "b.two").write_text("one\n")
    git(folder, environment, "add", "a.txt", "b.two")
    git(folder, environment, "commit", "-qm", "first")
    (folder / "a.txt").write_text("one\ntwo\n")
    (folder / "b.two").write_text("one\ntwo\n")
    return folder


def poison(config: Path, program: Path, text: str = NAMED) -> None:
    with config.open("a") as file:
        file.write(text.replace("X", str(program)).replace("HOOKS", str(program.parent / "hooks")))


def marks(program: Path) -> str:
    file = program.parent / "ran"
    return file.read_text() if file.exists() else ""


def test_nothing_that_a_repository_names_runs(tmp_path: Path, home: dict[str, str], program: Path) -> None:
    folder = repository(tmp_path / "work", home)
    (folder / ".gitattributes").write_text(ATTRIBUTES)
    poison(folder / ".git/config", program)
    for name in ("pre-commit", "post-index-change", "post-checkout"):
        (folder / ".git/hooks" / name).symlink_to(program)
    neutral = neutral_environment(
        (str(folder),), {**home, "GIT_EXTERNAL_DIFF": str(program), "GIT_PAGER": str(program)}
    )
    for command in COMMANDS:
        git(folder, neutral, *command)
        assert marks(program) == "", command
    git(folder, home, "status")
    assert marks(program)  # so the trap was one


def test_git_still_tells_the_truth(tmp_path: Path, home: dict[str, str], program: Path) -> None:
    folder = repository(tmp_path / "work", home)
    plain = {command: git(folder, home, *command).stdout for command in (("status", "--short"), ("log", "--oneline"))}
    (folder / ".gitattributes").write_text(ATTRIBUTES)
    poison(folder / ".git/config", program)
    neutral = neutral_environment((str(folder),), home)
    assert git(folder, neutral, "log", "--oneline").stdout == plain[("log", "--oneline")]
    assert git(folder, neutral, "status", "--short").stdout == plain[("status", "--short")] + "?? .gitattributes\n"
    for command in (("diff",), ("diff", "--no-ext-diff"), ("diff", "--no-ext-diff", "--textconv")):
        assert "+two" in git(folder, neutral, *command).stdout, command


def test_names_are_found_in_what_is_included_in_submodules_and_in_worktrees(
    tmp_path: Path, home: dict[str, str], program: Path
) -> None:
    folder = repository(tmp_path / "work", home)
    (folder / ".gitattributes").write_text("* filter=deep\n")
    with (folder / ".git/config").open("a") as file:
        file.write('[includeIf "gitdir:/"]\n\tpath = more/../one\n')
    (folder / ".git/more").mkdir()
    (folder / ".git/one").write_text("[include]\n\tpath = two\n")
    poison(folder / ".git/two", program, '[filter "deep"]\n\tclean = X\n')
    modules = folder / ".git/modules/group/name"
    modules.mkdir(parents=True)
    (modules / "HEAD").write_text("ref: refs/heads/main\n")
    (modules / "config").write_text('[filter "below"]\n\tsmudge = X\n')
    git(folder, home, "worktree", "add", "-q", "--detach", "../other")
    other = tmp_path / "other"
    (other / ".gitattributes").write_text("* filter=deep\n")
    (other / "a.txt").write_text("changed\n")
    (program.parent / "ran").unlink(missing_ok=True)
    for place in (folder, other):
        neutral = neutral_environment((str(place),), home)
        assert "filter.below.smudge" in neutral.values()
        git(place, neutral, "diff")
        git(place, neutral, "add", ".")
    assert marks(program) == ""
    os.utime(other / "a.txt", (1, 1))  # else git may hold it for unchanged, without a look at it
    git(other, home, "add", ".")
    assert marks(program)


def test_an_embedded_bare_repository_is_not_found(tmp_path: Path, home: dict[str, str], program: Path) -> None:
    folder = repository(tmp_path / "work", home)
    bare = folder / "docs"
    git(tmp_path, home, "init", "-q", "--bare", str(bare))
    (bare / "config").write_text(
        f"[core]\n\trepositoryformatversion = 0\n\tworktree = {folder}\n\tfsmonitor = {program}\n"
    )
    neutral = neutral_environment((str(folder),), home)
    assert "safe.bareRepository" in git(bare, neutral, "status").stderr
    assert marks(program) == ""


@pytest.mark.parametrize(
    "text", ["[core", "[include]\n\tpath = /dev/zero\n", '[include]\n\tpath = "%(prefix)/x"\n', "\0", "[a]\nx = \\q\n"]
)
def test_where_the_configuration_is_not_understood_there_is_no_repository(
    tmp_path: Path, home: dict[str, str], text: str
) -> None:
    folder = repository(tmp_path / "work", home)
    with (folder / ".git/config").open("a") as file:
        file.write(text)
    neutral = neutral_environment((str(folder),), home)
    assert "not a git repository" in git(folder, neutral, "status").stderr


def test_what_would_lead_elsewhere_is_not_inherited_and_own_configuration_is(
    tmp_path: Path, home: dict[str, str]
) -> None:
    given_ = {
        **home, "GIT_DIR": "/elsewhere", "GIT_CONFIG_PARAMETERS": "'alias.x'='!y'", "SSH_ASKPASS": "/x",
        "GIT_AUTHOR_NAME": "A", "GIT_CONFIG_COUNT": "2", "GIT_CONFIG_KEY_0": "user.name", "GIT_CONFIG_VALUE_0": "B",
        "GIT_CONFIG_KEY_1": "Diff.Mine.textconv", "GIT_CONFIG_VALUE_1": "/x",
    }  # fmt: skip
    neutral = neutral_environment((str(tmp_path),), given_)
    assert not {"GIT_DIR", "GIT_CONFIG_PARAMETERS", "SSH_ASKPASS"} & set(neutral)
    assert neutral["GIT_AUTHOR_NAME"] == "A"
    assert git(tmp_path, neutral, "config", "user.name").stdout == "B\n"
    assert git(tmp_path, neutral, "config", "diff.Mine.textconv").stdout == "cat\n"


PIECES = st.sampled_from(
    ["[", "]", '"', "\\", "\n", "\r\n", " ", "\t", "=", "#", ";", "a", "B", "core", "filter", ".", "-", "x y", "é", "\ufeff",
     "\v", '[a "b"]', "[a.B]", "k = v", "\\\n", '"q # r"', "\\t"]
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(PIECES, max_size=12).map("".join))
def test_names_are_those_that_git_reads(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    file = tmp_path_factory.getbasetemp() / "config-to-read"
    file.write_text(text, newline="")
    done = subprocess.run(
        ("git", "config", "--file", str(file), "--list", "--null"), capture_output=True, check=False, cwd="/"
    )
    if done.returncode != 0:
        return  # then git does nothing at all
    ours = [name for name, _ in parse(file.read_bytes().decode("utf-8", "surrogateescape"))]
    assert ours == [entry.partition("\n")[0] for entry in done.stdout.decode().split("\0")[:-1]]


def test_files_of_a_repositorys_choosing_are_not_read_and_those_of_the_person_are(
    tmp_path: Path, home: dict[str, str]
) -> None:
    folder = repository(tmp_path / "work", home)
    (tmp_path / "secret").write_text("SECRET <a@example.org>\n")
    (tmp_path / "mine").write_text("ignored\n")
    (folder / "ignored").touch()
    git(folder, home, "config", "--global", "core.excludesFile", str(tmp_path / "mine"))
    neutral = neutral_environment((str(folder),), home)
    assert "ignored" not in git(folder, neutral, "status", "--short").stdout
    settings_ = (
        "mailmap.file", "diff.orderFile", "core.excludesFile", "core.attributesFile", "commit.template",
        "format.signatureFile", "init.templateDir", "gpg.ssh.allowedSignersFile",
    )  # fmt: skip
    for name in settings_:
        git(folder, home, "config", name, str(tmp_path / "secret"))
    commands = (
        ("shortlog", "HEAD"), ("format-patch", "--stdout", "-1"), ("check-ignore", "-v", "SECRET"), ("diff",),
        ("log", "--use-mailmap", "-p"), ("status",), ("commit", "--dry-run", "-a"), ("check-attr", "-a", "SECRET"),
    )  # fmt: skip
    assert any("SECRET" in git(folder, home, *command).stdout for command in commands[:3])
    neutral = neutral_environment((str(folder),), home)
    for command in commands:
        done = git(folder, neutral, *command)
        assert "fatal" not in done.stderr, command
        assert "SECRET <" not in done.stdout + done.stderr, command
        assert command[0] != "check-ignore" or done.stdout == ""


@pytest.mark.parametrize(
    ("name", "value", "is_found"),
    [
        ("blame.ignoreRevsFile", "../secret", False), ("blame.ignoreRevsFile", ".env", False),
        ("blame.ignoreRevsFile", ".git-blame-ignore-link", False), ("blame.ignoreRevsFile", ".git-blame-ignore-revs", True),
        ("fsck.skipList", "../secret", False),
        ("core.worktree", "../..", False), ("core.worktree", "..", True),
    ],
)  # fmt: skip
def test_where_a_repository_leads_elsewhere_there_is_none(
    tmp_path: Path, home: dict[str, str], name: str, value: str, is_found: bool
) -> None:
    folder = repository(tmp_path / "work", home)
    for file in (tmp_path / "secret", folder / ".env"):
        file.write_text("SECRET\n")
    (folder / ".git-blame-ignore-revs").touch()
    (folder / ".git-blame-ignore-link").symlink_to("../secret")
    git(folder, home, "config", name, value)
    neutral = neutral_environment((str(folder),), home)
    done = [git(folder, neutral, *command) for command in (("blame", "a.txt"), ("fsck",), ("status",))]
    assert not any("SECRET" in one.stdout + one.stderr for one in done)
    assert all((one.returncode == 0) == is_found for one in done)


def test_a_person_without_configuration_has_repositories(tmp_path: Path, home: dict[str, str]) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path / "r")], check=True, env=home)
    own = {**home, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    environment = neutral_environment([str(tmp_path / "r")], own)
    done = subprocess.run(
        ["git", "status"], cwd=tmp_path / "r", env=environment, capture_output=True, text=True, check=True
    )
    assert "No commits yet" in done.stdout
