"""A model in the test's own process: it says what a script tells it, breaks where the script says, and keeps requests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

from tui_agent.model.prices import ModelTable
from tui_agent.model.protocol import (
    BlockDelta,
    BlockFinished,
    BlockStarted,
    ListedModel,
    ModelError,
    ModelRequest,
    ReplyFinished,
    ReplyStarted,
    StreamItem,
    Usage,
)

Script = list[StreamItem | ModelError | Callable[[], object]]


class ScriptedModel:
    """One script a request. Callables run when they are reached; an awaitable they return is awaited."""

    def __init__(self, *scripts: Script) -> None:
        self.scripts = list(scripts)
        self.requests: list[ModelRequest] = []
        self.table = ModelTable.builtin()
        self.secrets: tuple[str, ...] = ()
        self.signed_in: tuple[str, str] | None = None

    def problem(self, _model: str) -> str:
        return ""

    async def stream(self, request: ModelRequest) -> AsyncIterator[StreamItem]:
        self.requests.append(request)
        for item in self.scripts.pop(0):
            if isinstance(item, ModelError):
                raise item
            if callable(item):
                waiting = item()
                if waiting is not None:
                    await waiting  # type: ignore[misc]
                continue
            yield item
            await asyncio.sleep(0)

    async def list_models(self) -> tuple[ListedModel, ...]:
        return ()

    async def sign_in(self, api_key: str, base_url: str) -> None:
        self.signed_in = (api_key, base_url)

    async def close(self) -> None:
        return


def says(index: int, text: str) -> list[StreamItem]:
    return [
        BlockStarted(index, "text"),
        *(BlockDelta(index, piece) for piece in text.split("|")),
        BlockFinished(index, {"type": "text", "text": text.replace("|", "")}),
    ]


def uses(index: int, note: str | None, use_id: str = "") -> list[StreamItem]:
    """Use the tool `Note`; without a note, without any argument text."""
    return calls(index, "Note", {} if note is None else {"note": note}, use_id, is_certain=note is not None)


def calls(
    index: int, name: str, input: dict[str, object], use_id: str = "", *, is_certain: bool = True
) -> list[StreamItem]:
    use_id = use_id or f"toolu_{index}"
    block = {"type": "tool_use", "id": use_id, "name": name, "input": input}
    return [
        BlockStarted(index, "tool_use", use_id, name),
        *([BlockDelta(index, "{}")] if is_certain else []),
        BlockFinished(index, block, is_certain=is_certain),
    ]


def reply(*parts: list[StreamItem], stop: str = "end_turn") -> Script:
    return [ReplyStarted("m"), *(item for part in parts for item in part), ReplyFinished(stop, Usage(10, 5))]
