"""One request by the real client, to a server that sends exactly these bytes."""

from __future__ import annotations

from typing import Any

import pytest
from sse_server import (
    serving,
)

from tui_agent.model.protocol import (
    BlockFinished,
    ModelError,
    ModelRequest,
    StreamItem,
)
from tui_agent.model.providers.anthropic import AnthropicModel

KEY = "sk-ant-api03-verysecretkey"


def request(**changes: Any) -> ModelRequest:
    values: dict[str, Any] = {
        "model": "claude-sonnet-5-5",
        "system": [],
        "messages": [{"role": "user", "content": "hi"}],
        "tools": [],
        "max_tokens": 64,
    }
    return ModelRequest(**{**values, **changes})


async def ask(answer: Any, **changes: Any) -> list[StreamItem]:
    async with serving(answer) as server:
        model = AnthropicModel(api_key=KEY, base_url=server.url)
        try:
            return [item async for item in model.stream(request(**changes))]
        finally:
            await model.close()


async def fail(answer: Any) -> ModelError:
    with pytest.raises(ModelError) as caught:
        await ask(answer)
    return caught.value


def blocks(items: list[StreamItem]) -> list[BlockFinished]:
    return [item for item in items if isinstance(item, BlockFinished)]
