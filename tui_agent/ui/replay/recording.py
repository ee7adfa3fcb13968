"""A recorded session in the app: made from a journal, shown on a screen or drawn as a picture."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tui_agent.events import SessionStarted
from tui_agent.journal.load import read_events
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.replay.player import Player

if TYPE_CHECKING:
    from textual.app import App

    from tui_agent.ui.engine import StartupPrompter

__all__ = ["draw_svg", "load", "picture", "replay_app"]


def replay_app(player: Player, *, theme: str | None = None, has_reduced_motion: bool = False) -> TuiAgentApp:
    """Return an app that shows what `player` plays as the live session looked, without the keys of a timeline."""

    async def connect(_prompter: StartupPrompter) -> Player:
        return player

    app = TuiAgentApp(connect, theme=theme, has_reduced_motion=has_reduced_motion, clock=player.now_ms)
    app.frames.take_in_whole()
    return app


def load(path: Path, *, speed: float | None = None, at: str | None = None) -> Player:
    """Return a player of the journal at `path`; `speed` and `at` are as `Player` has them.

    Raises:
        JournalError: it cannot be read, or holds no events.
        PlaceError: `at` names no place of it.
    """
    from tui_agent.engine.recorded_sessions import RecordedSessions

    recording = read_events(path)
    problems = list(recording.problems)
    if recording.is_torn and not problems:
        problems.append(f"{path}: the last line, which was still being written")
    started = next((event for event in recording.events if isinstance(event, SessionStarted)), None)
    sessions = RecordedSessions(None, Path(started.cwd if started is not None else "."))
    return Player(recording.events, speed=speed, problems=problems, at=at, sessions=sessions)


def picture(app: App[Any]) -> str:
    """Return the app's screen as SVG.

    It loads nothing: where the viewer lacks the font, another one is drawn, and no server learns who looks. The names in it are
    made of its content; a fixed one keeps pictures comparable. Blanks at the edges of a run become part of its place: some
    programs that draw SVG drop them, and the words move.
    """
    drawn = re.sub(r"\bterminal-\d+-", "terminal-", app.export_screenshot(title="tui-agent"))
    drawn = _FETCHED_FONT.sub("", drawn)
    return _RUN.sub(_without_edges, drawn)


_FETCHED_FONT: Final = re.compile(r',\s*url\("[^"]*"\) format\("[^"]*"\)')
_RUN: Final = re.compile(
    r'(<text class="[^"]*" x=")([\d.]+)(" y="[\d.]+" textLength=")([\d.]+)("[^>]*>)((?:&#160;)*)([^<]*?)((?:&#160;)*)</text>'
)
_CELL: Final = 12.2  # the width that a picture's cells have, in its own unit


def _without_edges(run: re.Match[str]) -> str:
    head, x, middle, length, tail, before, words, after = run.groups()
    blanks = (before.count(";"), after.count(";"))
    if not any(blanks):
        return run[0]
    start, cells = float(x) + blanks[0] * _CELL, float(length) - sum(blanks) * _CELL
    return f"{head}{start:.5g}{middle}{cells:.5g}{tail}{words}</text>" if words else ""


async def draw_svg(player: Player, size: tuple[int, int], *, theme: str | None = None) -> str:
    """Return the screen as it is where `player` stands still, `size` in columns and rows, as SVG. Needs no terminal.

    The same recording gives the same text.
    """
    app = replay_app(player, theme=theme, has_reduced_motion=True)
    async with app.run_test(size=size) as pilot:
        while app.engine is None or app.is_behind:
            await pilot.pause()
        await pilot.pause()
        return picture(app)
