"""The permissions screen over a real session: rules by source, what was refused, trying a call."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from dialog_app import STYLES, DialogApp, screen_text
from screen_text import until
from session_front import begin, place_apart
from textual.pilot import Pilot
from textual.widgets import Input, OptionList, Static

from tui_agent.engine.gate.permission_service import PermissionService
from tui_agent.permissions.verdict import ToolCall
from tui_agent.queries import PermissionsQuery
from tui_agent.ui.dialogs.rule_editor import RuleEditor
from tui_agent.ui.screens.permissions import PermissionsScreen

RULES: dict[str, list[str]] = {
    "allow": ["Bash(npm test *)", "Edit(src/**)", "Glob(x)"],
    "ask": ["Bash(git push *)"],
    "deny": ["Read(.env)", "Bash(echo \u202e)"],
}

Open = Callable[..., Awaitable[tuple[PermissionsScreen, Path, PermissionService]]]


class PermissionsApp(DialogApp):
    CSS_PATH = [STYLES / "panes.tcss", STYLES / "dialogs.tcss", STYLES / "permissions.tcss"]  # noqa: RUF012


def settings_file(place: Path) -> Path:
    return place / ".tui-agent" / "settings.json"


def saved(file: Path) -> dict[str, list[str]]:
    return json.loads(file.read_text())["permissions"]


@pytest.fixture
async def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Open]:
    fronts = []

    async def make(call: str = "", **options: Any) -> tuple[PermissionsScreen, Path, PermissionService]:
        place = place_apart(tmp_path, monkeypatch)
        settings_file(place).parent.mkdir()
        settings_file(place).write_text(json.dumps({"permissions": RULES}, indent=2))
        front = await begin(place, **options)
        fronts.append(front)
        service = front.session.permissions
        names = [name for name, _ in front.session.tool_names]
        report = front.session.query(PermissionsQuery()).result()
        assert report is not None
        return PermissionsScreen(front.session, report, names, call=call), place, service

    yield make
    for front in fronts:
        await front.session.close()


def choose(pilot: Pilot[Any], words: str) -> None:
    """Put the cursor on the line that holds these words."""
    options = pilot.app.screen.query_one("#rules OptionList", OptionList)
    options.highlighted = next(
        number
        for number in range(options.option_count)
        if words in str(options.get_option_at_index(number).prompt) and not options.get_option_at_index(number).disabled
    )


async def shows(pilot: Pilot[Any], words: str) -> None:
    await until(pilot, lambda: words in screen_text(pilot))


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 40), (200, 60)])
async def test_rules_stand_by_list_with_their_places_and_what_does_nothing_says_so(
    opened: Open, size: tuple[int, int]
) -> None:
    screen, _, _ = await opened()
    async with PermissionsApp(screen).run_test(size=size) as pilot:
        await shows(pilot, "esc close")
        text = screen_text(pilot)
        assert text.index("deny 2") < text.index("Read(.env)") < text.index("ask 1") < text.index("Bash(git push *)")
        assert ".tui-agent/settings.json:" in text
        assert "echo ⟨RLO⟩" in text
        assert "\u202e" not in text
        assert "working folders" in text
        choose(pilot, "Glob(x)")
        await shows(pilot, "has no effect")
        assert "! Glob(x)" in screen_text(pilot)


async def test_a_rule_is_added_checked_as_it_is_written_and_kept_where_it_was_said(opened: Open) -> None:
    screen, place, service = await opened()
    service._broker.log.note_asked(
        ToolCall(tool="Bash", input={}, command="make lint"),
        await service.explain_call("Bash", {"command": "make lint"}),
    )
    async with PermissionsApp(screen).run_test(size=(100, 32)) as pilot:
        await pilot.pause()
        choose(pilot, "npm test")
        await pilot.press("a")
        await until(pilot, lambda: isinstance(pilot.app.screen, RuleEditor))
        await pilot.press(*"Bash(x", "enter")
        await shows(pilot, "is not a rule")
        pilot.app.screen.query_one("#rule", Input).value = "Bash(sudo *)"
        await shows(pilot, "allows whatever `sudo` is told to run")
        pilot.app.screen.query_one("#rule", Input).value = "Bash(make *)"
        await shows(pilot, "would have allowed 1 of 1 call")
        assert "`make lint`" in screen_text(pilot)
        await pilot.press("tab", "tab", "right", "right", "enter")
        await until(pilot, lambda: pilot.app.screen is screen)
        await shows(pilot, "Bash(make *)")
    assert "Bash(make *)" in [row.text for row in service.rules() if row.kind == "user"]
    assert (await service.explain_call("Bash", {"command": "make all"})).behavior == "allow"
    assert saved(settings_file(place)) == RULES


async def test_esc_adds_nothing(opened: Open) -> None:
    screen, place, service = await opened()
    before = service.rules()
    async with PermissionsApp(screen).run_test() as pilot:
        await pilot.pause()
        await pilot.press("a", *"Bash", "escape", "escape")
        await pilot.pause()
    assert service.rules() == before
    assert saved(settings_file(place)) == RULES


async def test_an_edited_rule_takes_the_place_of_the_one_it_was(opened: Open) -> None:
    screen, place, service = await opened()
    async with PermissionsApp(screen).run_test() as pilot:
        await pilot.pause()
        choose(pilot, "npm test")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, RuleEditor))
        await pilot.press("backspace", "backspace", *"-x *)", "enter")
        await shows(pilot, "replaced")
    assert saved(settings_file(place))["allow"] == ["Edit(src/**)", "Glob(x)", "Bash(npm test -x *)"]
    assert "Bash(npm test *)" not in [row.text for row in service.rules()]


async def test_an_edited_rule_can_move_to_another_list(opened: Open) -> None:
    screen, place, _ = await opened()
    async with PermissionsApp(screen).run_test() as pilot:
        await pilot.pause()
        choose(pilot, "git push")
        await pilot.press("enter", "tab", "left", "enter")
        await shows(pilot, "replaced")
    rules = saved(settings_file(place))
    assert rules["ask"] == []
    assert "Bash(git push *)" in rules["deny"]


async def test_a_rule_is_removed_when_it_is_said_twice_in_a_row(opened: Open) -> None:
    screen, place, service = await opened()
    async with PermissionsApp(screen).run_test(size=(100, 32)) as pilot:
        await pilot.pause()
        choose(pilot, "npm test")
        await pilot.press("d")
        await shows(pilot, "d again removes `Bash(npm test *)`")
        await pilot.press("down")
        await until(pilot, lambda: "d again" not in screen_text(pilot))
        await pilot.press("up", "d")
        await shows(pilot, "d again")
        assert saved(settings_file(place)) == RULES
        await pilot.press("d")
        await shows(pilot, "was removed")
    assert saved(settings_file(place))["allow"] == ["Edit(src/**)", "Glob(x)"]
    assert "Bash(npm test *)" not in [row.text for row in service.rules()]


async def test_what_the_command_line_gave_says_why_it_stays(opened: Open) -> None:
    screen, _, service = await opened(allowed=("Bash(cargo *)",))
    async with PermissionsApp(screen).run_test(size=(100, 32)) as pilot:
        await pilot.pause()
        choose(pilot, "cargo")
        await shows(pilot, "cannot be changed here: it was given on the command line")
        for key in ("d", "e"):
            await pilot.press(key, key)
            await pilot.pause()
        assert pilot.app.screen is screen
    assert "Bash(cargo *)" in [row.text for row in service.rules()]


async def test_another_programs_file_is_left_alone(opened: Open, tmp_path: Path) -> None:
    (tmp_path / "work" / ".claude").mkdir(parents=True)
    file = tmp_path / "work" / ".claude" / "settings.json"
    file.write_text('{"permissions": {"allow": ["Bash(their own *)"]}}')
    screen, _, _ = await opened()
    async with PermissionsApp(screen).run_test(size=(100, 32)) as pilot:
        await pilot.pause()
        choose(pilot, "their own")
        await shows(pilot, "a file of another program")
        await pilot.press("d", "d")
        await shows(pilot, "It cannot be removed here")
    assert "their own" in file.read_text()


async def test_a_file_that_cannot_be_changed_says_so_and_loses_nothing(opened: Open) -> None:
    screen, place, service = await opened()
    async with PermissionsApp(screen).run_test(size=(100, 32)) as pilot:
        await pilot.pause()
        choose(pilot, "npm test")
        settings_file(place).write_text("{ broken")
        await pilot.press("d", "d")
        await shows(pilot, "It was not removed")
    assert settings_file(place).read_text() == "{ broken"
    assert "Bash(npm test *)" in [row.text for row in service.rules()]


async def test_what_was_refused_is_listed_newest_first_and_explained(opened: Open) -> None:
    screen, _, service = await opened()
    log = service._broker.log
    log.note_denied(
        ToolCall(tool="Bash", input={}, command="npm test --all"), by="person", reason="not now, \x1b[2Jplease"
    )
    log.note_denied(ToolCall(tool="Read", input={}, reads=("/x/.env",)), by="rule", reason="`Read(.env)` denies it")
    async with PermissionsApp(screen).run_test(size=(100, 32)) as pilot:
        await pilot.press("tab")
        await shows(pilot, "Refused 2")
        text = screen_text(pilot)
        assert text.index("/x/.env") < text.index("npm test --all")
        await pilot.press("down")
        await shows(pilot, "you: not now, ⟨ESC⟩[2Jplease")
        await pilot.press("enter")
        await shows(pilot, "✓ allowed: `Bash(npm test *)` allows it")
        assert "step by step" in screen_text(pilot)


async def test_a_refused_command_of_several_lines_is_judged_as_it_was(opened: Open) -> None:
    screen, _, service = await opened()
    command = "npm test\nrm \u202ex \x1b"
    service._broker.log.note_denied(ToolCall(tool="Bash", input={}, command=command), by="person", reason="no")
    async with PermissionsApp(screen).run_test(size=(100, 32)) as pilot:
        await pilot.press("tab", "enter")
        await until(pilot, lambda: screen.query_one("#input", Input).value)
        typed = screen.query_one("#input", Input).value
        assert typed.isascii()
        assert json.loads(typed) == {"command": command}


async def test_a_rule_with_characters_that_do_not_show_is_edited_without_them(opened: Open) -> None:
    screen, place, _ = await opened()
    async with PermissionsApp(screen).run_test(size=(100, 32)) as pilot:
        await pilot.pause()
        choose(pilot, "echo")
        await pilot.press("enter")
        await shows(pilot, "Invisible characters were removed")
        assert pilot.app.screen.query_one("#rule", Input).value == "Bash(echo )"
        await pilot.press("enter")
        await shows(pilot, "replaced")
    assert saved(settings_file(place))["deny"] == ["Read(.env)", "Bash(echo )"]


@pytest.mark.parametrize(
    ("tool", "text", "words"),
    [
        ("Bash", "npm test -u", "✓ allowed: `Bash(npm test *)` allows it"),
        ("bash", "git push origin", "? asks: `Bash(git push *)` asks about `git push origin`"),
        ("Read", ".env", "✗ denied: `Read(.env)` denies `.env`"),
        ("edit", "src/a.py", "✓ allowed"),
        ("mcp__x__y", "hello", "has no one main text"),
        ("mcp__x__y", "{", "not JSON"),
        ("mcp__x__y", "{}", "? asks: no rule allows mcp__x__y"),
        ("Bash", '{"command": "npm test"}', "✓ allowed"),
        ("Bash", "сat x", "`с` is not `c` but U+0441, Cyrillic"),
    ],
)
async def test_a_call_is_judged_as_it_is_typed(opened: Open, tool: str, text: str, words: str) -> None:
    screen, _, _ = await opened()
    async with PermissionsApp(screen).run_test(size=(100, 32)) as pilot:
        await pilot.press("shift+tab", "up")
        pilot.app.screen.query_one("#tool", Input).value = tool
        pilot.app.screen.query_one("#input", Input).value = text
        await shows(pilot, words)


async def test_a_command_given_with_the_command_is_tried_at_once_and_a_new_rule_counts_for_it(opened: Open) -> None:
    screen, _, service = await opened(call="make a && npm test")
    async with PermissionsApp(screen).run_test(size=(60, 20)) as pilot:
        await shows(pilot, "asks")
        assert "make a" in screen_text(pilot)
        service.add_rule("Bash(make *)")
        await pilot.press("tab", "tab", "tab")
        await shows(pilot, "✓ allowed")


async def test_keys_for_what_is_listed_are_named_only_where_something_is(opened: Open) -> None:
    screen, _, _ = await opened()
    async with PermissionsApp(screen).run_test(size=(100, 32)) as pilot:
        await shows(pilot, "enter edit")
        await pilot.press("tab")
        await shows(pilot, "tab next page")
        assert "enter" not in str(screen.query_one("#keys", Static).render())


async def test_pages_are_turned_by_a_click(opened: Open) -> None:
    screen, _, _ = await opened()
    async with PermissionsApp(screen).run_test(size=(100, 32)) as pilot:
        await shows(pilot, "Try a call")
        line = next(number for number, line in enumerate(screen_text(pilot).splitlines()) if "Try a call" in line)
        column = screen_text(pilot).splitlines()[line].index("Try a call")
        await pilot.click(offset=(column + 2, line))
        await shows(pilot, "Type a Bash call")
        await pilot.press("escape")
        assert pilot.app.screen is not screen
