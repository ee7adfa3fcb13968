"""The form broker: puts a tool's questions to the user and settles each form once."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable
from typing import Any

from tui_agent.events import Event, FormAnswered, FormRequested
from tui_agent.tools.forms import Answers, Form, form_problem

__all__ = ["FormBroker"]


class FormBroker:
    """One session's forms. Several may be open at once; the front end shows the oldest first."""

    def __init__(self, publish: Callable[[Event], Event]) -> None:
        self._publish = publish
        self._open: dict[str, tuple[Form, asyncio.Future[Answers | None]]] = {}

    async def ask(self, tool_use_id: str, form: Form) -> Answers | None:
        """Put a form to the user and wait; None when they closed it. Cancelling the wait withdraws it."""
        request_id = f"form_{uuid.uuid4().hex[:12]}"
        answer: asyncio.Future[Answers | None] = asyncio.get_running_loop().create_future()
        self._open[request_id] = (form, answer)
        self._publish(FormRequested(request_id=request_id, tool_use_id=tool_use_id, form=form.to_json()))
        try:
            answers = await answer
        except asyncio.CancelledError:
            self._publish(FormAnswered(request_id=request_id, tool_use_id=tool_use_id, answers=None, by="interrupt"))
            raise
        finally:
            del self._open[request_id]
        told: dict[str, Any] | None = {} if form.is_private and answers is not None else answers
        self._publish(FormAnswered(request_id=request_id, tool_use_id=tool_use_id, answers=told, by="person"))
        return answers

    def answer(self, request_id: str, answers: Answers | None) -> bool:
        """Settle a form; False when it was settled already, or an answer in it does not hold."""
        form, waiting = self._open.get(request_id, (None, None))
        if form is None or waiting is None or waiting.done():
            return False
        if answers is not None and form_problem(form, answers):
            return False
        waiting.set_result(answers)
        return True
