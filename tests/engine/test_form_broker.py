"""Each form is settled once: by answers that hold, by being closed, or by an interrupt."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tui_agent.engine.gate.form_broker import FormBroker
from tui_agent.events import Event, FormAnswered, FormRequested
from tui_agent.tools.forms import WORDS, Answers, Form, FormField

FIELD = FormField(key="name", question="Name")


class Front:
    """What a front end hears, and a desk to answer at."""

    def __init__(self) -> None:
        self.events: list[Any] = []
        self.broker = FormBroker(self._hear)

    def _hear(self, event: Event) -> Event:
        self.events.append(event)
        return event

    async def ask(self, **more: Any) -> tuple[str, asyncio.Task[Answers | None]]:
        task = asyncio.create_task(self.broker.ask("use", Form(title="t", fields=(FIELD,), **more)))
        await asyncio.sleep(0)
        return self.events[-1].request_id, task


async def test_an_answer_reaches_the_tool_and_the_events() -> None:
    front = Front()
    name, task = await front.ask()
    assert front.broker.answer(name, {"name": "Ada"})
    assert await task == {"name": "Ada"}
    asked, answered = front.events
    assert isinstance(asked, FormRequested)
    assert Form.from_json(asked.form).fields == (FIELD,)
    assert answered == FormAnswered(request_id=name, tool_use_id="use", answers={"name": "Ada"}, by="person")


async def test_a_form_is_settled_once() -> None:
    front = Front()
    name, task = await front.ask()
    assert not front.broker.answer("another", {"name": "Ada"})
    assert front.broker.answer(name, None)
    assert not front.broker.answer(name, {"name": "Ada"})
    assert await task is None
    assert not front.broker.answer(name, {"name": "Ada"})
    assert len(front.events) == 2


@pytest.mark.parametrize("answers", [{}, {"name": " "}, {"name": "Ada", "more": "x"}, {WORDS: "no"}])
async def test_an_answer_that_does_not_hold_leaves_the_form_open(answers: Answers) -> None:
    front = Front()
    name, task = await front.ask()
    assert not front.broker.answer(name, answers)
    assert not task.done()
    assert front.broker.answer(name, {"name": "Ada"})
    assert await task == {"name": "Ada"}


async def test_an_interrupt_withdraws_the_form() -> None:
    front = Front()
    name, task = await front.ask()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert front.events[-1] == FormAnswered(request_id=name, tool_use_id="use", answers=None, by="interrupt")
    assert not front.broker.answer(name, {"name": "Ada"})


async def test_private_answers_are_in_no_event() -> None:
    front = Front()
    name, task = await front.ask(is_private=True)
    assert front.broker.answer(name, {"name": "Ada"})
    assert await task == {"name": "Ada"}
    assert front.events[-1].answers == {}
    assert "Ada" not in repr(front.events)


async def test_words_in_place_of_answers_are_taken_where_the_form_says_so() -> None:
    front = Front()
    name, task = await front.ask(takes_words=True)
    assert front.broker.answer(name, {WORDS: "later"})
    assert await task == {WORDS: "later"}
