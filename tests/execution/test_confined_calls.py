"""What was wrongly taken for reading cannot write: a command runs as the decision on it says, through the whole engine."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from runtimes import make_runtime
from sandboxes import NAMES, sandbox_or_skip
from session_front import place_apart

from tui_agent.changes import FileChange
from tui_agent.engine.gate.sandbox_policy import SandboxPolicy
from tui_agent.engine.session.tool_runtime import ToolRuntimeOptions
from tui_agent.execution.execution_context import ToolOutcome
from tui_agent.execution.responders import ResponderAnswer
from tui_agent.execution.single_use import run_one
from tui_agent.permissions.verdict import Confinement, Decision, ToolCall, Verdict
from tui_agent.sandbox.limits import Sandbox
from tui_agent.settings.load import load_settings


class WrongGate:
    """Takes every command for one that it is not, and lets it through; where it is to ask, the user agrees."""

    def __init__(self, confinement: Confinement | None, *, asks: bool = False) -> None:
        self.verdict = Verdict(
            behavior="ask" if asks else "allow", by="classifier", reason="the test says so", confinement=confinement
        )

    def decide(self, _call: ToolCall, _proposals: tuple[FileChange, ...]) -> Verdict:
        return self.verdict

    async def ask(self, *_: Any) -> Any:
        return ResponderAnswer(decision=Decision(behavior="allow"), by="person")


class Room:
    """A session's tools around a gate."""

    def __init__(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.tmp_path = tmp_path
        self.work = place_apart(tmp_path, monkeypatch)

    async def run(
        self, command: str, gate: WrongGate, sandbox: Sandbox | None, settings: dict[str, Any] | None = None
    ) -> ToolOutcome:
        loaded = load_settings(self.work, inline=json.dumps(settings or {}), is_trusted=True)
        runtime = make_runtime(
            ToolRuntimeOptions(cwd=self.work),
            loaded,
            results_dir=self.tmp_path / "results",
            is_attended=False,
            gate=gate,  # type: ignore[arg-type]
        )
        where = runtime.rulebook.where
        sandbox_policy = SandboxPolicy(
            loaded, rules=lambda: runtime.rulebook.rules, where=lambda: where, find=lambda: sandbox
        )
        outcome, _, _ = await run_one(
            replace(runtime.execution_context, confine=sandbox_policy.confine), "Bash", {"command": command}
        )
        return outcome


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Room:
    return Room(tmp_path, monkeypatch)


@pytest.fixture(params=NAMES)
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    return sandbox_or_skip(request.param)


@pytest.mark.parametrize("asks", [False, True])
async def test_a_command_wrongly_taken_for_reading_cannot_write(room: Room, sandbox: Sandbox, asks: bool) -> None:
    (room.work / "f").write_text("old\n")
    outcome = await room.run("echo new > f; touch g; rm -f f; ls", WrongGate("read_only", asks=asks), sandbox)
    assert (room.work / "f").read_text() == "old\n"
    assert not (room.work / "g").exists()
    assert "It ran in the sandbox" in str(outcome.content)


async def test_one_that_reads_a_denied_folder_does_not(room: Room, sandbox: Sandbox) -> None:
    keys = Path.home() / ".ssh"
    keys.mkdir(parents=True)
    (keys / "id").write_text("the key\n")
    command = f"cat ~/.ssh/id; cat {keys}/id; grep -r . ~ ; echo read"
    settings = {"permissions": {"deny": ["Read(~/.ssh/**)"]}}
    for gate in (WrongGate("read_only"), WrongGate("workspace")):
        outcome = await room.run(command, gate, sandbox, settings)
        assert "the key" not in str(outcome.content)
        assert "read" in str(outcome.content)
    assert "the key" in str((await room.run("cat ~/.ssh/id", WrongGate("read_only"), sandbox)).content)


async def test_work_is_confined_to_the_work(room: Room, sandbox: Sandbox) -> None:
    command = "echo x > made; echo y > $TMPDIR/z && cat $TMPDIR/z; echo x > ../outside"
    outcome = await room.run(command, WrongGate("workspace"), sandbox)
    assert (room.work / "made").exists()
    assert not (room.work.parent / "outside").exists()
    assert "y" in str(outcome.content)


async def test_what_runs_with_the_persons_rights_writes(room: Room, sandbox: Sandbox) -> None:
    assert not (await room.run("touch ../outside", WrongGate(None), sandbox)).is_error
    assert (room.work.parent / "outside").exists()


@pytest.mark.parametrize("confinement", ["read_only", "workspace"])
async def test_without_a_sandbox_it_does_not_run(room: Room, confinement: Confinement) -> None:
    outcome = await room.run("touch made", WrongGate(confinement), None)
    assert outcome.is_error
    assert "The command was not run" in str(outcome.content)
    assert not (room.work / "made").exists()


async def test_tools_that_run_no_command_need_no_sandbox(room: Room) -> None:
    (room.work / "f").write_text("x\n")
    loaded = load_settings(room.work, is_trusted=True)
    runtime = make_runtime(
        ToolRuntimeOptions(cwd=room.work),
        loaded,
        results_dir=room.tmp_path / "results",
        is_attended=False,
        gate=WrongGate("read_only"),  # type: ignore[arg-type]
    )

    def never(_confinement: Confinement | None) -> None:
        raise AssertionError

    outcome, _, _ = await run_one(replace(runtime.execution_context, confine=never), "Read", {"file_path": "f"})
    assert not outcome.is_error
