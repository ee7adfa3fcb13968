"""MultiEdit: edits of several files, proposed as one change for each, judged, and written all or none."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from tui_agent.changes import FileChange
from tui_agent.tools.base import Claims, Invalid, Progress, Result, Tool, ToolContext, Valid, Validity
from tui_agent.tools.file_changes.apply import write_approved
from tui_agent.tools.file_changes.checks import RefusedChange
from tui_agent.tools.file_changes.guarded_files import ask_about
from tui_agent.tools.file_changes.proposing import ChangePlan, Work, approvals, remember, since_shown
from tui_agent.tools.multi_edit.input import MultiEditInput, in_present_shape
from tui_agent.tools.multi_edit.prepare import PreparedMultiEdit, check_from_memory, prepare
from tui_agent.tools.multi_edit.report import report

__all__ = ["TOOL", "MultiEditOutput", "MultiEditTool"]


@dataclass(frozen=True, slots=True)
class MultiEditOutput:
    """Edits that were carried out: what the model gets, and the structured output that hooks and scripts read."""

    text: str
    data: dict[str, Any]


MultiEditPlan = ChangePlan[Sequence[PreparedMultiEdit]]


class MultiEditTool(Tool[MultiEditInput, MultiEditPlan, MultiEditOutput]):
    """Searches and replaces, and replaces ranges of lines, in several text files that were read before."""

    name = "MultiEdit"
    search_hint = "change several files at once rename refactor replace lines batch"
    Input = MultiEditInput

    def description(self) -> str:
        return (
            "Makes several edits, in one file or in many, as one change: all of them or none.\n"
            "- `edits` has one entry for each file, with the edits of that file.\n"
            "- An edit is a search and replace (`old_string`, `new_string`, `replace_all`), or new text for a range of lines "
            "(`start_line`, `end_line`, `new_string`). The rules are those of Edit: read each file first, copy exactly.\n"
            "- The edits of a file are made one after the other, each in what the one before has left. Line numbers are those "
            "of the file as you read it, whatever edits come before; ranges must not overlap what was changed already.\n"
            "- A first edit with an empty `old_string` makes a new file.\n"
            "- If one edit cannot be made, none is, and the result says which.\n"
            "- The user may take only some of the hunks: the result says which and shows the diff of what was written."
        )

    def prompt(self) -> str:
        return (
            "Use MultiEdit for changes that only make sense together, such as renaming something in all files, or many edits "
            "of one file; Edit for a single one."
        )

    def in_present_shape(self, raw: dict[str, Any]) -> dict[str, Any]:
        return in_present_shape(raw)

    def claims(self, input: MultiEditInput) -> Claims:
        return Claims(writes=frozenset(file.file_path for file in input.edits))

    async def validate(self, input: MultiEditInput, ctx: ToolContext) -> Validity[MultiEditPlan]:
        plan = MultiEditPlan(partial(_prepare, input), _changes)
        try:
            prepared = await plan.prepare(ctx)
        except RefusedChange as refused:
            return Invalid(refused.message, refused.code)
        return Valid(plan, ask_about(ctx, (one.file for one in prepared)))

    async def propose(self, input: MultiEditInput, plan: MultiEditPlan, ctx: ToolContext) -> tuple[FileChange, ...]:
        try:
            return (await plan.propose(ctx))[1]
        except RefusedChange as refused:
            raise refused.to_error() from refused

    async def call(
        self, input: MultiEditInput, plan: MultiEditPlan, ctx: ToolContext
    ) -> AsyncIterator[Progress | Result[MultiEditOutput]]:
        try:
            prepared, proposals = await plan.propose(ctx)
            approved = approvals(ctx, proposals)
        except RefusedChange as refused:
            raise since_shown(refused, ctx).to_error() from refused
        applied = await write_approved(approved, ctx)
        text, data = await asyncio.to_thread(report, input, prepared, proposals, applied)
        remember(ctx, applied, text)
        yield Result(MultiEditOutput(text, data))

    def to_result(self, output: MultiEditOutput) -> str:
        return output.text

    def to_data(self, output: MultiEditOutput) -> dict[str, Any]:
        return output.data


def _prepare(input: MultiEditInput, ctx: ToolContext) -> Work[Sequence[PreparedMultiEdit]]:
    records = check_from_memory(input, ctx)
    return Work(tuple(records), lambda: prepare(input, records, ctx.paths, ctx.services.rule_problem))


def _changes(prepared: Sequence[PreparedMultiEdit]) -> tuple[FileChange, ...]:
    return tuple(map(_change, prepared))


def _change(prepared: PreparedMultiEdit) -> FileChange:
    file, path, after = prepared.file, prepared.path, prepared.edited.text
    if file is None:
        return FileChange.between(path, None, after)
    return FileChange.between(
        path, file.text, after, before_hash=file.hash, encoding=file.encoding, has_bom=file.has_bom
    )


TOOL = MultiEditTool
