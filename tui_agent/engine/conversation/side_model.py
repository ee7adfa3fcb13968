"""The small model that tools may ask: one request for each question, paid for and shown like any other."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from tui_agent.events import Event, UsageReported
from tui_agent.model.prices import ModelTable
from tui_agent.model.protocol import BlockDelta, BlockStarted, Model, ModelError, ReplyFinished
from tui_agent.model.side_question import aside_request
from tui_agent.tools.services import AskError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

__all__ = ["SideModel"]

_MISSING = frozenset({"not_found", "permission"})


class SideModel:
    """Asks by the session's own client. `main` says which model the conversation is with; `small` is the one to ask instead.

    Without `small` it is the cheapest known one of the same maker. Where an endpoint does not have it, the conversation's
    own model is asked, then and from then on. `refusal` says why nothing may be asked; empty where it may.
    """

    def __init__(
        self,
        client: Model,
        *,
        table: ModelTable,
        publish: Callable[[Event], Event],
        main: Callable[[], str],
        small: str | None = None,
        refusal: Callable[[], str] = str,
    ) -> None:
        self._client = client
        self._table = table
        self._publish = publish
        self._main = main
        self._small = small
        self._refusal = refusal
        self._missing: set[str] = set()

    async def ask(self, text: str) -> str:
        """Return what the small model answers to a text that holds the question and what it is about.

        Raises:
            AskError: there is no answer.
        """
        if refusal := self._refusal():
            raise AskError(refusal)
        main = self._main()
        model = self._small or self._table.small_for(main)
        if model in self._missing:
            model = main
        try:
            return await self._ask(model, text)
        except ModelError as error:
            if error.kind not in _MISSING or model == main:
                raise AskError(error.message) from error
        self._missing.add(model)
        try:
            return await self._ask(main, text)
        except ModelError as error:
            raise AskError(error.message) from error

    async def _ask(self, model: str, text: str) -> str:
        pieces: list[str] = []
        texts: set[int] = set()  # thinking is none of the answer
        stream: AsyncGenerator[Any, None] = self._client.stream(aside_request(model, text, self._table))  # type: ignore[assignment]
        async with aclosing(stream):
            async for item in stream:
                match item:
                    case BlockStarted(index=index, kind="text"):
                        texts.add(index)
                    case BlockDelta(index=index, text=piece) if index in texts:
                        pieces.append(piece)
                    case ReplyFinished():
                        self._report(model, item)
                        if item.stop_reason == "refusal":
                            raise AskError("The small model declined to answer.")
                    case _:
                        pass
        return "".join(pieces)

    def _report(self, model: str, reply: ReplyFinished) -> None:
        usage = reply.usage
        self._publish(
            UsageReported(
                request_id=f"req_{uuid.uuid4().hex[:12]}",
                model=model,
                input_tokens=usage.input_tokens,
                output_tokens=usage.output_tokens,
                cache_read_tokens=usage.cache_read_tokens,
                cache_write_tokens=usage.cache_write_tokens,
                cost_usd=self._table.cost(model, usage),
            )
        )
