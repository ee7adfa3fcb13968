"""The turn where results or the conversation are too much for the model: what is shortened, and what stays in the record."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from scripted_model import reply, says, uses
from turn_stage import FULL, Stage, check, results_in, with_old_results

from tui_agent.events import Notice, RetryScheduled, ToolResultReady, ToolResultShrunk, TurnFailed
from tui_agent.model.protocol import ModelError


async def test_results_of_one_reply_are_cut_together_before_the_next_request(tmp_path: Path) -> None:
    many = [uses(index, f"big {30_000 - index}") for index in range(10)]
    stage = Stage(tmp_path, reply(*many, stop="tool_use"), reply(says(0, "I see")))
    assert await stage.turn.run() == "done"
    sent = results_in(stage.model.requests[1])
    assert sum(map(len, sent.values())) <= 200_000
    shrunk = stage.of(ToolResultShrunk)
    assert [event.tool_use_id for event in shrunk] == [f"toolu_{index}" for index in range(4)]
    assert {event.reason for event in shrunk} == {"reply_limit"}
    assert all(sent[event.tool_use_id] == event.content for event in shrunk)
    path = re.search(r"the whole text is in (.+?)\] …", sent["toolu_0"])
    assert path
    assert Path(path[1]).read_text() == "noted big 30000".ljust(30_000, ".")
    whole = [event.content for event in stage.of(ToolResultReady)]
    assert max(map(len, whole)) == 30_000, "the record keeps them as they were"
    check(stage)


@pytest.mark.parametrize("kind", ["context_overflow", "too_large"])
async def test_a_context_that_is_full_is_met_by_shortening_the_largest_old_results(tmp_path: Path, kind: str) -> None:
    stage = with_old_results(tmp_path, [ModelError(kind, "Too much.", status=400)], reply(says(0, "here")))
    assert await stage.turn.run() == "done"
    first, second = map(results_in, stage.model.requests)
    assert (second["old1"], second["old2"]) == (first["old1"], first["old2"])
    assert second["old0"].startswith('[The result of Note({"note": "0"}) was here: 25,000 characters')
    path = re.search(r"The whole text is in (.+?); read", second["old0"])
    assert path
    assert Path(path[1]).read_text() == "0" * 25_000
    (shrunk,) = stage.of(ToolResultShrunk)
    assert (shrunk.tool_use_id, shrunk.reason, shrunk.content) == ("old0", "context", second["old0"])
    assert "One older tool result was shortened" in stage.of(Notice)[0].text
    assert not stage.of(RetryScheduled)
    check(stage)


async def test_more_is_given_up_each_time_until_nothing_is_left_and_then_it_is_said(tmp_path: Path) -> None:
    stage = with_old_results(tmp_path, *([FULL] for _ in range(9)))
    assert await stage.turn.run() == "failed"
    sizes = [sum(map(len, results_in(request).values())) for request in stage.model.requests]
    assert len(sizes) <= 4
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] < 2_000, "at last all of them were shortened"
    (failed,) = stage.of(TurnFailed)
    assert "/clear" in failed.hint
    check(stage)


async def test_with_nothing_to_shorten_a_full_context_fails_at_once(tmp_path: Path) -> None:
    stage = Stage(tmp_path, [FULL])
    assert await stage.turn.run() == "failed"
    assert len(stage.model.requests) == 1
    check(stage)


async def test_what_the_model_has_not_seen_yet_is_not_shortened(tmp_path: Path) -> None:
    stage = with_old_results(
        tmp_path, reply(uses(0, "big 29000"), stop="tool_use"), [FULL], [FULL], [FULL], reply(says(0, "here"))
    )
    assert await stage.turn.run() == "done"
    assert len(results_in(stage.model.requests[-1])["toolu_0"]) == 29_000
    assert len(stage.of(ToolResultShrunk)) == 3
    check(stage)


async def test_a_reply_that_the_full_context_cut_off_is_gone_on_with(tmp_path: Path) -> None:
    cut = reply(says(0, "The answer is"), stop="model_context_window_exceeded")
    stage = with_old_results(tmp_path, cut, reply(says(0, "42.")))
    assert await stage.turn.run() == "done"
    last = stage.model.requests[1].messages[-2:]
    assert last[0]["content"][-1] == {"type": "text", "text": "The answer is"}
    assert "Continue exactly where you stopped" in last[1]["content"][0]["text"]
    assert len(stage.of(ToolResultShrunk)) == 1
    check(stage)


async def test_a_cut_off_reply_with_tool_uses_runs_them_and_makes_room(tmp_path: Path) -> None:
    cut = reply(uses(0, "a"), stop="model_context_window_exceeded")
    stage = with_old_results(tmp_path, cut, reply(says(0, "done")))
    assert await stage.turn.run() == "done"
    assert stage.tool.ran == ["a"]
    assert results_in(stage.model.requests[1])["toolu_0"] == "noted a"
    assert len(stage.of(ToolResultShrunk)) == 1
    check(stage)


async def test_pictures_in_old_results_make_room_too(tmp_path: Path) -> None:
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A" * 1_000}}
    old = [("x" * 1_000, [picture, picture])]
    stage = with_old_results(tmp_path, [FULL], reply(says(0, "here")), old=old)
    assert await stage.turn.run() == "done"
    text = results_in(stage.model.requests[1])["old0"]
    assert "2 images or documents" in text
    assert len(text) < 600
    check(stage)


async def test_what_lies_on_disk_already_is_named_and_not_stored_again(tmp_path: Path) -> None:
    stage = with_old_results(tmp_path, [FULL], reply(says(0, "here")), kept_in="/kept/before.txt")
    assert await stage.turn.run() == "done"
    assert "The whole text is in /kept/before.txt; read" in results_in(stage.model.requests[1])["old0"]
    assert not (tmp_path / "results").exists()
    check(stage)


async def test_a_full_disk_costs_the_path_of_what_was_shortened_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "results").write_text("a file where the folder should be")
    stage = with_old_results(tmp_path, [FULL], reply(says(0, "here")))
    assert await stage.turn.run() == "done"
    assert results_in(stage.model.requests[1])["old0"].endswith(
        "left out to save space. Call the tool again if you need it.]"
    )
    assert "could not be stored" in stage.of(Notice)[0].text
    check(stage)
