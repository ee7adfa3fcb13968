"""The table of settings, what is said when a file is broken, and the way from one to the session."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from dialog_app import Clock, DialogApp, screen_text
from fake_engine import FakeEngine
from settings_desk import Desk
from textual.widgets import OptionList

from tui_agent.engine.session.settings_answers import settings_report
from tui_agent.events import SettingsReloaded
from tui_agent.settings.confirmed import confirm
from tui_agent.settings.problems import Problem
from tui_agent.settings.trust import trust
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.dialogs.input_grace import InputGrace
from tui_agent.ui.screens.broken_settings import BrokenSettingsScreen
from tui_agent.ui.screens.settings import SettingsScreen
from tui_agent.ui.screens.trust import TrustScreen


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def filled(desk: Desk) -> Desk:
    desk.write("user", '{\n"model": "weak",\n"env": {"A_TOKEN": "hush"}}')
    desk.write(
        "project", '{\n\n"model": "strong", "maxTurns": 0,\n"permissions": {"deny": ["Read(.env)", "Bash(rm *)"]}}'
    )
    return desk


async def test_the_table_names_keys_values_and_sources(desk: Desk) -> None:
    app = DialogApp(SettingsScreen(settings_report(filled(desk).load())))
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        rows = [line.strip(" │") for line in screen_text(pilot).splitlines()]
        (model,) = (row.split() for row in rows if row.startswith("model"))
        assert model == ["model", "strong", "project"]
        (deny,) = (row for row in rows if row.startswith("permissions.deny"))
        assert "Read(.env), Bash(rm *)" in deny
        assert "hush" not in screen_text(pilot)
        head = "".join(rows[: next(number for number, row in enumerate(rows) if row.startswith("Setting "))])
        assert "`maxTurns`" in head, "problems stand at the top"


async def test_enter_shows_every_source_and_follows_the_cursor(desk: Desk) -> None:
    app = DialogApp(SettingsScreen(settings_report(filled(desk).load())))
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await pilot.press("enter")
        assert "Rules for calls that never run" in screen_text(pilot)
        assert "project settings, .tui-agent/settings.json:4" in screen_text(pilot)
        await pilot.press("end")
        while "The model to use" not in screen_text(pilot):
            await pilot.press("up")
            await pilot.pause()
        assert "project settings, .tui-agent/settings.json:3" in screen_text(pilot)
        assert "does not count: a stronger source has its own value" in screen_text(pilot)
        await pilot.press("escape")
        assert "does not count" not in screen_text(pilot)
        assert app.result == "not dismissed"
        await pilot.press("escape")
        assert app.result is None


async def test_sources_that_say_much_can_be_read_to_their_end(desk: Desk) -> None:
    desk.write("user", {"permissions": {"deny": [f"Bash(cmd{number} *)" for number in range(60)]}})
    app = DialogApp(SettingsScreen(settings_report(desk.load())))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await pilot.press("enter")
        assert "Bash(cmd59 *)" not in screen_text(pilot)
        await pilot.press(*["shift+down"] * 12)
        await pilot.pause()
        assert "Bash(cmd59 *)" in screen_text(pilot)


async def test_a_click_shows_sources_too(desk: Desk) -> None:
    app = DialogApp(SettingsScreen(settings_report(filled(desk).load())))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await pilot.click(OptionList, offset=(3, 0))
        await pilot.pause()
        assert "Rules for calls that never run" in screen_text(pilot)


async def test_all_keys_can_be_shown_with_their_defaults_and_the_cursor_stays(desk: Desk) -> None:
    app = DialogApp(SettingsScreen(settings_report(filled(desk).load())))
    async with app.run_test(size=(120, 60)) as pilot:
        await pilot.pause()
        assert "maskSecrets" not in screen_text(pilot)
        await pilot.press("down", "a")
        await pilot.pause()
        (line,) = (row for row in screen_text(pilot).splitlines() if "maskSecrets" in row)
        assert line.split()[1:4] == ["maskSecrets", "true", "default"]
        options = app.dialog.query_one(OptionList)
        assert options.highlighted == 1
        await pilot.press("a")
        assert "maskSecrets" not in screen_text(pilot)


async def test_with_nothing_set_that_is_said(desk: Desk) -> None:
    app = DialogApp(SettingsScreen(settings_report(desk.load())))
    async with app.run_test() as pilot:
        await pilot.pause()
        assert "All settings have their default values." in screen_text(pilot)
        assert "enter sources" not in screen_text(pilot)
        await pilot.press("enter", "a", "enter")
        assert "permissions.allow" in screen_text(pilot)
        await pilot.press("enter")
        await pilot.pause()
        assert "enter sources" in screen_text(pilot)


async def test_foreign_names_and_values_do_not_reach_the_terminal_as_codes(desk: Desk) -> None:
    bad = "\x1b]0;x\x07\u202e[bold]"
    desk.write("project", json.dumps({"env": {f"N{bad}": bad}, bad: 1, "permissions": {"deny": [f"Bash({bad})"]}}))
    app = DialogApp(SettingsScreen(settings_report(desk.load())))
    async with app.run_test(size=(120, 40)) as pilot:
        for keys in (["enter"], ["down"], ["down"]):
            await pilot.pause()
            await pilot.press(*keys)
            text = screen_text(pilot)
            assert not {"\x1b", "\x07", "\u202e"} & set(text)
        assert "[bold]" in text


async def test_the_file_of_a_key_is_opened_at_its_line_and_read_anew(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(desk)
    opened: list[tuple[Path, int]] = []

    async def open_outside(_app: object, file: Path, line: int) -> None:
        opened.append((file, line))
        desk.write("project", {"permissions": {"deny": ["Bash(new *)"]}})

    monkeypatch.setattr("tui_agent.ui.terminal.editor.open_outside", open_outside)

    async def reload() -> Any:
        return settings_report(desk.load())

    app = DialogApp(SettingsScreen(settings_report(desk.load()), reload))
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        assert "maxTurns" in screen_text(pilot)
        await pilot.press("e")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert opened == [(desk.file("project"), 4)]
        assert "Bash(new *)" in screen_text(pilot)
        assert "maxTurns" not in screen_text(pilot)
        await pilot.press("a", "end", "e")
        await pilot.pause()
        assert "No file sets it." in screen_text(pilot)
        assert len(opened) == 1


async def test_the_command_opens_it_for_the_session(desk: Desk) -> None:
    engine = FakeEngine()
    engine.settings = filled(desk).load()

    async def connect(_prompter: Any) -> Any:
        return engine

    app = TuiAgentApp(connect)
    async with app.run_test() as pilot:
        while app.engine is None:
            await pilot.pause()
        await pilot.press(*"/config", "enter")
        await pilot.pause()
        assert isinstance(app.screen, SettingsScreen)
        await pilot.press("escape")
        engine.settings = None
        await pilot.press(*"/settings", "enter")
        await pilot.pause()
        assert not isinstance(app.screen, SettingsScreen)


@pytest.mark.parametrize("answer", ["1", "2"])
async def test_what_is_held_back_is_shown_and_counts_after_a_yes(desk: Desk, answer: str) -> None:
    trust(desk.project)
    confirm(desk.project, ())
    desk.write("project", '{"permissions": {"allow": ["Bash(new)"]}}')
    engine = FakeEngine()
    engine.settings = desk.load(is_trusted=None)

    async def connect(_prompter: Any) -> Any:
        return engine

    app = TuiAgentApp(connect)
    async with app.run_test() as pilot:
        while app.engine is None:
            await pilot.pause()
        await pilot.press(*"/trust", "enter")
        await pilot.pause()
        assert isinstance(app.screen, TrustScreen)
        assert "Bash(new)" in screen_text(pilot)
        app.screen.action_choose(answer == "1")
        await pilot.pause()
        await app.workers.wait_for_complete()
        assert (("reload_settings",) in engine.asked) == (answer == "1")
    assert (desk.load(is_trusted=None).pending == frozenset()) == (answer == "1")


async def test_where_nothing_is_held_back_trust_has_nothing_to_show(desk: Desk) -> None:
    engine = FakeEngine()

    async def connect(_prompter: Any) -> Any:
        return engine

    app = TuiAgentApp(connect)
    async with app.run_test() as pilot:
        while app.engine is None:
            await pilot.pause()
        for settings, words in (
            (None, "Settings are not available"),
            (desk.load(), "is held back"),
            (desk.load(is_trusted=False), "This folder is not trusted"),
        ):
            engine.settings = settings
            await pilot.press(*"/trust", "enter")
            await pilot.pause()
            assert words in screen_text(pilot)
            assert not isinstance(app.screen, TrustScreen)


async def test_who_comes_back_has_settings_looked_at_even_while_a_turn_runs() -> None:
    engine = FakeEngine()

    async def connect(_prompter: Any) -> Any:
        return engine

    app = TuiAgentApp(connect)
    async with app.run_test() as pilot:
        while app.engine is None:
            await pilot.pause()
        engine.begin()
        while not app.is_busy:
            await pilot.pause()
        await app.on_app_focus()
        await app.workers.wait_for_complete()
        assert ("reload_settings",) in engine.asked
        assert ("refresh",) not in engine.asked


async def test_what_changed_is_told_in_the_conversation_and_cannot_write_markup() -> None:
    engine = FakeEngine()

    async def connect(_prompter: Any) -> Any:
        return engine

    app = TuiAgentApp(connect)
    async with app.run_test(size=(100, 30)) as pilot:
        while app.engine is None:
            await pilot.pause()
        bad = "[red]\x1b]0;x\x07"
        engine.say(
            SettingsReloaded(changes=("deny rule added: Bash(rm *)", bad), problems=(f"a.json:3: {bad} left out",))
        )
        while "left out" not in screen_text(pilot):
            await pilot.pause()
        assert "Settings changed: deny rule added: Bash(rm *); [red]" in screen_text(pilot)
        assert "a.json:3: [red]" in screen_text(pilot)
        assert "\x1b" not in screen_text(pilot)


# --- broken files ----------------------------------------------------------------------------------------------------


BROKEN = Problem("/w/.claude/settings.json", 3, "column 2: what\u202e; the file is ignored", is_whole_file=True)


@pytest.mark.parametrize(
    ("keys", "way"),
    [(["2"], "without"), (["3"], "leave"), (["escape"], "leave"), (["r"], "again"), (["down", "enter"], "without")],
)
async def test_each_way_on_from_a_broken_file(keys: list[str], way: str) -> None:
    clock = Clock()
    app = DialogApp(BrokenSettingsScreen([BROKEN], grace=InputGrace(clock)))
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press(*keys)
        assert app.result == "not dismissed", "what was typed before cannot be an answer"
        assert "/w/.claude/settings.json:3" in screen_text(pilot)
        assert "column 2: what⟨RLO⟩" in screen_text(pilot)
        clock.pass_guard()
        await pilot.press(*keys)
        assert app.result == way


async def test_without_an_editor_that_is_said_and_the_screen_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VISUAL", "/no/such/editor")
    clock = Clock()
    app = DialogApp(BrokenSettingsScreen([BROKEN], grace=InputGrace(clock)))
    async with app.run_test() as pilot:
        await pilot.pause()
        clock.pass_guard()
        await pilot.press("1")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert "press r" in screen_text(pilot)
        assert app.result == "not dismissed"


async def test_the_editor_gets_the_file_and_its_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from contextlib import nullcontext

    from tui_agent.ui.terminal.editor import open_outside

    class Steps:
        def batch_update(self) -> Any:
            return nullcontext()

        suspend = batch_update

    said = tmp_path / "said"
    editor = tmp_path / "vim"
    editor.write_text(f"#!{sys.executable}\nimport sys\nopen({str(said)!r}, 'w').write(repr(sys.argv[1:]))\n")
    editor.chmod(0o755)
    monkeypatch.setenv("VISUAL", str(editor))
    await open_outside(Steps(), Path("/w/a b.json"), 7)  # type: ignore[arg-type]
    assert said.read_text() == "['+7', '/w/a b.json']"
