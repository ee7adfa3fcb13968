"""A tool called by another name is that tool to permissions, hooks and the record, with its own field names."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from runtimes import make_runtime
from scripted_model import calls, reply, says
from session_front import Front, begin, place_apart

from tui_agent.changes import FileChange
from tui_agent.engine.session.tool_runtime import ToolRuntimeOptions
from tui_agent.engine.skills.skill_set import SkillLoader
from tui_agent.events import (
    AssistantMessageCompleted,
    Event,
    PermissionRequested,
    ToolInputChanged,
    ToolResultReady,
    ToolsActivated,
    ToolUseCompleted,
    ToolUseStarted,
)
from tui_agent.execution.resolution import find_tool, resolve_use
from tui_agent.execution.single_use import run_one
from tui_agent.hooks.pre_tool_use import HookAnswer, HookedUse
from tui_agent.journal.repair import closing_events
from tui_agent.permissions.verdict import Decision, ToolCall, Verdict
from tui_agent.settings.load import load_settings
from tui_agent.tools.registry import ToolPool

FILE = {"file_path": "f"}
EDIT = {"file_path": "f", "old_string": "one", "new_string": "two"}
WRITE = {"file_path": "new", "content": "x"}
# Each other name, an input as it comes with it, and what the tool itself is asked to do.
ALIASES: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "read_file": ("Read", {"path": "f"}, FILE),
    "FileRead": ("Read", FILE, FILE),
    "write_file": ("Write", {"path": "new", "content": "x"}, WRITE),
    "FileWrite": ("Write", WRITE, WRITE),
    "edit_file": ("Edit", {"path": "f", "old_str": "one", "new_str": "two"}, EDIT),
    "FileEdit": ("Edit", EDIT, EDIT),
    "list_files": ("Glob", {"pattern": "*.py"}, {"pattern": "*.py"}),
    "grep_search": ("Grep", {"pattern": "p", "include": "*.py"}, {"pattern": "p", "glob": "*.py"}),
    "run_shell": ("Bash", {"command": "ls", "timeout": 2}, {"command": "ls", "timeout": 2000}),
    "web_fetch": ("WebFetch", {"url": "https://example.com/x"}, {"url": "https://example.com/x"}),
    "tool_search": ("ToolSearch", {"query": "x"}, {"query": "x"}),
    "skill": ("Skill", {"skill": "x"}, {"skill": "x"}),
    "agent": ("Agent", {"description": "d", "prompt": "p"}, {"description": "d", "prompt": "p"}),
    "enter_plan_mode": ("EnterPlanMode", {}, {}),
    "exit_plan_mode": ("ExitPlanMode", {}, {}),
    "GrepTool": ("Grep", {"pattern": "p", "-i": True}, {"pattern": "p", "-i": True}),
    "BashTool": ("Bash", {"command": "ls", "timeout": 2}, {"command": "ls", "timeout": 2}),
    "ThinkTool": ("Think", {"thought": "x"}, {"thought": "x"}),
}
THERE = [alias for alias, (name, _, _) in ALIASES.items() if name in ToolPool.build().names]


class ShutGate:
    """Lets a file be read, so that it may be edited, and writes down and refuses everything after that."""

    def __init__(self) -> None:
        self.calls: list[ToolCall] = []
        self.is_shut = False

    def decide(self, call: ToolCall, _proposals: tuple[FileChange, ...]) -> Verdict:
        self.calls.append(call)
        return Verdict(behavior="deny" if self.is_shut else "allow", by="default", reason="the test says so")

    async def ask(self, *_: Any) -> Any:
        raise AssertionError


@pytest.mark.parametrize("alias", THERE)
async def test_permissions_hooks_and_the_record_see_the_tool_by_its_own_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, alias: str
) -> None:
    name, raw, adapted = ALIASES[alias]
    work = place_apart(tmp_path, monkeypatch)
    (work / "f").write_text("one\n")
    gate, events, heard = ShutGate(), [], []

    def publish(event: Event) -> Event:
        events.append(event)
        return event

    async def hook(use: HookedUse) -> HookAnswer:
        heard.append((use.name, dict(use.input)))
        return HookAnswer()

    settings = load_settings(work, is_trusted=True)
    skill = work / ".claude/skills/x/SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: x\ndescription: Does x.\n---\nDo x.\n")
    runtime = make_runtime(
        ToolRuntimeOptions(cwd=work, skills=SkillLoader(start=work).begin(settings)),
        settings,
        publish=publish,
        results_dir=tmp_path / "results",
        state_dir=tmp_path / "state",
        is_attended=False,
        gate=gate,  # type: ignore[arg-type]
    )
    await run_one(runtime.execution_context, "Read", FILE)
    if name == "ExitPlanMode":
        runtime.plan.enter()
        runtime.plan.write("a plan")
    gate.is_shut = True
    runtime.execution_context.extensions.pre_tool_use = [hook]
    outcome, _, _ = await run_one(runtime.execution_context, alias, raw)
    assert (outcome.name, outcome.error_kind) == (name, "denied")
    assert (gate.calls[-1].tool, gate.calls[-1].input) == (name, adapted)
    assert heard == [(name, adapted)]
    (changed,) = [event for event in events if isinstance(event, ToolInputChanged)]
    assert (changed.name, changed.input, changed.by) == (name, adapted, "alias")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return place_apart(tmp_path, monkeypatch)


@pytest.fixture
async def fronts() -> AsyncIterator[list[Front]]:
    opened: list[Front] = []
    yield opened
    for front in opened:
        await front.session.close()


SHELL = reply(calls(0, "run_shell", {"command": "touch made"}), stop="tool_use")
DONE = reply(says(0, "ok"))


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({"disallowed": ("Bash",)}, "unknown_tool"),
        ({"disallowed": ("Bash(touch *)",)}, "denied"),
        ({"settings": '{"permissions": {"deny": ["Bash(*)"]}}'}, "unknown_tool"),
        ({"mode": "dontAsk"}, "denied"),
        ({"allowed": ("Bash(touch *)",)}, None),
    ],
    ids=str,
)
async def test_a_rule_on_the_shell_counts_under_its_other_name(
    place: Path, fronts: list[Front], options: dict[str, Any], kind: str | None
) -> None:
    fronts.append(front := await begin(place, SHELL, DONE, **options))
    front.session.submit("go")
    await front.session.wait_idle()
    (result,) = front.of(ToolResultReady)
    assert result.error_kind == kind
    assert (place / "made").exists() == (kind is None)


async def test_the_person_is_asked_about_the_tool_by_its_own_name(place: Path, fronts: list[Front]) -> None:
    fronts.append(front := await begin(place, SHELL, DONE))
    front.session.submit("go")
    (asked,) = await front.until(PermissionRequested)
    assert (asked.name, asked.input) == ("Bash", {"command": "touch made", "timeout": 30_000})
    front.session.answer(asked.request_id, Decision(behavior="deny"))
    await front.session.wait_idle()
    assert not (place / "made").exists()


async def test_what_is_told_has_the_tools_own_name_and_the_conversation_what_the_model_wrote(
    place: Path, fronts: list[Front]
) -> None:
    wrote = {"name": "run_shell", "input": {"command": "touch made"}}
    fronts.append(front := await begin(place, SHELL, DONE, allowed=("Bash(touch *)",)))
    front.session.submit("go")
    await front.session.wait_idle()
    (started,), (completed,) = front.of(ToolUseStarted), front.of(ToolUseCompleted)
    assert (started.name, completed.name) == ("Bash", "Bash")
    assert completed.input == {"command": "touch made", "timeout": 30_000}
    assert completed.written == wrote
    sent = front.model.requests[-1].messages
    (block,) = [block for message in sent for block in message["content"] if block["type"] == "tool_use"]
    assert {"name": block["name"], "input": block["input"]} == wrote
    # Killed before the reply was whole, the session goes on with the very same block.
    until = [event for event in front.events if event.seq <= completed.seq]
    (partial,) = [event for event in closing_events(until) if isinstance(event, AssistantMessageCompleted)]
    assert [{"name": block["name"], "input": block["input"]} for block in partial.content] == [wrote]


async def test_a_tool_called_by_its_own_name_is_told_once(place: Path, fronts: list[Front]) -> None:
    shell = reply(calls(0, "Bash", {"command": "touch made"}), stop="tool_use")
    fronts.append(front := await begin(place, shell, DONE, allowed=("Bash(touch *)",)))
    front.session.submit("go")
    await front.session.wait_idle()
    (completed,) = front.of(ToolUseCompleted)
    assert (completed.name, completed.input, completed.written) == ("Bash", {"command": "touch made"}, None)


@pytest.mark.parametrize(
    ("name", "raw", "known"),
    [
        ("NoSuchTool", {"a": 1}, ("NoSuchTool", {"a": 1})),
        ("read_file", ["no object"], ("Read", ["no object"])),
        ("ReadTool", {"file_path": "f"}, ("Read", {"file_path": "f"})),
        ("read_file", {"path": "f", "offset": 2}, ("Read", {"file_path": "f", "offset": 2})),
    ],
)
def test_what_cannot_be_brought_over_is_told_as_it_came(name: str, raw: Any, known: Any) -> None:
    before = repr(raw)
    use = resolve_use(find_tool(ToolPool.build(), name), raw)
    assert (use.name, use.raw) == known
    assert repr(raw) == before


async def test_a_name_that_only_begins_to_come_calls_for_no_schema(place: Path, fronts: list[Front]) -> None:
    fronts.append(front := await begin(place, DONE))
    assert find_tool(front.session.runtime.execution_context.pool, "ThinkTool").name == "Think"
    assert front.of(ToolsActivated) == []


async def test_a_use_inside_another_is_told_by_the_tools_own_name(tmp_path: Path) -> None:
    events: list[Event] = []
    runtime = make_runtime(
        ToolRuntimeOptions(cwd=tmp_path),
        load_settings(tmp_path, is_trusted=True),
        publish=events.append,
        results_dir=tmp_path / "results",
        is_attended=False,
    )
    await run_one(runtime.execution_context, "read_file", {"path": "f"}, parent_tool_use_id="outer")
    told = [event.name for event in events if isinstance(event, ToolUseStarted | ToolUseCompleted | ToolResultReady)]
    assert told == ["Read", "Read", "Read"]
