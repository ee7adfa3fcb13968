"""When linear mode runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tui_agent.linear.wanted import wants_linear
from tui_agent.settings.standard_paths import user_settings_file


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def keep(value: str) -> None:
    user_settings_file().parent.mkdir(parents=True, exist_ok=True)
    user_settings_file().write_text(json.dumps({"screen": value}))


@pytest.mark.parametrize(
    ("environment", "wanted"),
    [
        ({"TERM": "xterm"}, False),
        ({"TERM": "dumb"}, True),
        ({"ACCESSIBLE": "1"}, True),
        ({"INK_SCREEN_READER": "true"}, True),
        ({"CLAUDE_AX_SCREEN_READER": "1"}, True),
        ({"GH_ACCESSIBLE_PROMPTER": "enabled"}, True),
        ({"ACCESSIBLE": "0", "INK_SCREEN_READER": ""}, False),
    ],
)
def test_by_the_environment(environment: dict[str, str], *, wanted: bool) -> None:
    assert wants_linear(environment) is wanted
    assert wants_linear(environment, is_asked=True)


def test_by_the_settings(tmp_path: Path) -> None:
    keep("linear")
    assert wants_linear({})
    keep("full")
    assert not wants_linear({"ACCESSIBLE": "1"})
    assert wants_linear({"TERM": "dumb"})
    assert wants_linear({}, inline='{"screen": "linear"}')
    file = tmp_path / "more.json"
    file.write_text('{"screen": "linear"}')
    assert wants_linear({}, inline=str(file))
    keep("linear")
    assert not wants_linear({}, inline='{"screen": "full"}')


def test_claude_codes_setting_counts_where_ours_says_nothing(tmp_path: Path) -> None:
    folder = tmp_path / ".claude"
    folder.mkdir()
    (folder / "settings.json").write_text('{"axScreenReader": true}')
    assert wants_linear({})
    keep("full")
    assert not wants_linear({})


def test_broken_settings_say_nothing() -> None:
    user_settings_file().parent.mkdir(parents=True, exist_ok=True)
    user_settings_file().write_text('{"screen": ')
    assert not wants_linear({})
