"""Edit: replace text in a file; proposed as a change, judged, and then written exactly as approved."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from typing import Any

from tui_agent.changes import FileChange
from tui_agent.tools.base import Claims, Invalid, Progress, Result, Tool, ToolContext, Valid, Validity
from tui_agent.tools.edit.checks import PreparedEdit, check_from_memory, prepare
from tui_agent.tools.edit.input import EditInput
from tui_agent.tools.edit.report import EditOutput, report
from tui_agent.tools.file_changes.apply import write_approved
from tui_agent.tools.file_changes.checks import RefusedChange
from tui_agent.tools.file_changes.guarded_files import ask_about
from tui_agent.tools.file_changes.proposing import ChangePlan, Work, approvals, remember, since_shown

__all__ = ["TOOL", "EditTool"]

_ALIAS_FIELDS = {
    "path": "file_path",
    "absolute_path": "file_path",
    "old_text": "old_string",
    "old_str": "old_string",
    "new_text": "new_string",
    "new_str": "new_string",
}


EditPlan = ChangePlan[PreparedEdit]


class EditTool(Tool[EditInput, EditPlan, EditOutput]):
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
            "- The user may take only some of the hunks: the result says which and shows the diff of what was written."
        )

    def prompt(self) -> str:
        return (
            "Change existing files with Edit, never with `sed -i`, `echo >` or here-documents: the user reviews each hunk of "
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

    async def validate(self, input: EditInput, ctx: ToolContext) -> Validity[EditPlan]:
        plan = EditPlan(partial(_prepare, input), _changes)
        try:
            prepared = await plan.prepare(ctx)
        except RefusedChange as refused:
            return Invalid(refused.message, refused.code)
        return Valid(plan, ask_about(ctx, (prepared.file,)))

    async def propose(self, input: EditInput, plan: EditPlan, ctx: ToolContext) -> tuple[FileChange, ...]:
        try:
            return (await plan.propose(ctx))[1]
        except RefusedChange as refused:
            raise refused.to_error() from refused

    async def call(
        self, input: EditInput, plan: EditPlan, ctx: ToolContext
    ) -> AsyncIterator[Progress | Result[EditOutput]]:
        try:
            prepared, proposals = await plan.propose(ctx)
            approved = approvals(ctx, proposals)
        except RefusedChange as refused:
            raise since_shown(refused, ctx).to_error() from refused
        (applied,) = await write_approved(approved, ctx)
        output = await asyncio.to_thread(
            report, input, proposals[0], applied, count=prepared.count, is_by_quotes=prepared.is_by_quotes
        )
        remember(ctx, (applied,), output.text)
        yield Result(output)

    def to_result(self, output: EditOutput) -> str:
        return output.text

    def to_data(self, output: EditOutput) -> dict[str, Any]:
        return output.data


def _prepare(input: EditInput, ctx: ToolContext) -> Work[PreparedEdit]:
    path = ctx.workspace.absolute(input.file_path)
    record = check_from_memory(input, path, ctx)
    return Work((path,), lambda: prepare(input, ctx.paths[path], record, ctx.services.rule_problem))


def _changes(prepared: PreparedEdit) -> tuple[FileChange, ...]:
    file, path, after = prepared.file, prepared.path, prepared.after
    if file is None:
        return (FileChange.between(path, None, after),)
    return (
        FileChange.between(path, file.text, after, before_hash=file.hash, encoding=file.encoding, has_bom=file.has_bom),
    )


TOOL = EditTool
