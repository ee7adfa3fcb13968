# ruff: noqa: E501 - commands stand whole
"""What a command with the working folders to write in may prepare for later: nothing that the person's git or shell runs then."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from policed import Place
from sandboxes import sandbox_or_skip

from tui_agent.permissions.git_state import obeyed_in_git
from tui_agent.sandbox.confined import Confined

STRANGE = (
    "remotes/origin", "branches/x", "gitdir", "commondir", "config.worktree", "config.lock", "hooks/pre-push", "info/grafts", "objects/info/alternates", "common/config",
    "svn/x", "unknown", "description", "annex/x", "BISECT_NAMES", "modules/m/config", "modules/m/hooks/post-checkout", "worktrees/w/commondir",
)  # fmt: skip
STATE = (
    "MERGE_HEAD", "MERGE_MSG", "FETCH_HEAD", "ORIG_HEAD", "CHERRY_PICK_HEAD", "AUTO_MERGE", "BISECT_LOG", "index.lock", "packed-refs", "logs/x", "refs/heads/x", "shallow",
)  # fmt: skip


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path, sandbox_or_skip("bubblewrap"))
    (place.home / ".gitconfig").write_text("[user]\n\tname = A\n\temail = a@b\n[init]\n\tdefaultBranch = main\n")
    place.environment = {"XDG_CONFIG_HOME": str(place.home / ".config"), "GIT_EDITOR": "true"}
    (place.work / ".git").rmdir()
    script = "git init -q; git add .; git commit -qm one; git checkout -qb topic; echo a > file.txt; git commit -qam two; git checkout -q main; echo b > file.txt; git commit -qam three"
    person(place, script)
    return place


def person(place: Place, script: str, folder: Path | None = None) -> str:
    """Run what the person does, with their own rights."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment = {**kept, "HOME": str(place.home), **place.environment}
    done = subprocess.run(
        ["bash", "-c", script], cwd=folder or place.work, env=environment, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


def put(name: str, text: str) -> str:
    """Return a command that writes a file, and the folders that it lies in."""
    return f"mkdir -p {os.path.dirname(name) or '.'}; printf '%s\\n' '{text}' > {name}"  # noqa: PTH120


def rebasing(place: Place, todo: str, **more: str) -> str:
    """Return a command that makes a rebase up which is to go on with these steps."""
    head = person(place, "git rev-parse HEAD").strip()
    files = {
        "git-rebase-todo": todo, "head-name": "refs/heads/main", "onto": head, "orig-head": head, "interactive": "", "end": "1",
        "msgnum": "0", "done": "", **more,
    }  # fmt: skip
    return "; ".join(put(f".git/rebase-merge/{name}", text) for name, text in files.items())


@pytest.mark.parametrize("step", ["exec", "x", " \t exec", "exec\t", "pick HEAD\nexec", "# note\n\nx", "noop\r\nexec"])
def test_a_rebase_that_was_made_up_runs_nothing(place: Place, step: str) -> None:
    said = place.run(rebasing(place, f"{step} touch {place.base}/ran"), "workspace", readable=None)
    person(place, "git rebase --continue")
    assert not (place.base / "ran").exists(), said
    assert "rebase-merge" in "".join(place.settled)


def test_the_attack_works_where_nothing_stops_it(place: Place) -> None:
    person(place, rebasing(place, f"exec touch {place.base}/ran"))
    person(place, "git rebase --continue")
    assert (place.base / "ran").exists()


def test_a_rebase_of_the_persons_gets_no_steps_that_run(place: Place) -> None:
    person(place, "git rebase -q --exec true topic")
    todo = place.work / ".git/rebase-merge/git-rebase-todo"
    assert "exec true" in todo.read_text()
    place.run(f"echo 'exec touch {place.base}/ran' >> .git/rebase-merge/git-rebase-todo", "workspace", readable=None)
    person(place, "git checkout -q --theirs file.txt; git add file.txt; git rebase --continue")
    assert not (place.base / "ran").exists()


@pytest.mark.parametrize("folder", ["work", "tree"])
def test_rebases_merges_and_picks_go_on(place: Place, folder: str) -> None:
    person(place, "git branch other; git worktree add -q ../tree other")
    here = Place(place.base, place.sandbox, folder=f"home/{folder}", environment=place.environment)
    start = person(place, "git checkout -q -- .; git rev-parse HEAD", folder=here.work).strip()
    for name, options in (("rebase", ""), ("merge", ""), ("cherry-pick", ""), ("rebase", "-i")):
        begun = here.run(f"git -c sequence.editor=true {name} {options} topic", "workspace", readable=None)
        assert "CONFLICT" in begun, begun
        assert here.settled == (), name
        done = here.run(f"echo c > file.txt; git add file.txt; git {name} --continue", "workspace", readable=None)
        assert here.settled == (), name
        assert "nothing to commit" in here.run("git status", "workspace", readable=None), done
        assert (here.work / "file.txt").read_text() == "c\n"
        person(place, f"git reset -q --hard {start}", folder=here.work)


def test_other_work_with_git_says_nothing(place: Place) -> None:
    script = (
        "git stash list; echo d > file.txt; git stash -q; git stash pop -q; git commit -qam d; git tag -m t t; git bisect start HEAD HEAD~1; git bisect reset; "
        "git gc -q --no-detach 2> /dev/null; git notes add -m n; git revert --no-edit HEAD; git branch b; git branch -D b; git pack-refs --all; git fetch -q . main; echo done"
    )
    said = place.run(script, "workspace", readable=None)
    assert said.endswith("done\n"), said
    assert place.settled == ()


@pytest.mark.parametrize("name", STRANGE)
def test_what_is_no_state_of_git_is_put_aside(place: Place, name: str) -> None:
    place.run(f"({put(f'.git/{name}', 'EVIL $(evil)')}) 2> /dev/null", "workspace", readable=None)
    path = place.work / ".git" / name
    assert not path.is_file() or "EVIL" not in path.read_text()


def test_state_is_left_alone(place: Place) -> None:
    place.run("; ".join(put(f".git/{name}", "EVIL") for name in STATE), "workspace", readable=None)
    assert place.settled == ()
    assert [name for name in STATE if not (place.work / ".git" / name).is_file()] == []


def test_a_worktree_prepares_nothing_in_the_repository_that_it_shares(place: Place) -> None:
    person(place, "git branch other; git worktree add -q ../tree other")
    here = Place(place.base, place.sandbox, folder="home/tree", environment=place.environment)
    common = place.work / ".git"
    here.run(f"{put(f'{common}/remotes/origin', 'EVIL')}; {put(f'{common}/worktrees/tree/rebase-merge/git-rebase-todo', 'exec evil')}", "workspace", readable=None)  # fmt: skip
    assert not (common / "remotes").exists()
    assert not (common / "worktrees/tree/rebase-merge").exists()


@pytest.mark.parametrize(
    ("name", "text", "is_obeyed"),
    [
        ("rebase-merge/git-rebase-todo", "pick 1 x\n# exec evil\n\nlabel a\nmerge -C 1 b # c\nupdate-ref refs/heads/x\nnoop\n", False),
        ("rebase-merge/git-rebase-todo", "p 1\r\nf -C 2\r\n", False),
        ("rebase-merge/git-rebase-todo", "pick 1\rexec evil", False),  # which is one step
        ("rebase-merge/git-rebase-todo", "executable 1\n", True),
        ("sequencer/todo", "pick 1\nrevert 2\n", False),
        ("sequencer/todo", "exec x\n", True),
        ("rebase-apply/author-script", "GIT_AUTHOR_NAME='a'\nGIT_AUTHOR_EMAIL='b'\n", False),
        ("rebase-apply/author-script", "GIT_AUTHOR_NAME='a'\nGIT_SSH_COMMAND='b'\n", True),
        ("rebase-merge/strategy", "ort\n", False),
        ("rebase-merge/strategy", "../evil\n", True),
        ("BISECT_NAMES", " 'a' 'b c'\n", False),
        ("BISECT_NAMES", "$(evil)\n", True),
    ],
)  # fmt: skip
def test_what_would_run_is_told_from_what_would_not(tmp_path: Path, name: str, text: str, is_obeyed: bool) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_bytes(text.encode())
    assert bool(dict(obeyed_in_git(str(tmp_path)))) == is_obeyed


# Hard links

PROTECTED = (
    ".git/config",
    ".git/hooks/pre-commit",
    ".envrc",
    "sub/.mcp.json",
    ".vscode/tasks.json",
    "../.bashrc",
    "../.ssh/config",
)


@pytest.mark.parametrize("confinement", ["workspace", "edits"])
def test_a_name_that_a_protected_file_has_besides_leads_nowhere(place: Place, confinement: str) -> None:
    for number, name in enumerate(PROTECTED):
        (place.work / name).parent.mkdir(parents=True, exist_ok=True)
        (place.work / name).write_text("mine\n" if "config" not in name else "# mine\n")
        (place.work / f"sub/deep/link{number}").hardlink_to(place.work / name)
        (place.work / f"link{number}").hardlink_to(place.work / name)
    before = [(place.work / name).read_text() for name in PROTECTED]
    (place.work / "free").write_text("mine\n")
    (place.work / "free-too").hardlink_to(place.work / "free")
    script = "for f in link* sub/deep/link* free; do echo EVIL >> $f; done; mv link0 moved; echo EVIL > moved; chmod 777 link1; true"
    place.run(script, confinement, readable=None)  # type: ignore[arg-type]
    assert [(place.work / name).read_text() for name in PROTECTED] == before
    assert "EVIL" in (place.work / "free-too").read_text()


def test_programs_that_package_managers_link_cost_no_look(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("node_modules/.bin/tool", "env/pyvenv.cfg", "env/bin/tool", ".venv/bin/tool"):
        (place.work / name).parent.mkdir(parents=True, exist_ok=True)
        (place.work / name).write_text("x")
    (place.base / "cached").hardlink_to(place.work / "node_modules/.bin/tool")
    (place.base / "cached2").hardlink_to(place.work / "env/bin/tool")
    (place.base / "cached3").hardlink_to(place.work / ".venv/bin/tool")
    monkeypatch.setattr("tui_agent.permissions.hard_links._SameFiles.matches", lambda *_: pytest.fail("it looked"))
    assert "fine" in place.run("echo fine", "workspace", readable=None)


def test_a_file_that_has_a_name_outside_is_not_written(place: Place) -> None:
    victim, shared = place.base / "outside/victim", place.base / "outside/shared"
    victim.write_text("mine\n")
    (place.work / "sub/link").hardlink_to(victim)
    for number, folder in enumerate(("node_modules/a", ".venv/lib/site-packages/b")):
        (place.work / folder).mkdir(parents=True)
        (place.work / folder / "module.js").write_text("old\n")
        (place.base / f"outside/cached{number}").hardlink_to(place.work / folder / "module.js")
    place.settings = {"sandbox": {"network": {"enabled": True}}}  # with which programs can be installed
    (place.work / ".venv/bin").mkdir()
    (place.work / ".venv/pyvenv.cfg").write_text("")
    (place.work / ".venv/bin/tool").write_text("old\n")
    (place.base / "outside/tool").hardlink_to(place.work / ".venv/bin/tool")
    (place.work / "build").write_text("old\n")
    (place.work / "sub/build").hardlink_to(place.work / "build")
    script = (
        'for f in sub/link build; do python3 -c \'import sys; open(sys.argv[1], "a").write("EVIL")\' $f; done; '
        "cat sub/link; for f in node_modules/a/module.js .venv/bin/tool; do rm $f && echo new > $f; done"
    )
    said = place.run(script, "workspace", readable=None)
    assert victim.read_text() == "mine\n"
    assert "mine" in said
    assert "EVIL" in (place.work / "sub/build").read_text()  # all its names are inside
    for name in ("node_modules/a/module.js", ".venv/bin/tool"):
        assert (place.work / name).read_text() == "new\n"
    shared.hardlink_to(place.work / "build")
    confined = place.sandbox_policy().confine("workspace")
    assert isinstance(confined, Confined)
    assert "another name outside" in confined.summary


# Home

AT_HOME = (
    ".config/systemd/user/x.service", ".config/autostart/x.desktop", ".local/state/tui-agent/made-up.json", ".config/fish/config.fish", ".local/bin/git", ".vimrc",
    ".config/nvim/init.lua", ".local/share/dbus-1/services/x", ".gnupg/gpg.conf", ".docker/config.json", ".xprofile", ".xsession", ".emacs.d/init.el", ".pam_environment",
    ".local/lib/python3.11/site-packages/x.pth", ".kube/config", ".forward", ".tcshrc", ".config/environment.d/x.conf", ".ssh/rc", ".bashrc", "bin/git",
    ".config/some-program/rc", ".some-program-rc",
)  # fmt: skip
UNKNOWN = (".config/some-program/rc", ".some-program-rc")


@pytest.mark.parametrize("are_there", [True, False])
@pytest.mark.parametrize("confinement", ["workspace", "edits"])
def test_with_home_as_the_work_nothing_is_made_that_starts_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, confinement: str, are_there: bool
) -> None:
    place = Place(tmp_path, sandbox_or_skip("bubblewrap"), folder="home")
    for name, folder in (("HOME", ""), ("XDG_CONFIG_HOME", ".config"), ("XDG_STATE_HOME", ".local/state")):
        monkeypatch.setenv(name, str(place.home / folder))
    monkeypatch.delenv("TUI_AGENT_HOME", raising=False)
    for name in AT_HOME if are_there else ():
        (place.home / name).parent.mkdir(parents=True, exist_ok=True)
        (place.home / name).write_text("mine\n")
        (place.home / name).with_name("beside").write_text("mine\n")
    (place.home / ".local/state/tui-agent").mkdir(parents=True, exist_ok=True)  # as the program does at its start
    script = "; ".join(
        f"{put(name, 'EVIL')}; {put(f't/{name}', 'EVIL')}; cp -r t/. .; rm -rf t; mv {name.split('/')[0]} q; {put(name, 'EVIL')}"
        for name in AT_HOME
    )
    place.run(
        f"({script}) > /dev/null 2>&1; echo public > notes.txt; mkdir -p .cache .pytest_cache; echo x > .pytest_cache/x",
        confinement,
        readable=None,
    )  # type: ignore[arg-type]
    names = AT_HOME if are_there else [name for name in AT_HOME if name not in UNKNOWN]
    made = [name for name in names if (place.home / name).is_file() and "EVIL" in (place.home / name).read_text()]
    assert made == []
    assert (place.home / "notes.txt").read_text() == "public\n"
    assert (place.home / ".pytest_cache/x").read_text() == "x\n"


@pytest.mark.parametrize("name", [".venv", ".github"])
def test_a_link_in_place_of_a_folder_of_programs_is_put_aside(place: Place, name: str) -> None:
    place.run(
        f"mkdir -p sub/bin sub/workflows; echo EVIL > sub/bin/python; ln -s sub {name}", "workspace", readable=None
    )
    assert not (place.work / name).exists()
    (place.work / name).symlink_to("sub")  # the person's own
    assert "fine" in place.run("echo fine; ls", "workspace", readable=None)
    assert (place.work / name).is_symlink()
