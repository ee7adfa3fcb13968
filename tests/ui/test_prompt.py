from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fake_engine import FakeEngine
from screen_text import screen_text, until
from textual import events
from textual.pilot import Pilot

from tui_agent.boundary import Engine
from tui_agent.drafts import Draft
from tui_agent.events import MessageQueued, PermissionRequested
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.engine import StartupPrompter
from tui_agent.ui.prompting.history import PromptHistory
from tui_agent.ui.widgets.prompt import Prompt


class Harness:
    """A running app, its engine and its prompt."""

    def __init__(self, pilot: Pilot[object], engine: FakeEngine) -> None:
        self.pilot = pilot
        self.engine = engine
        self.prompt = pilot.app.screen.query_one(Prompt)

    @property
    def text(self) -> str:
        return self.prompt.text.text

    @property
    def sent(self) -> list[str]:
        return [entry[1] for entry in self.engine.asked if entry[0] == "submit"]

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    async def write(self, text: str) -> None:
        await self.pilot.press(*("space" if letter == " " else "slash" if letter == "/" else letter for letter in text))


@asynccontextmanager
async def desk(size: tuple[int, int] = (80, 24)) -> AsyncIterator[Harness]:
    engine = FakeEngine()

    async def connect(prompter: StartupPrompter) -> Engine:
        return engine

    app = TuiAgentApp(connect, history=PromptHistory(None))
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: ("start",) in engine.asked)
        yield Harness(pilot, engine)


async def test_enter_sends_and_empties_the_prompt() -> None:
    async with desk() as at:
        await at.write("fix it")
        await at.press("enter")
        assert (at.sent, at.text) == (["fix it"], "")


async def test_new_lines_are_made_by_several_keys_and_make_the_prompt_grow() -> None:
    async with desk() as at:
        await at.press("a", "ctrl+j", "b", "shift+enter", "c", "backslash", "enter", "d")
        assert at.text == "a\nb\nc\nd"
        assert at.sent == []
        assert at.prompt.text.size.height == 4
        await at.press(*["ctrl+j"] * 20)
        await at.pilot.pause()
        assert at.prompt.text.size.height == 10
        await at.press("enter")
        assert at.sent == ["a\nb\nc\nd"]


async def test_an_empty_prompt_sends_nothing() -> None:
    async with desk() as at:
        await at.press("space", "enter")
        assert at.sent == []


async def test_up_and_down_walk_through_what_was_sent() -> None:
    async with desk() as at:
        for text in ("one", "two"):
            await at.write(text)
            await at.press("enter")
        await at.write("draft")
        await at.press("up", "up")
        assert at.text == "one"
        await at.press("down", "down")
        assert at.text == "draft"


async def test_up_moves_within_a_text_of_several_lines_first() -> None:
    async with desk() as at:
        await at.write("old")
        await at.press("enter", "a", "ctrl+j", "b", "up")
        assert at.text == "a\nb"
        await at.press("up")
        assert at.text == "old"


async def test_what_is_queued_is_shown_and_taken_back_by_up() -> None:
    async with desk() as at:
        at.engine.begin()
        await at.write("later")
        await at.press("enter")
        await until(at.pilot, lambda: "queued" in screen_text(at.pilot.app))
        await at.press("x", "up")
        assert at.text == "later\nx"
        await until(at.pilot, lambda: "queued" not in screen_text(at.pilot.app))


async def test_all_that_is_queued_comes_back_one_a_line_before_the_draft() -> None:
    async with desk() as at:
        at.engine.begin()
        for text in ("one", "two", "three"):
            await at.write(text)
            await at.press("enter")
        await until(at.pilot, lambda: "↑ takes them back" in screen_text(at.pilot.app))
        await at.press("x", "up")
        assert at.text == "one\ntwo\nthree\nx"
        await until(at.pilot, lambda: "queued" not in screen_text(at.pilot.app))


async def test_each_queued_message_takes_one_line_where_there_is_little_room() -> None:
    async with desk(size=(60, 20)) as at:
        at.engine.begin()
        for number in range(5):
            at.engine.say(MessageQueued(message_id=f"m{number}", text=f"message {number} " + "世界 long " * 9))
        await until(at.pilot, lambda: "takes them back" in screen_text(at.pilot.app))
        assert at.prompt.queue.size.height == 4
        rows = [
            line.split("queued")[1].split()[1] for line in screen_text(at.pilot.app).split("\n") if "queued" in line
        ]
        assert rows == ["2", "3", "4"]


async def test_a_command_of_the_shell_that_comes_back_takes_no_text_with_it() -> None:
    async with desk() as at:
        at.engine.begin()
        at.engine.queued.append(("cmd", Draft("!make")))
        at.engine.say(MessageQueued(message_id="cmd", text="!make"))
        await until(at.pilot, lambda: "run after the turn · ↑ takes it back" in screen_text(at.pilot.app))
        at.engine.say(MessageQueued(message_id="msg", text="words"))
        await until(
            at.pilot, lambda: "next step, ! after the turn · ↑ takes the message back" in screen_text(at.pilot.app)
        )
        await at.press("x", "up")
        assert at.text == "!make"
        await at.press("enter")
        assert ("run_shell", "make") in at.engine.asked
        assert at.text == "x"


async def test_a_message_that_an_interrupt_stops_on_its_way_comes_back() -> None:
    asked = PermissionRequested(
        request_id="q", tool_use_id="attach", name="Read", input={}, by="mode", reason="outside"
    )
    async with desk() as at:
        at.engine.heard = Draft("see @../other.txt")
        at.engine.say(asked)
        await until(at.pilot, lambda: at.pilot.app.screen.id != "_default" and "outside" in screen_text(at.pilot.app))
        await at.press("ctrl+c")
        assert ("interrupt",) in at.engine.asked
        assert at.text == "see @../other.txt"


async def test_a_command_is_offered_while_it_is_typed_and_run_by_enter() -> None:
    async with desk() as at:
        await at.write("/cl")
        await until(at.pilot, lambda: "begin a new session" in screen_text(at.pilot.app))
        await at.press("enter")
        assert ("clear",) in at.engine.asked
        assert (at.text, at.sent) == ("", [])


async def test_the_offered_commands_are_chosen_with_arrows_and_completed_with_tab() -> None:
    async with desk() as at:
        await at.write("/m")
        await at.press("down", "tab")
        assert at.text == "/mode "
        await at.write("plan")
        await at.press("enter")
        assert ("set_mode", "plan") in at.engine.asked


async def test_escape_closes_the_list_and_interrupts_nothing() -> None:
    async with desk() as at:
        at.engine.begin()
        await at.pilot.pause()
        await at.write("/m")
        await at.press("escape")
        assert not at.prompt.completions.is_open
        assert ("interrupt",) not in at.engine.asked
        await until(at.pilot, lambda: at.pilot.app.screen._is_busy)
        await at.press("escape")
        assert ("interrupt",) in at.engine.asked


async def test_an_unknown_command_is_said_to_be_unknown_and_not_sent() -> None:
    async with desk() as at:
        await at.write("/nonsense")
        await at.press("enter")
        await until(at.pilot, lambda: "No command is named /nonsense." in screen_text(at.pilot.app))
        assert at.sent == []


async def test_a_path_is_text_and_no_command() -> None:
    async with desk() as at:
        await at.write("/etc/hosts is wrong")
        await at.press("enter")
        assert at.sent == ["/etc/hosts is wrong"]


async def test_what_is_pasted_is_cleaned_and_keeps_its_lines() -> None:
    async with desk() as at:
        at.prompt.text.post_message(events.Paste("two\r\nlines\x1b]52;c;aGk=\x07\x9b31m\u202e!"))
        await until(at.pilot, lambda: at.text)
        assert at.text == "two\nlines!"


async def test_control_c_clears_first_and_leaves_at_the_second_press() -> None:
    async with desk() as at:
        await at.write("draft")
        await at.press("ctrl+c")
        assert at.text == ""
        assert at.pilot.app.is_running
        await until(at.pilot, lambda: "again to quit" in screen_text(at.pilot.app))
        await at.press("ctrl+c")
    assert ("close",) in at.engine.asked


async def test_control_c_interrupts_what_runs() -> None:
    async with desk() as at:
        at.engine.begin()
        await until(at.pilot, lambda: at.pilot.app.screen._is_busy)
        await at.press("ctrl+c")
        assert ("interrupt",) in at.engine.asked


async def test_control_d_leaves_only_from_an_empty_prompt() -> None:
    async with desk() as at:
        await at.write("ab")
        await at.press("home", "ctrl+d")
        assert at.text == "b"
        await at.press("ctrl+d", "ctrl+d")
    assert ("close",) in at.engine.asked


async def test_shift_tab_goes_to_the_next_mode() -> None:
    async with desk() as at:
        await at.press("shift+tab")
        assert ("set_mode", "acceptEdits") in at.engine.asked
        await until(at.pilot, lambda: "accept edits" in screen_text(at.pilot.app))


async def test_what_is_typed_in_the_conversation_goes_to_the_prompt() -> None:
    async with desk() as at:
        at.engine.begin()
        await until(at.pilot, lambda: "the totals are off" in screen_text(at.pilot.app))
        await at.press("tab", "x", "y")
        assert at.text == "xy"
        assert at.prompt.text.has_focus


async def test_a_queued_message_cannot_write_outside_its_line() -> None:
    async with desk() as at:
        at.engine.begin()
        at.engine.say(MessageQueued(message_id="q", text="[bold]x[/]\x1b[2J\nsecond line"))
        await until(at.pilot, lambda: "queued  [bold]x[/] second line" in screen_text(at.pilot.app))


async def test_keys_that_come_in_one_burst_run_the_command_that_was_typed() -> None:
    async with desk() as at:
        await at.write("/m")
        await until(at.pilot, lambda: at.prompt.completions.current == "model")
        at.prompt.text.insert("ode plan")  # its news is still on the way as the key comes
        assert at.prompt.take_key("enter")
        await at.pilot.pause()
        assert ("set_mode", "plan") in at.engine.asked
