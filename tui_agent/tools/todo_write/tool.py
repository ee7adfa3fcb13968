"""TodoWrite: say the whole plan anew, with how far each step is."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from tui_agent.tools.base import (
    Claims,
    Invalid,
    Progress,
    PromptContext,
    Result,
    Tool,
    ToolContext,
    ToolInput,
    Valid,
    Validity,
)
from tui_agent.tools.task_list import Snapshot, Task, TaskStatus
from tui_agent.tools.task_texts import TASK_CLAIMS

__all__ = ["TOOL", "TodoWriteTool"]


class Todo(ToolInput):
    """One step of the plan."""

    content: Annotated[str, Field(min_length=1, description="What is to be done: “Run the tests”.")]
    status: Literal["pending", "in_progress", "completed"]
    activeForm: Annotated[  # noqa: N815 - the API's name
        str, Field(min_length=1, description="How it reads while it is being done: “Running the tests”.")
    ]


class TodoWriteInput(ToolInput):
    """The plan as it is from now on."""

    todos: Annotated[list[Todo], Field(description="All steps in order; what is left out is gone.")]


@dataclass(frozen=True, slots=True)
class Written:
    """The list before and after."""

    old: Snapshot
    new: Snapshot

    def count(self, status: TaskStatus) -> int:
        """Return how many steps are in this state now."""
        return sum(task["status"] == status for task in self.new)


class TodoWriteTool(Tool[TodoWriteInput, None, Written]):
    """Replaces the session's task list."""

    name = "TodoWrite"
    search_hint = "todo list plan steps checklist track progress"
    Input = TodoWriteInput

    def description(self) -> str:
        return (
            "Writes the list of steps you work through; the user sees it as a live checklist.\n"
            "- `todos` is the whole list: it takes the place of the one before.\n"
            "- A step is `pending`, `in_progress` or `completed`; have one in progress at a time.\n"
            "- `content` says what is to be done, `activeForm` how it reads while you do it."
        )

    def prompt(self) -> str:
        return (
            "Keep a list with TodoWrite for work of three or more steps, not for less. Mark a step in progress before you "
            "begin it and completed as soon as it really is: never with tests failing or parts missing."
        )

    def guide(self, context: PromptContext) -> str:
        if "TaskCreate" not in context.tool_names:
            return self.prompt()
        return (
            f"{self.prompt()} Where steps depend on each other or are shared out, use TaskCreate and TaskUpdate instead; "
            "both keep the same list."
        )

    def claims(self, input: TodoWriteInput) -> Claims:
        return TASK_CLAIMS

    async def validate(self, input: TodoWriteInput, ctx: ToolContext) -> Validity[None]:
        for number, todo in enumerate(input.todos, 1):
            if not todo.content.strip() or not todo.activeForm.strip():
                return Invalid(f"Step {number} is empty: give it a content and an activeForm.", "blank")
        return Valid(None)

    async def call(
        self, input: TodoWriteInput, plan: None, ctx: ToolContext
    ) -> AsyncIterator[Progress | Result[Written]]:
        tasks = ctx.services.tasks
        old = tuple(task.to_json() for task in tasks)
        tasks.replace(
            Task(id="", subject=todo.content, status=todo.status, active_form=todo.activeForm) for todo in input.todos
        )
        yield Result(Written(old, tuple(task.to_json() for task in tasks)))

    def to_result(self, output: Written) -> str:
        if not output.new:
            return "The list is empty now."
        done, running = output.count("completed"), output.count("in_progress")
        text = f"The list is kept: {done} of {len(output.new)} completed."
        if running > 1:
            text += (
                f" {running} steps are in progress; one at a time is the custom, so that the user sees what you do now."
            )
        elif not running and done < len(output.new):
            text += " No step is in progress; mark the one you begin."
        if any(task["blocked_by"] or task["description"] or task["owner"] for task in output.old):
            text += (
                " What the old tasks said beyond subject and status (description, owner, what waits for what) is gone."
            )
        return text

    def to_data(self, output: Written) -> dict[str, Any]:
        return {"oldTodos": _todos(output.old), "newTodos": _todos(output.new)}


def _todos(tasks: Snapshot) -> list[dict[str, str]]:
    return [{"content": task["subject"], "status": task["status"], "activeForm": task["active_form"]} for task in tasks]


TOOL = TodoWriteTool
