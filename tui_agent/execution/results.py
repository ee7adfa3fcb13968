"""Limits the size of results: one that is too large is stored whole on disk, and the model gets head, tail and the path.

There is a limit for each result, and one for all results of a reply together.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import aiofiles
import aiofiles.os

from tui_agent.events import Notice
from tui_agent.execution.errors import unwrap, wrap
from tui_agent.execution.execution_context import Content, Publish, ToolOutcome
from tui_agent.private_folders import open_private

__all__ = ["REPLY_CHARS", "Fitted", "ResultStore", "allot", "text_chars", "text_of"]

REPLY_CHARS: Final = 200_000  # of all results of one reply together
_PREVIEW_CHARS: Final = 4_000  # what is left of a result that went to disk for the sake of the others
_MARKER_ROOM: Final = 160  # characters kept free for the marker, beyond the path
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_-]")


class Fitted(NamedTuple):
    """A result as the model gets it, and the file that holds the whole of it where that is more."""

    content: Content
    kept_in: str | None = None


def text_of(content: Content) -> str:
    """Return the text of a result; blocks of other kinds have none."""
    if isinstance(content, str):
        return content
    return "\n".join(str(block.get("text", "")) for block in content if block.get("type") == "text")


def text_chars(content: Content) -> int:
    """Return how many characters of text a result holds."""
    if isinstance(content, str):
        return len(content)
    return sum(len(str(block.get("text", ""))) for block in content if block.get("type") == "text")


def allot(lengths: Sequence[int], limit: int) -> list[int]:
    """Return how many characters each of several texts may keep so that all together stay within `limit`.

    The longest is cut first, to a preview, then the next; only where that is not enough are all cut to one height.
    """
    allowed = list(lengths)
    total = sum(lengths)
    for index in sorted(range(len(lengths)), key=lambda index: -lengths[index]):
        if total <= limit:
            return allowed
        allowed[index] = min(lengths[index], _PREVIEW_CHARS)
        total -= lengths[index] - allowed[index]
    low, high = 0, max(allowed, default=0)
    while low < high:
        middle = (low + high + 1) // 2
        if sum(min(length, middle) for length in allowed) <= limit:
            low = middle
        else:
            high = middle - 1
    return [min(length, low) for length in allowed]


class ResultStore:
    """Keeps large results in a session's `folder`; None keeps nothing and only cuts. Says once that it cannot."""

    def __init__(self, folder: Path | None, publish: Publish) -> None:
        self._folder = folder
        self._publish = publish
        self._is_full_said = False

    async def fit(self, content: Content, *, tool_use_id: str, limit: int, kept_in: str | None = None) -> Fitted:
        """Return `content` with its text within `limit` characters, after what was longer is stored byte for byte.

        Blocks other than text stay as they are. A disk that cannot take it costs the rest of the text, which a notice says.
        `kept_in` names the file that holds the whole text already.
        """
        if text_chars(content) <= limit:
            return Fitted(content, kept_in)
        text = text_of(content)
        path = kept_in or await self.keep(text, tool_use_id)
        cut = _cut(text, path, limit)
        if isinstance(content, str):
            return Fitted(cut, path)
        others: list[dict[str, Any]] = [block for block in content if block.get("type") != "text"]
        return Fitted([{"type": "text", "text": cut}, *others], path)

    async def fit_together(self, outcomes: Sequence[ToolOutcome], limit: int = REPLY_CHARS) -> dict[str, Content]:
        """Return the results of one reply that must be shorter so that all together stay within `limit`, by tool use id."""
        lengths = [text_chars(outcome.content) for outcome in outcomes]
        shorter: dict[str, Content] = {}
        for outcome, length, allowed in zip(outcomes, lengths, allot(lengths, limit), strict=True):
            if allowed < length:
                shorter[outcome.tool_use_id] = await self._shorten(outcome, allowed)
        return shorter

    async def _shorten(self, outcome: ToolOutcome, limit: int) -> Content:
        inner = unwrap(outcome.content) if isinstance(outcome.content, str) else None
        room = limit if inner is None else max(0, limit - len(wrap("")))
        own = (outcome.data or {}).get("persistedOutputPath")  # a tool may have kept its output itself
        kept_in = outcome.kept_in or (own if isinstance(own, str) else None)
        content = outcome.content if inner is None else inner
        fitted = await self.fit(content, tool_use_id=outcome.tool_use_id, limit=room, kept_in=kept_in)
        return wrap(fitted.content) if inner is not None and isinstance(fitted.content, str) else fitted.content

    async def keep(self, text: str, tool_use_id: str) -> str | None:
        """Store text in a file of its own and return its path; None, after a notice, where that cannot be done."""
        path = await self._store(text, tool_use_id)
        return str(path) if path else None

    async def _store(self, text: str, tool_use_id: str) -> Path | None:
        if self._folder is None:
            return None
        try:
            return await _write(self._folder, _UNSAFE.sub("_", tool_use_id)[:100], text)
        except OSError as error:
            if not self._is_full_said:
                self._is_full_said = True
                self._publish(
                    Notice(
                        level="warning",
                        text=f"A large tool result could not be stored: {error.strerror or error}",
                        hint=f"Free space in {self._folder}; until then, large results are cut.",
                    )
                )
            return None


def _cut(text: str, path: str | None, limit: int) -> str:
    """Return equal head and tail of `text`, and between them how much is left out and where the whole is."""
    room = (limit - _MARKER_ROOM - len(path or "")) // 2
    if room < 0:  # not even the marker fits
        return f"{text[: limit - 1]}…" if limit > 0 else ""
    left_out = f"{len(text) - 2 * room:,} of {len(text):,} characters left out"
    where = f"the whole text is in {path}" if path else "they could not be kept"
    return f"{text[:room]}\n\n… [{left_out}; {where}] …\n\n{text[len(text) - room :]}"


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
    async with aiofiles.open(path, "wb", opener=open_private) as file:
        await file.write(data)


def _encoded(text: str) -> bytes:
    """Give bytes that were not UTF-8 back as they were; other lone surrogates as they stand."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
