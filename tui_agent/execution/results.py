"""The size of results: what is too large for the model is kept whole on disk, and the model gets head, tail and the path."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import aiofiles
import aiofiles.os

from tui_agent.events import Notice
from tui_agent.execution.toolbox import Content, Publish

__all__ = ["ResultStore"]

_MARKER_ROOM: Final = 160  # characters kept free for the marker, beyond the path
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_-]")


class ResultStore:
    """Keeps large results of one session in `folder`; None keeps nothing and only cuts."""

    def __init__(self, folder: Path | None, publish: Publish) -> None:
        self._folder = folder
        self._publish = publish

    async def fit(self, content: Content, *, tool_use_id: str, limit: int) -> Content:
        """Return `content` with its text within `limit` characters, after what was longer is stored byte for byte.

        Blocks other than text stay as they are. A disk that cannot take it costs the rest of the text, which a notice says.
        """
        if isinstance(content, str):
            return content if len(content) <= limit else await self._cut(content, tool_use_id, limit)
        texts = [str(block.get("text", "")) for block in content if block.get("type") == "text"]
        if sum(map(len, texts)) <= limit:
            return content
        cut = await self._cut("\n".join(texts), tool_use_id, limit)
        others: list[dict[str, Any]] = [block for block in content if block.get("type") != "text"]
        return [{"type": "text", "text": cut}, *others]

    async def _cut(self, text: str, tool_use_id: str, limit: int) -> str:
        path = await self._store(text, tool_use_id)
        room = max(0, limit - _MARKER_ROOM - (len(str(path)) if path else 0)) // 2
        left_out = f"{len(text) - 2 * room:,} of {len(text):,} characters left out"
        where = f"the whole text is in {path}" if path else "they could not be kept"
        return f"{text[:room]}\n\n… [{left_out}; {where}] …\n\n{text[len(text) - room :]}"

    async def _store(self, text: str, tool_use_id: str) -> Path | None:
        if self._folder is None:
            return None
        try:
            return await _write(self._folder, _UNSAFE.sub("_", tool_use_id)[:100], text)
        except OSError as error:
            self._publish(
                Notice(
                    level="warning",
                    text=f"A large tool result could not be kept: {error.strerror or error}",
                    hint=f"Make room in {self._folder}; until then such results are cut.",
                )
            )
            return None


async def _write(folder: Path, name: str, text: str) -> Path:
    """Write to a file of its own, whole or not at all."""
    await aiofiles.os.makedirs(folder, exist_ok=True, mode=0o700)
    path = folder / f"{name}.txt"
    number = 1
    while await aiofiles.os.path.exists(path):
        number += 1
        path = folder / f"{name}-{number}.txt"
    partial = path.with_suffix(".part")
    try:
        await _write_bytes(partial, _encoded(text))
        await aiofiles.os.replace(partial, path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    return path


async def _write_bytes(path: Path, data: bytes) -> None:
    async with aiofiles.open(path, "wb") as file:
        await file.write(data)


def _encoded(text: str) -> bytes:
    """Give bytes that were not UTF-8 back as they were; other lone surrogates as they stand."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
