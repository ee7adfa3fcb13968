"""Changes of permissions that a hook wants with its yes: made, kept where it says, or told why not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from runtimes import make_runtime

from tui_agent.engine.hooks.inputs import as_content
from tui_agent.engine.session.tool_runtime import ToolRuntimeOptions
from tui_agent.events import Event, Notice
from tui_agent.hooks.permission_request import PermissionUpdate
from tui_agent.permissions.verdict import ToolCall
from tui_agent.settings.load import load_settings


class Desk:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.events: list[Event] = []
        self.runtime = make_runtime(
            ToolRuntimeOptions(cwd=folder),
            load_settings(folder, is_trusted=True),
            publish=self._publish,
            results_dir=folder / ".results",
            is_attended=True,
        )

    def _publish(self, event: Event) -> Event:
        self.events.append(event)
        return event

    def make(self, kind: Any, destination: Any = "session", **fields: Any) -> None:
        self.runtime.permission_updates([PermissionUpdate(type=kind, destination=destination, **fields)])

    def verdict(self, command: str) -> str:
        return self.runtime.rulebook.judge(ToolCall(tool="Bash", input={"command": command}, command=command)).behavior

    @property
    def notices(self) -> list[str]:
        return [event.text for event in self.events if isinstance(event, Notice)]


@pytest.fixture
def broker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    for name in ("HOME", "TUI_AGENT_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    work = tmp_path / "work"
    work.mkdir()
    return Desk(work)


def test_rules_are_added_replaced_and_removed(broker: Desk) -> None:
    broker.make("addRules", rules=("Bash(touch *)", "Bash(mkdir *)"))
    assert (broker.verdict("touch a"), broker.verdict("mkdir b")) == ("allow", "allow")
    broker.make("replaceRules", rules=("Bash(touch *)", "Bash(cp *)"))
    assert [broker.verdict(command) for command in ("touch a", "mkdir b", "cp a b")] == ["allow", "ask", "allow"]
    broker.make("addRules", rules=("Bash(cp *)",), behavior="deny")
    assert broker.verdict("cp a b") == "deny"
    broker.make("removeRules", rules=("Bash(cp *)",), behavior="deny")
    assert broker.verdict("cp a b") == "allow"
    assert broker.notices == []


@pytest.mark.parametrize("destination", ["localSettings", "projectSettings", "userSettings"])
def test_rules_are_kept_where_the_hook_says(broker: Desk, destination: str) -> None:
    broker.make("addRules", destination, rules=("Bash(touch *)",))
    scope: Any = destination.removesuffix("Settings")
    file = broker.runtime.rulebook.file_of(scope)
    assert json.loads(file.read_text())["permissions"]["allow"] == ["Bash(touch *)"]
    broker.make("removeRules", destination, rules=("Bash(touch *)",))
    assert json.loads(file.read_text())["permissions"].get("allow", []) == []
    assert broker.verdict("touch a") == "ask"
    assert broker.notices == []


def test_modes_are_set_but_not_to_ask_for_nothing(broker: Desk) -> None:
    broker.make("setMode", mode="acceptEdits")
    assert broker.runtime.rulebook.mode == "acceptEdits"
    broker.make("setMode", mode="bypassPermissions")
    broker.make("setMode", mode="god")
    assert broker.runtime.rulebook.mode == "acceptEdits"
    assert [("not allowed" in text, "there is no mode god" in text) for text in broker.notices] == [
        (True, False),
        (False, True),
    ]


def test_folders_are_added_kept_and_removed(broker: Desk, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    broker.make("addDirectories", "localSettings", directories=(str(other),))
    assert broker.runtime.workspace.additional == (other,)
    assert str(other) in broker.runtime.rulebook.where.folders
    file = broker.runtime.rulebook.file_of("local")
    assert json.loads(file.read_text())["permissions"]["additionalDirectories"] == [str(other)]
    broker.make("removeDirectories", "localSettings", directories=(str(other),))
    assert broker.runtime.workspace.additional == ()
    assert json.loads(file.read_text())["permissions"]["additionalDirectories"] == []
    broker.make("addDirectories", directories=(str(tmp_path / "none"),))
    assert "is not a folder" in broker.notices[0]


def test_what_cannot_be_made_is_told_and_the_rest_is_made(broker: Desk) -> None:
    broker.runtime.permission_updates(
        [
            PermissionUpdate(type="addRules", destination="session", rules=("Bash(",)),
            PermissionUpdate(type="addRules", destination="session", rules=("Bash(touch *)",)),
        ]
    )
    assert broker.verdict("touch a") == "allow"
    assert len(broker.notices) == 1


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
