"""Keys as a user has bound them do what they are bound to, wherever one is, and are named so."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from fake_engine import FakeEngine
from screen_text import screen_text, until
from textual import events
from textual.pilot import Pilot

from tui_agent.boundary import Engine
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.dialogs.confirm import Confirm
from tui_agent.ui.engine import StartupPrompter
from tui_agent.ui.main_screen import MainScreen
from tui_agent.ui.screens.cost import CostScreen
from tui_agent.ui.screens.help import HelpScreen
from tui_agent.ui.terminal import rebinding
from tui_agent.ui.widgets.history_panel import HistoryPanel
from tui_agent.ui.widgets.prompt_text import PromptText


class On:
    """A running app with its file of bindings."""

    def __init__(self, pilot: Pilot[object], app: TuiAgentApp, engine: FakeEngine, file: Path) -> None:
        self.pilot, self.app, self.engine, self.file = pilot, app, engine, file

    @property
    def text(self) -> str:
        return self.app.query_one(PromptText).text

    async def burst(self, *keys: str) -> None:
        """Press keys as fast as a terminal sends them."""
        for key in keys:
            self.app.post_message(events.Key(key, key if len(key) == 1 else None))
        await self.pilot.pause()

    async def shows(self, *parts: str) -> None:
        await until(self.pilot, lambda: all(part in screen_text(self.app) for part in parts))


Start = Callable[..., AbstractAsyncContextManager[On]]


def write(file: Path, **contexts: dict[str, str | None]) -> None:
    blocks = [{"context": context, "bindings": bindings} for context, bindings in contexts.items()]
    file.write_text(json.dumps({"bindings": blocks}))


@pytest.fixture
def start(tmp_path: Path) -> Start:
    @asynccontextmanager
    async def run(*, size: tuple[int, int] = (120, 40), **contexts: dict[str, str | None]) -> AsyncIterator[On]:
        file = tmp_path / "keybindings.json"
        if contexts:
            write(file, **contexts)
        engine = FakeEngine()

        async def connect(prompter: StartupPrompter) -> Engine:
            return engine

        app = TuiAgentApp(connect, key_files=[tmp_path / "theirs.json", file])
        async with app.run_test(size=size) as pilot:
            await until(pilot, lambda: app.engine is not None)
            yield On(pilot, app, engine, file)

    return run


async def test_a_key_does_what_it_is_bound_to_and_the_usual_one_still_does(start: Start) -> None:
    async with start(Chat={"ctrl+e": "chat:stash"}) as on:
        await on.pilot.press(*"one", "ctrl+e")
        assert on.text == ""
        await on.pilot.press("ctrl+s")
        assert on.text == "one"


async def test_a_key_that_is_bound_to_nothing_does_nothing(start: Start) -> None:
    async with start(Chat={"ctrl+u": None, "?": None}) as on:
        await on.pilot.press(*"one", "ctrl+u")
        assert on.text == "one"


async def test_a_sign_that_is_bound_to_nothing_is_written(start: Start) -> None:
    async with start(Chat={"?": None}) as on:
        await on.pilot.press("question_mark", "a")
        assert isinstance(on.app.screen, MainScreen)
        assert on.text == "?a"


async def test_enter_can_break_lines_and_another_key_send(start: Start) -> None:
    async with start(Chat={"enter": "chat:newline", "alt+enter": "chat:submit"}) as on:
        await on.burst(*"ab", "enter", "c", "alt+enter")
        await until(on.pilot, lambda: ("submit", "ab\nc") in on.engine.asked)
        assert on.text == ""


async def test_several_keys_one_after_the_other_are_one_binding(start: Start) -> None:
    async with start(Chat={"ctrl+k ctrl+s": "chat:stash"}, Global={"ctrl+k f3": "app:help"}) as on:
        await on.burst(*"one", "ctrl+k", "ctrl+s")
        await until(on.pilot, lambda: on.text == "")
        await on.burst("ctrl+k", "f3")
        await until(on.pilot, lambda: isinstance(on.app.screen, HelpScreen))


async def test_what_comes_to_nothing_is_what_was_pressed(start: Start) -> None:
    async with start(Chat={"ctrl+k ctrl+s": "chat:stash"}) as on:
        await on.burst(*"one", "ctrl+a", "ctrl+k", *"two")
        await until(on.pilot, lambda: on.text == "two")
        await on.burst("ctrl+k", "ctrl+a", "x")
        await until(on.pilot, lambda: on.text == "xtwo")
        on.app.post_message(events.Key("ctrl+k", None))
        on.app.post_message(events.Paste("pasted"))
        await until(on.pilot, lambda: on.text == "xpasted")


async def test_a_beginning_that_means_something_alone_does_so_before_the_keys_behind_it(start: Start) -> None:
    async with start(Chat={"ctrl+k ctrl+s ctrl+t": "chat:stash", "ctrl+k": "chat:newline"}) as on:
        await on.burst("a", "ctrl+k", "b", "ctrl+k", "ctrl+a", "c")
        await until(on.pilot, lambda: on.text == "a\nb\nc")


async def test_the_beginning_of_a_binding_says_so_and_is_itself_when_nothing_follows(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with start(Chat={"ctrl+k ctrl+s": "chat:stash", "ctrl+u ctrl+u ctrl+u": "chat:help", "ctrl+u": None}) as on:
        await on.pilot.press(*"one", "home", "ctrl+k")
        assert on.text == "one"
        await on.shows("^k …")
        monkeypatch.setattr(rebinding, "_PATIENCE_S", 0.01)
        await on.pilot.press("end", "home", "ctrl+k")
        await until(on.pilot, lambda: on.text == "")
        await on.pilot.press(*"two", "ctrl+u", "ctrl+u")
        await on.pilot.press("!")
        await until(on.pilot, lambda: on.text == "two!")


async def test_a_dialog_has_keys_of_its_own(start: Start) -> None:
    async with start(Confirmation={"ctrl+y": "confirm:yes", "y": None}, Global={"n": "app:tools"}) as on:
        said: list[bool | None] = []
        on.app.push_screen(Confirm("Really?", "", yes="Yes", no="No"), said.append)
        await on.pilot.press("y")
        assert isinstance(on.app.screen, Confirm)
        await on.pilot.press("ctrl+y")
        await until(on.pilot, lambda: said == [True])
        on.app.push_screen(Confirm("Really?", "", yes="Yes", no="No"), said.append)
        await on.pilot.press("n")
        await until(on.pilot, lambda: said == [True, False])


@pytest.mark.parametrize("is_patience_over", [True, False])
async def test_a_key_that_was_begun_before_a_dialog_opened_does_not_answer_it(
    start: Start, is_patience_over: bool
) -> None:
    async with start(Global={"enter f5": "app:tools"}) as on:
        said: list[bool | None] = []
        await on.pilot.press("enter")
        await on.shows("enter …")
        on.app.push_screen(Confirm("Really?", "", yes="Yes", no="No"), said.append)
        await until(on.pilot, lambda: isinstance(on.app.screen, Confirm))
        if is_patience_over:
            on.app.keyboard.rebinding._expire()
        await on.pilot.press("f6")
        assert isinstance(on.app.screen, Confirm)
        await on.pilot.press("enter", "f6")
        await until(on.pilot, lambda: len(said) == 1)


async def test_the_list_that_is_open_over_the_prompt_is_a_place_of_its_own(start: Start) -> None:
    async with start(Autocomplete={"ctrl+y": "autocomplete:accept"}) as on:
        await on.pilot.press(*"/stat", "ctrl+y")
        await until(on.pilot, lambda: on.text.startswith("/status"))


async def test_letters_are_written_where_one_writes(start: Start) -> None:
    async with start(HistorySearch={"x": "historySearch:cancel"}) as on:
        await on.pilot.press("ctrl+r", "x")
        await until(on.pilot, lambda: bool(on.app.query(HistoryPanel)))
        await on.shows("x")
        assert on.app.query(HistoryPanel)


async def test_a_key_runs_a_command(start: Start) -> None:
    async with start(Global={"f6": "command:cost"}) as on:
        await on.pilot.press("f6")
        await until(on.pilot, lambda: isinstance(on.app.screen, CostScreen))
        await on.pilot.press("f6")
        assert len(on.app.screen_stack) == 2


async def test_keys_are_named_as_they_are_bound(start: Start) -> None:
    async with start(
        size=(160, 40),
        Global={"f9": "app:tools", "f2": None},
        Diff={"f4": "diff:undo"},
        Confirm={"f7": "confirm:no", "enter": None},
    ) as on:
        await on.shows("F9 tools", "F3 diff")
        await on.pilot.press("f9")
        await until(on.pilot, lambda: on.app.screen.focused is not None and on.app.screen.focused.id == "tools")
        on.app.push_screen(Confirm("Really?", "", yes="Yes", no="No"))
        await on.shows("↑↓ choose  esc no")
        await on.pilot.press("f7")
        await on.pilot.press("f1", *"undo the session")
        await on.shows("u F4")
        await on.pilot.press("escape", *"tools")
        await on.shows("F9")


async def test_sentences_name_keys_as_they_are_bound(start: Start) -> None:
    async with start(
        Chat={"f4": "chat:stash", "ctrl+s": None, "f5": "history:previous", "up": None, "f6": "chat:newline"},
        HistorySearch={"tab": None, "f7": "historySearch:widen", "ctrl+s": None},
    ) as on:
        await on.shows("^j  new line", "F5  prompt history")  # the usual one where it does so still
        await on.pilot.press(*"one", "f4")
        await on.shows("put aside; F4, or sending something, brings it back")
        await on.pilot.press("f4", "ctrl+r")
        await on.shows("enter sends · ↑ older · F7 this session · esc back")
        await on.pilot.press("escape")
        on.engine.begin()
        await on.shows("the totals are off")
        await on.pilot.press("enter")
        await on.shows("delivered at the next step · F5 takes it back")
        write(on.file, Chat={"up": None})
        on.app.reload_keybindings()
        await on.pilot.press(*"two", "enter")
        await on.shows("queued  two", "delivered at the next step")
        assert "takes them back" not in screen_text(on.app)


async def test_what_is_saved_counts_at_once(start: Start) -> None:
    async with start() as on:
        write(on.file, Chat={"f5": "chat:newline"})
        on.app.reload_keybindings()
        await on.pilot.press("a", "f5", "b")
        assert on.text == "a\nb"
        on.file.unlink()
        on.app.reload_keybindings()
        await on.pilot.press("f5")
        assert on.text == "a\nb"


async def test_a_binding_that_cannot_be_is_told_in_the_conversation(start: Start) -> None:
    wrong: dict[str, str | None] = {f"f{number}": "chat:no" for number in range(1, 7)}
    async with start(size=(200, 50), Chat=wrong) as on:
        await on.shows("A key is not bound", "3 more keys are not bound")

        def told() -> str:  # lines break where the file's name ends
            return " ".join(screen_text(on.app).replace("│", " ").split())

        await until(on.pilot, lambda: told().count("there is no action 'chat:no'") == 3)


async def test_the_command_makes_the_file_and_opens_it(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tui_agent.ui.terminal import keybindings_file

    async def edit(_app: Any, file: Path) -> None:
        written = json.loads(file.read_text())
        written["bindings"] = [block for block in written["bindings"] if block["context"] == "Chat"]
        written["bindings"][0]["bindings"] = {"f5": "chat:newline"}
        file.write_text(json.dumps(written))
        os.utime(file, ns=(1, 1))

    monkeypatch.setattr(keybindings_file, "open_outside", edit)
    async with start() as on:
        await on.pilot.press(*"/keybindings", "enter")
        await until(on.pilot, on.file.exists)
        await until(on.pilot, lambda: on.app.keyboard.rebinding.keymap is not None)
        await on.pilot.press("a", "f5", "b")
        assert on.text == "a\nb"
