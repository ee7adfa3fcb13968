"""`doctor` on hooks: which would run, and what is wrong with the others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tui_agent.headless.hooks_check import examine_hooks


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("HOME", "XDG_CONFIG_HOME", "TUI_AGENT_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    return tmp_path


def found(place: Path, **events: list[dict[str, Any]]) -> list[tuple[str, str]]:
    hooks = {event: [{"hooks": handlers}] for event, handlers in events.items()}
    return [(finding.level, finding.text) for finding in examine_hooks(place, json.dumps({"hooks": hooks}))]


def test_without_hooks_there_is_nothing_to_say(place: Path) -> None:
    assert found(place) == []


def test_what_would_run_is_counted_and_what_is_wrong_named(place: Path) -> None:
    good = {"type": "command", "command": "true", "once": True}
    findings = found(place, Stop=[good, {"type": "agent", "prompt": "x"}], PreCompact=[good])
    levels = [level for level, _ in findings]
    assert levels == ["problem", "warning", "warning", "ok"]
    assert "hooks of type `agent` are not supported yet" in findings[0][1]
    assert "`once` counts for hooks of skills only" in findings[1][1]
    assert findings[-1][1] == "1 of 2 run; 1 not: this event does not happen here yet"
