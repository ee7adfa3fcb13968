from __future__ import annotations

import pytest
from screen_text import screen_text, until
from transcript_stage import PARAGRAPHS, Stage, stage

from tui_agent.ui.widgets.transcript import Transcript


@pytest.fixture(autouse=True)
def no_clipboard_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui_agent.ui.system_open.clipboard_command", lambda: None)


def row(on: Stage, text: str) -> int:
    return next(y for y, line in enumerate(on.text.split("\n")) if text in line)


async def focus(on: Stage) -> None:
    on.transcript.focus()
    await until(on.pilot, lambda: on.transcript.has_focus)


async def test_the_source_of_a_reply_is_copied_whole_and_the_person_is_told() -> None:
    markdown = "# Head\n\nsome **bold** words\n\n- an item"
    async with stage() as on:
        on.engine.reply(markdown)
        await on.shows("an item")
        await focus(on)
        await on.pilot.press("up", "y")
        await until(on.pilot, lambda: on.pilot.app.clipboard == markdown)
        await until(on.pilot, lambda: "5 lines of Markdown sent to the terminal to copy" in screen_text(on.pilot.app))


async def test_a_part_of_a_reply_is_copied_without_the_blank_line_above_it() -> None:
    async with stage() as on:
        on.engine.reply("# Head\n\nsome **bold** words\n\n```\ncode\n```")
        await on.shows("code")
        await focus(on)
        await on.pilot.press("home", "down", "down", "c")
        await until(on.pilot, lambda: on.pilot.app.clipboard == "some bold words")


async def test_the_source_of_a_tool_use_is_its_call_and_its_result() -> None:
    async with stage() as on:
        use = on.engine.call("Bash", {"command": "ls"})
        on.engine.result(use, "Bash", "a b c")
        await on.shows("Bash")
        await focus(on)
        await on.pilot.press("y")
        await until(on.pilot, lambda: on.pilot.app.clipboard == "ls\n\na b c")


async def test_a_triple_click_selects_a_line_however_it_is_wrapped() -> None:
    text = "one long paragraph that is wrapped at this width for sure"
    async with stage((40, 24)) as on:
        on.engine.reply(f"{text}\n\nand another")
        await on.shows("and another")
        await on.pilot.click(Transcript, offset=(6, row(on, "wrapped")), times=3)
        await until(on.pilot, lambda: on.transcript.selected_text() == text)


async def test_shift_and_a_click_take_the_selection_on() -> None:
    async with stage() as on:
        on.engine.reply("first words\n\nsecond words\n\nthird words")
        await on.shows("third words")
        await on.pilot.click(Transcript, offset=(2, row(on, "first")), times=2)
        await until(on.pilot, lambda: on.transcript.selected_text() == "first")
        await on.pilot.click(Transcript, offset=(7, row(on, "third")), shift=True)
        await until(on.pilot, lambda: on.transcript.selected_text() == "first words\n\nsecond words\n\nthird")


async def test_a_whole_conversation_is_copied_without_holding_up_keys() -> None:
    async with stage() as on:
        for number in range(30):
            on.engine.begin(f"question {number}")
            on.engine.reply(PARAGRAPHS)
        await until(on.pilot, lambda: len(on.transcript._layout.blocks) == 1 + 30 * 61)
        await focus(on)
        await on.pilot.press("home")
        await on.shows("totals are off")
        await on.pilot.click(Transcript, offset=(4, row(on, "totals")), times=2)
        await on.pilot.press("end")
        await until(on.pilot, lambda: on.transcript.is_following)
        await on.pilot.click(Transcript, offset=(40, row(on, "paragraph 59")), shift=True)
        await on.pilot.press("c")
        await until(on.pilot, lambda: on.pilot.app.clipboard.count("paragraph 59") == 30, tries=1000)
        assert on.pilot.app.clipboard.count("question") == 30


async def test_enter_offers_the_links_of_a_block_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    async with stage() as on:
        monkeypatch.setattr(on.pilot.app, "open_url", opened.append)
        on.engine.reply(
            "see [one](https://one.example/a), [two](https://two.example/b) and [one](https://one.example/a)"
        )
        await on.shows("see one")
        await focus(on)
        await on.pilot.press("enter")
        await until(on.pilot, lambda: "1 of 2" in screen_text(on.pilot.app))
        assert "https://one.example/a" in screen_text(on.pilot.app)
        await on.pilot.press("down")
        await until(on.pilot, lambda: "https://two.example/b" in screen_text(on.pilot.app))
        assert opened == []
        await on.pilot.press("enter")
        await until(on.pilot, lambda: opened == ["https://two.example/b"])
