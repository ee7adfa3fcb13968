"""Questions aside from the conversation: which model gets them, what they cost, and what becomes of a failure."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from scripted_model import ScriptedModel, reply, says

from tui_agent.engine.conversation.side_model import SideModel
from tui_agent.events import Event, UsageReported
from tui_agent.model.prices import ModelTable
from tui_agent.model.protocol import BlockDelta, BlockFinished, BlockStarted, ModelError
from tui_agent.model.side_question import is_aside
from tui_agent.tools.services import AskError
from tui_agent.ui.projection.projection import Projection

MAIN = "claude-opus-5"


def side(*scripts: Any, main: str = MAIN, small: str | None = None) -> tuple[SideModel, ScriptedModel, list[Event]]:
    model = ScriptedModel(*scripts)
    told: list[Event] = []

    def publish(event: Event) -> Event:
        told.append(event)
        return event

    return SideModel(model, table=ModelTable.builtin(), publish=publish, main=lambda: main, small=small), model, told


async def test_a_question_is_one_request_to_a_small_model() -> None:
    ask, model, told = side(reply(says(0, "One| euro.")))
    assert await ask.ask("How much?") == "One euro."
    (request,) = model.requests
    assert request.model == ModelTable.builtin().small_for(MAIN) == "claude-haiku-5-5"
    assert (request.tools, request.messages) == (
        [],
        [{"role": "user", "content": [{"type": "text", "text": "How much?"}]}],
    )
    assert is_aside({"system": request.system})
    assert not is_aside({"system": "You answer"})
    assert request.max_tokens <= 4096
    (usage,) = told
    assert isinstance(usage, UsageReported)
    assert (usage.model, usage.input_tokens, usage.output_tokens) == (request.model, 10, 5)
    assert usage.cost_usd is not None
    assert usage.context_tokens == 0


async def test_thinking_is_no_part_of_the_answer() -> None:
    thought = [
        BlockStarted(0, "thinking"),
        BlockDelta(0, "hm"),
        BlockFinished(0, {"type": "thinking", "thinking": "hm", "signature": "s"}),
    ]
    ask, _, _ = side(reply(thought, says(1, "Yes.")))
    assert await ask.ask("?") == "Yes."


@pytest.mark.parametrize(
    ("main", "small", "asked"),
    [(MAIN, "my-own", "my-own"), ("local-llama", None, "local-llama"), ("claude-haiku-5-5", None, "claude-haiku-5-5")],
)
async def test_which_model_is_asked(main: str, small: str | None, asked: str) -> None:
    ask, model, _ = side(reply(says(0, "x")), main=main, small=small)
    await ask.ask("?")
    assert model.requests[0].model == asked


async def test_an_endpoint_without_the_small_model_is_asked_by_the_main_one() -> None:
    ask, model, _ = side([ModelError("not_found", "no such model")], reply(says(0, "a")), reply(says(0, "b")))
    assert (await ask.ask("?"), await ask.ask("?")) == ("a", "b")
    assert [request.model for request in model.requests] == [ModelTable.builtin().small_for(MAIN), MAIN, MAIN]


async def test_a_failure_is_said_in_its_own_words() -> None:
    ask, _, told = side(
        [ModelError("overloaded", "The server is busy.")],
        [ModelError("not_found", "none")],
        [ModelError("not_found", "none of them")],
        reply(says(0, ""), stop="refusal"),
        small="x",
    )
    with pytest.raises(AskError, match="The server is busy"):
        await ask.ask("?")
    assert told == []
    with pytest.raises(AskError, match="none of them"):
        await ask.ask("?")
    with pytest.raises(AskError, match="declined"):
        await ask.ask("?")


async def test_a_cancelled_question_closes_its_stream() -> None:
    reached, closed = asyncio.Event(), asyncio.Event()

    class Hanging(ScriptedModel):
        async def stream(self, request: Any) -> Any:
            try:
                reached.set()
                await asyncio.Event().wait()
                yield None
            finally:
                closed.set()

    ask = SideModel(Hanging(), table=ModelTable.builtin(), publish=lambda event: event, main=lambda: MAIN)
    task = asyncio.create_task(ask.ask("?"))
    await reached.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert closed.is_set()


def test_what_it_costs_counts_and_the_context_stays() -> None:
    shown = Projection()
    usage: dict[str, Any] = {"request_id": "r", "model": "m", "input_tokens": 1, "output_tokens": 1}
    shown.apply([UsageReported(**usage, cost_usd=0.5, context_tokens=900, context_size=1000)])
    shown.apply([UsageReported(**usage, cost_usd=0.25)])
    assert (shown.status.cost_usd, shown.status.context_tokens, shown.status.context_size) == (0.75, 900, 1000)
