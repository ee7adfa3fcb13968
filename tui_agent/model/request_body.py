"""A request as it goes over the wire: JSON, written a message at a time, so that a long conversation holds nobody up."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any, Final

from tui_agent.model.protocol import ModelRequest

__all__ = ["request_body"]

_AT_ONCE_S: Final = (
    0.001  # of work before others have their turn; a thread would take the interpreter from them for longer
)


async def request_body(request: ModelRequest) -> bytes:
    """Return the body of a streamed request to the Messages API. Empty parts are left out.

    File names and arguments may hold bytes that are no text, which JSON cannot carry: each becomes a `?`.

    Raises:
        ValueError: there is a number in it that JSON does not know.
    """
    parts: dict[str, Any] = {"model": request.model, "max_tokens": request.max_tokens, **request.extra, "stream": True}
    if request.system:
        parts["system"] = request.system
    if request.tools:
        parts["tools"] = request.tools
    if request.thinking is not None:
        parts["thinking"] = request.thinking
    messages: list[bytes] = []
    began = time.perf_counter()
    for message in request.messages:
        messages.append(_json(message))
        if time.perf_counter() - began > _AT_ONCE_S:
            await asyncio.sleep(0)
            began = time.perf_counter()
    return b'%s,"messages":[%s]}' % (_json(parts).removesuffix(b"}"), b",".join(messages))


def _json(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8", "replace")
