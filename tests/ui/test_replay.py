"""Recorded sessions in the app: the same events give the same screen, and nothing they ask for happens."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from recording import fix_a_bug

from tui_agent import events as ev
from tui_agent.commands import Start
from tui_agent.event_json import to_json
from tui_agent.events import Event
from tui_agent.journal.load import JournalError
from tui_agent.queries import IdleQuery
from tui_agent.ui.replay import Player, draw_svg, load, replay_app

EVENTS = tuple(fix_a_bug().events)
MERGED = ev.TextDelta | ev.ThinkingDelta | ev.ToolProgressed  # while they wait, a bus joins these


def written(path: Path, events: tuple[Event, ...] = EVENTS, tail: str = "") -> Path:
    path.write_text("".join(json.dumps(to_json(event)) + "\n" for event in events) + tail, encoding="utf-8")
    return path


async def test_the_same_recording_gives_the_same_picture(tmp_path: Path) -> None:
    first = await draw_svg(load(written(tmp_path / "a.jsonl")), (80, 24))
    assert "Fixed:" in first
    assert await draw_svg(Player(EVENTS), (80, 24)) == first


async def test_a_torn_last_line_is_left_out_and_told(tmp_path: Path) -> None:
    torn = load(written(tmp_path / "a.jsonl", tail='{"v":1,"type":"not'))
    assert len(torn.playback.timeline) == len(EVENTS) + 1
    app = replay_app(torn)
    async with app.run_test(size=(100, 24)) as pilot:
        while app.engine is None or app.is_behind:
            await pilot.pause()
        (told,) = [block.text for block in app.projection.blocks if "a.jsonl:" in block.text]
    assert "still being written" in told


async def test_a_damaged_line_is_told_in_the_conversation(tmp_path: Path) -> None:
    path = written(tmp_path / "a.jsonl", EVENTS[:3], tail="garbage\n")
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(to_json(event)) + "\n" for event in EVENTS[3:6])
    app = replay_app(load(path))
    async with app.run_test(size=(100, 24)) as pilot:
        while app.engine is None or app.is_behind:
            await pilot.pause()
        assert any("a.jsonl:4" in block.text for block in app.projection.blocks)


@pytest.mark.parametrize("content", [None, "", "garbage\n", '{"type":"nothing"}\n'])
def test_a_file_that_is_no_journal_is_refused_with_its_name(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "bad.jsonl"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(JournalError, match=r"bad\.jsonl"):
        load(path)


async def test_a_paced_replay_gives_every_event_in_order_on_the_recorded_clock() -> None:
    player = Player(EVENTS, speed=10_000)
    subscription = player.subscribe("test")
    player.send(Start())
    await asyncio.wait_for(player.query(IdleQuery()), 20)
    kept = [event for event in EVENTS if not isinstance(event, MERGED)]
    assert [event for event in subscription.take() if not isinstance(event, MERGED)] == kept
    assert player.now_ms() == EVENTS[-1].monotonic_ms


async def test_a_recorded_question_can_be_read_and_answering_it_changes_nothing() -> None:
    player = Player(fix_a_bug(until="asked").events)
    app = replay_app(player)
    async with app.run_test(size=(100, 30)) as pilot:
        while app.engine is None or app.is_behind:
            await pilot.pause()
        await pilot.pause()
        assert app.screen.is_modal
        assert len(app.projection.requests) == 1


async def test_what_is_typed_into_a_replay_is_answered_with_a_notice() -> None:
    player = Player(EVENTS)
    app = replay_app(player)
    async with app.run_test(size=(100, 30)) as pilot:
        while app.engine is None or app.is_behind:
            await pilot.pause()
        await pilot.press("h", "i", "enter")
        while app.is_behind:
            await pilot.pause()
        await pilot.pause()
        assert any("recording" in block.text for block in app.projection.blocks)


async def test_a_picture_loads_nothing_from_anywhere(tmp_path: Path) -> None:
    drawn = await draw_svg(Player(EVENTS), (80, 24))
    root = ElementTree.fromstring(drawn)
    names = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert names <= {"svg", "style", "defs", "clipPath", "rect", "g", "circle", "text", "path", "tspan"}
    assert {name.rpartition("}")[2] for element in root.iter() for name in element.attrib} & {
        "href",
        "src",
        "style",
    } <= {"style"}
    styles = " ".join(element.text or "" for element in root.iter() if element.tag.endswith("style"))
    styles += " ".join(element.get("style", "") for element in root.iter())
    assert "@import" not in styles
    assert re.findall(r"url\((?!#)[^)]*\)", drawn) == []
    assert "@font-face" in styles, "the font that is there is still named"
