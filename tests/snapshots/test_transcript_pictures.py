"""What a user does in the conversation: searching it, selecting across blocks, reading further up while more comes in."""

from __future__ import annotations

from typing import Any

import pytest
from pictures import Album, Stage, settle, staged
from recording import Recording, fix_a_bug
from textual.pilot import Pilot

from tui_agent.ui.widgets.transcript import Transcript

SIZES = [(80, 24), (120, 40), (60, 20), (200, 60)]


async def until_found(app: Any, pilot: Pilot[Any], number: str) -> None:
    while number not in str(app.screen.query_one("#search-count").content):
        await pilot.pause(0.01)
    await settle(app, pilot)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_a_search_looks_as_it_did(size: tuple[int, int], album: Album) -> None:
    async with staged(Stage(fix_a_bug().events), size) as (app, pilot):
        await pilot.press("ctrl+f", *"round")
        await until_found(app, pilot, " of ")
        album.compare(app, f"search-{size[0]}x{size[1]}")
        await pilot.press("shift+enter", "shift+enter", "shift+enter")
        await pilot.pause()
        await settle(app, pilot)
        album.compare(app, f"search-before-{size[0]}x{size[1]}")
    album.verify()


async def test_a_search_that_finds_nothing_says_so(album: Album) -> None:
    async with staged(Stage(fix_a_bug().events), (80, 24)) as (app, pilot):
        await pilot.press("ctrl+f", *"nowhere")
        await until_found(app, pilot, "no match")
        album.compare(app, "search-nothing")
    album.verify()


@pytest.mark.parametrize("theme", ["tui-agent-light", "tui-agent-dark-ansi"])
async def test_matches_can_be_told_apart_in_other_colours(theme: str, album: Album) -> None:
    async with staged(Stage(fix_a_bug().events), (80, 24), theme) as (app, pilot):
        await pilot.press("ctrl+f", *"round")
        await until_found(app, pilot, " of ")
        album.compare(app, f"search-{theme}")
    album.verify()


async def test_text_selected_across_blocks_looks_as_it_did(album: Album) -> None:
    async with staged(Stage(fix_a_bug().events), (80, 24)) as (app, pilot):
        await pilot.mouse_down(Transcript, offset=(6, 3))
        await pilot.hover(Transcript, offset=(30, 17))
        await pilot.mouse_up(Transcript, offset=(30, 17))
        await settle(app, pilot)
        album.compare(app, "selected")
    album.verify()


async def test_what_came_below_is_told_while_one_reads_further_up(album: Album) -> None:
    log = fix_a_bug()
    stage = Stage(log.events)
    async with staged(stage, (80, 24)) as (app, pilot):
        app.screen.query_one(Transcript).action_page(-1)
        await settle(app, pilot)
        known = len(log.events)
        log.begin("And the invoices?", turn="t2")
        log.reply("a9")
        log.write("b9", "They round once, at the end.\n\nNothing to do there.")
        stage.play(log.events[known:])
        await settle(app, pilot)
        album.compare(app, "news")
    album.verify()


async def test_a_message_too_long_to_be_seen_at_once_is_folded(album: Album) -> None:
    log = Recording()
    log.begin(
        "Look at this log:\n"
        + "\n".join(f"12:00:{number:02} request {number} took {number} ms" for number in range(600))
    )
    async with staged(Stage(log.events), (80, 24)) as (app, pilot):
        await settle(app, pilot)
        album.compare(app, "long-message")
    album.verify()
