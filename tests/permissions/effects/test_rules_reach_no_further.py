# ruff: noqa: E501 - commands stand whole, many on a line
"""A rule with `*` reaches no further than its words say: no other program runs, and readers write nothing outside."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from attack_room import AttackRoom

# `X` is a program that leaves a trace outside, `O` the folder outside.
ATTACKS = (
    "git log --output=O/x", "git log --outp=O/x", "git log --output O/x", "git log -p --output=../outside/x", "git diff --output=O/x", "git show --output=O/x HEAD",
    "git shortlog --output=O/x HEAD", "timeout 9 git log --output=O/x", "f=O/x; git log --output=$f", "git log \"$(printf -- --output=O/x)\"",
    "git -c alias.x='!X' x", "git -c core.pager=X -p log", "git -c core.fsmonitor=X status", "git --exec-path=O status", "git --config-env=alias.x=HOME x",
    "git -c protocol.ext.allow=always ls-remote 'ext::X'", "git fetch --upload-pack=X .", "git fetch --upload-pa X .", "git ls-remote --upload-pack=X .", "git ls-remote --exec X .", "git clone -u X . new", "git clone -uX . new",
    "git clone -c core.fsmonitor=X . new", "git clone --template=O . new", "git push --receive-pack=X .", "git push --exec=X .", "git push origin \"$(printf -- --exec=X)\"", "git archive --exec=X --remote=. HEAD",
    "git archive -o O/x HEAD", "git archive --output=O/x HEAD", "git format-patch -o O/x -1", "git format-patch -1 --output-directory=O/x", "git grep -OX text", "git grep -lO'X' text", "git grep --open-files-in-pager=X text",
    "git log -p --ext-diff", "git show --ext-diff HEAD", "git diff --textconv HEAD~1", "git difftool -yx X HEAD~1", "git rebase -x X HEAD~1", "git rebase --exec=X HEAD~1", "git bisect run X", "git submodule foreach X", "git filter-branch --tree-filter X", "git maintenance start",
    "git config alias.x '!X'", "git config --global alias.x '!X'", "git config --global core.pager X", "git config set core.fsmonitor X",
    "sort -o O/x file", "sort --output=O/x file", "sort -S 1 --compress-program=X file", "sort --compress-prog=X file", "uniq file O/x", "shuf -o O/x file", "iconv -o O/x file", "tree -o O/x",
    "rg --pre X text", "rg --pre=X text", "diff3 --diff-program=X file file file", "split --filter=X file", "tar -cf a.tar -I X file", "tar cf a.tar --checkpoint=1 --checkpoint-action=exec=X file",
    "tar --to-command=X -xf a.tar", "man -P X ls",
)  # fmt: skip
PROGRAMS = ("git", "sort", "uniq", "shuf", "iconv", "tree", "rg", "diff3", "split", "tar", "man", "timeout", "printf")
EVERYDAY = (
    "git log --oneline -5", "git log --output=log.txt", "git add -A", "git commit -qm \"$(printf one)\" --allow-empty", "git -c user.name=x commit -qm two --allow-empty", "git -c core.pager=cat log -1", "git -c core.editor=true commit --amend --no-edit -q",
    "git format-patch -1 -o patches", "git archive -o all.tar HEAD", "git config user.name x", "git config --get core.pager", "git config core.autocrlf false", "git rebase HEAD", "git clone -q . copy", "git fetch -q .", "git push -q . HEAD",
    "git grep -n text", "git worktree list", "sort -o file file", "sort -u file", "uniq file once", "rg -n text", "tar -I gzip -cf a.tgz file", "tar czf b.tgz file", "split -l 1 file part-", "git stash list", "git submodule status",
)  # fmt: skip


@pytest.fixture(params=("bubblewrap", "none"))
def room(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AttackRoom:
    room = AttackRoom(tmp_path, monkeypatch, request.param)
    lay_out(room)
    room.begin(*(f"Bash({program} *)" for program in PROGRAMS))
    return room


def lay_out(room: AttackRoom) -> None:
    room.clear()
    (room.work / "file").write_text("text\nmore\n")
    (room.work / "X").write_text(f"#!/bin/sh\ntouch {room.outside}/ran\n")
    (room.work / "X").chmod(0o755)
    room.git("init", "-q")
    for name in ("user.name", "user.email"):
        room.git("config", name, "n@x")
    room.git("add", ".")
    room.git("commit", "-qm", "one")
    room.git("commit", "-qm", "two", "--allow-empty")


async def test_no_option_runs_or_writes_elsewhere(room: AttackRoom) -> None:
    found = []
    for command in ATTACKS:
        room.renew(lay_out)
        said = await room.run(command.replace("O/", f"{room.outside}/").replace("X", f"{room.work}/X"), timeout=5000)
        if said != "asks" or any(room.outside.iterdir()):
            found.append((command, said))
    assert found == []


async def test_everyday_work_does_not_ask(room: AttackRoom) -> None:
    assert [command for command in EVERYDAY if await room.run(command) == "asks"] == []


async def test_git_that_only_reads_runs_nothing_of_the_repository(room: AttackRoom) -> None:
    for name in (
        "diff.external",
        "diff.f.textconv",
        "diff.f.command",
        "core.fsmonitor",
        "core.pager",
        "filter.f.clean",
    ):
        room.git("config", name, f"{room.work}/X")
    (room.work / ".gitattributes").write_text("* diff=f filter=f\n")
    (room.work / "file").write_text("changed\n")
    for command in (
        "git diff",
        "git log -p",
        "git status && git diff",
        "git -p log",
        "git show; sort file",
        "git diff | sort",
    ):
        assert await room.run(command) != "asks", command
    assert not any(room.outside.iterdir())


async def test_a_rule_that_names_the_option_covers_it(room: AttackRoom) -> None:
    room.begin(
        "Bash(git rebase --exec *)", "Bash(git log --output=*)", "Edit(//tmp/**)", "Bash(git fetch *)", "Bash(sort *)"
    )
    for command in (
        f"git log --output={room.outside}/x",
        "git rebase --exec true HEAD~1",
        f"sort -o {room.outside}/y file",
    ):
        assert await room.run(command) != "asks", command
    assert len(list(room.outside.iterdir())) == 2


async def test_in_a_folder_that_is_not_trusted_git_runs_nothing_of_the_repository(room: AttackRoom) -> None:
    room.begin("Bash(git *)", is_trusted=False)
    assert await room.run("git add -A") != "asks"
    for name in ("filter.f.clean", "core.fsmonitor", "core.hooksPath"):
        room.git("config", name, f"{room.work}/X")
        assert await room.run("git add -A") == "asks", name
        room.git("config", "--unset", name)
    hook = room.work / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    (room.work / "X").rename(hook)
    assert await room.run("git commit -qm x --allow-empty") == "asks"
    assert not any(room.outside.iterdir())


def test_the_attacks_are_real(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    room = AttackRoom(tmp_path, monkeypatch, "none")
    lay_out(room)
    for command in (
        "git log --output=O/x",
        "git -c alias.x='!X' x",
        "git grep -OX text",
        "git config alias.x '!X'; git x",
        "sort -o O/x file",
    ):
        text = command.replace("O/", f"{room.outside}/").replace("X", f"{room.work}/X")
        subprocess.run(["bash", "-c", text], cwd=room.work, check=False, capture_output=True, stdin=subprocess.DEVNULL)
        assert any(room.outside.iterdir()), command
        for path in room.outside.iterdir():
            path.unlink()
