"""What the user has refused: exact calls, so that whoever was refused one cannot have another agent make it."""

from __future__ import annotations

import json
from typing import Any

from tui_agent.execution.execution_context import PermissionQuestion
from tui_agent.execution.responders import ResponderAnswer

__all__ = ["Refusals"]


class Refusals:
    """What the user refused one conversation, until they say something new."""

    def __init__(self) -> None:
        self._calls: set[str] = set()

    def note(self, question: PermissionQuestion, answer: ResponderAnswer) -> None:
        """Keep in mind what the user said no to."""
        if answer.decision.behavior == "deny" and answer.by == "person":
            self._calls.add(_key(question.name, question.input))

    def has(self, name: str, input: dict[str, Any]) -> bool:
        """Whether this call was refused."""
        return _key(name, input) in self._calls

    def clear(self) -> None:
        """The user has spoken: what they refused before may be asked again."""
        self._calls.clear()


def _key(name: str, input: dict[str, Any]) -> str:
    said = {key: value for key, value in input.items() if key != "description"}
    return f"{name} {json.dumps(said, sort_keys=True, ensure_ascii=False, default=str)}"
