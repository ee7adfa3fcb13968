"""A request's body says what the request says, whatever is in it."""

from __future__ import annotations

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
    body = json.loads(request_body(request(messages=messages, tools=tools, thinking=thinking)))
    wanted: dict[str, Any] = {"model": "m", "max_tokens": 1, "stream": True, "messages": messages}
    if tools:
        wanted["tools"] = tools
    if thinking is not None:
        wanted["thinking"] = thinking
    assert body == wanted


def test_what_is_no_text_is_sent_as_a_question_mark() -> None:
    body = request_body(request(messages=[{"role": "user", "content": "caf\udce9 ü"}], system=[{"text": "\ud800"}]))
    assert json.loads(body)["messages"][0]["content"] == "caf? ü"
    assert json.loads(body)["system"] == [{"text": "?"}]


@pytest.mark.parametrize("number", [math.nan, math.inf])
def test_a_number_that_json_does_not_know_is_refused(number: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        request_body(request(messages=[{"input": {"n": number}}]))
