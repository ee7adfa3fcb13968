"""Agents in a copy of the project: what they change there comes into the workspace by a review, or not at all."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from agent_talk import AgentModel, AgentTalk, agent
from scripted_model import Script, calls, reply, says

from tui_agent.events import AgentEnded, AgentStarted, EditApplied, PermissionRequested, ToolUseStarted
from tui_agent.permissions.verdict import Decision

Open = Callable[..., Awaitable[AgentTalk]]

# The copy's folder has a name that no script can know: the agent is told it by a relative path's result.
READ = reply(calls(0, "Read", {"file_path": "a.txt"}, "toolu_r"), stop="tool_use")


def git(folder: Path, *words: str) -> str:
    own = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    who = ["-c", "user.name=A", "-c", "user.email=a@b.c", "-c", "init.defaultBranch=main"]
    done = subprocess.run(
        ["git", *who, *words], cwd=folder, check=True, capture_output=True, text=True, env={**os.environ, **own}
    )
    return done.stdout


@pytest.fixture
def repository(place: Path) -> Path:
    (place / "a.txt").write_text("one\ntwo\nthree\nfour\nfive\n")
    git(place, "init", "-q")
    git(place, "add", ".")
    git(place, "commit", "-qm", "first")
    return place


def edit(old: str, new: str, use_id: str = "toolu_e") -> Script:
    change = {"file_path": "a.txt", "old_string": old, "new_string": new}
    return reply(calls(0, "Edit", change, use_id), stop="tool_use")


def works(*scripts: Script, **input: Any) -> AgentModel:
    return AgentModel(
        agent("work", isolation="worktree", run_in_background=False, **input),
        reply(says(0, "ok")),
        work=[*scripts, reply(says(0, "done"))],
    )


def copies(place: Path) -> list[str]:
    return [line for line in git(place, "worktree", "list", "--porcelain").splitlines() if line.startswith("worktree ")]


async def test_a_copy_that_was_not_changed_is_removed_without_a_word(repository: Path, talk: Open) -> None:
    one = await talk(works(READ))
    await one.say("go")
    (begun,) = one.of(AgentStarted)
    assert begun.worktree
    assert begun.worktree not in str(repository)
    assert not Path(begun.worktree).exists()
    assert len(copies(repository)) == 1
    assert str(one.result("toolu_work").content).startswith("done\n\n(agent ")


async def test_its_change_is_one_review_and_written_when_it_is_taken(repository: Path, talk: Open) -> None:
    new = reply(calls(0, "Write", {"file_path": "b.txt", "content": "new\n"}, "toolu_w"), stop="tool_use")
    one = await talk(works(READ, edit("two", "TWO"), new), is_attended=True)
    one.session.submit("go")
    (asked,) = await one.until(PermissionRequested)
    assert (asked.name, asked.agent_id) == ("MultiEdit", "")
    assert (repository / "a.txt").read_text() == "one\ntwo\nthree\nfour\nfive\n", "nothing before it is taken"
    changes = one.session.proposals(asked.request_id)
    assert [Path(change.path).name for change in changes] == ["a.txt", "b.txt"]
    assert [hunk.added for hunk in changes[0].hunks] == [["TWO\n"]] or changes[0].added == 1
    one.session.answer(asked.request_id, Decision(behavior="allow"))
    await one.session.wait_idle()
    assert (repository / "a.txt").read_text() == "one\nTWO\nthree\nfour\nfive\n"
    assert (repository / "b.txt").read_text() == "new\n"
    assert len(copies(repository)) == 1
    merged = next(event for event in one.of(ToolUseStarted) if event.name == "MultiEdit")
    assert merged.parent_tool_use_id == "toolu_work"
    assert {event.agent_id for event in one.of(EditApplied) if event.tool_use_id == merged.tool_use_id} == {""}
    assert "were brought into the workspace" in str(one.result("toolu_work").content)


async def test_what_is_refused_stays_in_the_copy(repository: Path, talk: Open) -> None:
    one = await talk(works(READ, edit("two", "TWO")), is_attended=True)
    one.session.submit("go")
    (asked,) = await one.until(PermissionRequested)
    one.session.answer(asked.request_id, Decision(behavior="deny", message="not now"))
    await one.session.wait_idle()
    (begun,) = one.of(AgentStarted)
    assert "TWO" not in (repository / "a.txt").read_text()
    assert "TWO" in (Path(begun.worktree) / "a.txt").read_text()
    assert begun.worktree in str(one.result("toolu_work").content)
    git(repository, "worktree", "remove", "--force", begun.worktree)


async def test_what_has_changed_here_meanwhile_stays_and_what_clashes_is_named(repository: Path, talk: Open) -> None:
    def here(line: str) -> Callable[[], None]:
        def write() -> None:
            text = (repository / "a.txt").read_text()
            (repository / "a.txt").write_text(text.replace(line, line.upper()))

        return write

    one = await talk(works(READ, [here("five"), *edit("one", "ONE")]), mode="acceptEdits")
    await one.say("go")
    assert (repository / "a.txt").read_text() == "ONE\ntwo\nthree\nfour\nFIVE\n"
    git(repository, "checkout", "-q", "a.txt")
    other = await talk(works(READ, [here("two"), *edit("two", "deux")]), mode="acceptEdits")
    await other.say("go")
    assert (repository / "a.txt").read_text() == "one\nTWO\nthree\nfour\nfive\n"
    said = str(other.result("toolu_work").content)
    assert "a.txt (the same lines have changed in the workspace)" in said
    (begun,) = other.of(AgentStarted)
    git(repository, "worktree", "remove", "--force", begun.worktree)


async def test_rules_of_the_project_hold_in_its_copy(repository: Path, talk: Open) -> None:
    (repository / "secrets").mkdir()
    (repository / "secrets/key").write_text("the key\n")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "a key")
    look = reply(
        calls(0, "Read", {"file_path": "secrets/key"}, "toolu_k"),
        calls(1, "Bash", {"command": "cat secrets/key"}, "toolu_b"),
        stop="tool_use",
    )
    one = await talk(works(look), disallowed=("Read(./secrets/**)",), allowed=("Bash",))
    await one.say("go")
    assert one.result("toolu_k").is_error
    assert "the key" not in str(one.result("toolu_k").content)
    assert one.result("toolu_b").error_kind == "denied"


async def test_without_a_repository_or_without_trust_there_is_no_copy(place: Path, talk: Open) -> None:
    one = await talk(works())
    await one.say("go")
    assert "the project is no git repository" in str(one.result("toolu_work").content)
    git(place, "init", "-q")
    (place / "f").write_text("x")
    git(place, "add", ".")
    git(place, "commit", "-qm", "x")
    untrusted = await talk(works(), is_trusted=False)
    await untrusted.say("go")
    assert "the folder is not trusted" in str(untrusted.result("toolu_work").content)
    assert untrusted.of(AgentStarted) == []


async def test_git_runs_nothing_of_the_repository_and_nothing_of_what_the_agent_left(
    repository: Path, talk: Open
) -> None:
    ran = repository.parent / "ran"
    hook = repository / ".git/hooks/post-checkout"
    hook.write_text(f"#!/bin/sh\ntouch {ran}\n")
    hook.chmod(0o755)
    git(repository, "config", "filter.x.smudge", f"touch {ran}; cat")
    (repository / ".gitattributes").write_text("*.txt filter=x diff=x\n")
    git(repository, "config", "diff.x.textconv", f"touch {ran}; cat")
    git(repository, "config", "core.fsmonitor", f"touch {ran}")
    git(repository, "-c", "core.fsmonitor=false", "add", ".gitattributes")
    git(repository, "-c", "core.fsmonitor=false", "commit", "-qm", "attributes")
    ran.unlink(missing_ok=True)
    one = await talk(works(READ, edit("two", "TWO")), mode="acceptEdits")
    await one.say("go")
    assert "TWO" in (repository / "a.txt").read_text()
    assert not ran.exists()
    assert [event.outcome for event in one.of(AgentEnded)] == ["done"]
