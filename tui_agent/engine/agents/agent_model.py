"""The model that one agent's requests go to, with the session's own to fall back on."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import replace
from typing import Any, Final

from tui_agent.events import Event, ModelChanged, Notice
from tui_agent.model.protocol import ModelError, ModelRequest, Models, StreamItem

__all__ = ["AgentModel"]

_MISSING: Final = frozenset({"not_found", "permission"})


class AgentModel:
    """Implements `Model` for an agent. Where an endpoint does not have the agent's model, `fallback` is asked from then on."""

    def __init__(
        self, name: str, models: Models, *, fallback: Callable[[], str], publish: Callable[[Event], object]
    ) -> None:
        self.name = name
        self._models = models
        self._fallback = fallback
        self._publish = publish

    async def stream(self, request: ModelRequest) -> AsyncIterator[StreamItem]:
        """Send a request and yield the reply as it comes.

        Raises:
            ModelError: at any point.
        """
        stream: AsyncGenerator[Any, None]
        try:
            stream = self._models.stream(request)  # type: ignore[assignment]
            async with aclosing(stream):
                async for item in stream:
                    yield item
            return
        except ModelError as error:
            other = self._fallback()
            if error.kind not in _MISSING or other == request.model:
                raise
            self._change(other, error.message)
        stream = self._models.stream(replace(request, model=self.name))  # type: ignore[assignment]
        async with aclosing(stream):
            async for item in stream:
                yield item

    def _change(self, name: str, why: str) -> None:
        previous, self.name = self.name, name
        self._publish(ModelChanged(model=name, previous=previous))
        self._publish(
            Notice(level="warning", text=f"Model {previous} is not available: {why}", hint=f"Using {name} instead.")
        )

    async def close(self) -> None:
        """Do nothing: the session owns the clients and closes them."""
