"""NotebookRead: show the cells of a notebook to the model, all or one of them, and remember that they were seen."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, ClassVar, Final, Literal

from pydantic import Field

from tui_agent.tools.base import (
    Claims,
    Invalid,
    Progress,
    Result,
    Tool,
    ToolContext,
    ToolError,
    ToolInput,
    Valid,
    Validity,
)
from tui_agent.tools.files import FileProblem, similar_paths
from tui_agent.tools.shared_read.media_limits import media_room, pictures_in, take_room
from tui_agent.tools.shared_read.notebook_reading import NotebookPage, NotebookRequest, read_notebook
from tui_agent.tools.shared_read.notebooks import NotebookProblem, is_notebook

__all__ = ["TOOL", "NotebookReadInput", "NotebookReadTool"]

_NOTICE_ROOM: Final = 1000  # characters of a result kept free for what is said about the cells


class NotebookReadInput(ToolInput):
    """Which cells of which notebook."""

    notebook_path: str = Field(
        description="The notebook (.ipynb); an absolute path, or one relative to the working folder."
    )
    cell_id: str | None = Field(
        None, description="Show this cell alone, with all of its outputs; left out, as many cells as fit."
    )


class NotebookReadTool(Tool[NotebookReadInput, None, NotebookPage]):
    """Reads notebooks, cell by cell."""

    name = "NotebookRead"
    search_hint = "jupyter notebook ipynb cells show read outputs"
    Input = NotebookReadInput
    interrupt_behavior: ClassVar[Literal["block", "cancel"]] = "cancel"

    def description(self) -> str:
        return (
            "Reads a Jupyter notebook: its cells with ids, types, sources and outputs, pictures among them.\n"
            "- Long outputs are cut; `cell_id` shows one cell with all of its outputs.\n"
            "- Cells of formats before 4.5 have no ids; they are named `cell-0`, `cell-1` … by their places."
        )

    def is_concurrency_safe(self, input: NotebookReadInput) -> bool:
        return True

    def is_read_only(self, input: NotebookReadInput) -> bool:
        return True

    def claims(self, input: NotebookReadInput) -> Claims:
        return Claims(reads=frozenset({input.notebook_path}))

    async def validate(self, input: NotebookReadInput, ctx: ToolContext) -> Validity[None]:
        if not input.notebook_path.strip() or "\0" in input.notebook_path:
            return Invalid(f"{input.notebook_path!r} is not a path.", "bad_path")
        path = ctx.workspace.absolute(input.notebook_path)
        if reason := ctx.denied(path, "read"):
            return Invalid(f"Reading {path} is denied: {reason}", "denied_path")
        if not is_notebook(path):
            return Invalid(f"{path} is not a notebook (.ipynb). Read it with Read.", "not_a_notebook")
        return Valid(None)

    async def call(
        self, input: NotebookReadInput, plan: None, ctx: ToolContext
    ) -> AsyncIterator[Progress | Result[NotebookPage]]:
        path = ctx.workspace.absolute(input.notebook_path)
        wish, budget = NotebookRequest(cell_id=input.cell_id), ctx.limits.result_chars - _NOTICE_ROOM
        place = ctx.paths[path]  # known since permissions looked at it
        try:
            page, record = await asyncio.to_thread(
                read_notebook, place, wish, budget, ctx.services.contents, most_pictures=pictures_in(media_room(ctx))
            )
        except FileProblem as problem:
            hint = ""
            if problem.kind == "missing":
                hint = await asyncio.to_thread(_suggestion, path, ctx)
            raise _refused(path, problem.kind, problem.message, hint) from problem
        except NotebookProblem as problem:
            raise _refused(path, problem.code, problem.message) from problem
        take_room(ctx, page.media)
        ctx.files.record(record)
        yield Result(page)

    def to_result(self, output: NotebookPage) -> str | list[dict[str, Any]]:
        return output.content()

    def to_data(self, output: NotebookPage) -> dict[str, Any]:
        return output.data()


def _refused(path: str, code: str, message: str, hint: str = "") -> ToolError:
    return ToolError(f"{path} cannot be read: {message}.{hint}", kind="validation", data={"code": code})


def _suggestion(path: str, ctx: ToolContext) -> str:
    found = similar_paths(path, str(ctx.workspace.root), lambda other: ctx.denied(other, "read") is not None)
    return f" Did you mean {' or '.join(found)}?" if found else ""


TOOL = NotebookReadTool
