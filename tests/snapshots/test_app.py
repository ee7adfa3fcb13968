"""The main job on the whole screen, at its moments that matter, in terminals of all sizes."""

from __future__ import annotations

import pytest
from pictures import Album, Stage, settle, staged
from recording import CHANGE, Recording, fix_a_bug

from tui_agent.ui.dialogs.input_grace import InputGrace
from tui_agent.ui.themes import OWN

MOMENTS = ("asked", "tests", "review", "end")
SIZES = [(120, 40), (80, 24), (200, 60), (60, 20)]


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_fixing_a_bug_looks_as_it_did(size: tuple[int, int], album: Album) -> None:
    stage = Stage(Recording().events)
    stage.changes["q-u5"] = (CHANGE,)
    async with staged(stage, size) as (app, pilot):
        album.compare(app, f"empty-{size[0]}x{size[1]}")
        for moment in MOMENTS:
            stage.start_over(fix_a_bug(until=moment).events)
            await settle(app, pilot)
            album.compare(app, f"{moment}-{size[0]}x{size[1]}")
    album.verify()


@pytest.mark.parametrize("theme", [theme.name for theme in OWN if theme.name != "tui-agent-dark"])
async def test_fixing_a_bug_looks_as_it_did_in_other_colours(theme: str, album: Album) -> None:
    stage = Stage(Recording().events)
    stage.changes["q-u5"] = (CHANGE,)
    async with staged(stage, (120, 40), theme) as (app, pilot):
        for moment in MOMENTS:
            stage.start_over(fix_a_bug(until=moment).events)
            await settle(app, pilot)
            album.compare(app, f"{moment}-{theme}")
    album.verify()


async def test_the_panes_of_a_narrow_terminal_look_as_they_did(album: Album) -> None:
    async with staged(Stage(fix_a_bug(until="retest").events), (80, 24)) as (app, pilot):
        for key, name in (("f2", "tools"), ("f3", "diff")):
            await pilot.press(key)
            await settle(app, pilot)
            album.compare(app, f"narrow-{name}")
    album.verify()


@pytest.mark.parametrize("size", [(40, 10), (20, 5)], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_a_question_can_be_read_and_answered_in_the_smallest_terminal(
    size: tuple[int, int], album: Album, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(InputGrace, "is_open", True)
    async with staged(Stage(fix_a_bug(until="asked").events), size) as (app, pilot):
        for key, name in (("", "asked"), ("down", "always"), ("4", "words")):
            await pilot.press(*[key] if key else [])
            await settle(app, pilot)
            assert app.screen.query_one(".choice.-chosen").is_on_screen
            album.compare(app, f"{name}-{size[0]}x{size[1]}")
    stage = Stage(fix_a_bug(until="review").events)
    stage.changes["q-u5"] = (CHANGE,)
    async with staged(stage, size) as (app, _):
        album.compare(app, f"review-{size[0]}x{size[1]}")
    album.verify()


async def test_a_terminal_of_twenty_by_five_shows_what_it_can(album: Album) -> None:
    async with staged(Stage(fix_a_bug(until="tests").events), (20, 5)) as (app, _):
        album.compare(app, "tests-20x5")
    async with staged(Stage(fix_a_bug(until="tests").events), (16, 4)) as (app, _):
        album.compare(app, "too-small")
    album.verify()
