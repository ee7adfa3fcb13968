"""A repository whose own configuration has git run programs, each of which leaves a mark outside of it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

__all__ = ["make_hostile"]

_WAYS = (
    "fsmonitor", "hook", "clean", "process", "smudge", "textconv", "external", "pager", "alias", "ssh", "include",
    "worktree-config", "bare", "askpass",
)  # fmt: skip


def make_hostile(folder: Path, marks: Path) -> None:
    """Make a repository in `folder`; what it has git run makes files in `marks`, named after the way."""
    marks.mkdir()
    tools = folder / "tools"
    tools.mkdir(parents=True)
    for way in _WAYS:
        script = tools / f"{way}.sh"
        script.write_text(f"#!/bin/sh\n: > '{marks}/{way}'\ncat 2>/dev/null\nexit 0\n")
        script.chmod(0o755)
    environment = {
        **os.environ,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        **{f"GIT_{who}_{what}": "x@y" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    }

    def git(*words: str) -> None:
        subprocess.run(["git", *words], cwd=folder, env=environment, check=True, capture_output=True)

    git("init", "-q", "-b", "trunk")
    (folder / "a.txt").write_text("1\n")
    (folder / "b.png").write_text("1\n")
    git("add", ".")
    git("commit", "-qm", "first")
    (folder / ".gitattributes").write_text("*.txt filter=f\n*.png filter=p diff=d\n")
    hooks = folder / "hooks"
    hooks.mkdir()
    for name in ("post-index-change", "post-checkout", "reference-transaction", "fsmonitor-watchman"):
        (hooks / name).symlink_to(tools / "hook.sh")
    config = folder / ".git/config"
    config.write_text(
        config.read_text()
        + f"""
[core]
	fsmonitor = {tools}/fsmonitor.sh
	hooksPath = {hooks}
	pager = {tools}/pager.sh
	sshCommand = {tools}/ssh.sh
	askPass = {tools}/askpass.sh
[extensions]
	worktreeConfig = true
[pager]
	status = {tools}/pager.sh
	ls-files = {tools}/pager.sh
[alias]
	status = !{tools}/alias.sh
	ls-files = !{tools}/alias.sh
[filter "f"]
	clean = {tools}/clean.sh
	smudge = {tools}/smudge.sh
[filter "p"]
	process = {tools}/process.sh
[diff]
	external = {tools}/external.sh
[diff "d"]
	textconv = {tools}/textconv.sh
[includeIf "gitdir:**"]
	path = extra
"""
    )
    (folder / ".git/extra").write_text(
        f'[core]\n\tfsmonitor = {tools}/include.sh\n[filter "f"]\n\tclean = {tools}/include.sh\n'
    )
    (folder / ".git/config.worktree").write_text(f"[core]\n\tfsmonitor = {tools}/worktree-config.sh\n")
    bare = folder / "bare"
    subprocess.run(["git", "init", "-q", "--bare", str(bare)], env=environment, check=True, capture_output=True)
    (bare / "config").write_text(f"[core]\n\tworktree = {folder}\n\tbare = false\n\tfsmonitor = {tools}/bare.sh\n")
    # Changed without a change of its size, so that git has to read it to tell.
    (folder / "a.txt").write_text("2\n")
    (folder / "b.png").write_text("2\n")
