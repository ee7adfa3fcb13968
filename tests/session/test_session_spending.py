"""What a session may cost: the warning, the question at the limit, and what it counts."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from scripted_model import Script, calls, reply, says
from session_front import Front, begin

from tui_agent.engine.session.spending import dollars
from tui_agent.events import (
    FormAnswered,
    FormRequested,
    Notice,
    SpendingLimitChanged,
    TurnFinished,
    UsageReported,
    UserMessageSent,
)
from tui_agent.model.protocol import ReplyFinished, Usage
from tui_agent.settings.load import load_settings
from tui_agent.tools.services import AskError

CENTS = 0.02  # what one reply of `costly` costs: 10,000 tokens of input at 2 dollars the million
MODEL = "claude-sonnet-5-5"


def costly(*parts: Any, stop: str = "end_turn") -> Script:
    script = reply(*parts, stop=stop)
    script[-1] = ReplyFinished(stop, Usage(10_000, 0))
    return script


def reads(place: Path) -> Script:
    (place / "note.txt").write_text("a note")
    return costly(calls(0, "Read", {"file_path": str(place / "note.txt")}), stop="tool_use")


def limit(usd: float, **more: Any) -> str:
    return json.dumps({"spendingLimitUsd": usd, **more})


def warnings(front: Front) -> list[str]:
    return [event.text for event in front.of(Notice) if event.level == "warning"]


async def test_a_warning_comes_once_at_the_share(place: Path, fronts: list[Front]) -> None:
    scripts = [costly(says(0, "one")) for _ in range(3)]
    fronts.append(front := await begin(place, *scripts, model=MODEL, settings=limit(0.1, spendingWarnAt=0.4)))
    for text in ("a", "b", "c"):
        front.session.submit(text)
        await front.session.wait_idle()
    assert warnings(front) == ["This session has cost $0.04 of its limit of $0.10."]
    assert not front.of(FormRequested)


async def test_at_the_limit_the_turn_waits_for_the_person_and_goes_on_as_far_as_they_say(
    place: Path, fronts: list[Front]
) -> None:
    scripts = [reads(place), costly(says(0, "two")), costly(says(0, "three"))]
    fronts.append(front := await begin(place, *scripts, model=MODEL, settings=limit(CENTS)))
    front.session.submit("read it")
    (asked,) = await front.until(FormRequested)
    assert "$0.02 of $0.02" in asked.form["about"]
    assert len(front.model.requests) == 1, "nothing is sent before the answer"
    labels = [option["label"] for option in asked.form["fields"][0]["options"]]
    assert labels == ["Go on, up to $0.0040 more", "Go on, up to $0.02 more", "Go on without a limit", "Stop here"]
    assert front.session.answer_form(asked.request_id, {"go_on": labels[1]})
    await front.session.wait_idle()
    assert [event.outcome for event in front.of(TurnFinished)] == ["done"]
    assert [event.limit_usd for event in front.of(SpendingLimitChanged)] == [CENTS, pytest.approx(2 * CENTS)]
    front.session.submit("more")
    (_, again) = await front.until(FormRequested, 2)
    front.session.answer_form(again.request_id, {"go_on": "Go on without a limit"})
    await front.session.wait_idle()
    assert front.of(SpendingLimitChanged)[-1].limit_usd is None


@pytest.mark.parametrize("answers", [{"go_on": "Stop here"}, None])
async def test_who_stops_there_can_raise_the_limit_and_go_on(place: Path, fronts: list[Front], answers: Any) -> None:
    scripts = [reads(place), costly(says(0, "two")), costly(says(0, "three"))]
    fronts.append(front := await begin(place, *scripts, model=MODEL, settings=limit(CENTS)))
    front.session.submit("read it")
    (asked,) = await front.until(FormRequested)
    front.session.submit("and this waits")
    front.session.answer_form(asked.request_id, answers)
    (ended,) = await front.until(TurnFinished)
    await front.session.wait_idle()
    assert ended.outcome == "spending_limit"
    assert "/cost limit" in ended.detail
    assert [event.text for event in front.of(UserMessageSent)] == ["read it"], "what waits goes on waiting"
    front.session.set_spending_limit(1.0)
    front.session.submit("go on")
    await front.session.wait_idle()
    assert [event.outcome for event in front.of(TurnFinished)] == ["spending_limit", "done"]
    assert "a note" in str(front.model.requests[1].messages), "the result that was there is sent"


async def test_an_interrupt_withdraws_the_question(place: Path, fronts: list[Front]) -> None:
    fronts.append(front := await begin(place, reads(place), model=MODEL, settings=limit(CENTS)))
    front.session.submit("read it")
    await front.until(FormRequested)
    front.session.interrupt()
    await front.session.wait_idle()
    (answered,) = front.of(FormAnswered)
    assert answered.by == "interrupt"
    assert [event.outcome for event in front.of(TurnFinished)] == ["interrupted"]


async def test_without_a_person_the_turn_ends_at_the_limit(place: Path, fronts: list[Front]) -> None:
    options = {"model": MODEL, "max_budget_usd": CENTS, "is_attended": False}
    fronts.append(front := await begin(place, reads(place), **options))
    front.session.submit("read it")
    await front.session.wait_idle()
    (ended,) = front.of(TurnFinished)
    assert (ended.outcome, ended.detail) == (
        "spending_limit",
        "The spending limit is reached: this session has cost $0.02 of $0.02.",
    )
    assert not front.of(FormRequested)


async def test_a_session_that_goes_on_counts_what_was_spent_and_keeps_the_limit(
    place: Path, fronts: list[Front]
) -> None:
    first = await begin(place, costly(says(0, "one")), model=MODEL)
    first.session.set_spending_limit(CENTS)
    first.session.submit("hello")
    await first.session.wait_idle()
    await first.session.close()
    fronts.append(front := await begin(place, is_continued=True))
    front.session.submit("on")
    (asked,) = await front.until(FormRequested)
    assert "$0.02 of $0.02" in asked.form["about"]
    front.session.answer_form(asked.request_id, None)
    await front.until(TurnFinished, 2)


async def test_a_model_without_a_price_is_told_once(place: Path, fronts: list[Front]) -> None:
    scripts = [costly(says(0, "one")), costly(says(0, "two"))]
    fronts.append(front := await begin(place, *scripts, model="local-7b", settings=limit(CENTS)))
    for text in ("a", "b"):
        front.session.submit(text)
        await front.session.wait_idle()
    assert warnings(front) == ["The spending limit cannot be held with local-7b: its price is not known."]
    assert [event.outcome for event in front.of(TurnFinished)] == ["done", "done"]


async def test_nobody_goes_beyond_the_limit_of_a_policy(
    place: Path, fronts: list[Front], monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = place.parent / "policy"
    policy.mkdir()
    (policy / "settings.json").write_text(limit(CENTS))
    load = partial(load_settings, policy_dir=policy)
    monkeypatch.setattr("tui_agent.engine.session.config.load_settings", load)
    fronts.append(front := await begin(place, costly(says(0, "one")), model=MODEL))
    front.session.set_spending_limit(5.0)
    assert warnings(front) == ["The policy of this machine limits a session to $0.02."]
    front.session.submit("a")
    await front.session.wait_idle()
    front.session.submit("b")
    await front.session.wait_idle()
    assert [event.outcome for event in front.of(TurnFinished)] == ["done", "spending_limit"]


async def test_small_questions_beside_the_conversation_are_not_asked_at_the_limit(
    place: Path, fronts: list[Front]
) -> None:
    fronts.append(front := await begin(place, costly(says(0, "one")), model=MODEL, settings=limit(CENTS)))
    front.session.submit("a")
    await front.session.wait_idle()
    ask = front.session.runtime.services.ask_model
    assert ask is not None
    with pytest.raises(AskError, match="spending limit"):
        await ask("what is it?")
    assert len(front.of(UsageReported)) == 1


@pytest.mark.parametrize(
    ("usd", "shown"),
    [
        (0, "$0.00"), (0.0004, "$0.0004"), (0.01, "$0.01"), (0.018, "$0.0180"), (0.0181, "$0.0181"), (0.05, "$0.05"),
        (0.1234, "$0.12"), (5, "$5.00"),
    ],
)  # fmt: skip
def test_little_money_has_digits_enough_to_be_told_apart(usd: float, shown: str) -> None:
    assert dollars(usd) == shown
