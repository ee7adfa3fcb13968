"""The task list of a session: what the model plans to do and how far it is, shared by all the tools that keep it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

__all__ = ["Task", "TaskList", "TaskStatus"]

TaskStatus = Literal["pending", "in_progress", "completed"]


@dataclass(slots=True, kw_only=True)
class Task:
    """One thing to do. `active_form` is how it reads while it is being done; `blocked_by` are ids of tasks to do first."""

    id: str
    subject: str
    status: TaskStatus = "pending"
    active_form: str = ""
    description: str = ""
    owner: str = ""
    blocked_by: tuple[str, ...] = ()
    metadata: dict[str, Any] = field(default_factory=dict)


class TaskList:
    """Tasks in the order they were made. `on_change` hears of every change, with the tasks as JSON data."""

    def __init__(self, on_change: Callable[[tuple[dict[str, Any], ...]], object] = lambda _tasks: None) -> None:
        self._tasks: dict[str, Task] = {}
        self._on_change = on_change

    def __iter__(self) -> Iterator[Task]:
        return iter(tuple(self._tasks.values()))

    def replace(self, tasks: Iterable[Task]) -> None:
        """Let these be the tasks."""
        self._tasks = {task.id: task for task in tasks}
        self._on_change(tuple(asdict(task) for task in self))
