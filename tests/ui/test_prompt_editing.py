"""Editing in the prompt with real keys: those of readline, of drafts as a whole, and of vi."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from fake_engine import FakeEngine
from screen_text import screen_text, until
from textual import events
from textual.geometry import Size
from textual.pilot import Pilot

from tui_agent.boundary import Engine
from tui_agent.emoji_sequences import emoji_around
from tui_agent.events import SettingsReloaded
from tui_agent.settings.load import Settings, load_settings
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.engine import StartupPrompter
from tui_agent.ui.prompting.editing.kill_ring import KillRing
from tui_agent.ui.prompting.history import PromptHistory
from tui_agent.ui.terminal import editor as own_editor
from tui_agent.ui.widgets.prompt import Prompt
from tui_agent.ui.widgets.prompt_text import PromptText

NAMES = {" ": "space", "/": "slash", "!": "exclamation_mark", "\n": "ctrl+j", "$": "dollar_sign", ".": "full_stop"}


class Harness:
    """A running app with its prompt."""

    def __init__(self, pilot: Pilot[object], engine: FakeEngine) -> None:
        self.pilot = pilot
        self.engine = engine
        self.prompt = pilot.app.screen.query_one(Prompt)

    @property
    def area(self) -> PromptText:
        return self.prompt.text

    @property
    def text(self) -> str:
        """The text, with the cursor as `|`."""
        text, at = self.area.text, self.area.at
        return f"{text[:at]}|{text[at:]}"

    async def press(self, *keys: str) -> Harness:
        await self.pilot.press(*keys)
        return self

    async def write(self, text: str) -> Harness:
        return await self.press(*(NAMES.get(letter, letter) for letter in text))

    async def sees(self, words: str) -> None:
        await until(self.pilot, lambda: words in screen_text(self.pilot.app))

    async def asked(self, *entry: object) -> None:
        await until(self.pilot, lambda: entry in self.engine.asked)


@asynccontextmanager
async def desk(
    mode: str = "normal", remaps: dict[str, str] | None = None, *, history: Path | None = None
) -> AsyncIterator[Harness]:
    engine = FakeEngine()
    engine.settings = editing(mode, remaps)

    async def connect(prompter: StartupPrompter) -> Engine:
        return engine

    app = TuiAgentApp(connect, history=PromptHistory(history, folder="/home/dev/src/shop"))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: ("start",) in engine.asked)
        at = Harness(pilot, engine)
        await until(pilot, lambda: bool(at.area.vi_mode) == (mode == "vim"))
        yield at


def editing(mode: str, remaps: dict[str, str] | None = None) -> Settings:
    """Settings that say nothing but how the prompt is edited."""
    values = {"editorMode": mode, "vimInsertModeRemaps": remaps or {}}
    return load_settings(Path("/"), inline=json.dumps(values), sources=())


# --- readline --------------------------------------------------------------------------------------------------------


READLINE: list[tuple[str, list[str], str]] = [
    ("one two", ["ctrl+a"], "|one two"),
    ("one two", ["ctrl+a", "ctrl+e"], "one two|"),
    ("one two", ["ctrl+w"], "one |"),
    ("cd ~/a/b.c", ["ctrl+w"], "cd |"),
    ("cd ~/a/b.c", ["alt+backspace"], "cd ~/a/b.|"),
    ("one two", ["alt+b"], "one |two"),
    ("one two", ["alt+b", "alt+b", "alt+f"], "one| two"),
    ("one two", ["ctrl+a", "alt+d"], "| two"),
    ("one two", ["alt+b", "ctrl+k"], "one |"),
    ("one two", ["alt+b", "ctrl+u"], "|two"),
    ("one\ntwo", ["ctrl+u"], "one\n|"),
    ("one\ntwo", ["ctrl+u", "ctrl+u"], "one|"),
    ("one\ntwo", ["ctrl+u", "ctrl+u", "ctrl+u", "ctrl+u"], "|"),
    ("one\ntwo", ["ctrl+home", "ctrl+k", "ctrl+k"], "|two"),
    ("one\ntwo", ["ctrl+home"], "|one\ntwo"),
    ("one\ntwo", ["ctrl+home", "ctrl+end"], "one\ntwo|"),
    ("one two", ["ctrl+w", "ctrl+y", "ctrl+y"], "one twotwo|"),
    ("one two three", ["ctrl+w", "ctrl+w", "ctrl+y"], "one two three|"),  # one cut
    ("one two", ["ctrl+w", "left", "ctrl+w", "ctrl+y", "alt+y"], "two| "),
    ("one two", ["ctrl+w", "left", "ctrl+w", "ctrl+y", "alt+y", "alt+y"], "one| "),
    ("one two", ["alt+y"], "one two|"),
    ("one two", ["ctrl+w", "ctrl+underscore"], "one two|"),
    ("one two", ["ctrl+w", "ctrl+underscore", "ctrl+shift+z"], "one |"),
    ("one two", ["ctrl+a", "alt+u"], "ONE| two"),
    ("one two", ["alt+b", "alt+c"], "one Two|"),
    ("one two", ["shift+left", "shift+left", "ctrl+x"], "one t|"),
    ("one two", ["shift+left", "shift+left", "ctrl+x", "ctrl+a", "ctrl+y"], "wo|one t"),
    ("one two", ["ctrl+shift+left", "x"], "one x|"),
    ("one", ["ctrl+x", "x"], "onex|"),
    ("one", ["alt+z"], "one|"),  # means nothing, and is not written
    ("  one", ["shift+enter", "x"], "  one\n  x|"),
    ("  one", ["home", "home", "shift+enter"], "\n|  one"),
    ("one", ["shift+home", "alt+enter"], "\n|"),
    ("!one two", ["ctrl+u"], "!|"),  # the shell is left by the next
    ("!one two", ["ctrl+u", "ctrl+u"], "|"),
]


async def test_keys_of_readline() -> None:
    async with desk() as at:
        for text, keys, result in READLINE:
            at.area.kills = KillRing()
            at.area.begin()
            at.area.show(text)
            await at.press(*keys)
            assert (keys, at.text) == (keys, result)


async def test_a_paste_is_undone_as_one_step() -> None:
    async with desk() as at:
        await at.write("ab")
        at.area.post_message(events.Paste("x\ny z"))
        await until(at.pilot, lambda: "y z" in at.area.text)
        await at.press("ctrl+underscore")
        assert at.text == "ab|"


async def test_what_was_sent_does_not_come_back_by_undoing() -> None:
    async with desk() as at:
        await at.write("sent")
        await at.press("enter", "ctrl+underscore")
        assert at.text == "|"


# --- the draft as a whole ----------------------------------------------------------------------------------------------


async def test_a_draft_is_put_aside_and_comes_back_when_another_was_sent() -> None:
    async with desk() as at:
        await at.write("later")
        await at.press("ctrl+s")
        assert at.text == "|"
        await at.sees("put aside")
        await at.write("now")
        await at.press("enter")
        assert at.text == "later|"
        await at.press("ctrl+s", "ctrl+s")
        assert at.text == "later|"


async def test_putting_aside_again_takes_back_what_was_put_aside_before() -> None:
    async with desk() as at:
        await at.write("one")
        await at.press("ctrl+s", "t", "w", "o", "ctrl+s")
        assert at.text == "one|"
        await at.press("ctrl+s")
        assert at.text == "two|"


async def test_escape_twice_gives_the_draft_up_into_the_history() -> None:
    async with desk() as at:
        await at.write("draft")
        await at.press("escape")
        await at.sees("esc again")
        assert at.text == "draft|"
        await at.press("escape")
        assert at.text == "|"
        await at.press("up")
        assert at.text == "draft|"


async def test_escape_stops_what_runs_and_leaves_the_draft_alone() -> None:
    async with desk() as at:
        at.engine.begin()
        await until(at.pilot, lambda: at.prompt.drafting.is_busy)
        await at.write("draft")
        await at.press("escape", "escape")
        assert at.text == "draft|"
        assert at.engine.asked.count(("interrupt",)) == 2


async def test_clearing_can_be_undone() -> None:
    async with desk() as at:
        await at.write("draft")
        await at.press("ctrl+c")
        assert at.text == "|"
        await at.press("ctrl+underscore")
        assert at.text == "draft|"


async def test_a_question_mark_asks_for_help_where_nothing_is_written() -> None:
    async with desk() as at:
        await at.press("question_mark")
        await until(at.pilot, lambda: at.pilot.app.screen is not at.prompt.screen)
        await at.press("escape")
        await until(at.pilot, lambda: at.pilot.app.screen is at.prompt.screen)
        await at.write("so")
        await at.press("question_mark")
        assert at.text == "so?|"


async def test_the_draft_survives_a_resize_and_a_dialog() -> None:
    async with desk() as at:
        await at.write("draft\nof two lines")
        await at.pilot.resize_terminal(60, 20)
        await at.press("f1")
        await until(at.pilot, lambda: at.pilot.app.screen is not at.prompt.screen)
        await at.pilot.resize_terminal(120, 40)
        await at.press("escape")
        await until(at.pilot, lambda: at.pilot.app.screen is at.prompt.screen and at.pilot.app.size == Size(120, 40))
        await at.press("x")
        assert at.text == "draft\nof two linesx|"


@pytest.mark.parametrize("keys", [("ctrl+g",), ("ctrl+x", "ctrl+e")])
async def test_the_persons_own_editor_has_the_draft(keys: Sequence[str], monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, str]] = []

    async def edit(_app: object, text: str, name: str) -> str:
        seen.append((text, name))
        return text.replace("\n", ", edited\n")

    monkeypatch.setattr(own_editor, "edit_outside", edit)
    async with desk() as at:
        await at.write("draft")
        await at.press(*keys)
        await until(at.pilot, lambda: at.text == "draft, edited|")
        assert seen == [("draft\n", "prompt.md")]
        await at.press("ctrl+underscore")
        assert at.text == "draft|"


async def test_an_editor_that_fails_leaves_the_draft_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    async def edit(_app: object, _text: str, _name: str) -> str:
        raise own_editor.EditorError("nano ended with 1; the text is unchanged.")

    monkeypatch.setattr(own_editor, "edit_outside", edit)
    async with desk() as at:
        await at.write("draft")
        await at.press("ctrl+g")
        await at.sees("nano ended with 1")
        assert at.text == "draft|"


async def test_the_search_is_opened_from_the_conversation_too_and_what_is_typed_at_once_goes_into_it() -> None:
    async with desk() as at:
        await at.write("sent before")
        await at.press("enter", "tab")
        assert not at.area.has_focus
        await at.press("ctrl+r", "s", "e", "n")
        await at.sees("search this")
        await until(at.pilot, lambda: at.prompt.query("#history-field"))
        await at.press("tab")
        await until(at.pilot, lambda: at.area.text == "sent before")
        await at.press("ctrl+l")
        assert at.text == "sent before|"


async def test_where_there_is_no_shell_to_go_back_to_nothing_stops() -> None:
    async with desk() as at:
        await at.write("draft")
        await at.press("ctrl+z")
        await at.sees("suspending is not possible")
        assert at.text == "draft|"


# --- vi ----------------------------------------------------------------------------------------------------------------


async def test_the_mode_of_vi_stands_before_the_text() -> None:
    async with desk("vim") as at:
        await at.sees("INSERT ❯")
        await at.write("one two")
        await at.press("escape")
        await at.sees("NORMAL ❯")
        await at.press("v")
        await at.sees("VISUAL ❯")
        await at.press("V")
        await at.sees("V-LINE ❯")


VI: list[tuple[list[str], str]] = [
    (["escape", "b", "d", "w"], "one| "),
    (["escape", "0", "c", "w", "x", "escape", "w", "full_stop"], "x |x"),
    (["escape", "d", "d", "u"], "one tw|o"),
    (["escape", "d", "d", "u", "ctrl+r"], "|"),
    (["escape", "A", "x", "y", "escape", "u"], "one tw|o"),  # all that was typed at once
    (["escape", "0", "v", "e", "y", "P"], "on|eone two"),
    (["escape", "o", "x", "escape", "k", "J"], "one two| x"),
    (["escape", "left", "x"], "one t|o"),
    (["escape", "v", "b", "d"], "one| "),
    (["escape", "r", "enter"], "one tw\n|"),
    (["escape", "z", "x"], "one t|w"),
]


async def test_keys_of_vi() -> None:
    async with desk("vim") as at:
        for keys, result in VI:
            at.area.begin()
            at.area.show("one two")
            await at.press(*keys)
            assert (keys, at.text) == (keys, result)
            await at.press("escape", "escape")


async def test_escape_and_a_key_that_come_as_one_are_two() -> None:
    async with desk("vim") as at:
        await at.write("one two")
        for key, character in (("alt+b", "b"), ("alt+dollar_sign", "$"), ("alt+shift+a", "A")):
            at.area.post_message(events.Key(key, character))
            await at.pilot.pause()
            if key == "alt+b":
                assert (at.text, at.area.vi_mode) == ("one |two", "NORMAL")
        assert (at.text, at.area.vi_mode) == ("one two|", "INSERT")


async def test_enter_sends_in_normal_mode_and_the_next_prompt_begins_in_insert() -> None:
    async with desk("vim") as at:
        await at.write("go")
        await at.press("escape", "enter")
        await at.asked("submit", "go")
        assert (at.text, at.area.vi_mode) == ("|", "INSERT")


async def test_escape_and_control_c_interrupt_in_the_modes_of_vi_too() -> None:
    async with desk("vim") as at:
        at.engine.begin()
        await until(at.pilot, lambda: at.prompt.drafting.is_busy)
        await at.press("x", "escape")
        assert ("interrupt",) not in at.engine.asked
        await at.press("escape")
        await at.asked("interrupt")
        await at.press("ctrl+c")
        await until(at.pilot, lambda: at.engine.asked.count(("interrupt",)) == 2)
        await at.press("escape", "escape")
        assert at.area.text == "x"  # Escape is pressed often here, and gives nothing up


async def test_j_and_k_walk_through_the_history_at_the_edges() -> None:
    async with desk("vim") as at:
        await at.write("sent before")
        await at.press("enter")
        await at.write("draft")
        await at.press("escape", "k")
        assert at.area.text == "sent before"
        await at.press("j")
        assert at.area.text == "draft"
        await at.press("slash")
        await until(at.pilot, lambda: at.prompt.query("#history"))


async def test_keys_that_stand_for_escape() -> None:
    async with desk("vim", {"jk": "<Esc>", "tt": "them"}) as at:
        await at.press("a", "j", "k")
        assert (at.text, at.area.vi_mode) == ("|a", "NORMAL")
        await at.press("A", "j", "j", "x", "t", "t")
        assert (at.text, at.area.vi_mode) == ("ajjxthem|", "INSERT")


async def test_the_mouse_ends_what_was_being_selected() -> None:
    async with desk("vim") as at:
        await at.write("one two")
        await at.press("escape", "v", "b")
        await at.pilot.click(PromptText, offset=(1, 0))
        await at.press("x")
        assert at.area.text == "oe two"


async def test_the_keys_change_with_the_settings_and_by_the_command() -> None:
    async with desk() as at:
        at.engine.settings = editing("vim")
        at.engine.say(SettingsReloaded(changes=("editorMode is now vim",)))
        at.engine.cycle_mode()
        await at.sees("INSERT")
        await at.write("/vim")
        await at.press("escape", "enter")
        await at.sees("now has the usual keys")
        await asyncio.sleep(0)
        assert at.area.vi_mode == ""


async def test_an_emoji_of_several_characters_is_stepped_over_and_deleted_whole() -> None:
    family = "👨\u200d👩\u200d👧\u200d👦"
    async with desk() as on:
        on.area.post_message(events.Paste(f"a{family}b❤\ufe0f"))
        await until(on.pilot, lambda: on.text == f"a{family}b❤\ufe0f|")
        await on.press("left")
        assert on.text == f"a{family}b|❤\ufe0f"
        await on.press("left", "left")
        assert on.text == f"a|{family}b❤\ufe0f"
        await on.press("right")
        assert on.text == f"a{family}|b❤\ufe0f"
        await on.press("backspace")
        assert on.text == "a|b❤\ufe0f"
        await on.press("end", "backspace")
        assert on.text == "ab|"


def test_a_place_within_an_emoji_is_found_however_long_the_text_is() -> None:
    text = "x" * 1000 + "👨\u200d👩" + "y" * 1000
    assert emoji_around(text, 1001) == emoji_around(text, 1002) == (1000, 1003)
    assert emoji_around(text, 1000) is None
    assert emoji_around(text, 1003) is None
