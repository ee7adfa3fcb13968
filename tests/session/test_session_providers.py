"""A session that changes its provider: requests go to another endpoint, in the form that the model there takes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from session_driver import open_session
from session_front import Front

from tui_agent.engine.session.config import SessionOptions
from tui_agent.events import ModelChanged, Notice, ThinkingFinished, TurnFinished, UsageReported
from tui_agent.model.demo.scenario_file import parse_scenario
from tui_agent.model.demo.thread import ServerThread, start_in_thread
from tui_agent.model.providers.resolve import resolve
from tui_agent.settings.schema import SettingsValues

THINKS: dict[str, Any] = {"block": [{"thinking": "Let me look."}, {"tool": "Read", "input": {"file_path": "f.txt"}}]}
SAYS: dict[str, Any] = {"block": [{"text": "Done."}]}


def play(*replies: dict[str, Any]) -> ServerThread:
    return start_in_thread(parse_scenario({"title": "test", "reply": list(replies)}, "test"), pace=0, api_key=None)


@pytest.fixture
def servers() -> Iterator[tuple[ServerThread, ServerThread]]:
    both = play(THINKS, SAYS), play(SAYS, SAYS)
    yield both
    for server in both:
        server.stop()


async def begin(place: Path, servers: tuple[ServerThread, ServerThread]) -> Front:
    usual, local = servers
    price = {"input": 1, "output": 1, "cacheRead": 1, "cacheWrite": 1}
    models = {"qwen": {"context": 5000, "price": price, "thinking": False, "cache": False}}
    providers = {"local": {"baseUrl": local.base_url, "apiKeyEnv": "LOCAL_KEY", "models": models}, "keyless": {}}
    own = SettingsValues.model_validate({"providers": providers})
    options = SessionOptions(cwd=place, is_trusted=True, settings=json.dumps({"providers": providers}))
    models = resolve(own, {"LOCAL_KEY": "other"}, api_key="k", base_url=usual.base_url)
    await models.prepare("local/qwen")  # importing the library takes as long as it takes
    session = await open_session(options, models)
    return Front(session, None)  # type: ignore[arg-type]


async def test_between_two_requests_a_session_goes_to_another_provider(
    place: Path, fronts: list[Front], servers: tuple[ServerThread, ServerThread]
) -> None:
    (place / "f.txt").write_text("x\n")
    fronts.append(front := await begin(place, servers))
    front.session.submit("read it")
    await front.until(ThinkingFinished)
    front.session.set_model("local/qwen")
    await front.until(TurnFinished)
    usual, local = servers
    assert [exchange.body["model"] for exchange in usual.requests] == ["claude-sonnet-5-5"]
    assert [exchange.error for exchange in local.requests] == [""]
    request = local.requests[0].body or {}
    assert request["model"] == "qwen"
    assert "thinking" not in request
    text = json.dumps(request)
    assert "cache_control" not in text
    assert '"thinking"' not in text, "what the other provider signed stays behind"
    assert request["messages"][-1]["content"][0]["type"] == "tool_result"
    usage = front.of(UsageReported)[-1]
    assert (usage.model, usage.context_size) == ("local/qwen", 5000)
    assert usage.cost_usd > 0
    assert [event.model for event in front.of(ModelChanged)] == ["local/qwen"]


async def test_a_provider_without_a_key_is_not_changed_to(
    place: Path, fronts: list[Front], servers: tuple[ServerThread, ServerThread]
) -> None:
    fronts.append(front := await begin(place, servers))
    front.session.set_model("keyless/model")
    assert front.session.model == "claude-sonnet-5-5"
    assert front.of(Notice)[-1].text == "Model keyless/model is not available: No key for keyless is set."
    assert not front.of(ModelChanged)
