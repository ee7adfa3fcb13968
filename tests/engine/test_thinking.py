"""When a wish for thinking, or for none, counts: from the next message on, and with a budget only where the API takes it."""

from __future__ import annotations

from typing import Any

import pytest

from tui_agent.engine.session.thinking import Thinking
from tui_agent.model.prices import ModelTable

ADAPTIVE, BUDGET = "claude-sonnet-5", "claude-haiku-4-5"


def said(text: str = "go") -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "text", "text": text}]}


def replied(*kinds: str) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": kind} for kind in kinds]}


def answered(*more: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": kind} for kind in ("tool_result", *more)]}


def kind(thinking: Thinking, model: str, *messages: dict[str, Any]) -> str | None:
    found = thinking.defaults(model, messages, None).thinking
    return None if found is None else str(found["type"])


def test_between_two_steps_of_the_same_work_thinking_stays_as_it_was() -> None:
    thinking = Thinking(ModelTable.builtin(), is_on=True)
    start = [said(), replied("thinking", "tool_use")]
    assert kind(thinking, ADAPTIVE, said()) == "adaptive"
    thinking.is_on = False
    assert kind(thinking, ADAPTIVE, *start, answered()) == "adaptive"
    assert kind(thinking, ADAPTIVE, *start, answered("text")) == "disabled"  # the person wrote meanwhile
    assert kind(thinking, ADAPTIVE, *start, answered("text"), replied("tool_use"), answered()) == "disabled"
    thinking.is_on = True
    assert kind(thinking, ADAPTIVE, *start, answered("text"), replied("tool_use"), answered()) == "disabled"
    assert kind(thinking, ADAPTIVE, *start, answered("text"), replied("text"), said()) == "adaptive"


def test_what_the_program_adds_to_results_is_no_message_from_which_on_a_wish_counts() -> None:
    thinking = Thinking(ModelTable.builtin(), is_on=True)
    start = [said(), replied("thinking", "tool_use")]
    assert kind(thinking, ADAPTIVE, said()) == "adaptive"
    thinking.is_on = False
    results = answered()
    results["content"].append(
        {"type": "text", "text": "<system-reminder>\nThe mode is another one.\n</system-reminder>"}
    )
    assert kind(thinking, ADAPTIVE, *start, results) == "adaptive"
    results["content"].append({"type": "text", "text": "and now this"})
    assert kind(thinking, ADAPTIVE, *start, results) == "disabled"


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([said()], "enabled"),
        ([said(), replied("text"), said()], "enabled"),
        ([said(), replied("thinking", "tool_use"), answered(), replied("tool_use"), answered()], "enabled"),
        ([said(), replied("redacted_thinking", "tool_use"), answered("text")], "enabled"),
        ([said(), replied("text", "tool_use"), answered("text")], None),  # it was interrupted, and the person goes on
        ([said(), replied("tool_use"), answered(), replied("tool_use"), answered("text")], None),
        ([{"role": "user", "content": "go"}, replied("tool_use"), answered("text")], None),
    ],
)
def test_with_a_budget_a_reply_that_goes_on_thinks_only_if_it_began_so(messages: list[Any], expected: Any) -> None:
    assert kind(Thinking(ModelTable.builtin(), is_on=True), BUDGET, *messages) == expected
