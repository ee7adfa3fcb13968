from __future__ import annotations

import re

import pytest
from screen_text import screen_text, until
from textual.pilot import Pilot
from textual.widgets import Static
from transcript_stage import PARAGRAPHS, Stage, stage

from tui_agent.ui.projection.blocks import Block
from tui_agent.ui.transcript import block_views
from tui_agent.ui.transcript import layout as layout_module
from tui_agent.ui.widgets.search_bar import SearchBar
from tui_agent.ui.widgets.transcript import Transcript
from tui_agent.viewkit.view import Rendered, RenderState


def count(on: Stage) -> str:
    return str(on.pilot.app.screen.query_one("#search-count", Static).content)


def is_open(on: Stage) -> bool:
    return bool(on.pilot.app.screen.query_one(SearchBar).display)


async def search(on: Stage, words: str, *, key: str = "ctrl+f") -> None:
    await on.pilot.press(key)
    await until(on.pilot, lambda: is_open(on))
    await on.pilot.press(*("space" if letter == " " else letter for letter in words))
    await until(on.pilot, lambda: on.transcript.searched == words and (" of " in count(on) or "no match" in count(on)))


def marked(on: Stage, what: str) -> list[str]:
    """Return the texts that are painted as a match (`match`), or as the one the user is at (`here`)."""
    found = []
    for y in range(on.transcript.size.height):
        for text, style, _ in on.transcript.render_line(y):
            if style is not None and style.underline and bool(style.reverse) == (what == "here"):
                found.append(text)
    return found


async def test_matches_are_counted_marked_and_gone_through() -> None:
    async with stage() as on:
        on.engine.reply(PARAGRAPHS)
        await on.shows("paragraph 59")
        await search(on, "paragraph 5")
        await until(on.pilot, lambda: count(on).endswith("of 11"))
        assert marked(on, "here") == ["paragraph 5"]
        assert len(marked(on, "match")) >= 3
        first = count(on)
        await on.pilot.press("enter")
        await until(on.pilot, lambda: count(on) != first)
        await on.pilot.press("shift+enter")
        await until(on.pilot, lambda: count(on) == first)


async def test_closing_marks_nothing_more_and_gives_the_focus_back() -> None:
    async with stage() as on:
        on.engine.reply(PARAGRAPHS)
        await on.shows("paragraph 59")
        await on.pilot.press("h", "i")
        await search(on, "paragraph 7")
        await on.pilot.press("escape")
        await until(on.pilot, lambda: not is_open(on))
        assert marked(on, "here") == marked(on, "match") == []
        assert on.pilot.app.focused is not None
        assert on.pilot.app.focused.id == "prompt-text"
        await on.shows("paragraph 7")


async def test_from_the_conversation_its_keys_lead_on() -> None:
    async with stage() as on:
        on.engine.reply(PARAGRAPHS)
        await on.shows("paragraph 59")
        on.transcript.focus()
        await until(on.pilot, lambda: on.transcript.has_focus)
        await search(on, "paragraph 4", key="slash")
        await until(on.pilot, lambda: count(on).endswith("of 11"))
        await on.pilot.press("enter")
        await until(on.pilot, lambda: on.transcript.has_focus)
        was = count(on)
        await on.pilot.press("n")
        await until(on.pilot, lambda: count(on) != was)
        await on.pilot.press("N")
        await until(on.pilot, lambda: count(on) == was)
        await on.pilot.press("escape")
        await until(on.pilot, lambda: not is_open(on))
        assert on.transcript.has_focus


async def test_without_a_search_n_is_typed_into_the_prompt() -> None:
    async with stage() as on:
        on.engine.reply("something")
        await on.shows("something")
        on.transcript.focus()
        await until(on.pilot, lambda: on.transcript.has_focus)
        await on.pilot.press("n")
        await until(on.pilot, lambda: "❯ n" in screen_text(on.pilot.app))


async def test_keys_typed_in_a_burst_after_the_slash_are_searched_for() -> None:
    async with stage() as on:
        on.engine.reply(PARAGRAPHS)
        await on.shows("paragraph 59")
        on.transcript.focus()
        await until(on.pilot, lambda: on.transcript.has_focus)
        driver = on.pilot.app._driver
        assert driver is not None
        from textual.events import Key

        for key, letter in (("slash", "/"), *((letter, letter) for letter in "reply")):
            on.pilot.app.post_message(Key(key, letter))
        await until(on.pilot, lambda: on.transcript.searched == "reply")


async def test_a_folded_block_is_found_opened_and_folded_again() -> None:
    async with stage() as on:
        use = on.engine.call("Nothing", {"thing": "that"})
        on.engine.result(use, "Nothing", "a needle in its output")
        on.engine.reply(PARAGRAPHS + "\n\nanother needle")
        await on.shows("another needle")
        await search(on, "needle")
        await until(on.pilot, lambda: count(on) == "2 of 2")
        await on.pilot.press("enter")
        await on.shows("▾ ✓ Nothing", "a needle in its output")
        assert count(on) == "1 of 2"
        await on.pilot.press("enter")
        await on.shows("another needle")
        assert not on.transcript._layout.is_open(1)


async def test_what_is_not_there_is_said() -> None:
    async with stage() as on:
        on.engine.reply("something")
        await on.shows("something")
        await search(on, "absent")
        assert count(on) == "no match"


async def test_what_comes_in_while_a_search_is_open_is_found_too() -> None:
    async with stage() as on:
        on.engine.reply("a needle")
        await on.shows("a needle")
        await search(on, "needle")
        await until(on.pilot, lambda: count(on) == "1 of 1")
        on.engine.reply("one more needle")
        await until(on.pilot, lambda: count(on) == "1 of 2")


async def test_searching_draws_no_block_but_those_that_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []
    real = block_views.render_block

    def counting(block: Block, width: int, state: RenderState) -> Rendered:
        drawn.append(block.id)
        return real(block, width, state)

    async with stage() as on:
        on.engine.reply("\n\n".join(f"part {number}" for number in range(3000)))
        await on.shows("part 2999")
        monkeypatch.setattr(layout_module, "render_block", counting)
        await search(on, "part 1")
        await until(on.pilot, lambda: count(on).endswith("of 1,111"))
        assert len(drawn) < 400


@pytest.mark.parametrize("size", [(60, 20), (200, 60)])
async def test_the_search_stands_in_one_line_at_any_size(size: tuple[int, int]) -> None:
    async with stage(size) as on:
        on.engine.reply(PARAGRAPHS)
        await on.shows("paragraph 59")
        await search(on, "reply")
        await until(on.pilot, lambda: re.search(r"/ reply +\d+ of 60", screen_text(on.pilot.app)))


async def press_until(pilot: Pilot[object], on: Stage, key: str, top: str) -> None:
    await pilot.press(key)
    await until(pilot, lambda: top in on.top)


async def test_keys_lead_from_message_to_message() -> None:
    async with stage() as on:
        for number in range(4):
            on.engine.begin(f"question {number}")
            on.engine.reply(PARAGRAPHS)
        await until(on.pilot, lambda: len(on.transcript._layout.blocks) >= 9 and not on.pilot.app.is_behind)
        await press_until(on.pilot, on, "alt+up", "question 3")
        await press_until(on.pilot, on, "alt+up", "question 2")
        await press_until(on.pilot, on, "alt+down", "question 3")
        await on.pilot.press("alt+down")
        await until(on.pilot, lambda: on.transcript.is_following)
        on.transcript.focus()
        await until(on.pilot, lambda: on.transcript.has_focus)
        await press_until(on.pilot, on, "[", "question 3")
        await press_until(on.pilot, on, "[", "question 2")
        await press_until(on.pilot, on, "]", "question 3")
        await press_until(on.pilot, on, "g", "totals are off")
        await on.pilot.press("G")
        await until(on.pilot, lambda: on.transcript.is_following)


async def test_a_long_message_of_the_person_is_folded_and_opens() -> None:
    async with stage() as on:
        on.engine.begin("\n".join(f"pasted line {number}" for number in range(1000)))
        on.engine.reply("answer")
        await on.shows("pasted line 11", "more characters", "answer")
        assert "pasted line 12" not in on.text
        on.transcript.focus()
        await on.pilot.press("up", "enter")
        await until(on.pilot, lambda: on.transcript._layout.is_open(1))
        await on.pilot.press("enter")
        await until(on.pilot, lambda: not on.transcript._layout.is_open(1))


def test_the_keys_are_in_the_help() -> None:
    from tui_agent.ui.screen_text.help_text import sections

    told = dict(dict(sections())["Conversation"])
    assert {"/", "[", "]", "c", "y", "l", "o", "home g"} <= set(told), told
    assert isinstance(Transcript.BINDINGS, list)
