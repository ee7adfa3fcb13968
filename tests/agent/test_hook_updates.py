"""Changes of permissions that a hook wants with its yes: made, kept where it says, or told why not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tui_agent.agent.hook_inputs import as_content
from tui_agent.agent.workbench import Workbench, WorkbenchOptions
from tui_agent.events import Event, Notice
from tui_agent.hooks.permission_request import PermissionUpdate
from tui_agent.permissions.verdict import Call
from tui_agent.settings.load import load_settings


class Desk:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.events: list[Event] = []
        self.bench = Workbench(
            WorkbenchOptions(cwd=folder),
            load_settings(folder, is_trusted=True),
            publish=self._publish,
            results_dir=folder / ".results",
            is_attended=True,
        )

    def _publish(self, event: Event) -> Event:
        self.events.append(event)
        return event

    def make(self, kind: Any, destination: Any = "session", **fields: Any) -> None:
        self.bench.permission_updates([PermissionUpdate(type=kind, destination=destination, **fields)])

    def verdict(self, command: str) -> str:
        return self.bench.rulebook.judge(Call(tool="Bash", input={"command": command}, command=command)).behavior

    @property
    def notices(self) -> list[str]:
        return [event.text for event in self.events if isinstance(event, Notice)]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    for name in ("HOME", "TUI_AGENT_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    work = tmp_path / "work"
    work.mkdir()
    return Desk(work)


def test_rules_are_added_replaced_and_removed(desk: Desk) -> None:
    desk.make("addRules", rules=("Bash(touch *)", "Bash(mkdir *)"))
    assert (desk.verdict("touch a"), desk.verdict("mkdir b")) == ("allow", "allow")
    desk.make("replaceRules", rules=("Bash(touch *)", "Bash(cp *)"))
    assert [desk.verdict(command) for command in ("touch a", "mkdir b", "cp a b")] == ["allow", "ask", "allow"]
    desk.make("addRules", rules=("Bash(cp *)",), behavior="deny")
    assert desk.verdict("cp a b") == "deny"
    desk.make("removeRules", rules=("Bash(cp *)",), behavior="deny")
    assert desk.verdict("cp a b") == "allow"
    assert desk.notices == []


@pytest.mark.parametrize("destination", ["localSettings", "projectSettings", "userSettings"])
def test_rules_are_kept_where_the_hook_says(desk: Desk, destination: str) -> None:
    desk.make("addRules", destination, rules=("Bash(touch *)",))
    scope: Any = destination.removesuffix("Settings")
    file = desk.bench.rulebook.file_of(scope)
    assert json.loads(file.read_text())["permissions"]["allow"] == ["Bash(touch *)"]
    desk.make("removeRules", destination, rules=("Bash(touch *)",))
    assert json.loads(file.read_text())["permissions"].get("allow", []) == []
    assert desk.verdict("touch a") == "ask"
    assert desk.notices == []


def test_modes_are_set_but_not_to_ask_for_nothing(desk: Desk) -> None:
    desk.make("setMode", mode="acceptEdits")
    assert desk.bench.rulebook.mode == "acceptEdits"
    desk.make("setMode", mode="bypassPermissions")
    desk.make("setMode", mode="god")
    assert desk.bench.rulebook.mode == "acceptEdits"
    assert [("not allowed" in text, "there is no mode god" in text) for text in desk.notices] == [
        (True, False),
        (False, True),
    ]


def test_folders_are_added_kept_and_removed(desk: Desk, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    desk.make("addDirectories", "localSettings", directories=(str(other),))
    assert desk.bench.workspace.additional == (other,)
    assert str(other) in desk.bench.rulebook.where.folders
    file = desk.bench.rulebook.file_of("local")
    assert json.loads(file.read_text())["permissions"]["additionalDirectories"] == [str(other)]
    desk.make("removeDirectories", "localSettings", directories=(str(other),))
    assert desk.bench.workspace.additional == ()
    assert json.loads(file.read_text())["permissions"]["additionalDirectories"] == []
    desk.make("addDirectories", directories=(str(tmp_path / "none"),))
    assert "is not a folder" in desk.notices[0]


def test_what_cannot_be_made_is_told_and_the_rest_is_made(desk: Desk) -> None:
    desk.bench.permission_updates(
        [
            PermissionUpdate(type="addRules", destination="session", rules=("Bash(",)),
            PermissionUpdate(type="addRules", destination="session", rules=("Bash(touch *)",)),
        ]
    )
    assert desk.verdict("touch a") == "allow"
    assert len(desk.notices) == 1


@pytest.mark.parametrize(
    ("output", "content"),
    [
        ("text", "text"),
        ({"stdout": "a", "stderr": "b"}, "a\nb"),
        ({"stdout": "a", "stderr": None}, "a"),
        ({"type": "text", "file": {"content": "x"}}, "x"),
        ({"content": "x"}, "x"),
        ([{"type": "text", "text": "x"}], [{"type": "text", "text": "x"}]),
        ({"content": [{"type": "text", "text": "x"}]}, [{"type": "text", "text": "x"}]),
        ([{"type": "image", "source": {}}], '[\n {\n  "type": "image",\n  "source": {}\n }\n]'),
        ({"numFiles": 1}, '{\n "numFiles": 1\n}'),
        ([], "[]"),
        (5, "5"),
    ],
)
def test_an_output_that_a_hook_gives_becomes_what_the_model_gets(output: Any, content: Any) -> None:
    assert as_content(output) == content
