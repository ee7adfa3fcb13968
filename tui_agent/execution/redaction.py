"""Hides secrets in results, and refuses inputs that hold a mask where the secret itself would be needed."""

from __future__ import annotations

import asyncio
import operator
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from tui_agent.changes import FileChange
from tui_agent.event_json import Encoded
from tui_agent.execution.errors import ToolFailure
from tui_agent.hunks import DiffLine, Hunk
from tui_agent.secrets.masker import Masker, batches, texts_in
from tui_agent.tools.base import Tool, ToolContext, ToolInput
from tui_agent.tools.files import FileProblem, load_bytes
from tui_agent.tools.resolved_path import ResolvedPaths

__all__ = ["hidden", "hidden_data", "look_ahead", "make_ready", "masked_change", "refuse_masks"]

_AT_ONCE: Final = 100_000  # characters that are masked without going to a thread
_EACH: Final = 50  # what one more text counts for, in characters
_TOGETHER: Final = 100  # hunks that are looked through together
_FEW_HUNKS: Final = 50  # of changes that are masked and encoded when they are published
_FEW_LINES: Final = 500  # that such hunks have together: a new file is one hunk
_LARGEST_FILE: Final = 10_000_000
_OLD_TEXTS: Final = frozenset({"old_string"})

_IN_COMMAND: Final = (
    "The command holds {mask}, which stands for a secret that is hidden from you; it is not the secret. Let the command take "
    "it from the file or the program that has it, or ask the user."
)
_IN_OLD_TEXT: Final = (
    "{field} holds {mask}: where you see that, the file has a secret that is hidden from you. Take the text before or after it "
    "instead, on lines that have no mask, and leave the secret as it is."
)
_IN_NEW_TEXT: Final = (
    "{field} holds {mask}, which stands for a secret that is hidden from you. Written to the file, the mask would take the "
    "secret's place. Change only the lines around it, with Edit, or ask the user."
)


async def hidden(masker: Masker, data: Any) -> Any:  # noqa: ANN401 - any JSON data in, the same shape out
    """Return a result's content or data with secrets masked. Long data is masked in a thread."""
    return await asyncio.to_thread(masker.mask_data, data) if _is_long(data) else masker.mask_data(data)


async def hidden_data(masker: Masker, data: dict[str, Any]) -> dict[str, Any]:
    """Return a result's data with secrets masked. Long data is masked and encoded as JSON in a thread."""
    if _is_long(data):
        return await asyncio.to_thread(lambda: Encoded(masker.mask_data(data)))
    masked: dict[str, Any] = masker.mask_data(data)
    return masked


async def look_ahead(masker: Masker, data: Any) -> None:  # noqa: ANN401 - any JSON data
    """Look in a thread for secrets in long data that will be published: the masker remembers what it finds."""
    if _is_long(data):
        await asyncio.to_thread(masker.mask_data, data)


async def make_ready(masker: Masker, changes: Sequence[FileChange]) -> None:
    """Mask and encode large changes in a thread before they are published."""
    hunks = [hunk for change in changes for hunk in change.hunks]
    if len(hunks) > _FEW_HUNKS or sum(len(hunk.lines) for hunk in hunks) > _FEW_LINES:
        await asyncio.to_thread(lambda: [masked_change(change, masker).json_text() for change in changes])


def masked_change(change: FileChange, masker: Masker) -> FileChange:
    """Return the change with secrets masked. If anything was masked it has no whole texts, like one from a journal."""
    key = ("masked", id(masker), masker.is_on, len(masker.needles))
    known: FileChange | None = change.derived.get(key)
    if known is None:
        hunks = tuple(_masked_hunks(change.hunks, masker))
        is_same = all(map(operator.is_, hunks, change.hunks))
        known = change if is_same else replace(change, before=None, after=None, hunks=hunks)
        change.derived[key] = known
    return known


def _is_long(data: Any) -> bool:  # noqa: ANN401 - any JSON data
    """Whether masking the data would delay a key press noticeably."""
    left = _AT_ONCE
    for text in texts_in(data):
        left -= len(text) + _EACH
        if left < 0:
            return True
    return False


async def refuse_masks(tool: Tool[Any, Any, Any], input: ToolInput, raw: dict[str, Any], ctx: ToolContext) -> None:
    """Refuse a call that changes files or runs a command and holds a mask in the place of a secret.

    A mask that the file itself holds as text is allowed.

    Raises:
        ToolFailure: it does.
    """
    masker = ctx.services.masker
    found = next(((field, mask) for field, text in _texts(raw) if (mask := masker.shown_in(text))), None)
    if found is None:
        return
    field, mask = found
    try:
        is_command = tool.shell_command(input) is not None
        files = sorted(tool.claims(input).writes)
        if not is_command and (tool.is_read_only(input) or not files):
            return
    except Exception:  # noqa: BLE001 - what it would do cannot be told, so it counts as a change
        is_command, files = False, []
    if is_command:
        raise _refused(_IN_COMMAND, field, mask)
    if not await asyncio.to_thread(_stands_in, [ctx.workspace.absolute(file) for file in files], mask, ctx.paths):
        raise _refused(_IN_OLD_TEXT if field in _OLD_TEXTS else _IN_NEW_TEXT, field, mask)


def _refused(words: str, field: str, mask: str) -> ToolFailure:
    return ToolFailure("validation", words.format(field=field, mask=mask), data={"code": "masked_secret"})


def _texts(raw: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each text in an input with the name of the field it stands in."""
    waiting: list[tuple[str, Any]] = [("", raw)]
    while waiting:
        field, data = waiting.pop()
        match data:
            case str():
                yield field, data
            case dict():
                waiting += [(str(name), value) for name, value in data.items()]
            case list():
                waiting += [(field, value) for value in data]
            case _:
                pass


def _stands_in(files: list[str], mask: str, paths: ResolvedPaths) -> bool:
    for file in files:
        try:
            if mask.encode() in load_bytes(paths[file], _LARGEST_FILE)[0]:
                return True
        except (FileProblem, ValueError):
            continue
    return False


def _masked_hunks(hunks: Sequence[Hunk], masker: Masker) -> Iterator[Hunk]:
    """Yield the hunks with secrets masked; several are checked together first."""
    for start in range(0, len(hunks), _TOGETHER):
        some = hunks[start : start + _TOGETHER]
        texts = (text for hunk in some for text in (*hunk.lead, *(line.text for line in hunk.lines), *hunk.trail))
        if all(map(masker.is_free, batches(texts))):
            yield from some
        else:
            yield from (_masked_hunk(hunk, masker) for hunk in some)


def _masked_hunk(hunk: Hunk, masker: Masker) -> Hunk:
    """Mask the lines of a hunk together: a line may be a secret only in the context of another."""
    texts = [*hunk.lead, *(line.text for line in hunk.lines), *hunk.trail]
    endings = ["\n" if text.endswith("\n") else "" for text in texts]
    joined = "\n".join(text.removesuffix("\n") for text in texts)
    masked = masker.mask(joined)
    if masked == joined:
        return hunk
    lines = [line + ending for line, ending in zip(masked.split("\n"), endings, strict=True)]
    first, last = len(hunk.lead), len(hunk.lead) + len(hunk.lines)
    return replace(
        hunk,
        lead=tuple(lines[:first]),
        lines=tuple(DiffLine(old.kind, text) for old, text in zip(hunk.lines, lines[first:last], strict=True)),
        trail=tuple(lines[last:]),
    )
