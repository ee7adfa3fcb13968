"""The model that requests go to, and the client that takes them there."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

from tui_agent.events import Event, ModelChanged, Notice
from tui_agent.model.prices import ModelTable
from tui_agent.model.protocol import ListedModel, ModelRequest, Models, StreamItem
from tui_agent.text import clean_line

__all__ = ["CurrentModel"]


class CurrentModel:
    """Implements `Model` for a session, whose model may change between two requests. A change is published.

    `models` has the clients of all providers.
    """

    def __init__(self, name: str, models: Models, *, publish: Callable[[Event], object]) -> None:
        self._name = name
        self._models = models
        self._publish = publish
        self._own = ""  # the session's, while another one is lent

    @property
    def name(self) -> str:
        """The model that requests go to."""
        return self._name

    @property
    def table(self) -> ModelTable:
        """What is known of models."""
        return self._models.table

    def lend(self, name: str) -> None:
        """Send requests to another model until `take_back`, where it can be asked."""
        own = self._own or self._name
        self.change(name)
        self._own = own

    def take_back(self) -> None:
        """Send requests to the session's own model again."""
        own, self._own = self._own, ""
        if own:
            self.change(own)

    def change(self, name: str) -> None:
        """Send requests to another model from the next one on; short names count. One that cannot be asked is refused."""
        self._own = ""
        name = self.table.full_name(name)
        if name != self._name and (problem := self._models.problem(name)):
            text = f"Model {clean_line(name, 100)} is not available: {problem}"
            self._publish(Notice(level="warning", text=text, hint=f"Requests still go to {self._name}."))
        elif name != self._name:
            previous, self._name = self._name, name
            self._publish(ModelChanged(model=name, previous=previous))

    def stream(self, request: ModelRequest) -> AsyncIterator[StreamItem]:
        """Send a request and yield the reply as it comes.

        Raises:
            ModelError: at any point.
        """
        return self._models.stream(request)

    async def sign_in(self, api_key: str, base_url: str) -> None:
        """Go to the usual endpoint with this key from now on, or to another."""
        await self._models.sign_in(api_key, base_url)

    async def list_models(self) -> tuple[ListedModel, ...]:
        """Return the models that the usual endpoint lists.

        Raises:
            ModelError: it refuses the key, or cannot be reached.
        """
        return await self._models.list_models()

    async def close(self) -> None:
        """Release connections."""
        await self._models.close()
