"""The part of the projection that is about questions to the user: which are open, and what their files have come to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui_agent import events

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tui_agent.events import Event
    from tui_agent.ui.projection.state import Request

__all__ = ["RequestReducer"]


class RequestReducer:
    """The open questions, the oldest first. The same list until one is settled."""

    def __init__(self) -> None:
        self.open: list[Request] = []
        self._on_disk: dict[str, dict[str, str]] = {}  # by question, only while it is open

    def apply(self, event: Event) -> None:
        """Take in an event; all but those about questions are passed over."""
        match event:
            case events.PermissionRequested() | events.FormRequested():
                self.open.append(event)
            case events.PermissionResolved(request_id=name) | events.FormAnswered(request_id=name):
                self.open = [
                    request for request in self.open if (request.agent_id, request.request_id) != (event.agent_id, name)
                ]
                self._on_disk.pop(name, None)
            case events.ProposedFileChanged(request_id=name, path=path, standing=standing):
                # A mapping that was handed out stays as it was.
                others = {known: how for known, how in self.on_disk(name).items() if known != path}
                self._on_disk[name] = others if standing == "as_read" else {**others, path: standing}

    def on_disk(self, request_id: str) -> Mapping[str, str]:
        """Return which files a question's changes no longer fit, each with its `ProposedFileChanged.standing`."""
        return self._on_disk.get(request_id, {})

    def clear(self) -> None:
        """Forget all of them: nobody is going to settle them."""
        self.open = []
        self._on_disk.clear()
