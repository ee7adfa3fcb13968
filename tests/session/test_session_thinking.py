"""Thinking on and off while a session runs: in the requests, in the record, and in a session that is taken up again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from scripted_model import calls, reply, says
from session_front import Front, begin

from tui_agent.events import Notice, SessionStarted, ThinkingChanged

OFF = {"type": "disabled"}
MODEL = "claude-sonnet-5"


def asked_for(front: Front) -> list[Any]:
    """Return the kind of thinking that each request asked for."""
    return [(request.thinking or {}).get("type") for request in front.model.requests]


async def say(front: Front, text: str = "go on") -> None:
    front.session.submit(text)
    await front.session.wait_idle()


async def test_it_counts_from_the_next_message_on_and_is_told_once(place: Path, fronts: list[Front]) -> None:
    (place / "a.txt").write_text("a\n")
    read = calls(0, "Read", {"file_path": str(place / "a.txt")})
    script = reply(read, stop="tool_use")
    fronts.append(front := await begin(place, script, *[reply(says(0, "ok"))] * 3, model=MODEL))
    script.append(lambda: front.session.set_thinking(False))
    await say(front)
    assert asked_for(front) == ["adaptive", "adaptive"], "one reply with its tools is one turn to the API"
    await say(front)
    front.session.set_thinking(False)
    front.session.set_thinking(True)
    await say(front)
    assert asked_for(front)[2:] == ["disabled", "adaptive"]
    assert [event.is_on for event in front.of(ThinkingChanged)] == [False, True]


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("claude-opus-5-5", "claude-opus-5-5 always thinks: that cannot be switched off."),
        (
            "somebodys-model",
            "Whether somebodys-model supports thinking is unknown, so requests leave it out.",
        ),
    ],
)
async def test_a_model_that_cannot_be_told_not_to_think_goes_on_and_that_is_said(
    place: Path, fronts: list[Front], model: str, words: str
) -> None:
    fronts.append(front := await begin(place, reply(says(0, "ok")), model=model))
    front.session.set_thinking(False)
    assert front.session.is_thinking
    assert words in [notice.text for notice in front.of(Notice)]
    assert front.of(ThinkingChanged) == []


async def test_a_session_that_is_taken_up_again_thinks_as_it_was_left(place: Path, fronts: list[Front]) -> None:
    fronts.append(front := await begin(place, reply(says(0, "ok")), model=MODEL))
    await say(front)
    front.session.set_thinking(False)
    await front.session.close()
    fronts.append(again := await begin(place, reply(says(0, "ok")), resume=front.session.id))
    assert not again.session.is_thinking
    await say(again)
    assert asked_for(again) == ["disabled"]
    again.session.set_thinking(True)
    await again.session.close()
    fronts.append(once_more := await begin(place, reply(says(0, "ok")), resume=front.session.id))
    assert once_more.session.is_thinking
    assert [event.is_thinking for event in once_more.of(SessionStarted)] == [True, False, True]


@pytest.mark.parametrize(
    ("settings", "is_on"),
    [
        ({}, True),
        ({"thinking": "off"}, False),
        ({"alwaysThinkingEnabled": False}, False),
        ({"alwaysThinkingEnabled": True}, True),
        ({"alwaysThinkingEnabled": False, "thinking": "adaptive"}, True),
        ({"alwaysThinkingEnabled": True, "thinking": "off"}, False),
    ],
)
async def test_settings_say_how_a_session_begins_and_our_own_key_counts_before_the_other(
    place: Path, fronts: list[Front], settings: dict[str, Any], is_on: bool
) -> None:
    (place / ".claude").mkdir()
    (place / ".claude" / "settings.json").write_text(json.dumps(settings))
    fronts.append(front := await begin(place, model=MODEL))
    assert front.session.is_thinking is is_on
    assert front.of(SessionStarted)[0].is_thinking is is_on
