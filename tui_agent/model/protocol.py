"""What the turn needs of a model, whoever serves it: one request in, a stream of small facts out.

Facts of one reply come in this order: `ReplyStarted`; for each block `BlockStarted`, any `BlockDelta`, `BlockFinished`;
`ReplyFinished` last. A stream that breaks raises `ModelError` at that point; complete blocks so far stay valid.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from tui_agent.model.usage import Usage

if TYPE_CHECKING:
    from tui_agent.model.prices import ModelTable

__all__ = [
    "BlockDelta", "BlockFinished", "BlockStarted", "ListedModel", "Model", "ModelError", "ModelRequest", "Models",
    "ReplyFinished",
    "ReplyStarted", "StreamItem", "Usage",
]  # fmt: skip

BlockKind = Literal["text", "thinking", "redacted_thinking", "tool_use", "other"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """One request in the Messages API's own shapes. `system`, `messages` and `tools` carry their cache marks already."""

    model: str
    system: list[dict[str, Any]]
    messages: list[dict[str, Any]]
    tools: list[dict[str, Any]]
    max_tokens: int
    thinking: dict[str, Any] | None = None
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReplyStarted:
    """The reply began."""

    message_id: str


@dataclass(frozen=True, slots=True)
class BlockStarted:
    """Block `index` began. `id` and `name` are a tool use's."""

    index: int
    kind: BlockKind
    id: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class BlockDelta:
    """More of block `index`: text, thinking, or a tool use's argument text, by the block's kind."""

    index: int
    text: str


@dataclass(frozen=True, slots=True)
class BlockFinished:
    """Block `index` closed. `block` is its content in the API's shape, parsed once, or None where it is not whole.

    `is_certain` is False for a tool use without any argument text: a reply that is cut off closes its last block too, so it
    counts only once the stream has moved on to another block or ends with `tool_use`. `problem` says why there is no block:
    what is wrong with a tool use's arguments.
    """

    index: int
    block: dict[str, Any] | None
    is_certain: bool = True
    problem: str = ""


@dataclass(frozen=True, slots=True)
class ReplyFinished:
    """The reply is over. `stop_reason` is the API's: end_turn, tool_use, max_tokens, refusal, pause_turn and so on.

    `detail` is what the server says of the reason beyond its name (why it refused), or empty.
    """

    stop_reason: str
    usage: Usage
    detail: str = ""


StreamItem = ReplyStarted | BlockStarted | BlockDelta | BlockFinished | ReplyFinished


class ModelError(Exception):
    """The request failed or its stream broke.

    `kind` is one of `authentication`, `permission`, `not_found`, `invalid_request`, `too_large`, `context_overflow`,
    `rate_limit`, `overloaded`, `server`, `connection`, `unreachable` (nobody ever answered), `timeout`, `protocol`,
    `billing`. `message` says what was wrong and `hint` what to do; both are for the user and hold no secrets.
    `retry_after_s` is what the server asked for.
    """

    def __init__(
        self,
        kind: str,
        message: str,
        *,
        hint: str = "",
        status: int | None = None,
        retry_after_s: float | None = None,
        is_retryable: bool = False,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.hint = hint
        self.status = status
        self.retry_after_s = retry_after_s
        self.is_retryable = is_retryable


@dataclass(frozen=True, slots=True)
class ListedModel:
    """A model that an endpoint says it has: its name in requests, and what people call it (foreign text; may be empty)."""

    id: str
    name: str = ""


class Models(Protocol):
    """The models of a session, wherever they are served."""

    @property
    def table(self) -> ModelTable:
        """What is known of models."""
        ...

    @property
    def secrets(self) -> tuple[str, ...]:
        """What requests are signed with, and nobody is to read."""
        ...

    def problem(self, model: str) -> str:
        """Return why no request can go to this model, in a sentence; empty where one can."""
        ...

    def stream(self, request: ModelRequest) -> AsyncIterator[StreamItem]:
        """Send the request to its model and yield the reply as it comes; see `Model`.

        Raises:
            ModelError: at any point.
        """
        ...

    async def list_models(self) -> tuple[ListedModel, ...]:
        """Return what the usual endpoint says it has; nothing where it does not say.

        Raises:
            ModelError: it refuses the key, or cannot be reached.
        """
        ...

    async def sign_in(self, api_key: str, base_url: str) -> None:
        """Go to the usual endpoint with this key from now on, or to another with it; an empty key is none."""
        ...

    async def close(self) -> None:
        """Release connections."""
        ...


class Model(Protocol):
    """Something that answers requests. One attempt each: retrying is the turn's business."""

    def stream(self, request: ModelRequest) -> AsyncIterator[StreamItem]:
        """Send the request and yield the reply as it comes; closing the iterator drops the connection.

        Raises:
            ModelError: at any point.
        """
        ...

    async def close(self) -> None:
        """Release connections."""
        ...
