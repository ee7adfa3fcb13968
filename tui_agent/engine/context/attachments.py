"""What goes along with a message of the user's: files and folders that it mentions, read for the model, and pictures.

A mention is read by the tool that the model would use, within the same permissions, limits and masks, and leaves the same
trace: a file that was attached may be edited without another read. Tools' hooks do not hear of it. What is not there, is text;
where it looks like a path and like nothing else, the user is told.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, Protocol

from tui_agent.context_marks import neutral, neutral_content
from tui_agent.drafts import Chip, Draft
from tui_agent.execution.available_tools import AvailableTools
from tui_agent.execution.errors import ToolFailure
from tui_agent.execution.execution_context import ExecutionContext
from tui_agent.execution.extensions import Extensions
from tui_agent.execution.input_checks import check
from tui_agent.execution.permission import PermissionStage
from tui_agent.execution.redaction import hidden
from tui_agent.execution.resolution import ResolvedUse, find_tool, resolve_use
from tui_agent.execution.results import text_chars
from tui_agent.execution.tool_call import call_tool
from tui_agent.execution.tracked_tool import TrackedTool
from tui_agent.media import MOST_IMAGES, REQUEST_CHARS, Media, image_block
from tui_agent.mentions import Mention, mentions_in, without_code
from tui_agent.text import clean_line
from tui_agent.tools.base import ToolContext, ToolError
from tui_agent.tools.services import Conversation
from tui_agent.tools.workspace import Workspace

__all__ = ["MOST_CHARS", "MOST_MENTIONS", "Attached", "AttachmentReader"]

MOST_MENTIONS: Final = 20  # of one message
MOST_CHARS: Final = 120_000  # of all texts that are attached to one message
_MOST_MEDIA_CHARS: Final = REQUEST_CHARS * 9 // 10
_LONGEST_REASON: Final = 300
_TOO_MANY: Final = f"a message takes {MOST_MENTIONS} of them"
_TOO_LONG: Final = "it is too much for one message; the model can read it"
_NOT_THERE: Final = "there is no such file or folder"
_NO_ROOM: Final = "the conversation holds as many pictures as a request may carry"

Content = str | list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Attached:
    """What stands before a message's text: `blocks` for the model, `facts` for people, one for each thing.

    A fact names what it is about (`name`) and its `kind`: `file`, `folder` or `image`, with a `note` on how much of it there is
    and, of pictures, a `preview`; `skill`, with where it comes from; or `refused`, with the reason as its `note`.
    """

    blocks: tuple[dict[str, Any], ...] = ()
    facts: tuple[dict[str, Any], ...] = ()

    def __add__(self, other: Attached) -> Attached:
        return Attached((*self.blocks, *other.blocks), (*self.facts, *other.facts))


@dataclass(frozen=True, slots=True)
class _Found:
    """A mentioned path that is there."""

    path: str
    lines: tuple[int, int] | None
    is_folder: bool


@dataclass(slots=True)
class _AttachmentBatch:
    """What has been attached so far."""

    blocks: list[dict[str, Any]] = field(default_factory=list)
    facts: list[dict[str, Any]] = field(default_factory=list)
    chars: int = 0

    def add(self, fact: dict[str, Any], *blocks: dict[str, Any]) -> None:
        """Put something on it: what people see of it, and what the model gets."""
        self.facts.append(fact)
        self.blocks.extend(blocks)

    def count(self, chars: int) -> None:
        """Count text that goes along."""
        self.chars += chars

    def refuse(self, name: str, why: str) -> None:
        """Tell of something that does not go along."""
        self.facts.append({"kind": "refused", "name": name, "note": clean_line(why, _LONGEST_REASON)})


class AttachmentTools(Protocol):
    """What mentions are read with."""

    @property
    def workspace(self) -> Workspace:
        """Where relative paths begin."""
        ...

    @property
    def pool(self) -> AvailableTools:
        """The tools there are."""
        ...

    @property
    def execution_context(self) -> ExecutionContext:
        """What tool uses that begin now share."""
        ...


class AttachmentReader:
    """Reads what messages mention. The questions that this leads to are asked as those of tools are."""

    def __init__(self, runtime: AttachmentTools, conversation: Conversation | None) -> None:
        self._runtime = runtime
        self._conversation = conversation

    def is_needed(self, draft: Draft) -> bool:
        """Whether a message may have anything to attach. What was pasted mentions nothing: it was not typed."""
        return bool(draft.images or mentions_in(draft.text))

    async def attach(self, message_id: str, draft: Draft) -> Attached:
        """Read what a message mentions. Cancelling it withdraws a question that it has led to."""
        pile = _AttachmentBatch()
        mentions = mentions_in(draft.text)
        found, missing = await asyncio.to_thread(self._find, mentions) if mentions else ([], [])
        for number, one in enumerate(found):
            if number < MOST_MENTIONS:
                await self._read(one, f"{message_id}_{number}", pile)
            else:
                pile.refuse(self._runtime.workspace.display(one.path), _TOO_MANY)
        if missing:
            pile.refuse(", ".join(missing), _NOT_THERE)
        self._add_images(draft.images, pile)
        if refused := [f"{fact['name']}: {fact['note']}" for fact in pile.facts if fact["kind"] == "refused"]:
            pile.blocks.append({"type": "text", "text": f"(Not attached: {'; '.join(refused)})"})
        return Attached(tuple(pile.blocks), tuple(pile.facts))

    async def attach_text(self, name: str, text: str) -> Attached:
        """Read what a text mentions that the user has not typed. Code in it, and what is not there, mentions nothing."""
        pile = _AttachmentBatch()
        mentions = mentions_in(without_code(text))
        found, _ = await asyncio.to_thread(self._find, mentions) if mentions else ([], [])
        for number, one in enumerate(found[:MOST_MENTIONS]):
            await self._read(one, f"{name}_{number}", pile)
        return Attached(tuple(pile.blocks), tuple(pile.facts))

    # --- mentions ----------------------------------------------------------------------------------------------------

    def _find(self, mentions: Sequence[Mention]) -> tuple[list[_Found], list[str]]:
        """Return what is there of that which is mentioned, and what plainly should be there and is not. Blocks."""
        found: dict[_Found, None] = {}
        missing: dict[str, None] = {}
        for mention in mentions:
            for reading in mention.readings:
                path = self._absolute(reading.path)
                kind = _kind(path)
                if kind is not None:
                    found[_Found(path, None if kind == "folder" else reading.lines, kind == "folder")] = None
                    break
            else:
                if mention.plain_path:
                    missing[mention.plain_path] = None
        return list(found), list(missing)[:MOST_MENTIONS]

    def _absolute(self, path: str) -> str:
        """Return a path as the user means it: from where the session was started, wherever its shell stands now."""
        workspace = self._runtime.workspace
        is_own = not path.startswith("~/") and path != "~"
        return workspace.absolute(os.path.join(workspace.root, path) if is_own else path)  # noqa: PTH118

    async def _read(self, found: _Found, name: str, pile: _AttachmentBatch) -> None:
        shown = self._runtime.workspace.display(found.path)
        if found.is_folder:
            shown = shown.removesuffix("/") + "/"
        named = find_tool(self._runtime.pool, "LS" if found.is_folder else "Read")
        if named.tool is None:
            pile.refuse(shown, "there is no tool to read it with")
            return
        try:
            content, data = await self._run(resolve_use(named, _input(found)), f"attach_{name}")
        except ToolFailure as failure:
            pile.refuse(shown, _reason(failure, found.path))
            return
        chars = text_chars(content)
        if pile.chars + chars > MOST_CHARS:
            pile.refuse(shown, _TOO_LONG)
            return
        pile.count(chars)
        pile.add(_fact(shown, found, data), *_wrapped(found, content))

    async def _run(self, resolved: ResolvedUse, use_id: str) -> tuple[Content, dict[str, Any]]:
        """Use a tool that only reads, and return what the model gets of it, and its data.

        Raises:
            ToolFailure: it is not permitted, or fails.
        """
        execution_context = replace(self._runtime.execution_context, extensions=Extensions())
        ctx = ToolContext(
            workspace=execution_context.workspace,
            files=execution_context.files,
            tool_use_id=use_id,
            environment=execution_context.environment,
            results_dir=execution_context.results_dir,
            limits=execution_context.limits,
            is_interactive=execution_context.is_interactive,
            denied=execution_context.denied,
            services=execution_context.services,
        )
        use = TrackedTool(use_id, publish=lambda _event: None)
        use.queue()
        use.start()
        permission = PermissionStage(use, execution_context, ctx, _stay)
        try:
            permit = await permission.admit(await check(resolved, ctx))
            result = await call_tool(permit.checked, ctx, lambda _progress: None)
        except ToolError as error:
            raise ToolFailure.of(error) from error
        except (OSError, ValueError) as error:
            raise ToolFailure.unexpected(error, "reading") from error
        finally:
            await permission.aclose()
            execution_context.files.media.pop(use_id, None)  # it counts as a part of the message
        masker = execution_context.services.masker
        tool = permit.checked.tool
        content: Content = await hidden(masker, tool.to_result(result.output))
        return content, await hidden(masker, tool.to_data(result.output))

    # --- pictures ----------------------------------------------------------------------------------------------------

    def _add_images(self, chips: Sequence[Chip], pile: _AttachmentBatch) -> None:
        held = self._conversation.media() if self._conversation is not None else Media()
        for chip in chips:
            image = chip.image
            if image is None:
                continue
            held += Media(images=1, chars=len(image.data))
            if held.images > MOST_IMAGES or held.chars > _MOST_MEDIA_CHARS:
                pile.refuse(chip.label, _NO_ROOM)
                continue
            label = {"type": "text", "text": f"{chip.label}{f' {image.name}' if image.name else ''}:"}
            fact: dict[str, Any] = {
                "kind": "image",
                "name": image.name or chip.label.strip("[]"),
                "note": _pixels(*image.size),
            }
            fact = {**fact, "preview": dict(image.preview)} if image.preview else fact
            pile.add(fact, label, image_block(image.media_type, image.data))


async def _stay(_use: ResolvedUse) -> None:
    """Keep the place among other tool uses: there is none."""


def _kind(path: str) -> Literal["file", "folder"] | None:
    try:
        return "folder" if os.path.isdir(path) else "file" if os.path.lexists(path) else None  # noqa: PTH112
    except ValueError:
        return None


def _input(found: _Found) -> dict[str, Any]:
    if found.is_folder:
        return {"path": found.path}
    if found.lines is None:
        return {"file_path": found.path}
    first, last = found.lines
    return {"file_path": found.path, "offset": first, "limit": last - first + 1, "allow_large": True}


def _wrapped(found: _Found, content: Content) -> list[dict[str, Any]]:
    """Return a result as blocks of a message, set apart from the user's own words, whatever it says itself."""
    blocks = neutral_content([{"type": "text", "text": content}] if isinstance(content, str) else content)
    tag = "attached_folder" if found.is_folder else "attached_file"
    lines = f' lines="{found.lines[0]}-{found.lines[1]}"' if found.lines else ""
    head = f"<{tag} path={neutral(json.dumps(found.path, ensure_ascii=False))}{lines}>"
    return [
        {**block, "text": f"{head}\n{block['text']}\n</{tag}>"} if block.get("type") == "text" else block
        for block in blocks
    ]


def _fact(shown: str, found: _Found, data: dict[str, Any]) -> dict[str, Any]:
    """Return what people see of something that was read."""
    if found.is_folder:
        count = len(data.get("entries", ())) + int(data.get("moreEntries") or 0)
        return {"kind": "folder", "name": shown, "note": "1 entry" if count == 1 else f"{count:,} entries"}
    file = data.get("file", data)
    match data.get("type"):
        case "text":
            return {"kind": "file", "name": shown, "note": _lines_note(file)}
        case "image":
            size = file.get("dimensions", {})
            note = _pixels(size.get("originalWidth", 0), size.get("originalHeight", 0))
            return {"kind": "image", "name": shown, "note": note, "preview": file.get("preview")}
        case "pdf":
            return {"kind": "file", "name": shown, "note": f"pages {file['firstPage']}–{file['lastPage']}"}
        case "file_unchanged":
            return {"kind": "file", "name": shown, "note": "as it was read before"}
        case _:
            return {"kind": "file", "name": shown, "note": ""}


def _lines_note(file: dict[str, Any]) -> str:
    count, start, total = file.get("numLines", 0), file.get("startLine", 1), file.get("totalLines")
    if count and count != total:
        return f"lines {start}–{start + count - 1}" + (f" of {total:,}" if total else "")
    return "1 line" if count == 1 else f"{count:,} lines"


def _pixels(width: int, height: int) -> str:
    return f"{width} × {height} pixels"


def _reason(failure: ToolFailure, path: str) -> str:
    """Return why something could not be read, without naming it again."""
    if (failure.data or {}).get("by") == "person":
        return "you said no"
    text = failure.text
    heads = (f"{path} cannot be read: ", f"Reading {path} is denied: ", "Permission to use Read here was denied: ")
    return next((text.removeprefix(head) for head in heads if text.startswith(head)), text)
