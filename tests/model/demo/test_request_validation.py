"""The embedded server refuses what the real API refuses, so that a conversation that passes here is valid there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from conversation_client import HEADERS, Got, assistant, post, request_of, result_of, scenario_of, serve, user

from tui_agent.model.demo.demo import start_demo
from tui_agent.model.demo.request_validation import signature
from tui_agent.model.demo.thread import ServerThread, start_in_thread

MARK = {"type": "ephemeral"}
USE = {"type": "tool_use", "id": "toolu_a_1", "name": "Bash", "input": {"command": "true"}}
OTHER = {**USE, "id": "toolu_b_2"}
TOOL = {"name": "Bash", "description": "run", "input_schema": {"type": "object", "properties": {"command": {}}}}
THOUGHT = {"type": "thinking", "thinking": "hm", "signature": signature("hm")}


@pytest.fixture(scope="module")
def server() -> Iterator[ServerThread]:
    running = serve({"block": [{"text": "fine"}]})
    yield running
    running.stop()


def refusal_of(server: ServerThread, body: Any) -> str:
    got = post(server.base_url, body)
    assert (got.status, got.error["type"]) == (400, "invalid_request_error")
    return got.message


def test_a_valid_request_is_answered(server: ServerThread) -> None:
    body = request_of(
        user("go"),
        assistant(THOUGHT, "I run", USE, OTHER),
        user(result_of(USE, "ok"), result_of(OTHER, "no", is_error=True), "and then?"),
        tools=[{**TOOL, "cache_control": MARK}],
        system=[{"type": "text", "text": "be good", "cache_control": MARK}],
        thinking={"type": "enabled", "budget_tokens": 2000},
    )
    assert post(server.base_url, body).text == "fine"


CONVERSATIONS = {
    "no message": ([], "at least one message"),
    "the assistant begins": ([assistant("hi"), user("go")], 'first message must use the "user" role'),
    "two user messages in a row": ([user("a"), user("b")], "roles must alternate"),
    "the assistant has the last word": ([user("a"), assistant("b")], "prefill"),
    "an unanswered tool use": ([user("a"), assistant(USE), user("b")], r"without `tool_result`.*toolu_a_1"),
    "one of two unanswered": ([user("a"), assistant(USE, OTHER), user(result_of(USE, "x"))], "toolu_b_2"),
    "a tool use at the end": ([user("a"), assistant(USE)], "without `tool_result`"),
    "a result of nothing": ([user(result_of(USE, "x"))], "unexpected `tool_use_id`"),
    "a result that comes late": (
        [user("a"), assistant(USE), user(result_of(USE, "x")), assistant("b"), user(result_of(USE, "x"))],
        "unexpected `tool_use_id`",
    ),
    "two results of one use": (
        [user("a"), assistant(USE), user(result_of(USE, "x"), result_of(USE, "y"))],
        "single result",
    ),
    "text before a result": ([user("a"), assistant(USE), user("b", result_of(USE, "x"))], "must come before"),
    "one id twice": ([user("a"), assistant(USE, USE), user(result_of(USE, "x"))], "must be unique"),
    "empty content": ([user()], "non-empty content"),
    "blank text": ([user("  \n")], "non-whitespace"),
    "thinking without a signature": (
        [user("a"), assistant({"type": "thinking", "thinking": "hm"}, "b"), user("c")],
        "signature: Field required",
    ),
    "thinking with another text's signature": (
        [user("a"), assistant({**THOUGHT, "thinking": "hm!"}, "b"), user("c")],
        "Invalid `signature`",
    ),
    "a tool use of the user": ([user(USE)], "does not match any of the expected tags"),
    "an unknown field in a block": ([user({"type": "text", "text": "a", "style": "bold"})], "style: Extra inputs"),
    "an unknown field in a tool use": (
        [user("a"), assistant({**USE, "caller": "me"}), user(result_of(USE, "x"))],
        "caller: Extra inputs",
    ),
    "an image in an error": (
        [
            user("a"),
            assistant(USE),
            user({**result_of(USE, "", is_error=True), "content": [{"type": "image", "source": {}}]}),
        ],
        "must be type `text`",
    ),
    "a cache mark on thinking": (
        [user("a"), assistant({**THOUGHT, "cache_control": MARK}, "b"), user("c")],
        "cache_control",
    ),
    "five cache marks": (
        [user(*({"type": "text", "text": str(n), "cache_control": MARK} for n in range(5)))],
        "maximum of 4 blocks with cache_control.*Found 5",
    ),
}


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_a_conversation_is_refused_with(server: ServerThread, name: str) -> None:
    messages, complaint = CONVERSATIONS[name]
    message = refusal_of(server, request_of(*messages))
    assert re.search(complaint, message), message


def changed(**changes: Any) -> dict[str, Any]:
    body = {**request_of(user("a")), **changes}
    return {key: value for key, value in body.items() if value is not None}


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        (changed(max_tokens=None), "max_tokens: Field required"),
        (changed(max_tokens=0), "greater than or equal to 1"),
        (changed(model=None), "model: Field required"),
        (changed(stream=False), "streamed requests only"),
        (changed(colour="red"), "colour: Extra inputs"),
        (changed(thinking={"type": "enabled", "budget_tokens": 500}), "greater than or equal to 1024"),
        (changed(thinking={"type": "enabled", "budget_tokens": 4000}), "must be greater than"),
        (changed(thinking={"type": "deep"}), "thinking"),
        (changed(tools=[TOOL, TOOL]), "must be unique"),
        (changed(tools=[{**TOOL, "name": "do it"}]), "should match pattern"),
        (changed(tools=[{**TOOL, "input_schema": {"type": "string"}}]), "type: Input should be 'object'"),
        (changed(tools=[{"name": "Bash"}]), "input_schema: Field required"),
        (changed(tools=[{**TOOL, "view": "x"}]), "view: Extra inputs"),
        (
            changed(tools=[{**TOOL, "input_schema": {"type": "object", "properties": {"a b": {}}}}]),
            "Property keys should match",
        ),
        (
            changed(tools=[{**TOOL, "input_schema": {"type": "object", "anyOf": [{"required": ["x"]}]}}]),
            "does not support oneOf, allOf, or anyOf at the top level",
        ),
        (
            changed(tools=[{**TOOL, "input_schema": {"type": "object", "properties": {}, "required": ["x"]}}]),
            "'x' is not among",
        ),
        (
            changed(tools=[{**TOOL, "input_schema": {"type": "object", "properties": {"a": {"$ref": "#/$defs/B"}}}}]),
            "cannot resolve",
        ),
        (changed(system=[{"type": "text", "text": ""}]), "non-whitespace"),
        (b"{not json", "not valid JSON"),
        (b"[]", "not a JSON object"),
    ],
)
def test_a_request_is_refused_that_lacks_or_misuses_a_field(server: ServerThread, body: Any, complaint: str) -> None:
    assert complaint.lower() in refusal_of(server, body).lower()


def without(name: str) -> dict[str, str]:
    return {key: value for key, value in HEADERS.items() if key != name}


def test_a_request_without_a_key_is_not_authenticated(server: ServerThread) -> None:
    got = post(server.base_url, request_of(user("a")), without("x-api-key"))
    assert (got.status, got.error["type"]) == (401, "authentication_error")


def test_a_bearer_token_is_as_good_as_a_key(server: ServerThread) -> None:
    assert (
        post(server.base_url, request_of(user("a")), {**without("x-api-key"), "authorization": "Bearer t"}).status
        == 200
    )


def test_only_the_right_key_counts_where_there_is_one() -> None:
    running = start_in_thread(scenario_of({"block": [{"text": "fine"}]}), pace=0, api_key="right")
    try:
        wrong = post(running.base_url, request_of(user("a")))
        assert (wrong.status, wrong.message) == (401, "invalid x-api-key")
        assert post(running.base_url, request_of(user("a")), {**HEADERS, "x-api-key": "right"}).status == 200
    finally:
        running.stop()


def test_a_demo_takes_its_own_key_and_no_other() -> None:
    demos = [start_demo(pace=0), start_demo(pace=0)]
    try:
        first, second = demos
        assert first.api_key != second.api_key
        assert first.server.base_url.startswith("http://127.0.0.1:")
        for key, status in ((second.api_key, 401), ("demo", 401), ("é", 401), (first.api_key, 200)):
            got = post(first.server.base_url, request_of(user("a")), {**HEADERS, "x-api-key": key})
            assert got.status == status
    finally:
        for demo in demos:
            demo.close()


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:PORT", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.nip.io:PORT", ""]
)
def test_a_page_whose_name_leads_here_is_refused(server: ServerThread, host: str) -> None:
    port = server.base_url.rpartition(":")[2]
    got = post(server.base_url, request_of(user("a")), {**HEADERS, "host": host.replace("PORT", port)})
    assert got.status == 403
    assert post(server.base_url, request_of(user("a")), {**HEADERS, "host": f"localhost:{port}"}).status == 200


def test_the_version_header_is_required(server: ServerThread) -> None:
    got = post(server.base_url, request_of(user("a")), without("anthropic-version"))
    assert (got.status, got.message) == (400, "anthropic-version: header is required")


@pytest.mark.parametrize(("method", "path", "status"), [("POST", "/v1/complete", 404), ("GET", "/v1/messages", 405)])
def test_another_path_or_method_is_refused(server: ServerThread, method: str, path: str, status: int) -> None:
    assert post(server.base_url, request_of(user("a")), path=path, method=method).status == status


@pytest.mark.parametrize(
    ("thinking", "status"), [({"type": "enabled", "budget_tokens": 2000}, 400), ({"type": "adaptive"}, 200)]
)
def test_thinking_that_led_to_a_tool_use_must_come_back_with_it(thinking: dict[str, Any], status: int) -> None:
    running = serve(
        {"block": [{"thinking": "hm"}, {"tool": "Bash", "label": "run", "input": {"command": "true"}}]},
        {"block": [{"text": "done"}]},
    )
    try:
        got: Got = post(running.base_url, request_of(user("go"), thinking=thinking))
        thought, use = got.content
        answer = user(result_of(use, "ok"))
        forgotten = post(running.base_url, request_of(user("go"), assistant(use), answer, thinking=thinking))
        assert forgotten.status == status
        assert ("Expected `thinking`" in forgotten.message) == (status == 400)
        kept = post(running.base_url, request_of(user("go"), assistant(thought, use), answer, thinking=thinking))
        assert kept.text == "done"
    finally:
        running.stop()
