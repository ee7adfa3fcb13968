"""A folder that is trusted, whose settings change: what is new waits until the user confirms it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from settings_desk import Desk

from tui_agent.permissions.save import save_rule
from tui_agent.settings.confirmed import confirm, confirmed_file, load_confirmed
from tui_agent.settings.load import Settings
from tui_agent.settings.trust import trust
from tui_agent.settings.withholding import CHANGED


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path)
    trust(desk.project)
    return desk


def load(desk: Desk, **rest: Any) -> Settings:
    return desk.load(**{"is_trusted": None, **rest})


def settings_with(**changes: Any) -> dict[str, Any]:
    loose = {
        "permissions": {"allow": ["Bash(a)"], "deny": ["Read(x)"]},
        "env": {"A": "1"},
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "first"}]}]},
        "sandbox": {"excludedCommands": ["docker *"]},
        "statusLine": {"type": "command", "command": "line"},
    }
    return {**loose, **changes}


def look_for_the_first_time(desk: Desk) -> None:
    """Do what the first session in a trusted folder does."""
    settings = load(desk)
    assert settings.is_first_visit
    confirm(desk.project, settings.confirmed or ())


def in_force(settings: Settings) -> set[str]:
    return {
        *settings.values.permissions.allow,
        *settings.values.permissions.deny,
        *(f"{name}={text}" for name, text in settings.values.env.items()),
        *(hook.handler["command"] for hook in settings.hooks if not hook.is_held_back),
        *settings.values.sandbox.excluded_commands,
        *([settings.values.status_line.command] if settings.values.status_line.command else []),
    }


ALL = {"Bash(a)", "Read(x)", "A=1", "first", "docker *", "line"}


def test_what_is_there_at_the_first_look_counts_and_goes_on_to_count(desk: Desk) -> None:
    desk.write("project", settings_with())
    assert in_force(load(desk)) == ALL
    look_for_the_first_time(desk)
    settings = load(desk)
    assert in_force(settings) == ALL
    assert (settings.pending, settings.withheld, settings.is_first_visit) == (frozenset(), (), False)


@pytest.mark.parametrize("name", ["project", "claude-project", "local", "claude-local"])
def test_what_comes_later_is_held_back_until_it_is_confirmed(desk: Desk, name: str) -> None:
    desk.write(name, settings_with())
    look_for_the_first_time(desk)
    more = settings_with(
        permissions={"allow": ["Bash(a)", "Bash(evil)"], "deny": ["Read(x)", "Read(y)"], "defaultMode": "acceptEdits"},
        env={"A": "1", "LD_PRELOAD": "evil"},
        hooks={"Stop": [{"hooks": [{"type": "command", "command": one} for one in ("first", "evil")]}]},
        sandbox={"excludedCommands": ["docker *", "evil *"]},
        statusLine={"type": "command", "command": "evil"},
    )
    file = desk.write(name, more)
    settings = load(desk)
    assert in_force(settings) == ALL - {"line"} | {"Read(y)"}, "what forbids counts at once"
    assert settings.values.permissions.default_mode is None
    assert settings.is_trusted
    assert [setting.text for setting in settings.withheld if "evil" not in setting.text] == [
        'permissions.defaultMode: "acceptEdits"'
    ]
    assert len(settings.withheld) == 6
    assert {item.reason for item in settings.explain("statusLine.command")} == {CHANGED}
    confirm(desk.project, settings.pending)
    later = load(desk)
    assert in_force(later) >= {"Bash(evil)", "LD_PRELOAD=evil", "evil *", "Bash(a)", "first"}
    assert later.withheld == ()
    assert file.exists()


def test_going_back_to_what_was_confirmed_needs_no_new_answer(desk: Desk) -> None:
    desk.write("project", settings_with())
    look_for_the_first_time(desk)
    desk.write("project", settings_with(env={"A": "2"}))
    confirm(desk.project, load(desk).pending)
    desk.write("project", settings_with(permissions={"allow": []}))
    assert load(desk).pending == frozenset()
    desk.write("project", settings_with())
    assert in_force(load(desk)) == ALL


def test_a_folder_without_settings_is_looked_at_too(desk: Desk) -> None:
    look_for_the_first_time(desk)
    desk.write("claude-local", settings_with())
    settings = load(desk)
    assert in_force(settings) == {"Read(x)"}
    assert load(desk, is_trusted=True, confirmed=settings.confirmed).values == settings.values


def test_a_handler_counts_as_it_was_confirmed_and_for_that_matcher_alone(desk: Desk) -> None:
    def hook(matcher: str, **handler: Any) -> dict[str, Any]:
        return {"hooks": {"PreToolUse": [{"matcher": matcher, "hooks": [{"type": "command", **handler}]}]}}

    desk.write("project", hook("Bash", command="a", args=["1"]))
    look_for_the_first_time(desk)
    for changed in (
        hook("*", command="a", args=["1"]),
        hook("Bash", command="a", args=["2"]),
        hook("Bash", command="a"),
    ):
        desk.write("project", changed)
        assert [entry.is_held_back for entry in load(desk).hooks] == [True]
    desk.write("project", hook("Bash", command="a", args=["1"]))
    assert [entry.is_held_back for entry in load(desk).hooks] == [False]


def test_what_is_held_back_is_named_with_its_own_line(desk: Desk) -> None:
    text = """{"permissions": {"allow": [
"Bash(a)",
7,
"Bash(b)"]},
"hooks": {"Stop": [{"hooks": [
{"type": "command", "command": "a"},
{"type": "command", "command": "b"}]}]}}"""
    desk.write("project", text.replace("(b)", "(a)").replace('"b"', '"a"'))
    look_for_the_first_time(desk)
    desk.write("project", text)
    settings = load(desk)
    assert [(setting.text, setting.line) for setting in settings.withheld] == [("Bash(b)", 4), ("Stop: b", 7)]
    assert [(rule.text, rule.line) for rule in settings.rules if not rule.is_held_back] == [("Bash(a)", 2)]
    assert [hook.line for hook in settings.hooks if not hook.is_held_back] == [6]


def test_what_the_app_writes_is_confirmed_by_that(desk: Desk) -> None:
    look_for_the_first_time(desk)
    for scope in ("local", "project"):
        save_rule(f"Bash({scope})", scope, start_dir=desk.project, home=desk.home)  # type: ignore[arg-type]
    settings = load(desk)
    assert set(settings.values.permissions.allow) == {"Bash(local)", "Bash(project)"}
    assert settings.pending == frozenset()


def test_a_broken_file_goes_on_to_count_as_it_was_confirmed(desk: Desk) -> None:
    desk.write("project", settings_with())
    look_for_the_first_time(desk)
    desk.write("project", settings_with(env={"A": "1", "B": "new"}))
    before = load(desk)
    desk.write("project", "{")
    after = load(desk, previous=before)
    assert in_force(after) == in_force(before) == ALL
    assert after.pending == before.pending


def test_a_record_that_is_damaged_confirms_nothing(desk: Desk) -> None:
    desk.write("project", settings_with())
    look_for_the_first_time(desk)
    for content in ("", "{", "[]", '{"folders": []}', '{"folders": {"' + str(desk.project) + '": 7}}'):
        confirmed_file().write_text(content)
        assert in_force(load(desk)) == {"Read(x)"}
        assert not load(desk).is_first_visit
    confirm(desk.project, load(desk).pending)
    assert in_force(load(desk)) == ALL


def test_the_record_keeps_one_folder_from_another(desk: Desk, tmp_path: Path) -> None:
    desk.write("project", settings_with())
    look_for_the_first_time(desk)
    assert load_confirmed(desk.project).entries
    assert load_confirmed(tmp_path / "other").entries is None
    assert confirmed_file().stat().st_mode & 0o077 == 0
