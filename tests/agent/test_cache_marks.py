from __future__ import annotations

import copy
import json
from typing import Any

from tui_agent.agent.cache_marks import MAX_MARKS, mark
from tui_agent.model.protocol import ModelRequest


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def request(messages: list[dict[str, Any]], tools: int = 3) -> ModelRequest:
    return ModelRequest(
        model="m",
        system=[text("general"), text("here")],
        messages=messages,
        tools=[{"name": f"T{number}", "description": "d", "input_schema": {}} for number in range(tools)],
        max_tokens=1,
    )


USER = {"role": "user", "content": [text("context"), text("hello")]}
REPLY = {"role": "assistant", "content": [text("hi"), {"type": "tool_use", "id": "t", "name": "T0", "input": {}}]}
RESULT = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "x"}]}


def marks(value: object) -> int:
    return json.dumps(value).count("cache_control")


def unmarked(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: unmarked(item) for key, item in value.items() if key != "cache_control"}
    return [unmarked(item) for item in value] if isinstance(value, list) else value


def test_marks_stand_on_the_last_tool_the_systems_end_and_the_last_two_user_messages() -> None:
    marked = mark(request([USER, REPLY, RESULT]))
    assert ["cache_control" in tool for tool in marked.tools] == [False, False, True]
    assert ["cache_control" in block for block in marked.system] == [False, True]
    assert "cache_control" in marked.messages[0]["content"][-1]
    assert "cache_control" in marked.messages[2]["content"][-1]
    assert marks([marked.tools, marked.system, marked.messages]) == MAX_MARKS == 4


def test_a_long_conversation_has_no_more_marks() -> None:
    marked = mark(request([USER, REPLY, RESULT] + [REPLY, RESULT] * 20))
    assert marks([marked.tools, marked.system, marked.messages]) == MAX_MARKS
    assert marks(marked.messages[:-3]) == 0


def test_tools_added_behind_the_built_in_ones_leave_the_bytes_up_to_the_mark_as_they_were() -> None:
    before = json.dumps(mark(request([USER]), builtin_tools=3).tools)
    after = json.dumps(mark(request([USER], tools=5), builtin_tools=3).tools)
    assert after.startswith(before.removesuffix("]"))


def test_apart_from_the_marks_a_request_only_grows_at_its_end() -> None:
    first = mark(request([USER]))
    second = mark(request([USER, REPLY, RESULT]))
    assert unmarked(second.messages)[:1] == unmarked(first.messages)
    assert (second.system, second.tools) == (first.system, first.tools)


def test_what_was_given_is_not_changed() -> None:
    given = request([USER, REPLY, RESULT])
    before = copy.deepcopy(given)
    mark(given)
    assert given == before


def test_thinking_and_empty_texts_are_passed_over_and_plain_strings_become_blocks() -> None:
    odd = {"role": "user", "content": [text("words"), text("")]}
    marked = mark(request([{"role": "user", "content": "plain"}, REPLY, odd]))
    assert marked.messages[0]["content"] == [{**text("plain"), "cache_control": {"type": "ephemeral"}}]
    assert "cache_control" in marked.messages[2]["content"][0]


def test_a_request_with_nothing_to_mark_stays_as_it_is() -> None:
    bare = ModelRequest(model="m", system=[], messages=[], tools=[], max_tokens=1)
    assert mark(bare) == bare
