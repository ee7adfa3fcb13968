"""A question aside is answered, and leaves the script where it stands."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from conversation_client import assistant, post, request_of, serve, user

from tui_agent.model.demo.thread import ServerThread
from tui_agent.model.prices import ModelTable
from tui_agent.model.side_question import aside_request
from tui_agent.tools.web_fetch.report import question


@pytest.fixture
def server() -> Iterator[ServerThread]:
    running = serve({"block": [{"text": "first"}]}, {"block": [{"text": "second"}]})
    yield running
    running.stop()


def test_it_says_what_it_is_and_how_the_text_begins(server: ServerThread) -> None:
    text = question("How much?", "One {{ euro }}\n\nand more " * 100, "https://x.org", "mark")
    request = aside_request("claude-haiku-5-5", text, ModelTable.builtin())
    body = request_of(*request.messages, system=request.system, thinking=request.thinking)
    assert post(server.base_url, request_of(user("go"))).text == "first"
    got = post(server.base_url, body)
    assert got.status == 200
    assert "I am a scripted model" in got.text
    assert "It begins: “One {{ euro }} and more One" in got.text
    assert len(got.text) < 500
    again = request_of(user("go"), assistant("first"), user("go on"))
    assert post(server.base_url, again).text == "second"


def test_a_question_without_a_text_is_answered_too(server: ServerThread) -> None:
    request = aside_request("m", "Hello?", ModelTable.builtin())
    got = post(server.base_url, request_of(*request.messages, system=request.system))
    assert got.text == "I am a scripted model and cannot read, so this is no answer."
