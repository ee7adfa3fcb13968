"""Commands of one text in sandboxes of their own: where the launchers go, and that another text is not run by mistake."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from sandboxes import NAMES, sandbox_or_skip

from tui_agent.sandbox.confined import Confined
from tui_agent.sandbox.launchers import ConfinedCommands
from tui_agent.sandbox.limits import Sandbox, SandboxLimits, SandboxStartError

BASH = shutil.which("bash") or "/bin/bash"


@pytest.fixture(params=NAMES)
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    return sandbox_or_skip(request.param)


def prepared(commands: ConfinedCommands, text: str, folder: Path) -> str:
    """Return the text that would be run; what was put on the disk for it stays in the folder's `scratch`."""
    scratch = folder / "scratch"
    scratch.mkdir()
    out, launches = commands.prepare(text, bash=BASH, folder=str(folder), scratch=str(scratch), environment={"A": "b"})
    for launch in launches:
        launch.clean()
    return out.replace(f"{BASH} -p {scratch}/", "@")


def test_a_launcher_stands_before_each_confined_command(sandbox: Sandbox, tmp_path: Path) -> None:
    looking = Confined(sandbox=sandbox, limits=SandboxLimits(is_read_only=True), summary="")
    working = Confined(sandbox=sandbox, limits=SandboxLimits(writable=(str(tmp_path),)), summary="")
    source = "git add é && ls | tail; mkdir x"
    starts = {name: source.index(name) for name in ("ls", "tail", "mkdir")}
    commands = ConfinedCommands(
        source, ((starts["ls"], looking), (starts["tail"], looking), (starts["mkdir"], working))
    )
    expected = "git add é && @confined-1/run ls | @confined-1/run tail; @confined-0/run mkdir x"
    assert prepared(commands, source, tmp_path) == expected


def test_what_is_run_may_lack_the_beginning_of_what_was_judged(sandbox: Sandbox, tmp_path: Path) -> None:
    """The folder and the variables of a call are judged as if they stood in the text."""
    looking = Confined(sandbox=sandbox, limits=SandboxLimits(is_read_only=True), summary="")
    source = "cd -- sub && A=1 git add x; ls"
    commands = ConfinedCommands(source, ((source.index("ls"), looking),))
    assert prepared(commands, "git add x; ls", tmp_path) == "git add x; @confined-0/run ls"


@pytest.mark.parametrize("text", ["git add x; rm", "ls -la", "", "git add x; ls ", "s"])
def test_another_text_is_not_run(sandbox: Sandbox, tmp_path: Path, text: str) -> None:
    looking = Confined(sandbox=sandbox, limits=SandboxLimits(is_read_only=True), summary="")
    commands = ConfinedCommands("git add x; ls", ((11, looking),))
    with pytest.raises(SandboxStartError, match="not the one that was judged"):
        prepared(commands, text, tmp_path)
