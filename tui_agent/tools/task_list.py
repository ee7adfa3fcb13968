"""The task list of a session: what the model plans to do and how far it is, shared by all the tools that keep it.

Every change is whole or not at all, and is told to `on_change`. Which task must wait for which is kept on both sides, and never
goes round in a circle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, get_args

__all__ = ["Snapshot", "Task", "TaskError", "TaskList", "TaskStatus"]

TaskStatus = Literal["pending", "in_progress", "completed"]
Snapshot = tuple[dict[str, Any], ...]  # all tasks as JSON data, in order

_MOST_NAMED: Final = 10  # ids in an error message
_STATUSES: Final[tuple[TaskStatus, ...]] = get_args(TaskStatus)


class TaskError(ValueError):
    """A change would leave the list in a state that makes no sense; the text says why, for the model."""

    def __init__(self, message: str, code: Literal["missing", "circle"]) -> None:
        super().__init__(message)
        self.code: Final = code


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One thing to do.

    `active_form` is how it reads while it is being done; `blocked_by` are ids of tasks to do first, `blocks` of those that wait
    for this one.
    """

    id: str
    subject: str
    status: TaskStatus = "pending"
    active_form: str = ""
    description: str = ""
    owner: str = ""
    blocks: tuple[str, ...] = ()
    blocked_by: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the task as JSON data, its keys those of the fields."""
        return {
            "id": self.id,
            "subject": self.subject,
            "status": self.status,
            "active_form": self.active_form,
            "description": self.description,
            "owner": self.owner,
            "blocks": list(self.blocks),
            "blocked_by": list(self.blocked_by),
            "metadata": dict(self.metadata),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Task:
        """Return the task that `to_json` made `data` of. What it does not know, or does not fit, counts as not said."""
        status: TaskStatus | None = next((known for known in _STATUSES if known == data.get("status")), None)
        metadata = data.get("metadata")
        return cls(
            id=str(data.get("id", "")),
            subject=str(data.get("subject", "")),
            status=status or "pending",
            active_form=str(data.get("active_form", "")),
            description=str(data.get("description", "")),
            owner=str(data.get("owner", "")),
            blocks=_ids(data.get("blocks")),
            blocked_by=_ids(data.get("blocked_by")),
            metadata=dict(metadata) if isinstance(metadata, Mapping) else {},
        )


def _ids(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list | tuple) else ()


class TaskList:
    """Tasks in the order they were made, with ids that count from 1 and are not used twice.

    `on_change` hears of every change, with all tasks as JSON data.
    """

    def __init__(self, on_change: Callable[[Snapshot], object] = lambda _tasks: None) -> None:
        self._tasks: dict[str, Task] = {}
        self._highest = 0
        self._on_change = on_change

    def __iter__(self) -> Iterator[Task]:
        return iter(tuple(self._tasks.values()))

    def __len__(self) -> int:
        return len(self._tasks)

    def get(self, task_id: str) -> Task | None:
        """Return the task of this id."""
        return self._tasks.get(task_id)

    def open_blockers(self, task: Task) -> tuple[str, ...]:
        """Return the ids of the tasks that are still to be completed before `task` can begin."""
        return tuple(name for name in task.blocked_by if self._tasks[name].status != "completed")

    def missing(self, task_id: str) -> str:
        """Return that there is no task of this id, and which there are."""
        return _missing(task_id, self._tasks)

    # --- changes -----------------------------------------------------------------------------------------------------

    def replace(self, tasks: Iterable[Task]) -> None:
        """Let these be the tasks. They are numbered anew, from 1, and what was to wait for what is dropped."""
        self._tasks = {
            str(number): replace(task, id=str(number), blocks=(), blocked_by=()) for number, task in enumerate(tasks, 1)
        }
        self._highest = len(self._tasks)
        self._changed()

    def clear(self) -> None:
        """Begin afresh. Nothing is told where there was nothing."""
        self._highest = 0
        if self._tasks:
            self._tasks = {}
            self._changed()

    def restore(self, snapshots: Iterable[Sequence[Mapping[str, Any]]]) -> None:
        """Stand where a recording ended, given all that `on_change` was told since the list was last begun. Tells nothing."""
        last: Sequence[Mapping[str, Any]] = ()
        highest = 0
        for last in snapshots:
            numbers = [int(name) for name in (str(task.get("id", "")) for task in last) if _is_number(name)]
            highest = max([highest, *numbers])
        tasks = {task.id: task for task in map(Task.from_json, last) if _is_number(task.id)}
        self._tasks = {name: _known(task, tasks) for name, task in tasks.items()}
        self._highest = highest

    def create(
        self,
        subject: str,
        *,
        description: str = "",
        active_form: str = "",
        metadata: Mapping[str, Any] | None = None,
    ) -> Task:
        """Add a task at the end and return it."""
        self._highest += 1
        task = Task(
            id=str(self._highest),
            subject=subject,
            description=description,
            active_form=active_form,
            metadata=dict(metadata or {}),
        )
        self._tasks[task.id] = task
        self._changed()
        return task

    def update(
        self,
        task_id: str,
        *,
        status: TaskStatus | None = None,
        subject: str | None = None,
        description: str | None = None,
        active_form: str | None = None,
        owner: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        add_blocks: Iterable[str] = (),
        add_blocked_by: Iterable[str] = (),
    ) -> Task:
        """Change what is given and return the task as it is then.

        Args:
            task_id: which task.
            status: how far it is.
            subject: what is to be done.
            description: the same at length.
            active_form: how it reads while it is being done.
            owner: who does it; empty for nobody.
            metadata: joins what is there; a key whose value is None goes.
            add_blocks: tasks that wait for this one from now on.
            add_blocked_by: tasks that this one waits for from now on.

        Raises:
            TaskError: a task is not there, or one would have to wait for itself. Nothing is changed then.
        """
        task = self._there(task_id)
        said = {
            "status": status,
            "subject": subject,
            "description": description,
            "active_form": active_form,
            "owner": owner,
        }
        new: dict[str, Any] = {name: value for name, value in said.items() if value is not None}
        if metadata is not None:
            merged = {**task.metadata, **metadata}
            new["metadata"] = {key: value for key, value in merged.items() if value is not None}
        tasks = {**self._tasks, task_id: replace(task, **new)}
        for later in add_blocks:
            _link(tasks, task_id, later)
        for first in add_blocked_by:
            _link(tasks, first, task_id)
        if tasks != self._tasks:
            self._tasks = tasks
            self._changed()
        return tasks[task_id]

    def delete(self, task_id: str) -> Task:
        """Take a task out and return it; nothing waits for it any more.

        Raises:
            TaskError: it is not there.
        """
        gone = self._there(task_id)
        self._tasks = {
            name: replace(task, blocks=_without(task.blocks, task_id), blocked_by=_without(task.blocked_by, task_id))
            for name, task in self._tasks.items()
            if name != task_id
        }
        self._changed()
        return gone

    def _there(self, task_id: str) -> Task:
        task = self._tasks.get(task_id)
        if task is None:
            raise TaskError(self.missing(task_id), "missing")
        return task

    def _changed(self) -> None:
        self._on_change(tuple(task.to_json() for task in self))


def _link(tasks: dict[str, Task], first: str, later: str) -> None:
    """Let `later` wait for `first`.

    Raises:
        TaskError: one of them is not there, or `first` waits for `later` already.
    """
    for name in (first, later):
        if name not in tasks:
            raise TaskError(_missing(name, tasks), "missing")
    if first == later:
        raise TaskError(f"Task {first} cannot wait for itself.", "circle")
    way = _way(tasks, first, later)
    if way:
        chain = " waits for ".join(way)
        raise TaskError(
            f"Task {later} cannot wait for task {first}: that would go round in a circle ({chain}).", "circle"
        )
    if later not in tasks[first].blocks:
        tasks[first] = replace(tasks[first], blocks=(*tasks[first].blocks, later))
        tasks[later] = replace(tasks[later], blocked_by=(*tasks[later].blocked_by, first))


def _way(tasks: Mapping[str, Task], start: str, goal: str) -> list[str]:
    """Return the ids from `start` to `goal`, each waiting for the next; nothing where `start` does not wait for `goal`."""
    came_from: dict[str, str] = {start: ""}
    waiting = [start]
    while waiting:
        name = waiting.pop()
        if name == goal:
            way = [name]
            while came_from[way[-1]]:
                way.append(came_from[way[-1]])
            return way[::-1]
        for first in tasks[name].blocked_by:
            if first not in came_from:
                came_from[first] = name
                waiting.append(first)
    return []


def _known(task: Task, tasks: Mapping[str, Task]) -> Task:
    """Return a recorded task without what it says of tasks that are not recorded."""
    return replace(
        task,
        blocks=tuple(name for name in task.blocks if name in tasks),
        blocked_by=tuple(name for name in task.blocked_by if name in tasks),
    )


def _without(names: tuple[str, ...], gone: str) -> tuple[str, ...]:
    return tuple(name for name in names if name != gone)


def _missing(task_id: str, tasks: Mapping[str, Task]) -> str:
    if not tasks:
        known = "The list is empty."
    elif len(tasks) <= _MOST_NAMED:
        known = f"There are {', '.join(tasks)}."
    else:
        newest = list(tasks)[-_MOST_NAMED:]
        known = f"There are {len(tasks)}, the newest of them {', '.join(newest)}."
    return f"There is no task {task_id!r}. {known}"


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 10
