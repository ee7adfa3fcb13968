"""The task list against an independent model, and what it refuses."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, multiple, rule

from tui_agent.tools.task_list import Task, TaskError, TaskList

STATUSES = st.sampled_from(["pending", "in_progress", "completed"])
TEXTS = st.sampled_from(["", "a", "b"])


class TaskMachine(RuleBasedStateMachine):
    """Tasks as dictionaries, and what waits for what as a set of pairs (first, later)."""

    ids = Bundle("ids")

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[tuple[dict[str, Any], ...]] = []
        self.tasks = TaskList(self.heard.append)
        self.model: dict[str, dict[str, Any]] = {}
        self.edges: set[tuple[str, str]] = set()
        self.used = 0

    @initialize(target=ids)
    def begin(self) -> Any:
        return multiple("0", "99")  # ids that are never there

    @rule(target=ids, subject=TEXTS, description=TEXTS)
    def create(self, subject: str, description: str) -> str:
        self.used += 1
        task = self.tasks.create(subject, description=description, metadata={"k": 1})
        assert task.id == str(self.used)
        self.model[task.id] = {"subject": subject, "status": "pending", "description": description, "owner": ""}
        return task.id

    def _reaches(self, start: str, goal: str) -> bool:
        """Whether `start` waits, over however many, for `goal`."""
        seen, waiting = set(), [start]
        while waiting:
            name = waiting.pop()
            if name == goal:
                return True
            if name not in seen:
                seen.add(name)
                waiting += [first for first, later in self.edges if later == name]
        return False

    @rule(
        name=ids,
        changes=st.fixed_dictionaries({}, optional={"status": STATUSES, "subject": TEXTS, "owner": TEXTS}),
        blocks=st.lists(ids, max_size=2),
        blocked_by=st.lists(ids, max_size=2),
    )
    def update(self, name: str, changes: dict[str, Any], blocks: list[str], blocked_by: list[str]) -> None:
        kept = set(self.edges)
        is_good = name in self.model
        for first, later in [*((name, other) for other in blocks), *((other, name) for other in blocked_by)]:
            is_good = is_good and {first, later} <= self.model.keys() and not self._reaches(first, later)
            if is_good:
                self.edges.add((first, later))
        before, told = json.dumps([task.to_json() for task in self.tasks]), len(self.heard)
        if not is_good:
            self.edges = kept
            with pytest.raises(TaskError):
                self.tasks.update(name, **changes, add_blocks=blocks, add_blocked_by=blocked_by)
            assert json.dumps([task.to_json() for task in self.tasks]) == before
            assert len(self.heard) == told
            return
        self.tasks.update(name, **changes, add_blocks=blocks, add_blocked_by=blocked_by)
        self.model[name] |= changes
        is_same = json.dumps([task.to_json() for task in self.tasks]) == before
        assert len(self.heard) == told + (not is_same)

    @rule(name=consumes(ids))
    def delete(self, name: str) -> None:
        if name not in self.model:
            with pytest.raises(TaskError):
                self.tasks.delete(name)
            return
        self.tasks.delete(name)
        del self.model[name]
        self.edges = {edge for edge in self.edges if name not in edge}

    @rule()
    def take_up_again(self) -> None:
        """Go on from what was told, as a session does that is continued."""
        told = json.loads(json.dumps(self.heard))
        self.tasks = TaskList(self.heard.append)
        self.tasks.restore(told)

    @invariant()
    def it_is_what_the_model_says(self) -> None:
        assert [task.id for task in self.tasks] == list(self.model)
        for task in self.tasks:
            known = self.model[task.id]
            assert {key: getattr(task, key) for key in known} == known
            assert set(task.blocks) == {later for first, later in self.edges if first == task.id}
            assert set(task.blocked_by) == {first for first, later in self.edges if later == task.id}
            assert len(task.blocks) == len(set(task.blocks))
            open_ones = [name for name in task.blocked_by if self.model[name]["status"] != "completed"]
            assert self.tasks.open_blockers(task) == tuple(open_ones)

    @invariant()
    def the_last_that_was_told_is_how_it_is(self) -> None:
        if self.heard:
            assert self.heard[-1] == tuple(task.to_json() for task in self.tasks)


TaskMachine.TestCase.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
TestTaskList = TaskMachine.TestCase


def test_a_circle_is_refused_with_the_way_it_would_go() -> None:
    tasks = TaskList()
    for subject in "abc":
        tasks.create(subject)
    tasks.update("1", add_blocks=["2"])
    tasks.update("2", add_blocks=["3"])
    with pytest.raises(TaskError, match=r"Task 1 cannot wait for task 3: .* \(3 waits for 2 waits for 1\)") as refused:
        tasks.update("1", add_blocked_by=["3"])
    assert refused.value.code == "circle"
    with pytest.raises(TaskError, match="cannot wait for itself"):
        tasks.update("1", add_blocks=["1"])


def test_an_unknown_task_is_refused_with_those_there_are() -> None:
    tasks = TaskList()
    with pytest.raises(TaskError, match=r"There is no task '7'. The list is empty."):
        tasks.delete("7")
    tasks.create("a")
    with pytest.raises(TaskError, match=r"There is no task '7'. There are 1."):
        tasks.update("1", status="completed", add_blocks=["7"])
    assert [task.status for task in tasks] == ["pending"]


def test_metadata_joins_and_null_takes_away() -> None:
    tasks = TaskList()
    tasks.create("a", metadata={"x": 1, "y": 2})
    assert tasks.update("1", metadata={"y": None, "z": 3}).metadata == {"x": 1, "z": 3}


def test_an_id_is_not_used_again_even_in_a_session_taken_up_again() -> None:
    heard: list[Any] = []
    tasks = TaskList(heard.append)
    tasks.create("a")
    tasks.create("b")
    tasks.delete("2")
    again = TaskList()
    again.restore(heard)
    assert again.create("c").id == "3"


def test_clearing_an_empty_list_is_no_change() -> None:
    heard: list[Any] = []
    tasks = TaskList(heard.append)
    tasks.clear()
    assert heard == []
    tasks.replace([Task(id="", subject="a")])
    tasks.clear()
    assert heard[-1] == ()
    assert tasks.create("b").id == "1"


@pytest.mark.parametrize(
    "recorded",
    [
        [{}],
        [{"id": "1"}, {"id": "1", "blocked_by": ["2", 3], "blocks": "x"}],
        [{"id": "1", "status": "lost", "metadata": 3, "subject": None}],
        [{"id": "-1"}, {"id": "²"}, {"id": 7}],
    ],
)
def test_a_recording_that_was_tampered_with_gives_a_list_that_works(recorded: list[dict[str, Any]]) -> None:
    tasks = TaskList()
    tasks.restore([recorded])
    new = tasks.create("a")
    for task in list(tasks):
        tasks.update(task.id, status="completed")
        tasks.open_blockers(task)
    tasks.delete(new.id)
