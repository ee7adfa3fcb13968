"""Headers that a command of the user's prints, for servers whose keys are short-lived."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Final

__all__ = ["HeadersError", "helper_headers"]

_LIMIT_S: Final = 10.0
_MOST_BYTES: Final = 256 * 1024


class HeadersError(Exception):
    """The command gave no headers; the text says why, as a sentence."""


async def helper_headers(command: str, *, cwd: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the headers that a command prints as a JSON object. It has ten seconds.

    Raises:
        HeadersError: it fails, or prints something else.
    """
    try:
        process = await asyncio.create_subprocess_shell(
            command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            cwd=cwd,
            env=dict(environment),
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise HeadersError(f"headersHelper cannot be started: {error}.") from error
    assert process.stdout is not None
    try:
        async with asyncio.timeout(_LIMIT_S):
            text = await process.stdout.read(_MOST_BYTES)
            code = await process.wait()
    except TimeoutError:
        raise HeadersError(f"headersHelper took longer than {_LIMIT_S:g} seconds.") from None
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    if code != 0:
        raise HeadersError(f"headersHelper ended with exit code {code}.")
    try:
        headers = json.loads(text)
    except ValueError:
        headers = None
    if not isinstance(headers, dict) or not all(isinstance(value, str) for value in headers.values()):
        raise HeadersError("headersHelper printed no JSON object of texts.")
    return headers
