"""The model that requests go to, and the client that takes them there."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

from tui_agent.events import Event, ModelChanged
from tui_agent.model.protocol import Model, ModelRequest, StreamItem

__all__ = ["CurrentModel"]


class CurrentModel:
    """Implements `Model` for a session, whose model may change between two requests. A change is published."""

    def __init__(self, name: str, client: Model, *, publish: Callable[[Event], object]) -> None:
        self._name = name
        self._client = client
        self._publish = publish

    @property
    def name(self) -> str:
        """The model that requests go to."""
        return self._name

    def change(self, name: str) -> None:
        """Send requests to another model from the next one on."""
        if name != self._name:
            previous, self._name = self._name, name
            self._publish(ModelChanged(model=name, previous=previous))

    def stream(self, request: ModelRequest) -> AsyncIterator[StreamItem]:
        """Send a request and yield the reply as it comes.

        Raises:
            ModelError: at any point.
        """
        return self._client.stream(request)

    async def close(self) -> None:
        """Release connections."""
        await self._client.close()
