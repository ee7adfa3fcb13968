"""The status line names the keys of where the focus is, and each key it names is one."""

from __future__ import annotations

import pytest
from screen_text import screen_text, text_of, until
from textual.binding import Binding
from textual.keys import _character_to_key
from textual.widget import Widget
from transcript_stage import Stage, stage

from tui_agent.events import ToolUseCompleted, ToolUseStarted, TurnFinished
from tui_agent.ui.main_screen import MainScreen
from tui_agent.ui.panes.diff import DiffPane
from tui_agent.ui.panes.tools import ToolPane
from tui_agent.ui.widgets.search_bar import SearchBar
from tui_agent.ui.widgets.transcript import Transcript


def screen_of(on: Stage) -> MainScreen:
    assert isinstance(on.pilot.app.screen, MainScreen)
    return on.pilot.app.screen


async def names(on: Stage, *wanted: str) -> None:
    """Wait until the status line names these keys, in this order."""

    def is_named() -> bool:
        line = f"  {text_of(screen_of(on).status_line)}"
        places = [line.find(f"   {word}") for word in wanted]
        return -1 not in places and places == sorted(places)

    await until(on.pilot, is_named)


async def test_the_line_follows_the_focus() -> None:
    async with stage((130, 30)) as on:
        on.engine.reply("something to focus")
        on.engine.bus.publish(TurnFinished(turn_id="turn", outcome="done", duration_ms=1))
        await on.shows("something")
        await names(on, "⇧⇥ mode", "^p commands", "F1 help")
        await on.pilot.press("tab")
        await names(on, "enter open", "esc back", "c copy", "F1 help")
        await on.pilot.press("f2")
        await names(on, "enter show it", "esc back", "k stop", "F1 help")
        await on.pilot.press("f3")
        await names(on, "j k hunks", "esc back", "u undo", "F1 help")
        await on.pilot.press("ctrl+f")
        await names(on, "enter next match", "esc close", "⇧enter previous match", "F1 help")
        await on.pilot.press("escape", "escape")
        await names(on, "⇧⇥ mode", "F1 help")


async def test_escape_is_named_for_what_it_does() -> None:
    async with stage((130, 30)) as on:
        await on.pilot.press("f2")
        await names(on, "enter show it", "esc interrupt")
        await on.pilot.resize_terminal(80, 24)
        await on.pilot.press("f2")  # over the conversation: first it goes back there
        await names(on, "enter show it", "esc back", "F1 help")
        on.engine.bus.publish(TurnFinished(turn_id="turn", outcome="done", duration_ms=1))
        await names(on, "esc back")


@pytest.mark.parametrize("size", [(130, 30), (80, 24)])
async def test_escape_is_named_as_what_clears_the_filter_of_tools(size: tuple[int, int]) -> None:
    async with stage(size) as on:
        on.engine.bus.publish(ToolUseStarted(tool_use_id="t1", name="Read", turn_id="turn"))
        on.engine.bus.publish(ToolUseCompleted(tool_use_id="t1", name="Read", input={"file_path": "a.py"}))
        await until(on.pilot, lambda: screen_of(on).tools.turn is not None)
        await on.pilot.press("f2")
        unfiltered = "esc interrupt" if size[0] > 80 else "esc back"
        await names(on, "enter show it", unfiltered)
        for keys in (("slash",), ("slash", "x", "enter"), ("f",)):
            await on.pilot.press(*keys)
            await names(on, "enter show it", "esc show all")
            assert "interrupt" not in screen_text(on.pilot.app)
            await on.pilot.press("escape")
            await names(on, "enter show it", unfiltered)


async def test_escape_is_named_as_what_closes_the_search_that_stands_open() -> None:
    async with stage((130, 30)) as on:
        await on.pilot.press("ctrl+f", "f2")
        await names(on, "enter show it", "esc close search")
        assert "interrupt" not in screen_text(on.pilot.app)
        await on.pilot.press("escape")
        assert not screen_of(on).conversation.is_searching
        await names(on, "⇧⇥ mode", "F1 help")  # it goes back to the prompt


@pytest.mark.parametrize("pane", [Transcript, ToolPane, DiffPane, SearchBar])
def test_each_key_that_is_named_is_one_of_the_panes(pane: type[Widget]) -> None:
    bound = {key for binding in pane.BINDINGS if isinstance(binding, Binding) for key in binding.key.split(",")}
    for keys, words in pane.HINTS:  # type: ignore[attr-defined]
        for key in keys.split():
            name = {"esc": "escape", "⇧enter": "shift+enter"}.get(key, key)
            assert (_character_to_key(name) if len(name) == 1 else name) in bound, words
