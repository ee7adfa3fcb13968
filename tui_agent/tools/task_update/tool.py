"""TaskUpdate: change one task, or take it from the list."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

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
from tui_agent.tools.task_list import Task, TaskError, TaskList
from tui_agent.tools.task_texts import TASK_CLAIMS, TaskId, as_data

__all__ = ["TOOL", "TaskUpdateTool"]

# The call's names of what may change, and the names the list has for them.
_FIELDS = {
    "status": "status",
    "subject": "subject",
    "description": "description",
    "activeForm": "active_form",
    "owner": "owner",
    "metadata": "metadata",
    "addBlocks": "blocks",
    "addBlockedBy": "blocked_by",
}


class TaskUpdateInput(ToolInput):
    """What is to be different; what is left out stays."""

    taskId: Annotated[TaskId, Field(description="The task's id, as TaskCreate and TaskList give it.")]  # noqa: N815
    status: Annotated[
        Literal["pending", "in_progress", "completed", "deleted"] | None,
        Field(description="How far it is; `deleted` takes it from the list."),
    ] = None
    subject: Annotated[str | None, Field(min_length=1, description="What is to be done, in a few words.")] = None
    description: Annotated[str | None, Field(description="The same at length.")] = None
    activeForm: Annotated[str | None, Field(description="How it reads while it is being done.")] = None  # noqa: N815
    addBlocks: Annotated[  # noqa: N815
        list[TaskId] | None, Field(description="Ids of tasks that have to wait for this one.")
    ] = None
    addBlockedBy: Annotated[  # noqa: N815
        list[TaskId] | None, Field(description="Ids of tasks that have to be done before this one.")
    ] = None
    owner: Annotated[str | None, Field(description="Who does it; empty for nobody.")] = None
    metadata: Annotated[
        dict[str, Any] | None, Field(description="Joins what is kept with it; a key set to null goes.")
    ] = None


@dataclass(frozen=True, slots=True)
class Updated:
    """The task before and after (None: taken from the list), and ids of tasks that wait for nothing any more."""

    old: Task
    new: Task | None
    changed: tuple[str, ...]
    freed: tuple[str, ...]


class TaskUpdateTool(Tool[TaskUpdateInput, None, Updated]):
    """Changes how far a task is, what it says, and what waits for what."""

    name = "TaskUpdate"
    search_hint = "task status progress done complete delete depends owner"
    Input = TaskUpdateInput

    def description(self) -> str:
        return (
            "Changes a task of the list. What you leave out stays as it is.\n"
            "- `status`: `in_progress` before you begin, `completed` when it really is, `deleted` to take it off.\n"
            "- `addBlocks` and `addBlockedBy` say what waits for what; circles are refused.\n"
            "- The call changes all that it names, or nothing."
        )

    def claims(self, input: TaskUpdateInput) -> Claims:
        return TASK_CLAIMS

    async def validate(self, input: TaskUpdateInput, ctx: ToolContext) -> Validity[None]:
        if not input.model_dump(exclude={"taskId"}, exclude_none=True):
            return Invalid(f"Nothing to change is given for task {input.taskId}.", "no_change")
        if input.subject is not None and not input.subject.strip():
            return Invalid("The subject says nothing.", "blank")
        return Valid(None)

    async def call(
        self, input: TaskUpdateInput, plan: None, ctx: ToolContext
    ) -> AsyncIterator[Progress | Result[Updated]]:
        tasks = ctx.services.tasks
        task_id = input.taskId
        old = tasks.get(task_id)
        if old is not None and input.status == "completed" != old.status:
            problem = await ctx.services.task_guard("TaskCompleted", old)
            if problem is not None:
                raise ToolError(f"Task {task_id} is not marked as completed: {problem}", kind="hook")
            old = tasks.get(task_id)
        waiting = _waiting(tasks)
        try:
            if input.status == "deleted":
                new, old = None, tasks.delete(task_id)
            else:
                new = tasks.update(
                    task_id,
                    status=input.status,
                    subject=input.subject,
                    description=input.description,
                    active_form=input.activeForm,
                    owner=input.owner,
                    metadata=input.metadata,
                    add_blocks=input.addBlocks or (),
                    add_blocked_by=input.addBlockedBy or (),
                )
        except TaskError as error:
            raise ToolError(str(error), kind="validation", data={"code": error.code}) from error
        assert old is not None
        changed = [name for name, own in _FIELDS.items() if new and getattr(new, own) != getattr(old, own)]
        freed = tuple(name for name in waiting if name not in _waiting(tasks) and tasks.get(name))
        yield Result(Updated(old, new, tuple(changed), freed))

    def to_result(self, output: Updated) -> str:
        task = output.new
        if task is None:
            text = f"Task {output.old.id} is off the list: {output.old.subject}"
        elif not output.changed:
            text = f"Task {task.id} was like that already."
        else:
            text = f"Task {task.id} is changed ({', '.join(output.changed)}): {task.subject} [{task.status}]"
        if output.freed:
            text += f"\nNothing blocks {', '.join(f'task {name}' for name in output.freed)} any more."
        return text

    def to_data(self, output: Updated) -> dict[str, Any]:
        return {
            "taskId": output.old.id,
            "updatedFields": list(output.changed),
            "statusChange": {"from": output.old.status, "to": output.new.status if output.new else "deleted"},
            "task": as_data(output.new) if output.new else None,
            "subject": output.old.subject,
        }


def _waiting(tasks: TaskList) -> tuple[str, ...]:
    """Return the ids of the tasks that wait for another."""
    return tuple(task.id for task in tasks if task.status == "pending" and tasks.open_blockers(task))


TOOL = TaskUpdateTool
