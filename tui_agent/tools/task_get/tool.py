"""TaskGet: all there is to know of one task."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any

from pydantic import Field

from tui_agent.tools.base import Claims, Progress, Result, Tool, ToolContext, ToolError, ToolInput
from tui_agent.tools.task_list import Task
from tui_agent.tools.task_texts import TASK_CLAIMS, TaskId, as_data, full

__all__ = ["TOOL", "TaskGetTool"]


class TaskGetInput(ToolInput):
    """Which task."""

    taskId: Annotated[TaskId, Field(description="The task's id, as TaskCreate and TaskList give it.")]  # noqa: N815


class TaskGetTool(Tool[TaskGetInput, None, Task]):
    """Looks one task up."""

    name = "TaskGet"
    search_hint = "read task details description dependencies"
    Input = TaskGetInput

    def description(self) -> str:
        return "Returns one task of the list with its description, its owner and what it waits for and blocks."

    def is_read_only(self, input: TaskGetInput) -> bool:
        return True

    def claims(self, input: TaskGetInput) -> Claims:
        return TASK_CLAIMS

    async def call(self, input: TaskGetInput, plan: None, ctx: ToolContext) -> AsyncIterator[Progress | Result[Task]]:
        tasks = ctx.services.tasks
        task = tasks.get(input.taskId)
        if task is None:
            raise ToolError(tasks.missing(input.taskId), kind="validation", data={"code": "missing"})
        yield Result(task)

    def to_result(self, output: Task) -> str:
        return full(output)

    def to_data(self, output: Task) -> dict[str, Any]:
        return {"task": as_data(output)}


TOOL = TaskGetTool
