"""A theme that was chosen is there again at the next start, and in each one sees what is chosen."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from fake_engine import FakeEngine
from screen_text import screen_text, until
from textual.widgets import OptionList

from tui_agent.boundary import Engine
from tui_agent.settings import change
from tui_agent.settings.change import ChangeError
from tui_agent.ui import themes
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.engine import StartupPrompter
from tui_agent.ui.screens.choosers import ModeChooser, ThemeChooser
from tui_agent.ui.terminal.background import ASK, BackgroundReported


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    file = tmp_path / "tui-agent" / "settings.json"
    for module in (themes, change):
        monkeypatch.setattr(module, "user_settings_file", lambda: file)
    monkeypatch.setattr(themes, "claude_dir", lambda: tmp_path / "claude")
    return file


def test_a_kept_theme_is_read_back_and_leaves_other_settings_alone(settings: Path) -> None:
    assert themes.kept() is None
    themes.keep("tui-agent-light")
    assert themes.kept() == "tui-agent-light"
    settings.write_text('{"model": "m", "theme": "tui-agent-light"}')
    themes.keep("ansi-dark")
    assert json.loads(settings.read_text()) == {"model": "m", "theme": "ansi-dark"}


@pytest.mark.parametrize("text", ["{", "[]", '{"theme": 1}', "\xff", "[" * 100_000])
def test_damaged_settings_neither_stop_the_start_nor_are_overwritten(settings: Path, text: str) -> None:
    settings.parent.mkdir()
    settings.write_text(text, encoding="latin-1")
    assert themes.kept() is None
    if text != '{"theme": 1}':
        with pytest.raises(ChangeError):
            themes.keep("tui-agent-dark")
        assert settings.read_text(encoding="latin-1") == text


def test_a_theme_that_is_set_for_claude_code_counts_where_ours_names_none(settings: Path, tmp_path: Path) -> None:
    theirs = tmp_path / "claude" / "settings.json"
    theirs.parent.mkdir()
    theirs.write_text('{"theme": "light-daltonized"}')
    assert themes.kept() == "light-daltonized"
    themes.keep("tui-agent-dark")
    assert themes.kept() == "tui-agent-dark"


@pytest.mark.parametrize(
    ("kept", "term", "ground", "theme"),
    [
        (None, "xterm", "", "tui-agent-dark-ansi"),
        ("auto", "xterm", "0;15", "tui-agent-light-ansi"),
        ("auto", "xterm-256color", "0;15", "tui-agent-light"),
        ("light", "xterm", "", "light"),
        (None, "xterm-256color", "", "tui-agent-dark"),
        (None, "xterm-256color", "0;15", "tui-agent-light"),
        (None, "dumb", "", "tui-agent-dark"),
    ],
)
def test_a_terminal_of_sixteen_colours_gets_a_theme_of_them(
    monkeypatch: pytest.MonkeyPatch, kept: str | None, term: str, ground: str, theme: str | None
) -> None:
    monkeypatch.delenv("COLORTERM", raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", term)
    monkeypatch.setenv("COLORFGBG", ground)
    fitting = themes.fitting(kept)
    assert (themes.resolve(fitting) if fitting in themes.BY_GROUND else fitting) == theme


def test_whether_things_may_turn_is_read_from_the_own_files(settings: Path, tmp_path: Path) -> None:
    assert not themes.is_motion_reduced()
    theirs = tmp_path / "claude" / "settings.json"
    theirs.parent.mkdir()
    theirs.write_text('{"prefersReducedMotion": true}')
    assert themes.is_motion_reduced()
    settings.parent.mkdir()
    settings.write_text('{"prefersReducedMotion": "yes"}')
    assert themes.is_motion_reduced()
    settings.write_text('{"prefersReducedMotion": false}')
    assert not themes.is_motion_reduced()


@pytest.mark.parametrize(("no_color", "theme"), [("1", "dark"), ("", "dark-ansi"), ("", "light-ansi")])
async def test_what_is_chosen_in_a_list_is_told_by_more_than_a_colour(
    monkeypatch: pytest.MonkeyPatch, no_color: str, theme: str
) -> None:
    if no_color:
        monkeypatch.setenv("NO_COLOR", no_color)
    engine = FakeEngine()

    async def connect(prompter: StartupPrompter) -> Engine:
        return engine

    app = TuiAgentApp(connect, theme=theme)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: ("start",) in engine.asked)
        app.push_screen(ModeChooser(current="plan"))
        await until(pilot, lambda: "read-only" in screen_text(app))
        underlined = "".join(
            segment.text
            for strip in app.screen._compositor.render_strips(app.size)
            for segment in strip
            if segment.style is not None and segment.style.underline
        )
        assert underlined.split() == ["●", "plan", "read-only,", "and", "makes", "a", "plan"]


async def test_only_a_theme_that_goes_by_the_ground_follows_it_and_only_that_asks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORFGBG", "")

    async def connect(prompter: StartupPrompter) -> Engine:
        return FakeEngine()

    app = TuiAgentApp(connect, theme="dark")
    sent: list[str] = []
    monkeypatch.setattr(app, "write_raw", sent.append)

    async def told_light() -> str:
        app.post_message(BackgroundReported(is_light=True))
        await pilot.pause()
        return app.theme

    async with app.run_test() as pilot:
        assert await told_light() == "tui-agent-dark"
        assert app.apply_theme("auto")
        assert sent.count(ASK) == 1
        assert await told_light() == "tui-agent-light"
        assert app.apply_theme("dark")
        assert await told_light() == "tui-agent-dark"
        monkeypatch.setenv("TERM", "linux")  # the console would write the question on the screen
        assert app.apply_theme("auto")
    assert sent.count(ASK) == 1


async def test_auto_stands_first_among_the_themes_and_goes_by_the_ground() -> None:
    app = TuiAgentApp(_no_session, theme="auto")
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        assert (app.theme_name, app.theme) == ("auto", "tui-agent-dark")
        app.post_message(BackgroundReported(is_light=True))
        await pilot.pause()
        assert (app.theme_name, app.theme) == ("auto", "tui-agent-light")
        screen = ThemeChooser(app.available_themes, current=app.theme_name, apply=app.apply_theme)
        app.push_screen(screen)
        await pilot.pause()
        assert screen.query_one(OptionList).highlighted == 0
        await pilot.press("down")
        await pilot.pause()
        assert app.theme == "tui-agent-dark"
        assert app.theme_name == "tui-agent-dark"
        await pilot.press("escape")
        await pilot.pause()
        assert app.theme_name == "auto"


async def _no_session(_prompter: object) -> None:
    await asyncio.Event().wait()
