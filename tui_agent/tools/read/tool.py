"""Read: show a file to the model as what it is, and remember that it was seen."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from threading import Event
from typing import Any, ClassVar, Final, Literal

from tui_agent.tools.base import Claims, Invalid, Progress, Result, Tool, ToolContext, ToolError, Valid, Validity
from tui_agent.tools.files import FileProblem, similar_paths
from tui_agent.tools.read.input import ReadInput
from tui_agent.tools.read.kinds import FileReading, read_file
from tui_agent.tools.read.pages import LINE_CHARS
from tui_agent.tools.read.pdfs import MOST_PAGES_A_READ, WHOLE_PAGES, PdfProblem
from tui_agent.tools.read.results import PdfRead, ReadOutput, TextRead, Unchanged
from tui_agent.tools.shared_read.images import ImageProblem
from tui_agent.tools.shared_read.media_limits import media_room, take_room
from tui_agent.tools.shared_read.notebooks import NotebookProblem

__all__ = ["TOOL", "ReadInput", "ReadTool"]

_NOTICE_ROOM: Final = 1000  # characters of a result kept free for what is said about the page
_ADVICE: Final = {
    "folder": " List it with LS (or `ls` in Bash), or find files in it with Glob.",
    "binary": ' Read its bytes with encoding="base64", or look at it with Bash, for example `file` or `xxd | head`.',
}


class ReadTool(Tool[ReadInput, None, ReadOutput]):
    """Reads text files, images, PDFs and notebooks; refuses folders, devices and, unless asked for bytes, what is neither."""

    name = "Read"
    aliases = ("read_file", "FileRead")
    search_hint = "open show view file content lines image picture pdf notebook"
    Input = ReadInput
    interrupt_behavior: ClassVar[Literal["block", "cancel"]] = "cancel"

    def description(self) -> str:
        return (
            "Reads a file: text, images, PDF pages, Jupyter notebooks.\n"
            "- Text comes as lines, each as its number, a tab and the text: all of a file that fits, else a first page with a "
            "PARTIAL view notice; use `offset` and `limit` for another part.\n"
            f"- Where not everything fits, lines over {LINE_CHARS:,} characters are cut; one read alone is shown whole.\n"
            "- Images (PNG, JPEG, GIF, WebP) are shown to you as pictures.\n"
            f"- PDFs are shown as pages: up to {WHOLE_PAGES} at once, of longer ones those in `pages`, up to "
            f"{MOST_PAGES_A_READ} a call.\n"
            "- Jupyter notebooks (.ipynb) come as cells with their ids and outputs.\n"
            '- Other binary files are refused, unless `encoding` is "base64".\n'
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

    async def validate(self, input: ReadInput, ctx: ToolContext) -> Validity[None]:
        if not input.file_path.strip() or "\0" in input.file_path:
            return Invalid(f"{input.file_path!r} is not a path.", "bad_path")
        path = ctx.workspace.absolute(input.file_path)
        if reason := ctx.denied(path, "read"):
            return Invalid(f"Reading {path} is denied: {reason}", "denied_path")
        return Valid(None)

    async def call(
        self, input: ReadInput, plan: None, ctx: ToolContext
    ) -> AsyncIterator[Progress | Result[ReadOutput]]:
        path = ctx.workspace.absolute(input.file_path)
        try:
            output = await _read(path, input, ctx)
        except FileProblem as problem:
            hint = _ADVICE.get(problem.kind, "")
            if problem.kind == "missing":
                hint = await asyncio.to_thread(_suggestion, path, ctx)
            raise _refused(path, problem.kind, problem.message, hint) from problem
        except (NotebookProblem, PdfProblem) as problem:
            raise _refused(path, problem.code, str(problem)) from problem
        except ImageProblem as problem:
            raise _refused(path, "bad_image", str(problem)) from problem
        if earlier := _same_result(path, output, ctx):
            output = Unchanged(path, earlier)
        else:
            take_room(ctx, output.media)
            ctx.files.note_result(path, ctx.tool_use_id)
        yield Result(output)

    def to_result(self, output: ReadOutput) -> str | list[dict[str, Any]]:
        return output.content()

    def to_data(self, output: ReadOutput) -> dict[str, Any]:
        return output.data()


async def _read(path: str, input: ReadInput, ctx: ToolContext) -> ReadOutput:
    budget = min(ctx.limits.result_chars, ctx.limits.read_chars) - _NOTICE_ROOM
    stopped = Event()
    place = ctx.paths[path]  # known since permissions looked at it
    while True:
        room = media_room(ctx)
        reading = FileReading(
            place=place, input=input, budget=budget, room=room, cache=ctx.services.contents, stopped=stopped
        )
        try:
            output, record = await asyncio.to_thread(read_file, reading)
        except asyncio.CancelledError:
            stopped.set()
            raise
        if not isinstance(output, PdfRead) or output.media.pages <= media_room(ctx).pages:
            break  # else another call took the room meanwhile, and this one has to do with text
    if isinstance(output, TextRead) and not output.page.is_complete and input.limit and not input.allow_large:
        raise _too_long(path, input, len(output.page.lines), reading)
    if record is not None:
        ctx.files.record(record)
    return output


def _same_result(path: str, output: ReadOutput, ctx: ToolContext) -> str | None:
    """Return the id of an earlier tool use whose result is the very same, and still before the model as it was."""
    conversation = ctx.services.conversation
    if conversation is None:
        return None
    earlier = [(name, known) for name in ctx.files.results(path) if (known := conversation.result_of(name)) is not None]
    content = output.content() if earlier else ""
    return next((name for name, known in earlier if known == content), None)


def _too_long(path: str, input: ReadInput, fitting: int, reading: FileReading) -> ToolError:
    first = reading.offset
    return _refused(
        path,
        "too_long",
        f"lines {first}–{first + (input.limit or 1) - 1} have more than the {reading.budget:,} characters that fit one result; "
        f"the first {fitting} do",
        f" Read on from there page by page (offset={first}, limit={fitting}), find the place with Grep, or set allow_large to "
        "get as much as fits.",
    )


def _refused(path: str, code: str, message: str, hint: str = "") -> ToolError:
    return ToolError(f"{path} cannot be read: {message}.{hint}", kind="validation", data={"code": code})


def _suggestion(path: str, ctx: ToolContext) -> str:
    found = similar_paths(path, str(ctx.workspace.root), lambda other: ctx.denied(other, "read") is not None)
    return f" Did you mean {' or '.join(found)}?" if found else ""


TOOL = ReadTool
