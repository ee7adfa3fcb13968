"""Model servers on this machine, found on the ports they use when nobody tells them otherwise."""

from __future__ import annotations

import asyncio
from typing import Final

__all__ = ["PORTS", "find_servers"]

PORTS: Final = (1234, 4000, 8000, 8080, 11434)
_TIMEOUT_S: Final = 0.5


async def find_servers(ports: tuple[int, ...] = PORTS) -> list[str]:
    """Return the base addresses that answer a request for their models, within half a second."""
    answers = await asyncio.gather(*(_serves_models(port) for port in ports))
    return [f"http://127.0.0.1:{port}" for port, is_server in zip(ports, answers, strict=True) if is_server]


async def _serves_models(port: int) -> bool:
    try:
        async with asyncio.timeout(_TIMEOUT_S):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            try:
                writer.write(f"GET /v1/models HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode())
                await writer.drain()
                status = (await reader.readline()).split(b" ")
            finally:
                writer.close()
    except (OSError, TimeoutError, ValueError):
        return False
    return len(status) > 1 and status[0].startswith(b"HTTP/") and status[1] in (b"200", b"401")
