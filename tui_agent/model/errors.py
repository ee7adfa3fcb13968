"""From what a server or the network said to a `ModelError`: which kind it is, whether it may pass, and what to do about it.

Works on plain values (status, error type, message, headers), so that it serves any client and loads no library.
"""

from __future__ import annotations

import email.utils
import json
import math
import re
import time
from collections.abc import Mapping
from typing import Any, Final

from tui_agent.model.protocol import ModelError
from tui_agent.text import clean_line

__all__ = ["from_error_body", "from_status", "redact", "retry_after_s"]

_MESSAGE_LIMIT: Final = 500
# Keys as they are issued, and whatever follows a header that carries one.
_KEYS: Final = re.compile(r"sk-[A-Za-z0-9_-]{6,}|(?i:(?<=bearer )[^\s\"']{6,}|(?<=x-api-key: )[^\s\"']{6,})")
_OVERFLOW: Final = re.compile(
    r"(?:prompt|input) is too long|exceeds? (?:the |this model's )?(?:maximum )?context|context (?:window|length|limit)",
    re.IGNORECASE,
)
# Newer models check that nothing before a thinking block has changed since they wrote it.
_STALE_THINKING: Final = re.compile(r"signature.{0,20}thinking.{0,3} block", re.IGNORECASE)
_BILLING: Final = re.compile(r"credit balance|billing|spend(?:ing)? limit", re.IGNORECASE)

_KIND_BY_TYPE: Final = {
    "invalid_request_error": "invalid_request",
    "authentication_error": "authentication",
    "billing_error": "billing",
    "permission_error": "permission",
    "not_found_error": "not_found",
    "request_too_large": "too_large",
    "rate_limit_error": "rate_limit",
    "timeout_error": "timeout",
    "api_error": "server",
    "overloaded_error": "overloaded",
}
_KIND_BY_STATUS: Final = {
    400: "invalid_request",
    401: "authentication",
    402: "billing",
    403: "permission",
    404: "not_found",
    408: "timeout",
    409: "server",
    413: "too_large",
    422: "invalid_request",
    429: "rate_limit",
    504: "timeout",
    529: "overloaded",
}
_RETRYABLE: Final = frozenset({"rate_limit", "overloaded", "server", "timeout"})
_WORDS: Final = {
    "authentication": "The key was refused",
    "billing": "The account cannot pay for this request",
    "permission": "This key may not do that",
    "not_found": "The server does not know this model or address",
    "invalid_request": "The server refused the request",
    "too_large": "The request is too large",
    "context_overflow": "The conversation no longer fits the model's context",
    "rate_limit": "Rate limit reached",
    "timeout": "The server took too long",
    "server": "The server failed",
    "overloaded": "The server is overloaded",
}
_HINTS: Final = {
    "authentication": "Check ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN.",
    "billing": "Check plan and balance in the provider's console.",
    "permission": "Check what the key's workspace may use.",
    "not_found": "Check the model's name (--model, /model) and ANTHROPIC_BASE_URL.",
    "too_large": "Send less: /clear starts afresh.",
    "context_overflow": "Start afresh with /clear.",
    "rate_limit": "Wait a little, or choose another model.",
    "overloaded": "Try again in a few minutes.",
    "server": "Try again in a few minutes.",
    "timeout": "Try again.",
}


def redact(text: str, *secrets: str | None) -> str:
    """Return `text` on one line, bounded, without the given secrets or anything that looks like a key."""
    for secret in secrets:
        if secret and len(secret) >= 4:
            text = text.replace(secret, "[key]")
    return clean_line(_KEYS.sub("[key]", text), _MESSAGE_LIMIT)


def retry_after_s(headers: Mapping[str, str], *, now: float | None = None) -> float | None:
    """Return the seconds that `retry-after-ms` or `retry-after` (seconds or a date) ask for, or None.

    `now` is in seconds since the epoch and only matters for dates.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after")
    seconds = _number(value)
    if seconds is not None or value is None:
        return seconds
    try:
        moment = email.utils.parsedate_to_datetime(value).timestamp()
    except (TypeError, ValueError, OverflowError):
        return None
    return max(0.0, moment - (time.time() if now is None else now))


def from_status(
    status: int, body: object, headers: Mapping[str, str] | None = None, *, secrets: tuple[str | None, ...] = ()
) -> ModelError:
    """Return the error for an answer with a status of 400 or more; `body` is its JSON data or its text."""
    error_type, detail = _read_body(body)
    kind = _KIND_BY_STATUS.get(status) or ("server" if status >= 500 else "invalid_request")
    if status == 400 and error_type in _KIND_BY_TYPE:
        kind = _KIND_BY_TYPE[error_type]
    return _error(kind, detail, status=status, retry_after=retry_after_s(headers or {}), secrets=secrets)


def from_error_body(body: object, *, secrets: tuple[str | None, ...] = ()) -> ModelError:
    """Return the error that an `error` event in the middle of a stream stands for. Its status was 200 and says nothing."""
    error_type, detail = _read_body(body)
    return _error(_KIND_BY_TYPE.get(error_type, "server"), detail, secrets=secrets)


def _error(
    kind: str,
    detail: str,
    *,
    status: int | None = None,
    retry_after: float | None = None,
    secrets: tuple[str | None, ...],
) -> ModelError:
    if kind in ("invalid_request", "too_large") and _OVERFLOW.search(detail):
        kind = "context_overflow"
    elif kind == "invalid_request" and _BILLING.search(detail):
        kind = "billing"
    hint = _HINTS.get(kind, "")
    if kind == "invalid_request" and _STALE_THINKING.search(detail):
        hint = "The model does not take its earlier thinking back; /clear starts afresh."
    words = _WORDS[kind] + (f" ({status})" if status is not None else "")
    detail = redact(detail, *secrets)
    return ModelError(
        kind,
        f"{words}: {detail}" if detail else f"{words}.",
        hint=hint,
        status=status,
        retry_after_s=retry_after,
        is_retryable=kind in _RETRYABLE,
    )


def _read_body(body: object) -> tuple[str, str]:
    """Return the error's type and message from whatever form of body came, each empty where there is none."""
    if isinstance(body, bytes):
        body = body.decode("utf-8", "replace")
    if isinstance(body, str):
        try:
            body = json.loads(body)
        except ValueError:
            # A proxy's error page; its markup is no message.
            return "", "" if "<html" in str(body)[:500].lower() else str(body)
    error: Any = body.get("error", body) if isinstance(body, dict) else body
    if isinstance(error, dict):
        return str(error.get("type") or ""), str(error.get("message") or "")
    return "", "" if error is None else str(error)


def _number(value: str | None) -> float | None:
    try:
        number = float(value) if value is not None else math.nan
    except ValueError:
        return None
    return max(0.0, number) if math.isfinite(number) else None
