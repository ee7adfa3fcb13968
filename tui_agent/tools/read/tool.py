"""Read: show a text file to the model, with line numbers, and remember that it was seen."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal

from pydantic import Field

from tui_agent.tools.base import Claims, Invalid, Progress, Result, Tool, ToolContext, ToolError, ToolInput, Validity
from tui_agent.tools.encodings import looks_binary
from tui_agent.tools.file_state import FileRecord
from tui_agent.tools.files import WHOLE_FILE_LIMIT, FileProblem, load, open_regular, similar_paths
from tui_agent.tools.read.pages import LINE_CHARS, PAGE_LINES, Page, page_of, stream_page

__all__ = ["TOOL", "ReadInput", "ReadOutput", "ReadTool"]

_NOTICE_ROOM: Final = 1000  # characters of a result kept free for what is said about the page
_ADVICE: Final = {
    "folder": " List it with Bash: `ls`.",
    "binary": " Inspect it with Bash instead, for example `file` or `xxd | head`.",
}


class ReadInput(ToolInput):
    """Which lines of which file."""

    file_path: str = Field(description="The file to read; an absolute path, or one relative to the working folder.")
    offset: int | None = Field(None, ge=0, description="Number of the first line to show, counting from 1.")
    limit: int | None = Field(None, ge=1, description=f"How many lines to show at most; {PAGE_LINES} when left out.")


@dataclass(frozen=True, slots=True)
class ReadOutput:
    """A page of a file."""

    path: str
    page: Page


class ReadTool(Tool[ReadInput, ReadOutput]):
    """Reads text files; refuses folders, devices and what is not text."""

    name = "Read"
    aliases = ("read_file", "FileRead")
    search_hint = "open show view file content lines"
    Input = ReadInput
    interrupt_behavior: ClassVar[Literal["block", "cancel"]] = "cancel"

    def description(self) -> str:
        return (
            "Reads a text file and returns its lines, each as its number, a tab and the text.\n"
            f"- Shows up to {PAGE_LINES} lines from the start; use `offset` and `limit` for another part of a long file.\n"
            f"- Lines over {LINE_CHARS} characters are cut; a long file is shown page by page, with a PARTIAL view notice.\n"
            "- Reads files only, no folders; several files can be read in parallel."
        )

    def prompt(self) -> str:
        return (
            "Read a file with Read, not with `cat`, `head` or `sed`. Read it before you edit it: Edit refuses a file that was "
            "not read whole, or that has changed since. The line numbers are not part of the file."
        )

    def from_alias(self, alias: str, raw: dict[str, Any]) -> dict[str, Any]:
        for old in ("path", "absolute_path"):
            if old in raw and "file_path" not in raw:
                raw["file_path"] = raw.pop(old)
        return raw

    def is_concurrency_safe(self, input: ReadInput) -> bool:
        return True

    def is_read_only(self, input: ReadInput) -> bool:
        return True

    def claims(self, input: ReadInput) -> Claims:
        return Claims(reads=frozenset({input.file_path}))

    async def validate(self, input: ReadInput, ctx: ToolContext) -> Validity:
        if not input.file_path.strip() or "\0" in input.file_path:
            return Invalid(f"{input.file_path!r} is not a path.", "bad_path")
        path = ctx.workspace.absolute(input.file_path)
        if reason := ctx.denied(path, "read"):
            return Invalid(f"Reading {path} is denied: {reason}", "denied_path")
        return None

    async def call(self, input: ReadInput, ctx: ToolContext) -> AsyncIterator[Progress | Result[ReadOutput]]:
        path = ctx.workspace.absolute(input.file_path)
        try:
            page, record = await asyncio.to_thread(_read, path, input, ctx.limits.result_chars - _NOTICE_ROOM)
        except FileProblem as problem:
            hint = _ADVICE.get(problem.kind, "")
            if problem.kind == "missing":
                hint = await asyncio.to_thread(_suggestion, path, ctx)
            raise ToolError(
                f"{path} cannot be read: {problem.message}.{hint}", kind="validation", data={"code": problem.kind}
            ) from problem
        ctx.files.record(record)
        yield Result(ReadOutput(path, page))

    def to_result(self, output: ReadOutput) -> str:
        page = output.page
        if not page.lines:
            if page.total == 0:
                return "(the file is empty)"
            return f"(the file has {_count(page.total or 0)}; line {page.start} is past its end)"
        text = page.numbered()
        if page.is_whole:
            return text
        last = page.start + len(page.lines) - 1
        total = f" of {page.total}" if page.total is not None else ", the file is too large to count the rest"
        rest = f" Read on with offset={last + 1}." if page.has_more else ""
        return f"{text}\n\n[PARTIAL view: lines {page.start}–{last}{total}.{rest}]"

    def to_data(self, output: ReadOutput) -> dict[str, Any]:
        page = output.page
        return {
            "type": "text",
            "file": {
                "filePath": output.path,
                "content": "\n".join(page.lines),
                "numLines": len(page.lines),
                "startLine": page.start,
                "totalLines": page.total,
            },
        }


def _read(path: str, input: ReadInput, budget: int) -> tuple[Page, FileRecord]:
    offset = max(1, input.offset or 1)
    try:
        file = load(path)
    except FileProblem as problem:
        if problem.kind != "too_large":
            raise
        return _read_large(path, offset, input.limit, budget)
    page = page_of(file.text, offset, input.limit, budget)
    first = offset - 1
    return page, FileRecord(
        path=path,
        hash=file.hash,
        mtime_ns=file.mtime_ns,
        size=file.size,
        is_partial=not page.is_whole,
        seen=((first, first + len(page.lines)),) if page.lines else (),
        total_lines=page.total or 0,
    )


def _read_large(path: str, offset: int, limit: int | None, budget: int) -> tuple[Page, FileRecord]:
    """Read a page of a file over `WHOLE_FILE_LIMIT`. Its record has no hash: such a file is never edited."""
    handle, status = open_regular(path)
    with open(handle, "rb") as file:  # noqa: PTH123 - opened with care above
        sample = file.read(8192)
        if looks_binary(sample) or sample.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise FileProblem("binary", f"it is not UTF-8 text, and has more than {WHOLE_FILE_LIMIT:,} bytes")
        file.seek(0)
        page = stream_page(file, offset, limit, budget)
    return page, FileRecord(path=path, hash="", mtime_ns=status.st_mtime_ns, size=status.st_size)


def _suggestion(path: str, ctx: ToolContext) -> str:
    found = similar_paths(path, str(ctx.workspace.root), lambda other: ctx.denied(other, "read") is not None)
    return f" Did you mean {' or '.join(found)}?" if found else ""


def _count(lines: int) -> str:
    return "1 line" if lines == 1 else f"{lines} lines"


TOOL = ReadTool
