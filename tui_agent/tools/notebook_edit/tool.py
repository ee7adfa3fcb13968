"""NotebookEdit: replace, insert or delete one cell; proposed as a change of the file, judged, and written as approved."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial
from typing import Any

from tui_agent.changes import FileChange
from tui_agent.tools.base import Claims, Invalid, Progress, Result, Tool, ToolContext, Valid, Validity
from tui_agent.tools.file_changes.apply import write_approved
from tui_agent.tools.file_changes.checks import RefusedChange
from tui_agent.tools.file_changes.guarded_files import ask_about
from tui_agent.tools.file_changes.proposing import ChangePlan, Work, approvals
from tui_agent.tools.file_state import FileRecord
from tui_agent.tools.notebook_edit.editing import CellEdit, check_approved, check_from_memory, prepare, seen_after
from tui_agent.tools.notebook_edit.input import NotebookEditInput
from tui_agent.tools.notebook_edit.report import NotebookEditOutput, report

__all__ = ["TOOL", "NotebookEditTool"]


# The edit, and what had been read of the notebook.
PreparedCell = tuple[CellEdit, FileRecord]
NotebookEditPlan = ChangePlan[PreparedCell]


class NotebookEditTool(Tool[NotebookEditInput, NotebookEditPlan, NotebookEditOutput]):
    """Changes one cell of a notebook that was read before; the rest of the file keeps every byte."""

    name = "NotebookEdit"
    search_hint = "jupyter notebook ipynb cell change replace insert delete"
    Input = NotebookEditInput

    def description(self) -> str:
        return (
            "Replaces, inserts or deletes one cell of a Jupyter notebook.\n"
            "- Read the notebook first (Read or NotebookRead); an edit is refused when the cell was not read or the file has "
            "changed since.\n"
            "- `cell_id` is the cell's id as it was read; `cell-0`, `cell-1` … name cells without one by their places, which "
            "move when cells are inserted or deleted.\n"
            "- `insert` puts a new cell after `cell_id`, or first when it is left out, and needs `cell_type`.\n"
            "- `replace` takes the whole new source. Outputs stay, as in Jupyter, until the cell is run again; they are "
            "cleared when the cell is made another type.\n"
            "- Running cells is not possible; use Bash with `jupyter nbconvert --execute`."
        )

    def claims(self, input: NotebookEditInput) -> Claims:
        return Claims(writes=frozenset({input.notebook_path}))

    async def validate(self, input: NotebookEditInput, ctx: ToolContext) -> Validity[NotebookEditPlan]:
        plan = NotebookEditPlan(partial(_prepare, input), _changes)
        try:
            edit, _ = await plan.prepare(ctx)
        except RefusedChange as refused:
            return Invalid(refused.message, refused.code)
        return Valid(plan, ask_about(ctx, (edit.file,)))

    async def propose(
        self, input: NotebookEditInput, plan: NotebookEditPlan, ctx: ToolContext
    ) -> tuple[FileChange, ...]:
        try:
            return (await plan.propose(ctx))[1]
        except RefusedChange as refused:
            raise refused.to_error() from refused

    async def call(
        self, input: NotebookEditInput, plan: NotebookEditPlan, ctx: ToolContext
    ) -> AsyncIterator[Progress | Result[NotebookEditOutput]]:
        try:
            (edit, record), (proposal,) = await plan.propose(ctx)
            (approved,) = approvals(ctx, (proposal,))
            if approved.is_partial:
                await asyncio.to_thread(check_approved, proposal.path, edit.notebook, approved.after)
        except RefusedChange as refused:
            raise refused.to_error() from refused
        (applied,) = await write_approved((approved,), ctx)
        output = await asyncio.to_thread(report, edit, proposal, applied, input.new_source)
        if applied.record is not None:
            is_shown = not approved.is_partial or len(output.text) <= ctx.limits.result_chars
            seen = seen_after(edit, record) if is_shown else ()
            ctx.files.record(replace(applied.record, is_partial=record.is_partial or not is_shown, seen=seen))
        yield Result(output)

    def to_result(self, output: NotebookEditOutput) -> str:
        return output.text

    def to_data(self, output: NotebookEditOutput) -> dict[str, Any]:
        return output.data


def _prepare(input: NotebookEditInput, ctx: ToolContext) -> Work[PreparedCell]:
    path = ctx.workspace.absolute(input.notebook_path)
    record = check_from_memory(input, path, ctx)
    return Work((path,), lambda: (prepare(input, ctx.paths[path], record), record))


def _changes(prepared: PreparedCell) -> tuple[FileChange, ...]:
    edit, _ = prepared
    file = edit.file
    return (
        FileChange.between(
            file.path, file.text, edit.after, before_hash=file.hash, encoding=file.encoding, has_bom=file.has_bom
        ),
    )


TOOL = NotebookEditTool
