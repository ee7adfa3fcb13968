"""What a server may ask of whoever uses it, and the answers, as plain data. A session implements `Host`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

__all__ = [
    "CallProgress", "Elicitation", "ElicitationAnswer", "Host", "NoHost", "Root", "SamplingAnswer", "SamplingRequest",
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Elicitation:
    """A server wants something from the user: a form by `schema` (flat, of simple values), or that they visit `url`."""

    message: str
    schema: Mapping[str, Any] = field(default_factory=dict)
    url: str = ""


@dataclass(frozen=True, slots=True)
class ElicitationAnswer:
    """What came of it. Only `accept` has content."""

    action: Literal["accept", "decline", "cancel"]
    content: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplingRequest:
    """A server wants a model to answer. `messages` are role and text; what is no text is named in brackets."""

    messages: Sequence[tuple[str, str]]
    system: str = ""
    max_tokens: int = 0


@dataclass(frozen=True, slots=True)
class SamplingAnswer:
    """What the model said; None where the user did not want it asked, or it could not be, for `reason`."""

    text: str | None
    model: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Root:
    """A folder that the work is in, as a `file://` address."""

    uri: str
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallProgress:
    """How far a call is, as the server says; `total` is None where it does not know."""

    done: float
    total: float | None = None
    message: str = ""


class Host(Protocol):
    """Whoever uses a server. `server` is the server's name, for the user to see who asks."""

    async def elicit(self, server: str, asked: Elicitation) -> ElicitationAnswer:
        """Put something to the user."""
        ...

    async def sample(self, server: str, asked: SamplingRequest) -> SamplingAnswer:
        """Let the model answer, if the user agrees."""
        ...

    def roots(self) -> Sequence[Root]:
        """Return the folders that the work is in."""
        ...


class NoHost:
    """Nobody is there: nothing is asked, and servers see no folder."""

    async def elicit(self, server: str, asked: Elicitation) -> ElicitationAnswer:  # noqa: ARG002
        """Decline."""
        return ElicitationAnswer("decline")

    async def sample(self, server: str, asked: SamplingRequest) -> SamplingAnswer:  # noqa: ARG002
        """Refuse."""
        return SamplingAnswer(None, reason="Nobody can be asked.")

    def roots(self) -> Sequence[Root]:
        """Return nothing."""
        return ()
