from __future__ import annotations

from typing import Any

import pytest
from screen_text import until
from textual.geometry import Offset
from textual.strip import Strip
from transcript_stage import PARAGRAPHS, Stage, stage

from tui_agent.events import TurnOutcome
from tui_agent.ui.widgets.prompt_text import PromptText
from tui_agent.ui.widgets.transcript import Transcript
from tui_agent.viewkit.view import Line


async def test_a_reply_is_shown_as_it_streams_and_its_end_is_followed() -> None:
    async with stage() as on:
        on.engine.reply(PARAGRAPHS, block_id="b", is_whole=False)
        await on.shows("paragraph 59")
        on.engine.reply("\n\nand the last", block_id="b", is_whole=False)
        await on.shows("and the last")
        assert on.transcript.is_following


async def test_scrolling_up_stops_following_and_says_how_much_is_new() -> None:
    async with stage() as on:
        on.engine.reply(PARAGRAPHS, block_id="b", is_whole=False)
        await on.shows("paragraph 59")
        on.transcript.action_page(-1)
        await until(on.pilot, lambda: not on.transcript.is_following)
        top = on.top
        on.engine.reply("\n\nnew one\n\nnew two\n\nnew three", block_id="b", is_whole=False)
        await on.shows("↓ more · End")
        assert on.top == top


async def test_end_takes_following_up_again() -> None:
    async with stage() as on:
        on.engine.reply(PARAGRAPHS)
        await on.shows("paragraph 59")
        on.transcript.focus()
        await on.pilot.press("pageup", "end")
        assert on.transcript.is_following
        on.engine.reply("more")
        await on.shows("more")
        assert "new" not in on.text


async def test_from_the_prompt_page_keys_scroll_and_end_follows_again() -> None:
    async with stage() as on:
        on.engine.reply(PARAGRAPHS)
        await on.shows("paragraph 59")
        await on.pilot.press("h", "i", "home")
        await on.pilot.press("pageup", "pageup")
        await until(on.pilot, lambda: not on.transcript.is_following and "paragraph 59" not in on.text)
        await on.pilot.press("end")  # of the line
        await on.pilot.press("pagedown", "pageup")
        assert not on.transcript.is_following
        await on.pilot.press("end")
        await until(on.pilot, lambda: on.transcript.is_following)
        await on.shows("paragraph 59")


async def test_in_a_prompt_longer_than_its_room_page_keys_move_in_the_text() -> None:
    async with stage() as on:
        on.engine.reply(PARAGRAPHS)
        await on.shows("paragraph 59")
        await on.pilot.press(*["x", "ctrl+j"] * 15)
        text = on.pilot.app.screen.query_one(PromptText)
        await until(on.pilot, lambda: text.is_longer_than_its_room)
        before = text.at
        await on.pilot.press("pageup")
        await until(on.pilot, lambda: text.at < before)
        assert on.transcript.is_following


async def test_scrolling_to_the_bottom_takes_following_up_again() -> None:
    async with stage() as on:
        on.engine.reply(PARAGRAPHS)
        await on.shows("paragraph 59")
        on.transcript.focus()
        await on.pilot.press("pageup")
        assert not on.transcript.is_following
        await on.pilot.press("pagedown")
        assert on.transcript.is_following


async def test_a_resize_keeps_the_line_being_read() -> None:
    async with stage() as on:
        words = "\n\n".join(" ".join(f"p{number}w{word}" for word in range(40)) for number in range(30))
        on.engine.reply(words)
        await on.shows("p29w39")
        on.transcript.scroll_to(y=40, animate=False)
        await until(on.pilot, lambda: not on.transcript.is_following)
        first = next(word for word in on.text.split() if word.startswith("p"))
        await on.pilot.resize_terminal(60, 24)
        await until(on.pilot, lambda: on.transcript.size.width == 60)
        assert first in on.text.split("\n")[0] + on.text.split("\n")[1]


async def test_a_tool_use_opens_and_folds_by_a_click_without_moving_what_is_above() -> None:
    async with stage() as on:
        use = on.engine.call("Nothing", {"thing": "that"})
        on.engine.result(use, "Nothing", "its output")
        on.engine.reply(PARAGRAPHS)
        await on.shows("paragraph 59")
        on.transcript.focus()
        await on.pilot.press("home")
        await on.shows("▸ ✓ Nothing")
        line = next(y for y, text in enumerate(on.text.split("\n")) if "Nothing" in text)
        await on.pilot.click(Transcript, offset=(8, line))
        await on.shows("▾ ✓ Nothing", "its output")
        assert on.text.split("\n")[line].strip().startswith("▾")
        await on.pilot.click(Transcript, offset=(8, line))
        await until(on.pilot, lambda: "its output" not in on.text)


async def test_the_block_cursor_moves_by_keys_and_opens_what_it_stands_on() -> None:
    async with stage() as on:
        use = on.engine.call("Nothing", {"thing": "that"})
        on.engine.result(use, "Nothing", "its output")
        on.engine.reply("the end")
        await on.shows("the end")
        on.transcript.focus()
        await until(on.pilot, lambda: "▌ the end" in on.text)
        await on.pilot.press("up")
        await on.shows("▌ ▸ ✓ Nothing")
        await on.pilot.press("enter")
        await on.shows("▾ ✓ Nothing", "its output")


async def test_details_open_everything_at_once() -> None:
    async with stage() as on:
        on.engine.think("deep thought")
        use = on.engine.call("Nothing", {"thing": "that"})
        on.engine.result(use, "Nothing", "its output")
        await on.shows("Thought for", "✓ Nothing")
        assert "deep thought" not in on.text
        await on.pilot.press("ctrl+o")
        await on.shows("deep thought", "its output")
        await on.pilot.press("ctrl+o")
        await until(on.pilot, lambda: "deep thought" not in on.text)


async def drag(on: Stage, start: tuple[int, int], stop: tuple[int, int]) -> None:
    await on.pilot.mouse_down(Transcript, offset=start)
    await on.pilot.hover(Transcript, offset=stop)
    await on.pilot.mouse_up(Transcript, offset=stop)


async def test_what_is_selected_by_dragging_is_copied_as_it_was_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui_agent.ui.system_open.clipboard_command", lambda: None)
    async with stage((40, 24)) as on:
        on.engine.reply("one long paragraph that is wrapped at this width for sure\n\n- and an item")
        await on.shows("and an item")
        lines = on.text.split("\n")
        first = next(y for y, text in enumerate(lines) if "one long" in text)
        last = next(y for y, text in enumerate(lines) if "and an item" in text)
        await drag(on, (6, first), (39, last))
        assert on.transcript.has_selection
        await on.pilot.press("ctrl+c")
        copied = on.pilot.app.clipboard
        assert copied.startswith("long paragraph that is wrapped at this width for sure\n")
        assert "and an item" in copied
        assert not on.transcript.has_selection


async def test_a_selection_survives_new_text() -> None:
    async with stage() as on:
        on.engine.reply("keep this line", block_id="b", is_whole=False)
        await on.shows("keep this line")
        line = next(y for y, text in enumerate(on.text.split("\n")) if "keep" in text)
        await drag(on, (2, line), (6, line))
        on.engine.reply(f"\n\n{PARAGRAPHS}", block_id="b")
        await until(on.pilot, lambda: len(on.transcript._layout.blocks) > 60)
        assert on.transcript.selected_text() == "keep"


async def test_a_link_opens_only_when_the_person_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    async with stage() as on:
        monkeypatch.setattr(on.pilot.app, "open_url", lambda url: opened.append(url))
        on.engine.reply("see [the docs](https://example.org/hidden)")
        await on.shows("the docs")
        line = next(y for y, text in enumerate(on.text.split("\n")) if "the docs" in text)
        column = on.text.split("\n")[line].index("the docs")
        await on.pilot.click(Transcript, offset=Offset(column + 1, line))
        await until(on.pilot, lambda: type(on.pilot.app.screen).__name__ == "LinkScreen")
        assert opened == []
        await on.pilot.press("enter")
        await until(on.pilot, lambda: opened == ["https://example.org/hidden"])


async def test_only_lines_that_changed_are_painted_again() -> None:
    async with stage() as on:
        on.engine.reply("first\n\nsecond\n\nthi", block_id="b", is_whole=False)
        await on.shows("thi")
        painted: list[str] = []
        real = on.transcript._dress

        def dress(line: Line, *rest: Any) -> Strip:
            painted.append(line.text)
            return real(line, *rest)

        on.transcript._dress = dress  # type: ignore[method-assign]
        on.engine.reply("rd", block_id="b", is_whole=False)
        await on.shows("third")
        assert painted == ["third"]


async def test_clearing_the_conversation_shows_the_empty_state_again() -> None:
    async with stage() as on:
        on.engine.reply("something")
        await on.shows("something")
        on.engine.clear()
        await until(on.pilot, lambda: not on.transcript.display)


async def test_keys_of_the_conversation_are_not_typed_into_the_prompt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui_agent.ui.system_open.clipboard_command", lambda: None)
    async with stage() as on:
        on.engine.reply("first\n\nsecond block")
        use = on.engine.call("Nothing", {"thing": "that"})
        on.engine.result(use, "Nothing", "its output")
        await on.shows("✓ Nothing")
        await on.pilot.press("tab")
        await until(on.pilot, lambda: on.transcript.has_focus)
        await on.pilot.press("space")
        await on.shows("its output")
        await on.pilot.press("space", "up", "c")
        await until(on.pilot, lambda: on.pilot.app.clipboard.strip() == "second block")
        assert on.transcript.has_focus


async def test_a_double_click_selects_a_word() -> None:
    async with stage() as on:
        on.engine.reply("look at cart/refund.py now")
        await on.shows("look at")
        line = next(y for y, text in enumerate(on.text.split("\n")) if "look at" in text)
        await on.pilot.click(Transcript, offset=(14, line), times=2)
        await until(on.pilot, lambda: on.transcript.selected_text() == "cart/refund.py")


async def test_the_tool_pane_leads_to_the_block_of_a_tool_use() -> None:
    async with stage((120, 30)) as on:
        use = on.engine.call("Nothing", {"thing": "that"})
        on.engine.result(use, "Nothing", "its output")
        on.engine.reply(PARAGRAPHS)
        await on.shows("paragraph 59")
        await on.pilot.press("f2", "enter")
        await on.shows("▌ ▸ ✓ Nothing")
        assert on.transcript.has_focus


async def test_dragging_beyond_the_window_scrolls_and_selects_on() -> None:
    async with stage() as on:
        on.engine.reply(PARAGRAPHS)
        await on.shows("paragraph 59")
        on.transcript.focus()
        await on.pilot.press("home")
        await on.shows("paragraph 0 ")
        await on.pilot.mouse_down(Transcript, offset=(2, 4))
        below = Offset(10, on.transcript.region.bottom + 1)
        await on.pilot.hover(offset=below)
        await until(on.pilot, lambda: "paragraph 25" in on.transcript.selected_text())
        await on.pilot.mouse_up(offset=below)
        assert not on.transcript.is_following


@pytest.mark.parametrize(
    ("outcome", "words"),
    [("declined", "stopped: you said no"), ("interrupted", "interrupted"), ("failed", "failed"), ("done", "12.3s")],
)
async def test_the_end_of_a_turn_says_how_it_ended(outcome: TurnOutcome, words: str) -> None:
    async with stage() as on:
        on.engine.end(outcome)
        await on.shows(words)


async def test_it_is_drawn_for_its_width_though_nothing_told_it_of_that() -> None:
    async with stage() as on:
        on.engine.reply("one two three " * 20)
        await on.shows("one two three")
        right, text = on.transcript._layout.width, on.text
        on.transcript._layout.resize(7)
        on.engine.reply("and more")
        await on.shows("and more")
        assert on.transcript._layout.width == right
        assert text.strip() in on.text
