"""Reading a running app's screen, and waiting until it shows what it should."""

from __future__ import annotations

from collections.abc import Callable

from textual.app import App
from textual.pilot import Pilot
from textual.widget import Widget


def text_of(widget: Widget) -> str:
    """Return what a widget that paints lines shows, without trailing blanks."""
    return "\n".join(widget.render_line(y).text.rstrip() for y in range(widget.size.height))


def screen_text(app: App[object]) -> str:
    """Return what the whole screen shows."""
    lines = app.screen._compositor.render_strips(app.size)
    return "\n".join(strip.text.rstrip() for strip in lines)


async def until(pilot: Pilot[object], fact: Callable[[], object], tries: int = 200) -> None:
    """Wait until `fact` holds."""
    for _ in range(tries):
        if fact():
            return
        await pilot.pause(0.01)
    raise AssertionError(f"never came true; the screen shows:\n{screen_text(pilot.app)}")
