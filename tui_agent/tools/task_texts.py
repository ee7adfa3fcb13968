"""What the task tools have in common: ids, the claim on the list, how tasks read to the model, and tasks as data."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import BeforeValidator

from tui_agent.tools.base import Claims
from tui_agent.tools.task_list import Task, TaskList

__all__ = ["TASK_CLAIMS", "TaskId", "as_data", "brief", "full"]

# The list is no file, so no rule on files is about it; but of two calls in one reply the second must find what the first did.
TASK_CLAIMS: Final = Claims(holds=frozenset({"tasks"}))


def _as_id(value: Any) -> Any:  # noqa: ANN401 - whatever the model sent
    """Read `3` and `"#3"` as the id they mean."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value.strip().removeprefix("#") if isinstance(value, str) else value


TaskId = Annotated[str, BeforeValidator(_as_id)]

_DATA_NAMES: Final = {"active_form": "activeForm", "blocked_by": "blockedBy"}
_MARKS: Final = {"pending": "[ ]", "in_progress": "[>]", "completed": "[x]"}


def as_data(task: Task) -> dict[str, Any]:
    """Return a task as structured output, its keys spelt as the tools' inputs spell them."""
    data = task.to_json()
    return {_DATA_NAMES.get(name, name): value for name, value in data.items()}


def brief(task: Task, tasks: TaskList) -> str:
    """Return a task on one line: id, status, subject, who does it, and what it still waits for."""
    parts = [f"{_MARKS[task.status]} {task.id}. {task.subject}"]
    if task.owner:
        parts.append(f"(owner: {task.owner})")
    waits_for = tasks.open_blockers(task)
    if waits_for and task.status != "completed":
        parts.append(f"(waits for {', '.join(waits_for)})")
    return " ".join(parts)


def full(task: Task) -> str:
    """Return all there is to know of a task, a line for each thing that is known."""
    known = {
        "status": task.status,
        "active form": task.active_form,
        "owner": task.owner,
        "waits for": ", ".join(task.blocked_by),
        "blocks": ", ".join(task.blocks),
        "metadata": ", ".join(f"{key}={value!r}" for key, value in task.metadata.items()),
        "description": task.description,
    }
    return "\n".join([f"Task {task.id}: {task.subject}", *(f"{name}: {text}" for name, text in known.items() if text)])
