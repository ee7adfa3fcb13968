"""What other programs run or obey later stays as it is, whatever a command with the working folders to write in does."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from policed import Place
from sandboxes import sandbox_or_skip

from tui_agent.permissions.path_context import PathContext
from tui_agent.permissions.protected_paths import protected_reason

# Beside these there are `.git/hooks` and the like, which git makes.
FILES = (
    ".envrc", ".npmrc", ".bashrc", ".husky/pre-commit", ".cargo/config.toml", ".devcontainer/devcontainer.json",
    ".claude/settings.json", "sub/.claude/settings.json", "sub/deep/.envrc", ".vscode/tasks.json", ".hg/hgrc",
    ".jj/config.toml", ".pdbrc", ".Rprofile", ".venv/bin/python", "other-env/bin/python", "node_modules/.bin/tool",
    ".github/workflows/ci.yml", ".pre-commit-config.yaml", "sub/.mcp.json", "packages/a/.npmrc",
    "packages/a/node_modules/.bin/tool", "sub/sitecustomize.py", "venv/bin/python", "Jenkinsfile", ".travis.yml",
)  # fmt: skip
MISSING = (
    ".claude/settings.json", ".husky/pre-commit", ".cargo/config.toml", ".devcontainer/x", ".vscode/x", ".idea/x",
    ".mcp.json", ".tui-agent/settings.json", ".envrc", ".npmrc", "sub/.envrc", "sub/.claude/settings.json",
    "new/.vscode/tasks.json", ".git/commondir", ".git/config.worktree", ".git/hooks/post-checkout", ".git/info/attributes",
    ".github/workflows/ci.yml", ".pdbrc", ".hg/hgrc", ".git/objects/info/alternates",
)  # fmt: skip
GIT_FILES = (
    ".git/config", ".git/hooks/pre-commit", ".git/info/attributes", ".git/info/exclude", ".git/modules/lib/config",
    ".git/modules/lib/hooks/pre-commit", ".git/modules/lib/commondir", ".git/modules/lib/config.worktree",
    ".git/worktrees/tree/gitdir", ".git/worktrees/tree/commondir", ".git/description", "lib/.git", "nested/.git/config",
    "nested/.git/hooks/pre-commit", ".git/modules/lib/hooks/post-checkout", "nested/.git/commondir",
)  # fmt: skip


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path, sandbox_or_skip("bubblewrap"))


def git(folder: Path, script: str, home: Path) -> str:
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
    }
    done = subprocess.run(
        ["bash", "-ec", script], cwd=folder, env=environment, check=True, capture_output=True, text=True
    )
    return done.stdout


@pytest.fixture
def checkout(place: Place) -> Place:
    """The project as a real checkout with a submodule, a worktree, and another repository in it."""
    if shutil.which("git") is None:
        pytest.skip("not covered here: git is missing")
    (place.home / ".gitconfig").write_text('[user]\n\tname = A\n\temail = a@b\n[protocol "file"]\n\tallow = always\n')
    (place.work / ".git").rmdir()
    script = (
        "git init -q -b main; git add file.txt; git commit -qm one; git init -q -b main ../lib; "
        "git -C ../lib commit -q --allow-empty -m lib; git submodule --quiet add ../lib lib; git commit -qm two; "
        "git worktree add -q ../tree; git init -q -b main nested; git -C nested commit -q --allow-empty -m three; "
        "mkdir -p .git/modules/lib/hooks"
    )
    git(place.work, script, place.home)
    return place


def attacks(names: tuple[str, ...]) -> str:
    """Return a script that tries to change each file in several ways, and to put something else in the place of its folder."""
    lines = []
    for name in names:
        path, folder = shlex.quote(name), shlex.quote(str(Path(name).parent))
        lines += [
            f"mkdir -p {folder}; echo EVIL > {path}; echo EVIL >> {path}",
            f"echo EVIL > evil; cp -f evil {path}; ln -sf $PWD/evil {path}; mv -f evil {path}; rm -f evil",
        ]
        if folder != ".":
            lines.append(f"mv {folder} moved && mkdir -p {folder} && echo EVIL > {path}")
    return f"({'; '.join(lines)}) > /dev/null 2>&1; true"


def content(path: Path) -> str:
    return path.read_text() if path.is_file() else ""


def test_what_is_there_stays(place: Place) -> None:
    (place.work / "other-env").mkdir()
    (place.work / "other-env/pyvenv.cfg").write_text("home = /usr/bin\n")
    for name in FILES:
        (place.work / name).parent.mkdir(parents=True, exist_ok=True)
        (place.work / name).write_text("mine\n")
    place.run(attacks(FILES), "workspace", readable=None)
    changed = [name for name in FILES if content(place.work / name) != "mine\n"]
    assert changed == []


def test_what_git_obeys_stays_also_in_submodules_worktrees_and_nested_repositories(checkout: Place) -> None:
    before = {name: content(checkout.work / name) for name in GIT_FILES}
    checkout.run(attacks(GIT_FILES), "workspace", readable=None)
    assert {name: content(checkout.work / name) for name in GIT_FILES} == before
    found = git(checkout.work, "grep -rsl EVIL .git/config .git/hooks .git/modules nested/.git || true", checkout.home)
    assert [name for name in found.split() if ".made-in-sandbox" not in name] == []


def test_a_link_among_what_git_obeys_keeps_no_command_from_running(checkout: Place) -> None:
    (checkout.work / "nested/.git/innocent").symlink_to("/etc/hosts")
    before = content(checkout.work / "nested/.git/config")
    checkout.run("echo more > new.txt; echo EVIL >> nested/.git/config", "workspace", readable=None)
    assert content(checkout.work / "new.txt") == "more\n"
    assert content(checkout.work / "nested/.git/config") == before


def test_file_tools_ask_for_what_git_obeys_of_a_bare_repository(place: Place) -> None:
    where = PathContext(cwd=str(place.work), home=str(place.home), project_root=str(place.work))
    for name in ("objects", "refs"):
        (place.work / "store" / name).mkdir(parents=True)
    (place.work / "store/HEAD").touch()
    for name in ("config", "hooks/pre-receive"):
        assert protected_reason(f"{place.work}/store/{name}", where)
        assert protected_reason(f"{place.work}/sub/{name}", where) is None


def test_what_is_made_anew_is_obeyed_by_nobody(place: Place) -> None:
    (place.work / ".git/objects").mkdir()
    place.run(attacks(MISSING), "workspace", readable=None)
    assert [name for name in MISSING if "EVIL" in content(place.work / name)] == []
    stand_ins = [path for path in place.work.rglob("*") if path.is_dir() and path.stat().st_mode & 0o777 == 0o555]
    assert [path for path in stand_ins if path.parent.name != "moved"] == []  # there are copies that the command made


def test_it_is_said_of_what_was_made_and_it_is_kept_under_another_name(place: Place) -> None:
    confined = place.sandbox_policy().confine("workspace", None)
    assert confined
    watch = confined.watch  # type: ignore[union-attr]
    assert watch
    settle = watch()
    (place.work / "sub/.envrc").write_text("made\n")
    (place.work / "sub/.envrc.made-in-sandbox").write_text("earlier\n")
    (said,) = settle()
    assert "sub/.envrc`" in said
    assert "sub/.envrc.made-in-sandbox1" in said
    assert (place.work / "sub/.envrc.made-in-sandbox1").read_text() == "made\n"
    assert not (place.work / "sub/.envrc").exists()
    assert watch()() == ()


@pytest.mark.parametrize("way", ["link", "folder"])
def test_nothing_elsewhere_gets_another_name(place: Place, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    folder, outside = place.work / "new", place.base / "outside"
    watch = place.sandbox_policy().confine("workspace", None).watch  # type: ignore[union-attr]
    assert watch
    settle = watch()
    for path in (folder, outside):
        (path / ".git/objects").mkdir(parents=True)

    def judged(git: str, known: object) -> str:
        if not folder.with_name("old").exists():
            folder.rename(folder.with_name("old"))
            folder.symlink_to(outside) if way == "link" else shutil.copytree(outside, folder)
        return "it sets `core.fsmonitor`" if git.endswith("new/.git") else ""

    monkeypatch.setattr("tui_agent.engine.gate.sandbox_protection.git_would_run", judged)
    assert "could not be renamed" in "".join(settle())
    assert (outside / ".git").exists()
    assert (folder / ".git").exists()


WORK = (
    "set -e; echo more >> file.txt; git add file.txt; git commit -qm 'from inside'; start=$(git branch --show-current); "
    "git checkout -q -b topic; git tag t; git checkout -q ${start:-main}; git merge -q --no-ff -m m topic; git stash list; "
    "git reset -q --hard HEAD; git branch -qD topic; echo x >> file.txt; git stash -q; git stash pop; "
    "git log --oneline | head -3; mkdir -p a/b; mv file.txt a/b; git mv -k x y; git add -A; git commit -qm moved; "
    "git gc -q --no-detach 2> /dev/null || true; echo done"
)


@pytest.mark.parametrize("folder", ["work", "tree", "work/lib", "work/nested"])
def test_work_with_git_goes_on(checkout: Place, folder: str) -> None:
    here = Place(checkout.base, checkout.sandbox, folder=f"home/{folder}")
    (here.work / "file.txt").write_text("public\n")
    environment = {"XDG_CONFIG_HOME": str(checkout.home / ".config")}
    here.environment = environment
    said = here.run(WORK, "workspace", readable=None)
    if folder == "work/lib":  # whose repository lies outside of the working folder
        assert "done" in said or "Read-only file system" in said
    else:
        assert said.endswith("done\n"), said
        assert "moved" in git(here.work, "git log --oneline", checkout.home)


def test_with_home_as_the_work_what_starts_with_the_session_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Place(tmp_path, sandbox_or_skip("bubblewrap"), folder="home")
    names = (
        ".ssh/authorized_keys", ".config/systemd/user/x.service", ".config/autostart/x.desktop", ".local/bin/ls", ".bashrc",
        ".config/fish/config.fish", ".config/tui-agent/settings.json", ".local/state/tui-agent/trust.json", ".gitconfig",
        ".claude/settings.json", ".vimrc", ".config/git/config",
    )  # fmt: skip
    for name in names:
        (place.home / name).parent.mkdir(parents=True, exist_ok=True)
        (place.home / name).write_text("mine\n")
    for name, folder in (("HOME", ""), ("XDG_CONFIG_HOME", ".config"), ("XDG_STATE_HOME", ".local/state")):
        monkeypatch.setenv(name, str(place.home / folder))
    monkeypatch.delenv("TUI_AGENT_HOME", raising=False)
    place.run(attacks(names), "workspace", readable=None)
    assert [name for name in names if content(place.home / name) != "mine\n"] == []


def test_what_it_keeps_itself_is_kept_wherever_that_was_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = Place(tmp_path, sandbox_or_skip("bubblewrap"))
    monkeypatch.setenv("TUI_AGENT_HOME", str(place.work / "state"))
    (place.work / "state").mkdir()
    (place.work / "state/trust.json").write_text("mine\n")
    place.run(
        "echo EVIL > state/trust.json; mv state x; mkdir state; echo EVIL > state/trust.json",
        "workspace",
        readable=None,
    )
    assert content(place.work / "state/trust.json") == "mine\n"


def test_keys_of_home_are_not_read(place: Place) -> None:
    said = place.run("cat ~/.ssh/id ~/.netrc; grep -r . ~/.ssh", "workspace", readable=None)
    assert "SECRET" not in said
    assert "SECRET" in place.run("cat ~/other/secret.txt", "workspace", readable=None)


@pytest.mark.parametrize(
    ("path", "is_protected"),
    [
        (".git/config", True), (".GIT/config", True), (".g\u200cit/config", True), ("GIT~1/config", True),
        (".git./x", True), (".git ./x", True), (".git::$INDEX_ALLOCATION/x", True), ("sub/.Claude/settings.json", True),
        (".claude/worktrees/a/b", False), (".github/workflows/ci.yml", True), (".github/README.md", False),
        ("node_modules/.bin/x", True), ("node_modules/x", False), (".venv/bin/python", True), (".venv/lib/x.py", False),
        ("env/bin/python", True), ("bin/tool", False), (".Rprofile", True), (".hg/hgrc", True), (".jj/repo", True),
        (".pdbrc", True), ("Makefile", False), ("git~2", False), ("package.json", False), ("/home/me/.ssh/config", True),
        ("/home/me/.config/systemd/user/x", True), ("/home/me/.local/bin/x", True), ("/home/me/notes/x", False),
    ],
)  # fmt: skip
def test_edits_are_judged_by_the_same_list(tmp_path: Path, path: str, is_protected: bool) -> None:
    (tmp_path / "env").mkdir()
    (tmp_path / "env/pyvenv.cfg").touch()
    where = PathContext(cwd=str(tmp_path), project_root=str(tmp_path), home="/home/me")
    reason = protected_reason(os.path.join(tmp_path, path), where)  # noqa: PTH118
    assert (reason is not None) == is_protected, reason


def test_who_works_on_a_folder_of_home_may_edit_it() -> None:
    where = PathContext(cwd="/home/me/.config/nvim", project_root="/home/me/.config/nvim", home="/home/me")
    assert protected_reason("/home/me/.config/nvim/init.lua", where) is None
    assert protected_reason("/home/me/.bashrc", where)
