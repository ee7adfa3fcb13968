"""Which sandbox commands run in is on the status line and on the status screen, and follows the settings."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult

from tui_agent.events import SessionStarted, SettingsReloaded
from tui_agent.ui.projection.projection import Projection
from tui_agent.ui.projection.state import Status
from tui_agent.ui.screen_text.status_text import sections
from tui_agent.ui.widgets.status_line import StatusLine


class Harness(App[None]):
    """An app with nothing but the status line."""

    def compose(self) -> ComposeResult:
        yield StatusLine()


@pytest.mark.parametrize(
    ("sandbox", "width", "words"),
    [
        ("bubblewrap", 100, "sandbox: bubblewrap"),
        ("bubblewrap", 110, "sandbox: bubblewrap"),
        ("bubblewrap", 50, ""),
        ("landlock, on", 60, "sandbox on (landlock)"),
        ("none", 40, "no sandbox"),
        ("", 100, ""),
    ],
)
async def test_the_status_line_names_it(sandbox: str, width: int, words: str) -> None:
    app = Harness()
    async with app.run_test(size=(width, 1)) as pilot:
        line = app.query_one(StatusLine)
        line.show(Status(sandbox=sandbox))
        await pilot.pause()
        text = line.render().plain
        assert words in text
        assert ("sandbox" in text) is bool(words)


async def test_a_name_from_a_foreign_recording_is_no_markup() -> None:
    app = Harness()
    async with app.run_test(size=(100, 1)):
        line = app.query_one(StatusLine)
        line.show(Status(sandbox="[red]x[/] \x1b[31m"))
        assert "[red]x[/]" in line.render().plain
        assert "\x1b" not in line.render().plain


def test_it_follows_the_session_and_its_settings() -> None:
    projection = Projection()
    projection.apply([SessionStarted(cwd="/w", model="m", mode="default", version="0", sandbox="bubblewrap")])
    assert projection.status.sandbox == "bubblewrap"
    projection.apply([SettingsReloaded(problems=("x",))])
    assert projection.status.sandbox == "bubblewrap"
    dirty = projection.apply([SettingsReloaded(sandbox="bubblewrap, on")])
    assert (projection.status.sandbox, dirty.status) == ("bubblewrap, on", True)


@pytest.mark.parametrize(
    ("sandbox", "words"),
    [
        ("bubblewrap", "bubblewrap, for commands that only read"),
        ("landlock, on", "landlock, for commands that only read and, with the working folders to write in, for others"),
        ("none", "none works here; `tui-agent doctor` says more"),
    ],
)
def test_the_status_screen_says_what_runs_in_it(sandbox: str, words: str) -> None:
    projection = Projection()
    projection.apply([SessionStarted(cwd="/w", model="m", mode="default", version="0", sandbox=sandbox)])
    assert ("sandbox", words) in dict(sections(projection))["Session"]
