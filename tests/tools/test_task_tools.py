"""TodoWrite and the task tools: one list, what the model is told of it, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tool_bench import POOL, Bench

from tui_agent.execution.scheduling import footprint_of
from tui_agent.tools.base import Invalid, PromptContext, ToolContext, ToolError
from tui_agent.tools.inputs.schema import parse_input
from tui_agent.tools.services import Services
from tui_agent.tools.task_list import Snapshot, TaskList
from tui_agent.tools.workspace import Workspace
from tui_agent.viewkit.checklist import read_steps


class Session:
    """One task list, all tools on it, and what was told of it."""

    def __init__(self, folder: Path) -> None:
        self.heard: list[Snapshot] = []
        self.tasks = TaskList(self.heard.append)
        self.context: ToolContext = replace(Bench(folder).context(), services=Services(tasks=self.tasks))

    async def run(self, name: str, **raw: Any) -> tuple[str, dict[str, Any]]:
        """Run a tool and return text and data; what is refused raises with its code in front."""
        tool = POOL.get(name)
        assert tool is not None
        input = parse_input(tool, raw)
        verdict = await tool.validate(input, self.context)
        if isinstance(verdict, Invalid):
            raise ToolError(f"{verdict.code}: {verdict.message}")
        (result,) = [item async for item in tool.call(input, verdict.plan, self.context)]
        text = tool.to_result(result.output)
        assert isinstance(text, str)
        return text, tool.to_data(result.output)


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path)


def todo(content: str, status: str = "pending") -> dict[str, str]:
    return {"content": content, "status": status, "activeForm": f"Doing {content}"}


async def test_a_plan_takes_the_place_of_the_one_before(session: Session) -> None:
    await session.run("TodoWrite", todos=[todo("a", "in_progress"), todo("b")])
    text, data = await session.run("TodoWrite", todos=[todo("a", "completed"), todo("c", "in_progress")])
    assert text == "The list is kept: 1 of 2 completed."
    assert [(task.id, task.subject, task.status, task.active_form) for task in session.tasks] == [
        ("1", "a", "completed", "Doing a"),
        ("2", "c", "in_progress", "Doing c"),
    ]
    assert data["oldTodos"] == [todo("a", "in_progress"), todo("b")]
    assert data["newTodos"] == [todo("a", "completed"), todo("c", "in_progress")]
    assert len(session.heard) == 2


@pytest.mark.parametrize(
    ("statuses", "said"),
    [
        (["in_progress", "in_progress"], "2 steps are in progress; one at a time is the custom"),
        (["completed", "pending"], "No step is in progress"),
    ],
)
async def test_other_than_one_step_at_a_time_is_noted_and_taken(
    session: Session, statuses: list[str], said: str
) -> None:
    text, _ = await session.run("TodoWrite", todos=[todo(str(n), status) for n, status in enumerate(statuses)])
    assert said in text
    assert [task.status for task in session.tasks] == statuses


async def test_an_empty_plan_is_an_empty_list(session: Session) -> None:
    await session.run("TodoWrite", todos=[todo("a")])
    assert (await session.run("TodoWrite", todos=[]))[0] == "The list is empty now."
    assert len(session.tasks) == 0


async def test_a_plan_over_tasks_says_what_is_lost(session: Session) -> None:
    await session.run("TaskCreate", subject="a", description="at length")
    assert "description, owner, what waits for what" in (await session.run("TodoWrite", todos=[todo("b")]))[0]


async def test_a_step_that_says_nothing_is_refused(session: Session) -> None:
    with pytest.raises(ToolError, match="blank: Step 2 is empty"):
        await session.run("TodoWrite", todos=[todo("a"), todo(" ")])
    assert session.heard == []


async def test_tasks_are_made_changed_looked_up_and_taken_off(session: Session) -> None:
    made, data = await session.run("TaskCreate", subject="Build", description="all of it", activeForm="Building")
    assert made == "Task 1 is on the list: Build"
    assert data["task"]["activeForm"] == "Building"
    await session.run("TaskCreate", subject="Test", description="")
    text, data = await session.run("TaskUpdate", taskId="2", addBlockedBy=["1"], owner="ada", metadata={"k": 1})
    assert text == "Task 2 is changed (owner, metadata, addBlockedBy): Test [pending]"
    assert data["updatedFields"] == ["owner", "metadata", "addBlockedBy"]
    listed, data = await session.run("TaskList")
    assert listed == "[ ] 1. Build\n[ ] 2. Test (owner: ada) (waits for 1)"
    assert [task["blocks"] for task in data["tasks"]] == [["2"], []]
    text, data = await session.run("TaskUpdate", taskId="1", status="completed")
    assert text.endswith("Nothing blocks task 2 any more.")
    assert data["statusChange"] == {"from": "pending", "to": "completed"}
    assert (await session.run("TaskList"))[0] == "[x] 1. Build\n[ ] 2. Test (owner: ada)"
    got, _ = await session.run("TaskGet", taskId="1")
    assert got == "Task 1: Build\nstatus: completed\nactive form: Building\nblocks: 2\ndescription: all of it"
    text, data = await session.run("TaskUpdate", taskId="1", status="deleted")
    assert text == "Task 1 is off the list: Build"
    assert data["task"] is None
    assert (await session.run("TaskList"))[0] == "[ ] 2. Test (owner: ada)"
    assert "waits for" not in (await session.run("TaskGet", taskId="2"))[0]


async def test_deleting_what_another_waits_for_frees_it(session: Session) -> None:
    await session.run("TaskCreate", subject="a", description="")
    await session.run("TaskCreate", subject="b", description="")
    await session.run("TaskUpdate", taskId="1", addBlocks=["2"])
    text, _ = await session.run("TaskUpdate", taskId="1", status="deleted")
    assert "Nothing blocks task 2 any more." in text


async def test_ids_may_come_as_numbers_or_with_a_sign(session: Session) -> None:
    for subject in "ab":
        await session.run("TaskCreate", subject=subject, description="")
    await session.run("TaskUpdate", taskId=2, addBlockedBy=["#1"])
    assert (await session.run("TaskGet", taskId="#2"))[1]["task"]["blockedBy"] == ["1"]


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ({"taskId": "9", "status": "completed"}, "There is no task '9'. There are 1, 2."),
        ({"taskId": "9", "status": "deleted"}, "There is no task '9'"),
        ({"taskId": "1", "addBlocks": ["9"]}, "There is no task '9'"),
        ({"taskId": "1", "addBlocks": ["2"], "addBlockedBy": ["2"]}, "round in a circle"),
        ({"taskId": "1"}, "no_change: Nothing to change"),
        ({"taskId": "1", "subject": " "}, "blank"),
    ],
)
async def test_a_change_that_makes_no_sense_is_refused_whole(
    session: Session, raw: dict[str, Any], message: str
) -> None:
    for subject in "ab":
        await session.run("TaskCreate", subject=subject, description="")
    told = len(session.heard)
    with pytest.raises(ToolError, match=message):
        await session.run("TaskUpdate", **raw)
    assert len(session.heard) == told


async def test_looking_up_what_is_not_there_names_what_is(session: Session) -> None:
    with pytest.raises(ToolError, match="The list is empty"):
        await session.run("TaskGet", taskId="1")
    assert (await session.run("TaskList"))[0] == "The list is empty."


@pytest.mark.parametrize("left", ["TodoWrite", "TaskCreate", "TaskUpdate", "TaskGet", "TaskList"])
def test_calls_on_the_list_run_one_after_the_other_but_beside_a_read(tmp_path: Path, left: str) -> None:
    raw: dict[str, dict[str, Any]] = {
        "TodoWrite": {"todos": []},
        "TaskCreate": {"subject": "a", "description": ""},
        "TaskUpdate": {"taskId": "1", "owner": "x"},
        "TaskGet": {"taskId": "1"},
        "TaskList": {},
        "Read": {"file_path": "a.txt"},
        "Edit": {"file_path": "a.txt", "old_string": "a", "new_string": "b"},
    }

    def footprint(name: str) -> Any:
        tool = POOL.get(name)
        assert tool is not None
        return footprint_of(tool, parse_input(tool, raw[name]), Workspace(tmp_path))

    own = footprint(left)
    assert all(not own.fits_beside(footprint(other)) for other in ("TodoWrite", "TaskCreate", "TaskList"))
    assert own.fits_beside(footprint("Read"))
    assert own.fits_beside(footprint("Edit"))
    assert not own.claims.writes


def test_the_guidance_names_the_task_tools_only_where_they_are() -> None:
    tool = POOL.get("TodoWrite")
    assert tool is not None
    assert "TaskCreate" in tool.guide(PromptContext(tool_names=("TaskCreate", "TodoWrite")))
    assert "TaskCreate" not in tool.guide(PromptContext(tool_names=("TodoWrite",)))


async def test_data_spells_its_keys_as_the_inputs_do_and_the_event_as_ever(session: Session) -> None:
    _, made = await session.run("TaskCreate", subject="a", description="", activeForm="Doing a")
    await session.run("TaskCreate", subject="b", description="")
    _, changed = await session.run("TaskUpdate", taskId="2", addBlockedBy=["1"])
    _, got = await session.run("TaskGet", taskId="2")
    _, listed = await session.run("TaskList")
    tasks = [made["task"], changed["task"], got["task"], *listed["tasks"]]
    assert not any({"active_form", "blocked_by"} & set(task) for task in tasks)
    assert [(task["activeForm"], task["blockedBy"]) for task in tasks[1:]] == [
        ("", ["1"]),
        ("", ["1"]),
        ("Doing a", []),
        ("", ["1"]),
    ]
    assert [(task["active_form"], task["blocked_by"]) for task in session.heard[-1]] == [("Doing a", []), ("", ["1"])]
    assert [step.note for step in read_steps(listed["tasks"])] == ["", "waits for 1"]
    in_progress = await session.run("TaskUpdate", taskId="1", status="in_progress")
    assert [step.text for step in read_steps([in_progress[1]["task"]])] == ["Doing a"]


async def test_of_many_ids_the_newest_are_named(session: Session) -> None:
    for number in range(12):
        await session.run("TaskCreate", subject=f"Step {number}", description="")
    with pytest.raises(ToolError) as caught:
        await session.run("TaskGet", taskId="99")
    assert (
        caught.value.message
        == "There is no task '99'. There are 12, the newest of them 3, 4, 5, 6, 7, 8, 9, 10, 11, 12."
    )
