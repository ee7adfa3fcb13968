"""The help: every key there is, in lines that are never broken, searched, and opened where the user was."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from dialog_app import DialogApp, screen_text
from fake_engine import FakeEngine
from screen_text import until
from textual.binding import BindingsMap
from textual.dom import DOMNode
from textual.screen import Screen

import tui_agent.ui
from tui_agent import events as ev
from tui_agent.boundary import Engine
from tui_agent.settings.keybindings.spelling import spell
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.dialogs.confirm import Confirm
from tui_agent.ui.engine import StartupPrompter
from tui_agent.ui.screen_text.help_text import PLACES, place_of, sections
from tui_agent.ui.screens.help import HelpScreen, drawn, matching
from tui_agent.ui.screens.trust import TrustScreen
from tui_agent.ui.screens.welcome import WelcomeScreen

# Whose keys are those of the list or the dialog that others are made of, told there.
BASES = {"Browser", "WaitingScreen", "RadioRow", "Dialog", "HelpScreen", "ViewWidget"}


def test_keys_that_a_field_takes_itself_are_listed_too() -> None:
    keys = {title: " ".join(name for name, _ in rows) for title, rows in sections()}
    assert keys["A comment being written"] == "enter ^j ⇧enter esc"
    assert keys["A hunk being edited"] == "^s esc"


def classes_with_keys() -> Iterator[type[DOMNode]]:
    for module in pkgutil.walk_packages(tui_agent.ui.__path__, "tui_agent.ui."):
        for _, found in inspect.getmembers(importlib.import_module(module.name), inspect.isclass):
            if found.__module__ == module.name and issubclass(found, DOMNode) and found.__dict__.get("BINDINGS"):
                yield found


def test_every_key_of_every_screen_and_pane_is_listed() -> None:
    listed = dict(sections())
    titles = {owner: place.title for place in PLACES for owner in place.owners}
    for found in classes_with_keys():
        if found.__name__ in BASES:
            continue
        title = titles.get(f"{found.__module__}:{found.__name__}")
        assert title is not None, f"{found.__name__} has keys and no part in the help"
        keys = {key for row in listed[title] for key in row[0].split()}
        for key, binding in BindingsMap(found.__dict__["BINDINGS"]):
            assert not binding.description or spell(key) in keys, f"{key} of {found.__name__} is not listed"


@pytest.mark.parametrize("width", [40, 50, 56, 80, 120])
def test_no_key_is_broken_across_lines_and_nothing_is_wider_than_the_screen(width: int) -> None:
    parts = sections()
    text, begins = drawn(parts, width)
    lines = text.plain.split("\n")
    assert all(len(line) <= width for line in lines)
    assert list(begins) == [title for title, _ in parts]
    assert all(lines[line] == title for title, line in begins.items())
    for title, rows in parts:
        end = min([line for line in begins.values() if line > begins[title]], default=len(lines))
        here = lines[begins[title] : end]
        for name, _ in rows:
            assert any(line.startswith(f"  {name}"[:width].rstrip("…")[: width - 2]) for line in here), name


def test_all_words_of_a_search_must_be_there() -> None:
    parts = [("Diff", [("j", "Next hunk"), ("n", "Next file")]), ("Tools", [("k", "Stop it")])]
    assert matching(parts, "next DIFF file") == [("Diff", [("n", "Next file")])]
    assert matching(parts, "") == parts
    assert matching(parts, "nothing") == []


async def test_what_is_typed_filters_and_one_escape_closes() -> None:
    app: DialogApp = DialogApp(HelpScreen([("Diff", [("j", "Next hunk")]), ("Tools", [("k", "Stop it")])]))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await pilot.press(*"hunk")
        await pilot.pause()
        assert "Next hunk" in screen_text(pilot)
        assert "Stop it" not in screen_text(pilot)
        await pilot.press("escape")
        assert app.result is None


async def test_it_opens_at_its_place_and_scrolls() -> None:
    parts = [(f"Part {number}", [("x", f"does {number}")] * 8) for number in range(20)]
    async with DialogApp(HelpScreen(parts, at="Part 12")).run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "Part 12" in screen_text(pilot))
        text = screen_text(pilot)
        assert "Part 11" not in text
        await pilot.press("up", "up")
        await pilot.pause()
        assert "does 11" in screen_text(pilot)


def app_on(engine: FakeEngine) -> TuiAgentApp:
    async def connect(prompter: StartupPrompter) -> Engine:
        return engine

    return TuiAgentApp(connect)


async def help_of(app: TuiAgentApp, pilot: Any, key: str) -> str:
    """Press a key and return where the help opened."""
    await pilot.press(key)
    await until(pilot, lambda: isinstance(app.screen, HelpScreen))
    place = app.screen._at  # type: ignore[attr-defined]
    await until(pilot, lambda: app.screen.query_one("#text").size.height)
    await pilot.press("escape")
    await until(pilot, lambda: not isinstance(app.screen, HelpScreen))
    return str(place)


async def test_it_opens_where_the_person_was() -> None:
    engine = FakeEngine()
    app = app_on(engine)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: engine.asked)
        assert place_of(app.screen, app.screen.focused) == "Prompt"
        assert await help_of(app, pilot, "f1") in ("Prompt", "")
        await pilot.press("f2")
        await pilot.pause()
        assert place_of(app.screen, app.screen.focused) == "Tools"
        await help_of(app, pilot, "question_mark")
        engine.begin()
        use = engine.call("Bash", {"command": "make"})
        asked = {"input": {"command": "make"}, "by": "default", "reason": "no rule allows it"}
        engine.say(ev.PermissionRequested(request_id="q", tool_use_id=use, name="Bash", **asked))
        await until(pilot, lambda: place_of(app.screen, app.screen.focused) == "A question")
        await help_of(app, pilot, "f1")
        await until(pilot, lambda: place_of(app.screen, app.screen.focused) == "A question")
        await help_of(app, pilot, "question_mark")


@pytest.mark.parametrize(
    ("dialog", "title"),
    [
        (lambda: TrustScreen("/w", ()), "A folder that is not trusted"),
        (lambda: WelcomeScreen(can_keep=False), "The first screen"),
        (lambda: Confirm("Sure?", "It is done at once.", yes="Yes", no="No"), "A confirmation"),
    ],
)
async def test_it_opens_over_every_dialog(dialog: Callable[[], Screen[Any]], title: str) -> None:
    engine = FakeEngine()
    app = app_on(engine)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: engine.asked)
        await app.push_screen(screen := dialog())
        await until(pilot, lambda: screen.query_one("#dialog").size.height)
        assert await help_of(app, pilot, "f1") == title
        assert app.screen is screen
