"""Whatever tools return and people say, a shipped scenario has something to say, and says it with what it was told."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tui_agent.model.demo.scenario import Pace, ScriptedReply
from tui_agent.model.demo.scenario_file import find_scenario, list_scenarios
from tui_agent.model.demo.script import ScenarioScript
from tui_agent.model.demo.wire import SentBlock, reply_events

NAMES = [scenario.name for scenario in list_scenarios()]
REFUSED = "<tool_use_error>The user refused this, and nothing was done.</tool_use_error>"
STOPPED = "<tool_use_error>Cancelled (sibling_error): another tool use of the same reply failed.</tool_use_error>"
INTERRUPTED = "<tool_use_error>The user interrupted this.</tool_use_error>"
RESULTS = st.sampled_from([
    ("", False), ("(no output)", False), ("Ran 6 tests in 0.1s\n\nOK", False), ("unchanged since it was read", False),
    ("shop/refund.py:3:    return to_cents(paid)\nshop/cart.py:4:x", False), ("No files found", False),
    ("Exit code 1\nStderr:\nAssertionError: 1 != 2\nRan 6 tests\nFAILED (failures=3)", True), ("{{ cwd }}", False),
    (REFUSED, True), (STOPPED, True), (INTERRUPTED, True), ("<tool_use_error>refused, do instead:\nleave it", True),
])  # fmt: skip
WORDS = st.sampled_from(
    ["go on", "again", "run the tests", "look at the refunds", "no", "why?", "", "yes", "fix it", "skip"]
)


def sent(reply: ScriptedReply, values: dict[str, Any]) -> list[SentBlock]:
    """Return the blocks of a reply as they would go out; faults come before it and are none of the script's business."""
    usage = {"input_tokens": 1}
    frames = reply_events(reply, values, model="m", pace=Pace(), usage=usage)
    return [frame.ends for frame in frames if frame.ends is not None]


def as_message(blocks: list[SentBlock]) -> dict[str, Any]:
    content = [
        {"type": "tool_use", "id": block.tool_use_id, "name": block.name, "input": {}}
        if block.kind == "tool_use"
        else {"type": "text", "text": block.content}
        for block in blocks
    ]
    return {"role": "assistant", "content": content}


@pytest.mark.parametrize("name", [name for name in NAMES if name != "long"])
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_a_scenario_never_gets_stuck(name: str, data: st.DataObject) -> None:
    scenario = find_scenario(name)
    script = ScenarioScript(scenario, {"cwd": "/w"})
    messages: list[dict[str, Any]] = [{"role": "user", "content": scenario.prompt}]
    for _ in range(data.draw(st.integers(1, 9))):
        reply, values = script.next_reply(messages)
        blocks = sent(reply, values)
        assert blocks
        assert all(block.content.strip() or block.kind == "tool_use" for block in blocks)
        assert "{{" not in "".join(block.content for block in blocks if block.kind == "text").replace("{{ cwd }}", "")
        messages.append(as_message(blocks))
        content: list[dict[str, Any]] = []
        for use in (block for block in blocks if block.kind == "tool_use"):
            text, is_error = data.draw(RESULTS)
            content.append(
                {"type": "tool_result", "tool_use_id": use.tool_use_id, "content": text, "is_error": is_error}
            )
        words = data.draw(WORDS)
        if words or not content:
            content.append({"type": "text", "text": words or "hm"})
        messages.append({"role": "user", "content": content})


@pytest.mark.parametrize("name", NAMES)
def test_what_a_person_is_told_to_say_leads_on(name: str) -> None:
    scenario = find_scenario(name)
    script = ScenarioScript(scenario, {"cwd": "/w"})
    reply, _ = script.next_reply([{"role": "user", "content": scenario.prompt}])
    assert reply.name == scenario.replies[0].name or reply.name == "look"
    assert scenario.about


def test_exploring_asks_for_eight_things_at_once_and_goes_on_talking() -> None:
    look = find_scenario("explore").replies[0]
    kinds = [block.kind for block in look.blocks]
    assert kinds == ["thinking", "text", *["tool"] * 8, "text"]
    assert {block.tool for block in look.blocks if block.kind == "tool"} == {"LS", "Glob", "Grep", "Read"}
