"""What a user sees and changes of a session's permissions."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tui_agent.engine.gate.permission_broker import PermissionBroker
from tui_agent.engine.gate.permission_mode import PermissionMode
from tui_agent.engine.gate.permission_service import PermissionService
from tui_agent.engine.gate.rulebook import Rulebook
from tui_agent.events import Event
from tui_agent.execution.execution_context import PermissionQuestion
from tui_agent.execution.responders import Responders
from tui_agent.permissions.call_facts import call_from_input
from tui_agent.permissions.modes import Mode
from tui_agent.permissions.rules import RuleSet, RuleSource
from tui_agent.permissions.verdict import ToolCall, Verdict
from tui_agent.queries import RuleRow
from tui_agent.settings.load import load_settings
from tui_agent.tools.base import ToolContext
from tui_agent.tools.file_state import FileState
from tui_agent.tools.registry import ToolPool
from tui_agent.tools.workspace import Workspace


class House:
    """A project with settings files, and a room over its rules."""

    def __init__(self, root: Path, *, mode: Mode = "default", given: RuleSet | None = None) -> None:
        self.root = root / "project"
        self.home = root / "home"
        for folder in (self.root / ".tui-agent", self.home):
            folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["git", "init", "-q", str(self.root)], check=True)
        self.root_files = root
        self.events: list[Event] = []
        self.book = Rulebook(
            settings=self.load(),
            given=given or RuleSet(),
            workspace=Workspace(self.root, home=self.home),
            mode=PermissionMode(mode, publish=self._publish),
        )
        self.broker = PermissionBroker(
            publish=self._publish,
            folder=lambda: str(self.root),
            judge=self.book.judge,
            save_rule=self.book.add,
            is_attended=True,
        )
        context = ToolContext(workspace=Workspace(self.root, home=self.home), files=FileState())
        self.room = PermissionService(self.book, self.broker, ToolPool.build(), context)

    def _publish(self, event: Event) -> Event:
        self.events.append(event)
        return event

    def load(self) -> Any:
        return load_settings(
            self.root, home=self.home, config_dir=self.root_files / "config", is_trusted=True,
            policy_dir=self.root_files / "policy",
        )  # fmt: skip

    def write(self, name: str, **lists: list[str]) -> Path:
        file = self.root / ".tui-agent" / name
        file.write_text(json.dumps({"permissions": lists}, indent=2))
        self.room.replace(self.load())
        return file

    def bash(self, command: str) -> ToolCall:
        return call_from_input("Bash", {"command": command}, self.book.where)

    def judge(self, command: str) -> Verdict:
        return self.book.judge(self.bash(command))

    def ask(self, command: str) -> None:
        """Have a call asked about, and withdrawn."""
        call = self.bash(command)
        self.broker.log.note_asked(call, self.book.judge(call))

    def remove(self, row: RuleRow) -> None:
        self.room.remove_rule(row.text, row.source, row.behavior)

    def row(self, text: str) -> RuleRow:
        return next(row for row in self.room.rules() if row.text == text)


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path, given=RuleSet.from_lists(deny=["Bash(rm *)"], source=RuleSource("cli", "command line", "/")))


def test_rules_are_listed_by_source_with_file_and_line_and_what_is_wrong_with_them(house: House) -> None:
    file = house.write("settings.json", allow=["Bash(npm *)", "Bash(rm x)", "Write(x)", "Bash("], deny=["Foo"])
    house.room.add_rule("Bash(make *)")
    rows = house.room.rules()
    assert [(row.text, row.kind, row.is_removable) for row in rows[:2]] == [
        ("Bash(make *)", "session", True),
        ("Bash(rm *)", "cli", False),
    ]
    npm = house.row("Bash(npm *)")
    assert (npm.source, npm.line, npm.problem) == (str(file), 4, "")
    assert "denies all that it is about" in house.row("Bash(rm x)").problem
    assert "never matches" in house.row("Write(x)").problem
    assert "not a rule" in house.row("Bash(").problem
    assert "no tool `Foo`" in house.row("Foo").problem


def test_of_a_rule_in_two_lists_only_the_weaker_one_does_nothing(house: House) -> None:
    text = '{"permissions": {"allow": ["Bash(git push *)"], "ask": ["Bash(git push *)"]}}'  # on one line
    (house.root / ".tui-agent/settings.json").write_text(text)
    house.room.replace(house.load())
    problems = {row.behavior: row.problem for row in house.room.rules() if row.text == "Bash(git push *)"}
    assert problems["ask"] == ""
    assert "asks about all that it is about" in problems["allow"]


@pytest.mark.parametrize("scope", ["local", "project", "session"])
def test_a_rule_counts_at_once_where_it_was_added_and_is_gone_when_removed(house: House, scope: Any) -> None:
    assert house.judge("npm test").behavior == "ask"
    house.room.add_rule("Bash(npm *)", scope=scope)
    verdict = house.judge("npm test")
    assert verdict.behavior == "allow"
    expected = "session" if scope == "session" else str(house.room.file_of(scope))
    assert verdict.source == expected
    assert [row.source for row in house.room.rules() if row.text == "Bash(npm *)"] == [expected]
    house.room.replace(house.load())  # the file is read anew: the rule is there once all the same
    assert [row.source for row in house.room.rules() if row.text == "Bash(npm *)"] == [expected]
    house.remove(house.row("Bash(npm *)"))
    assert house.judge("npm test").behavior == "ask"
    house.room.replace(house.load())
    assert house.judge("npm test").behavior == "ask"


def test_rules_of_every_list_can_be_added(house: House) -> None:
    house.room.add_rule("Bash(npm *)", "deny", "local")
    assert house.judge("npm test").behavior == "deny"
    saved = json.loads(house.room.file_of("local").read_text())
    assert saved == {"permissions": {"deny": ["Bash(npm *)"]}}


def test_what_is_not_ones_own_cannot_be_removed(house: House) -> None:
    with pytest.raises(ValueError, match="command line"):
        house.remove(house.row("Bash(rm *)"))
    gone = RuleRow(text="Bash(x)", behavior="allow", kind="local", source="/nowhere")
    with pytest.raises(ValueError, match="no rule"):
        house.remove(gone)


def test_a_rule_that_means_nothing_is_not_added(house: House) -> None:
    for text in ("Bash(", "Write(x)", "*"):
        with pytest.raises(ValueError, match="`"):
            house.room.add_rule(text, scope="local")
    assert not house.room.file_of("local").exists()


def test_what_holds_for_the_session_stays_when_settings_change(house: House) -> None:
    house.room.add_rule("Bash(make *)")
    house.write("settings.json", deny=["Bash(npm *)"])
    assert [house.judge(text).behavior for text in ("make", "npm test", "rm x")] == ["allow", "deny", "deny"]


def test_the_policy_may_leave_no_room_for_ones_own(tmp_path: Path) -> None:
    policy = tmp_path / "policy"
    policy.mkdir()
    (policy / "settings.json").write_text(
        '{"allowManagedPermissionRulesOnly": true, "permissions": {"deny": ["Bash(npm *)"]}}'
    )
    house = House(tmp_path)
    with pytest.raises(ValueError, match="policy"):
        house.room.add_rule("Bash(make *)")
    assert (house.judge("make").behavior, house.judge("make").offers) == ("ask", ())
    with pytest.raises(ValueError, match="can only be changed there"):
        house.remove(house.row("Bash(npm *)"))


def test_refusals_are_remembered_and_a_call_judged_twice_is_one(house: House) -> None:
    for command in ("rm x", "rm x", "rm y"):
        house.broker.decide(house.bash(command), ())
    found = house.room.recent_denials()
    assert [(one.tool, one.subject, one.by, one.rule, one.source) for one in found] == [
        ("Bash", "rm x", "rule", "Bash(rm *)", "command line"),
        ("Bash", "rm y", "rule", "Bash(rm *)", "command line"),
    ]
    for number in range(300):
        house.broker.decide(house.bash(f"rm {number}"), ())
    assert len(house.room.recent_denials()) == 200


async def test_a_persons_refusal_is_remembered_and_trying_out_is_not(house: House) -> None:
    import asyncio

    from tui_agent.permissions.verdict import Decision

    call = house.bash("npm test")
    question = PermissionQuestion(
        tool_use_id="t", name="Bash", input=call.input, verdict=house.book.judge(call), proposals=(),
        is_destructive=False, judge=lambda raw: house.broker.decide(house.bash(raw["command"]), ()), call=call,
    )  # fmt: skip
    asked = asyncio.create_task(house.broker.ask(question, Responders()))
    await asyncio.sleep(0)
    (request,) = house.broker._open
    assert house.broker.judge(request, {"command": "rm x"}).behavior == "deny"
    assert house.room.recent_denials() == ()
    house.broker.answer(request, Decision(behavior="deny", message="not now"))
    await asked
    (denial,) = house.room.recent_denials()
    assert (denial.subject, denial.by, denial.reason) == ("npm test", "person", "not now")
    assert [one.call.command for one in house.broker.log.asked] == ["npm test"]


async def test_a_call_can_be_tried(house: House) -> None:
    verdict = await house.room.explain_call("Bash", {"command": "ls; npm test"})
    assert [(part.command, part.behavior) for part in verdict.parts] == [("ls", "allow"), ("npm test", "ask")]
    assert (await house.room.explain_call("read_file", {"path": "/etc/hosts"})).behavior == "ask"
    assert (await house.room.explain_call("Bash", {})).behavior == "ask"
    assert house.room.recent_denials() == ()


def test_a_preview_names_the_calls_that_rules_would_have_covered(house: House) -> None:
    for command in ("npm test", "npm test -- -u", "npm install", "cargo test && npm test", "make > out.txt", "a 'b"):
        house.ask(command)

    def covered(*rules: str, behavior: Any = "allow") -> list[str | None]:
        return [one.call.command for one in house.room.preview_rules(rules, behavior).covered]

    assert covered("Bash(npm test *)") == ["npm test", "npm test -- -u"]
    assert covered("Bash(npm *)") == ["npm test", "npm test -- -u", "npm install"]
    assert covered("Bash(npm test *)", "Bash(cargo *)") == ["npm test", "npm test -- -u", "cargo test && npm test"]
    assert covered("Bash(make *)") == []
    assert covered("Bash(make *)", "Edit(./out.txt)") == ["make > out.txt"]
    assert covered("Bash") == ["npm test", "npm test -- -u", "npm install", "cargo test && npm test"]
    assert covered("Bash(npm *)", behavior="deny") == [
        "npm test",
        "npm test -- -u",
        "npm install",
        "cargo test && npm test",
    ]
    assert covered("Edit(out.txt)", behavior="ask") == ["make > out.txt"]
    broken = house.room.preview_rules(["Bash("])
    assert (broken.covered, broken.asked) == ((), 6)
    assert "not a rule" in broken.problem


def test_a_preview_over_a_long_session_keeps_up_with_typing(house: House) -> None:
    for number in range(600):
        house.ask(f"npm test {number} && tool{number % 7} run x")
    times = []
    for _ in range(5):
        begun = time.perf_counter()
        preview = house.room.preview_rules(["Bash(npm test *)", "Bash(tool3 *)"])
        times.append(time.perf_counter() - begun)
    assert preview.asked == 500
    assert len(preview.covered) in range(70, 73)
    assert min(times) < 0.02  # a few milliseconds where nothing else runs


def test_every_call_that_a_preview_names_would_be_allowed(house: House) -> None:
    commands = ["npm test", "npm ci; make", "cat /etc/hosts", "cat /etc/hosts /etc/passwd", "make > a", "cd /etc && ls"]
    for command in commands:
        house.ask(command)
    for rules in (
        ["Bash(npm *)"], ["Bash(npm *)", "Bash(make *)"], ["Read(//etc/**)"], ["Read(//etc)"], ["Read(//etc/hosts)"],
        ["Bash(make *)", "Edit(./a)"], ["Bash(cat *)"], ["Bash"], ["Edit"],
    ):  # fmt: skip
        named = {one.call.command for one in house.room.preview_rules(rules).covered}
        other = House(house.root_files / "-".join(rules).replace("/", "_"))
        other.book = Rulebook(
            settings=house.load(), given=RuleSet.from_lists(allow=rules), workspace=Workspace(house.root, home=house.home),
            mode=PermissionMode("default", publish=house.events.append),
        )  # fmt: skip
        allowed = {command for command in commands if other.judge(command).behavior == "allow"}
        assert named == allowed, rules


def test_where_only_the_policys_rules_count_the_command_line_allows_nothing_either(tmp_path: Path) -> None:
    given = RuleSet.from_lists(allow=["Bash(make *)"], deny=["Bash(npm *)"])
    house = House(tmp_path, given=given)
    assert house.judge("make x").behavior == "allow"
    (tmp_path / "policy").mkdir()
    policy = {"permissions": {"allow": ["Bash(npm *)", "Bash(tsc *)"]}, "allowManagedPermissionRulesOnly": True}
    (tmp_path / "policy" / "settings.json").write_text(json.dumps(policy))
    house.book.replace(house.load())
    assert [house.judge(command).behavior for command in ("make x", "tsc x", "npm x")] == ["ask", "allow", "deny"]
    assert house.judge("make x").offers == ()
