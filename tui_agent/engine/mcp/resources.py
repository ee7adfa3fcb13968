"""The contents of resources as content blocks: text, images that the API takes, and files for all else."""

from __future__ import annotations

import asyncio
import secrets
from base64 import b64decode
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from tui_agent.private_folders import make_private, open_private
from tui_agent.text import clean_line

__all__ = ["resource_blocks"]

_MOST_BYTES: Final = 16 * 1024 * 1024


async def resource_blocks(contents: Iterable[Mapping[str, Any]], folder: Path | None) -> list[dict[str, Any]]:
    """Return content blocks as MCP has them. What cannot be shown is stored in `folder` and named; None: only named."""
    return [await _block(content, folder) for content in contents]


async def _block(content: Mapping[str, Any], folder: Path | None) -> dict[str, Any]:
    if isinstance(text := content.get("text"), str):
        return {"type": "text", "text": text}
    kind = clean_line(str(content.get("mimeType") or "application/octet-stream"), 100)
    blob = str(content.get("blob") or "")
    if kind.startswith("image/"):
        return {"type": "image", "mimeType": kind, "data": blob}
    try:
        data = b64decode(blob[: _MOST_BYTES * 4 // 3 + 4], validate=True)
    except ValueError:
        return {"type": "text", "text": f"[{kind}, which is no Base64]"}
    if folder is None:
        return {"type": "text", "text": f"[{kind}, {len(data):,} bytes]"}
    try:
        path = await asyncio.to_thread(_store, folder, data)
    except OSError as error:
        return {"type": "text", "text": f"[{kind}, {len(data):,} bytes, which could not be stored: {error.strerror}]"}
    return {"type": "text", "text": f"[{kind}, {len(data):,} bytes, stored in {path}]"}


def _store(folder: Path, data: bytes) -> Path:
    make_private(folder)
    path = folder / f"resource-{secrets.token_hex(6)}.bin"
    with open(path, "xb", opener=open_private) as file:
        file.write(data)
    return path
