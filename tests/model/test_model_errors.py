from __future__ import annotations

import pytest

from tui_agent.model.errors import from_error_body, from_status, redact, retry_after_s


def test_milliseconds_seconds_and_dates_are_read_as_waits() -> None:
    assert retry_after_s({"retry-after-ms": "1500", "retry-after": "9"}) == 1.5
    assert retry_after_s({"retry-after": "9"}) == 9
    assert retry_after_s({"retry-after": "Sun, 22 Nov 2026 01:00:10 GMT"}, now=1795309200.0) == 10
    assert retry_after_s({"retry-after": "Sun, 22 Nov 2026 00:00:00 GMT"}, now=1795309200.0) == 0


@pytest.mark.parametrize("value", ["soon", "", "nan", "inf", "Sun, 99 Nov 2026 01:00:10 GMT"])
def test_a_wait_that_makes_no_sense_is_none(value: str) -> None:
    assert retry_after_s({"retry-after": value}) is None


def test_nothing_that_looks_like_a_key_gets_into_a_message() -> None:
    text = "x sk-ant-api03-AbC_def-123 y hunter2 Bearer abcdef123456 x-api-key: zyxwvu987654"
    cleaned = redact(text, "hunter2", None, "")
    assert cleaned == "x [key] y [key] Bearer [key] x-api-key: [key]"


def test_an_error_text_is_one_clean_line() -> None:
    error = from_status(400, {"error": {"type": "invalid_request_error", "message": "a\x1b]0;b\x07\nc" + "d" * 2000}})
    assert "\x1b" not in error.message
    assert "\n" not in error.message
    assert len(error.message) < 600


@pytest.mark.parametrize(
    "body",
    [None, "", b"\xff\xfe", "plain words", [], 7, {"error": None}, {"error": "words"}, {"error": {"message": None}}],
)
def test_any_body_at_all_makes_an_error(body: object) -> None:
    assert from_status(500, body).kind == "server"
    assert from_error_body(body).is_retryable


def test_an_empty_balance_is_not_a_malformed_request() -> None:
    body = {"error": {"type": "invalid_request_error", "message": "Your credit balance is too low to access the API."}}
    assert from_status(400, body).kind == "billing"


def test_a_hint_says_what_to_do() -> None:
    assert "--model" in from_status(404, {"error": {"type": "not_found_error", "message": "model: claude-x"}}).hint
    assert "ANTHROPIC_API_KEY" in from_status(401, "{}").hint


def test_thinking_that_is_not_taken_back_has_a_hint_of_its_own() -> None:
    message = (
        "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation."
    )
    assert "/clear" in from_status(400, {"error": {"type": "invalid_request_error", "message": message}}).hint
    assert from_status(400, {"error": {"message": "tools.0: too many"}}).hint == ""
