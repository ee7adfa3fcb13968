"""Edit: replace text in a file; proposed as a change, judged, and then written exactly as approved."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from typing import Any

from tui_agent.changes import ApprovedChange, FileChange, content_hash
from tui_agent.tools import atomic
from tui_agent.tools.base import Claims, Invalid, Progress, Result, Tool, ToolContext, ToolError, Validity
from tui_agent.tools.edit.checks import (
    Prepared,
    RefusedEdit,
    changed_on_disk,
    check_from_memory,
    check_result,
    prepare,
    prepare_in,
)
from tui_agent.tools.edit.input import EditInput
from tui_agent.tools.edit.report import EditOutput, result_text, to_data
from tui_agent.tools.file_state import FileRecord
from tui_agent.tools.files import FileProblem, TextFile, load
from tui_agent.tools.shielding import unbroken

__all__ = ["TOOL", "EditTool"]

_ALIAS_FIELDS = {
    "path": "file_path",
    "absolute_path": "file_path",
    "old_text": "old_string",
    "old_str": "old_string",
    "new_text": "new_string",
    "new_str": "new_string",
}


class EditTool(Tool[EditInput, EditOutput]):
    """Search and replace in one text file that was read before."""

    name = "Edit"
    aliases = ("edit_file", "FileEdit")
    search_hint = "change modify replace text in file"
    Input = EditInput

    def description(self) -> str:
        return (
            "Replaces text in a file by exact search.\n"
            "- Read the file first; an edit is refused when it was not read whole or has changed since.\n"
            "- `old_string` must be in the file exactly once: give it enough lines around the change, or set `replace_all`.\n"
            "- Copy indentation exactly, without the line numbers that Read puts in front.\n"
            "- Line endings, encoding and kinds of quotes of the file are kept.\n"
            "- An empty `old_string` makes a new file of `new_string`.\n"
            "- The person may take only some of the hunks: the result says which and shows the diff of what was written."
        )

    def prompt(self) -> str:
        return (
            "Change existing files with Edit, never with `sed -i`, `echo >` or here-documents: the person reviews each hunk of "
            "an Edit before it is written. Put changes to one file that belong together into one Edit with a larger "
            "`old_string`. When a hunk was refused, do not try it again by other means."
        )

    def from_alias(self, alias: str, raw: dict[str, Any]) -> dict[str, Any]:
        for old, name in _ALIAS_FIELDS.items():
            if old in raw and name not in raw:
                raw[name] = raw.pop(old)
        return raw

    def claims(self, input: EditInput) -> Claims:
        return Claims(writes=frozenset({input.file_path}))

    async def validate(self, input: EditInput, ctx: ToolContext) -> Validity:
        path = ctx.workspace.absolute(input.file_path)
        try:
            record = check_from_memory(input, path, ctx)
            await asyncio.to_thread(prepare, input, path, record)
        except RefusedEdit as refused:
            return Invalid(refused.message, refused.code)
        return None

    async def propose(self, input: EditInput, ctx: ToolContext) -> tuple[FileChange, ...]:
        path = ctx.workspace.absolute(input.file_path)
        try:
            record = check_from_memory(input, path, ctx)
            return (await asyncio.to_thread(lambda: _change(path, prepare(input, path, record))),)
        except RefusedEdit as refused:
            raise _error(refused) from refused

    async def call(self, input: EditInput, ctx: ToolContext) -> AsyncIterator[Progress | Result[EditOutput]]:
        path = ctx.workspace.absolute(input.file_path)
        (approved,) = ctx.approved or (change.approve() for change in await self.propose(input, ctx))
        try:
            if approved.path != path:
                raise RefusedEdit("bad_path", f"{path} is not the file whose change was approved.")
            output, record = await unbroken(asyncio.to_thread(_apply, input, path, approved))
        except RefusedEdit as refused:
            raise _error(refused) from refused
        except OSError as error:
            reason = error.strerror or str(error)
            raise ToolError(f"{path} could not be written ({reason}); it is as it was.") from error
        if record:
            ctx.files.record(record)
        yield Result(output)

    def to_result(self, output: EditOutput) -> str:
        return result_text(output)

    def to_data(self, output: EditOutput) -> dict[str, Any]:
        return to_data(output)


def _change(path: str, prepared: Prepared) -> FileChange:
    file = prepared.file
    if file is None:
        return FileChange.between(path, None, prepared.after)
    return FileChange.between(
        path,
        file.text,
        prepared.after,
        before_hash=file.hash,
        encoding=file.encoding,
        has_bom=file.has_bom,
    )


def _apply(input: EditInput, path: str, approved: ApprovedChange) -> tuple[EditOutput, FileRecord | None]:
    """Write what was approved, if the file is still the one that was shown; blocks."""
    file = _as_shown(path, approved)
    # what was proposed is made again: the same file and the same input give the same hunks
    prepared = prepare_in(file, input, path) if file else Prepared(None, input.new_string)
    proposal = _change(path, prepared)
    change = proposal.narrowed(approved)
    record = None
    if change.hunks or file is None:
        data = check_result(path, approved.after, file)
        if file is None:
            try:
                atomic.create(path, data)
            except FileExistsError as error:
                raise changed_on_disk(path) from error
        else:
            atomic.replace(path, data)
        status = os.stat(path)  # noqa: PTH116
        record = FileRecord(path, content_hash(data), status.st_mtime_ns, len(data))
    return EditOutput(input, approved, proposal, change, prepared.count, prepared.is_by_quotes), record


def _as_shown(path: str, approved: ApprovedChange) -> TextFile | None:
    """Return the file that the change was approved for; None when it was approved as a new one and is not there yet."""
    if not approved.before_hash:
        if os.path.lexists(path):
            raise changed_on_disk(path)
        return None
    try:
        file = load(path)
    except FileProblem as problem:
        raise changed_on_disk(path) from problem
    if file.hash != approved.before_hash:
        raise changed_on_disk(path)
    return file


def _error(refused: RefusedEdit) -> ToolError:
    return ToolError(refused.message, kind="validation", data={"code": refused.code})


TOOL = EditTool
