"""A request's body says what the request says, whatever is in it."""

from __future__ import annotations

import asyncio
import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_agent.model.protocol import ModelRequest
from tui_agent.model.request_body import request_body

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(max_size=5), JSON, max_size=3)


def request(**changes: Any) -> ModelRequest:
    values: dict[str, Any] = {"model": "m", "system": [], "messages": [], "tools": [], "max_tokens": 1}
    return ModelRequest(**{**values, **changes})


@given(st.lists(OBJECTS, max_size=4), st.lists(OBJECTS, max_size=2), st.none() | OBJECTS)
def test_what_is_sent_is_what_was_asked_for(
    messages: list[dict[str, Any]], tools: list[dict[str, Any]], thinking: dict[str, Any] | None
) -> None:
    body = json.loads(asyncio.run(request_body(request(messages=messages, tools=tools, thinking=thinking))))
    wanted: dict[str, Any] = {"model": "m", "max_tokens": 1, "stream": True, "messages": messages}
    if tools:
        wanted["tools"] = tools
    if thinking is not None:
        wanted["thinking"] = thinking
    assert body == wanted


async def test_what_is_no_text_is_sent_as_a_question_mark() -> None:
    body = await request_body(
        request(messages=[{"role": "user", "content": "caf\udce9 ü"}], system=[{"text": "\ud800"}])
    )
    assert json.loads(body)["messages"][0]["content"] == "caf? ü"
    assert json.loads(body)["system"] == [{"text": "?"}]


@pytest.mark.parametrize("number", [math.nan, math.inf])
async def test_a_number_that_json_does_not_know_is_refused(number: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        await request_body(request(messages=[{"input": {"n": number}}]))


async def test_others_have_their_turn_while_a_long_conversation_is_written() -> None:
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    counting = asyncio.create_task(count())
    await request_body(request(messages=[{"role": "user", "content": "text " * 500}] * 10))
    few = turns
    await request_body(request(messages=[{"role": "user", "content": "text " * 500}] * 10_000))
    counting.cancel()
    assert turns - few > 3
