"""Write: the whole content of a file; proposed as a change, judged, and then written exactly as approved."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from pydantic import Field

from tui_agent.changes import FileChange
from tui_agent.tools.base import Claims, Invalid, Progress, Result, Tool, ToolContext, ToolInput, Valid, Validity
from tui_agent.tools.file_changes.apply import write_approved
from tui_agent.tools.file_changes.checks import RefusedChange, check_path
from tui_agent.tools.file_changes.guarded_files import ask_about
from tui_agent.tools.file_changes.proposing import ChangePlan, Work, approvals, remember, since_shown
from tui_agent.tools.write.prepare import PreparedWrite, check_notebook, prepare
from tui_agent.tools.write.report import report

__all__ = ["TOOL", "WriteInput", "WriteOutput", "WriteTool"]

_ALIAS_FIELDS = {"path": "file_path", "absolute_path": "file_path", "text": "content", "contents": "content"}


class WriteInput(ToolInput):
    """A file's whole content."""

    file_path: str = Field(description="The file to write; an absolute path, or one relative to the working folder.")
    content: str = Field(description="All that the file is to hold.")


@dataclass(frozen=True, slots=True)
class WriteOutput:
    """A file that was written: what the model gets, and the structured output that hooks and scripts read."""

    text: str
    data: dict[str, Any]


WritePlan = ChangePlan[PreparedWrite]


class WriteTool(Tool[WriteInput, WritePlan, WriteOutput]):
    """Makes a text file, or replaces all of one that was read before."""

    name = "Write"
    aliases = ("write_file", "FileWrite")
    search_hint = "create new file overwrite save content"
    Input = WriteInput

    def description(self) -> str:
        return (
            "Writes a whole file.\n"
            "- Makes the file, and the folders on the way to it, or replaces all that an existing file holds.\n"
            "- An existing file must have been read whole and not have changed since; a new one needs no reading.\n"
            "- Encoding, line endings and mode of an existing file are kept.\n"
            "- A notebook (.ipynb) has to be written as a whole, valid notebook; change its cells with NotebookEdit.\n"
            "- To change a part of a file use Edit: it is shorter, and easier to review.\n"
            "- The user may take only some of the hunks: the result says which, and shows what was written."
        )

    def prompt(self) -> str:
        return (
            "Make new files with Write, never with `echo >`, `cat >` or here-documents. Change existing files with Edit; Write "
            "one only where nearly all of it changes. Make files only where the task needs them."
        )

    def from_alias(self, alias: str, raw: dict[str, Any]) -> dict[str, Any]:
        for old, name in _ALIAS_FIELDS.items():
            if old in raw and name not in raw:
                raw[name] = raw.pop(old)
        return raw

    def claims(self, input: WriteInput) -> Claims:
        return Claims(writes=frozenset({input.file_path}))

    async def validate(self, input: WriteInput, ctx: ToolContext) -> Validity[WritePlan]:
        plan = WritePlan(partial(_prepare, input), _changes)
        try:
            prepared = await plan.prepare(ctx)
        except RefusedChange as refused:
            return Invalid(refused.message, refused.code)
        return Valid(plan, ask_about(ctx, (prepared.file,)))

    async def propose(self, input: WriteInput, plan: WritePlan, ctx: ToolContext) -> tuple[FileChange, ...]:
        try:
            return (await plan.propose(ctx))[1]
        except RefusedChange as refused:
            raise refused.to_error() from refused

    async def call(
        self, input: WriteInput, plan: WritePlan, ctx: ToolContext
    ) -> AsyncIterator[Progress | Result[WriteOutput]]:
        try:
            _, proposals = await plan.propose(ctx)
            approved = approvals(ctx, proposals)
            if approved[0].is_partial and not approved[0].is_nothing:
                await asyncio.to_thread(check_notebook, approved[0].path, approved[0].after)
        except RefusedChange as refused:
            raise since_shown(refused, ctx).to_error() from refused
        (applied,) = await write_approved(approved, ctx)
        text, data = await asyncio.to_thread(report, proposals[0], applied)
        remember(ctx, (applied,), text)
        yield Result(WriteOutput(text, data))

    def to_result(self, output: WriteOutput) -> str:
        return output.text

    def to_data(self, output: WriteOutput) -> dict[str, Any]:
        return output.data


def _prepare(input: WriteInput, ctx: ToolContext) -> Work[PreparedWrite]:
    path = ctx.workspace.absolute(input.file_path)
    check_path(input.file_path, path, ctx, "Writing")
    return Work((path,), lambda: prepare(path, input.content, ctx))


def _changes(prepared: PreparedWrite) -> tuple[FileChange, ...]:
    file, path, after = prepared.file, prepared.path, prepared.after
    if file is None:
        return (FileChange.between(path, None, after, has_bom=prepared.has_bom),)
    return (
        FileChange.between(path, file.text, after, before_hash=file.hash, encoding=file.encoding, has_bom=file.has_bom),
    )


TOOL = WriteTool
