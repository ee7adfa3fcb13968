"""Whether the model thinks before it answers: what the user wants, and what each request may ask for.

To the API a reply, the tools it uses and what follows their results are one turn, in which thinking must stay as it was. So a
wish counts from the next message on, not between two steps of the same work.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tui_agent.model.prices import ModelTable, RequestDefaults

__all__ = ["Thinking"]

_KINDS: Final = frozenset({"thinking", "redacted_thinking"})

Message = Mapping[str, Any]


class Thinking:
    """One conversation's. `is_on` is what the user wants; `table` says how models take it."""

    def __init__(self, table: ModelTable, *, is_on: bool) -> None:
        self._table = table
        self.is_on = is_on
        self._is_on_now = is_on

    def switch(self, *, is_on: bool) -> None:
        """Want the model to think from the next message on, or not to."""
        self.is_on = is_on

    def defaults(self, model: str, messages: Sequence[Message], max_tokens: int | None) -> RequestDefaults:
        """Return what a request with these messages carries. `max_tokens` is the user's own limit of a reply."""
        if not messages or not _only_answers_tools(messages[-1]):
            self._is_on_now = self.is_on
        found = self._table.request_defaults(model, max_tokens=max_tokens, is_thinking=self._is_on_now)
        if (found.thinking or {}).get("type") == "enabled" and not _began_with_thinking(messages):
            # With a budget the API wants every reply that is gone on with to have begun with its thinking.
            return self._table.request_defaults(model, max_tokens=max_tokens, is_thinking=False)
        return found


def _kinds(message: Message) -> list[str]:
    content = message["content"]
    return ["text"] if isinstance(content, str) else [block.get("type", "") for block in content]


def _only_answers_tools(message: Message) -> bool:
    """Whether there are results of tools in it and nothing of the user's; what the program adds to them is no message."""
    if message["role"] != "user" or isinstance(message["content"], str):
        return False
    kinds = {block.get("type") for block in message["content"] if not _is_reminder(block)}
    return kinds == {"tool_result"}


def _is_reminder(block: Mapping[str, Any]) -> bool:
    return block.get("type") == "text" and str(block.get("text", "")).startswith("<system-reminder>")


def _began_with_thinking(messages: Sequence[Message]) -> bool:
    """Whether the reply that goes on after these messages began with thinking; True where a new one begins."""
    first: Message | None = None
    for message in reversed(messages):
        if message["role"] == "user" and "tool_result" not in _kinds(message):
            break
        if message["role"] == "assistant":
            first = message
    return first is None or _kinds(first)[0] in _KINDS
