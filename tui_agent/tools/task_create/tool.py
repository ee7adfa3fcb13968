"""TaskCreate: add one task to the list."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any

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
from tui_agent.tools.task_list import Task
from tui_agent.tools.task_texts import TASK_CLAIMS, as_data

__all__ = ["TOOL", "TaskCreateTool"]


class TaskCreateInput(ToolInput):
    """The new task."""

    subject: Annotated[str, Field(min_length=1, description="What is to be done, in a few words: “Run the tests”.")]
    description: Annotated[str, Field(description="The same at length: what has to hold when it is done.")]
    activeForm: Annotated[  # noqa: N815 - the API's name
        str | None, Field(description="How it reads while it is being done: “Running the tests”.")
    ] = None
    metadata: Annotated[dict[str, Any] | None, Field(description="Anything to keep with it.")] = None


class TaskCreateTool(Tool[TaskCreateInput, None, Task]):
    """Adds a task that is not begun yet."""

    name = "TaskCreate"
    search_hint = "new task todo plan step add"
    Input = TaskCreateInput

    def description(self) -> str:
        return (
            "Adds a task to the list of what you work through; the user sees it as a live checklist.\n"
            "- A new task is `pending`, without an owner and waiting for nothing; TaskUpdate changes that.\n"
            "- The result names its id."
        )

    def claims(self, input: TaskCreateInput) -> Claims:
        return TASK_CLAIMS

    async def validate(self, input: TaskCreateInput, ctx: ToolContext) -> Validity[None]:
        return Valid(None) if input.subject.strip() else Invalid("The subject says nothing.", "blank")

    async def call(
        self, input: TaskCreateInput, plan: None, ctx: ToolContext
    ) -> AsyncIterator[Progress | Result[Task]]:
        tasks = ctx.services.tasks
        task = tasks.create(
            input.subject,
            description=input.description,
            active_form=input.activeForm or "",
            metadata=input.metadata,
        )
        try:
            problem = await ctx.services.task_guard("TaskCreated", task)
        except BaseException:
            tasks.delete(task.id)
            raise
        if problem is not None:
            tasks.delete(task.id)
            raise ToolError(f"The task was not put on the list: {problem}", kind="hook")
        yield Result(task)

    def to_result(self, output: Task) -> str:
        return f"Task {output.id} is on the list: {output.subject}"

    def to_data(self, output: Task) -> dict[str, Any]:
        return {"task": as_data(output)}


TOOL = TaskCreateTool
