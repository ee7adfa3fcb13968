"""Why there is no connection, in words: found in groups of errors, of which the SDK raises many."""

from __future__ import annotations

import httpx2
from httpx2.websockets import HTTPXWSException
from mcp.shared.exceptions import MCPError

from tui_agent.mcp.client.headers import HeadersError
from tui_agent.mcp.client.stdio import StartError
from tui_agent.text import clean_line

__all__ = ["leaves", "reason"]


def leaves(error: BaseException) -> list[BaseException]:
    """Return the errors in a group of errors, or the one that it is."""
    if isinstance(error, BaseExceptionGroup):
        return [leaf for inner in error.exceptions for leaf in leaves(inner)]
    return [error]


def reason(error: BaseException, last: str) -> str:
    """Return why there is no connection, from what was raised and what was noted on the way."""
    for inner in leaves(error):
        match inner:
            case StartError() | HeadersError():
                return str(inner)
            case httpx2.HTTPStatusError():
                return last or f"the server answered {inner.response.status_code}"
            case MCPError():
                return last or clean_line(inner.message, 300)
            case httpx2.HTTPError() | HTTPXWSException() | OSError():
                return last or clean_line(str(inner), 300) or type(inner).__name__
            case _:
                continue
    first = leaves(error)[0]
    return last or clean_line(str(first), 300) or type(first).__name__
