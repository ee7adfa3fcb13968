"""Commands that only read run side by side, also beside file tools that read; whatever may change something runs alone."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest
from runtimes import make_runtime
from sandboxes import NAMES, sandbox_or_skip
from session_front import place_apart

from tui_agent.engine.gate.sandbox_policy import SandboxPolicy
from tui_agent.engine.session.tool_runtime import ToolRuntimeOptions
from tui_agent.events import Event, ToolStateChanged
from tui_agent.execution.execution_context import ToolOutcome
from tui_agent.execution.executor import StreamingExecutor
from tui_agent.hooks.dispatch import HookedUse
from tui_agent.hooks.pre_tool_use import HookAnswer
from tui_agent.permissions.shell.effect import effect_of
from tui_agent.settings.load import load_settings

_GIVE_UP_S = 20.0


class Room:
    """A session's tools, with real permissions, over a folder with gates that commands can be held at."""

    def __init__(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sandbox: str = "") -> None:
        self.work = place_apart(tmp_path, monkeypatch)
        self.events: list[Event] = []
        settings = {"permissions": {"allow": ["Bash(touch *)", "Bash(cd *)"]}, "sandbox": {"readOnlyWithout": True}}
        loaded = load_settings(self.work, inline=json.dumps(settings), is_trusted=True)
        self.runtime = make_runtime(
            ToolRuntimeOptions(cwd=self.work),
            loaded,
            publish=self._publish,
            results_dir=tmp_path / "results",
            is_attended=False,
        )
        found = sandbox_or_skip(sandbox) if sandbox else None
        book = self.runtime.rulebook
        sandbox_policy = SandboxPolicy(loaded, rules=lambda: book.rules, where=lambda: book.where, find=lambda: found)
        self.execution_context = replace(self.runtime.execution_context, confine=sandbox_policy.confine)
        self.executor = StreamingExecutor(self.execution_context)

    def _publish(self, event: Event) -> Event:
        self.events.append(event)
        return event

    def add(self, *inputs: dict[str, Any]) -> None:
        for number, input in enumerate(inputs):
            name = "Bash" if "command" in input else "Read"
            self.executor.add(f"toolu_{number}", name, input)
        self.executor.close()

    def gate(self, name: str) -> Path:
        """Return the path of a gate: a file that is made to open it."""
        return self.work / name

    async def results(self) -> list[ToolOutcome]:
        return [outcome async for outcome in self.executor.results()]

    def began(self) -> list[str]:
        moves = [event for event in self.events if isinstance(event, ToolStateChanged)]
        return [move.tool_use_id for move in moves if move.to_state == "executing"]


def held_at(gate: Path) -> str:
    """Return a command that only reads, and ends once the gate is open."""
    return f"until [ -e {gate} ]; do sleep 0.02; done; echo {gate.name}"


async def met(gates: Sequence[Path]) -> None:
    """Wait until there is a command at each gate, all at one time."""
    deadline = time.monotonic() + _GIVE_UP_S
    while waited := [gate for gate in gates if not any(str(gate) in line for line in commands())]:
        assert time.monotonic() < deadline, f"nobody is at {waited} while the others wait"
        await asyncio.sleep(0.01)


def commands() -> list[str]:
    """Return the command line of each process."""
    return [" ".join(process.info["cmdline"] or ()) for process in psutil.process_iter(["cmdline"])]


def release(gates: Sequence[Path]) -> None:
    for gate in gates:
        gate.touch()


@pytest.mark.parametrize("sandbox", ["", *NAMES])
async def test_four_commands_that_read_run_at_one_time_and_answer_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sandbox: str
) -> None:
    room = Room(tmp_path, monkeypatch, sandbox)
    (room.work / "f").write_text("text\n")
    gates = [room.gate(f"go{number}") for number in range(4)]
    async with room.executor:
        room.add(*({"command": held_at(gate)} for gate in gates), {"file_path": str(room.work / "f")})
        await met(gates)
        assert len(room.began()) == 5  # the Read does not wait for them
        release(gates)
        outcomes = await room.results()
    assert [outcome.content for outcome in outcomes[:4]] == ["go0", "go1", "go2", "go3"]
    assert "text" in str(outcomes[4].content)


@pytest.mark.parametrize(
    "second",
    [
        {"command": "touch made"},
        {"command": "cd sub && ls"},
        {"command": "cat f", "env": {"LD_PRELOAD": "./x.so"}},
    ],
)
async def test_what_is_not_known_to_only_read_waits_for_all_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, second: dict[str, Any]
) -> None:
    room = Room(tmp_path, monkeypatch)
    (room.work / "sub").mkdir()
    gate = room.gate("go")
    async with room.executor:
        room.add({"command": held_at(gate)}, second, {"command": "pwd"})
        await met([gate])
        assert room.began() == ["toolu_0"]
        release([gate])
        outcomes = await room.results()
    # What comes behind one that goes to another folder starts there.
    where = "/sub" if "cd" in second["command"] else str(room.work)
    assert str(outcomes[2].content).endswith(where)


async def test_an_input_that_a_hook_has_changed_is_judged_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    room = Room(tmp_path, monkeypatch)
    gate = room.gate("go")
    heard = asyncio.Event()

    async def hook(use: HookedUse) -> HookAnswer:
        if use.input["command"] != "ls":
            return HookAnswer()
        heard.set()
        return HookAnswer(behavior="allow", input={"command": "touch made"})

    room.executor = StreamingExecutor(
        replace(room.execution_context, extensions=replace(room.execution_context.extensions, pre_tool_use=(hook,)))
    )
    async with room.executor:
        room.add({"command": held_at(gate)}, {"command": "ls"})
        await met([gate])
        await heard.wait()
        for _ in range(20):
            await asyncio.sleep(0)
        assert not (room.work / "made").exists()  # it reads no longer, so it waits
        release([gate])
        outcomes = await room.results()
    assert (room.work / "made").exists()
    assert not any(outcome.is_error for outcome in outcomes)


async def test_one_that_fails_ends_those_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    room = Room(tmp_path, monkeypatch)
    held = {"command": held_at(room.gate("shut"))}
    async with room.executor:
        room.add(held, {"command": "ls no-such-file"}, held)
        outcomes = await asyncio.wait_for(room.results(), _GIVE_UP_S)
    assert [outcome.error_kind for outcome in outcomes] == ["aborted", "execution", "aborted"]


@pytest.mark.parametrize(
    ("command", "effect"),
    [
        ("ls -la | wc -l", "reads"),
        ("git log -1; git status", "reads"),
        ("for f in *.py; do wc -l \"$f\"; done", "reads"),
        ("ls > /dev/null 2>&1", "reads"),
        ("cd sub && ls", "moves"),
        ("(cd sub; ls)", "moves"),
        ("ls; builtin cd sub", "moves"),
        ("c\\d sub; ls", "moves"),
        ("ls > out", "changes"),
        ("touch f", "changes"),
        ("pushd sub", "changes"),
        ("ls; eval 'cd sub'", "changes"),
        ("find . -delete", "changes"),
        ("echo $(touch f)", "changes"),
        ("ls &&", "changes"),
        ("", "changes"),
    ],
)  # fmt: skip
def test_the_effect_of_a_command_is_told_from_its_text(command: str, effect: str) -> None:
    assert effect_of(command) == effect or (effect == "moves" and effect_of(command) == "changes")
