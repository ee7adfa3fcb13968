"""TaskList: all tasks, a line each."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from tui_agent.tools.base import Claims, Progress, Result, Tool, ToolContext, ToolInput
from tui_agent.tools.task_list import Snapshot
from tui_agent.tools.task_texts import TASK_CLAIMS, as_data, brief

__all__ = ["TOOL", "TaskListTool"]


class TaskListInput(ToolInput):
    """Nothing to say."""


@dataclass(frozen=True, slots=True)
class Listed:
    """The tasks as data, and as lines for the model."""

    tasks: Snapshot
    lines: tuple[str, ...]


class TaskListTool(Tool[TaskListInput, None, Listed]):
    """Lists what there is to do."""

    name = "TaskList"
    search_hint = "list tasks todo plan progress overview"
    Input = TaskListInput

    def description(self) -> str:
        return (
            "Lists all tasks, a line each: `[ ]` pending, `[>]` in progress, `[x]` completed, then id, subject, owner and "
            "what a task still waits for. TaskGet gives the rest of one."
        )

    def is_read_only(self, input: TaskListInput) -> bool:
        return True

    def claims(self, input: TaskListInput) -> Claims:
        return TASK_CLAIMS

    async def call(
        self, input: TaskListInput, plan: None, ctx: ToolContext
    ) -> AsyncIterator[Progress | Result[Listed]]:
        tasks = ctx.services.tasks
        yield Result(
            Listed(tuple(map(as_data, tasks)), tuple(brief(task, tasks) for task in tasks)),
        )

    def to_result(self, output: Listed) -> str:
        return "\n".join(output.lines) or "The list is empty."

    def to_data(self, output: Listed) -> dict[str, Any]:
        return {"tasks": list(output.tasks)}


TOOL = TaskListTool
