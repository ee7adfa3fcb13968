"""A repository inside the working folder: its own settings may name programs, so git is not sent there unasked."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui_agent.permissions.call_facts import call_from_input
from tui_agent.permissions.decide import decide
from tui_agent.permissions.path_context import PathContext
from tui_agent.permissions.rules import RuleSet


@pytest.fixture
def work(tmp_path: Path) -> Path:
    for name in (".git", "plain/deep", "nested/.git", "nested/deep", "plain/bare/objects", "mercurial/.hg"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "plain/bare/HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / "link").symlink_to(tmp_path / "nested")
    return tmp_path


def behavior(command: str, work: Path) -> str:
    where = PathContext(cwd=str(work), project_root=str(work), home=str(work / "home"))
    call = call_from_input("Bash", {"command": command}, where)
    return decide(call, rules=RuleSet.from_lists(), mode="default", where=where).behavior


@pytest.mark.parametrize("folder", [".", "plain", "plain/deep", "./plain", "plain -c core.quotepath=false"])
def test_git_may_be_sent_to_a_folder_of_the_same_repository(folder: str, work: Path) -> None:
    assert behavior(f"git -C {folder} status", work) == "allow"


@pytest.mark.parametrize(
    "command",
    [
        "git -C nested status", "git -Cnested log", "git -C nested/deep diff", "git -C plain/bare log", "git -C link status",
        "git -C plain -C bare log", "hg -R mercurial status", "hg --cwd mercurial diff", "timeout 5 git -C nested status",
    ],
)  # fmt: skip
def test_git_is_not_sent_to_another_repository_unasked(command: str, work: Path) -> None:
    assert behavior(command, work) == "ask"
