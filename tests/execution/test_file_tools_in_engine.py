"""The tools that change files, in the engine: several files asked about at once, taken in part, written together."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from fake_tools import Bench, FakeGate, allow, ask, rest, settle

from tui_agent.events import EditApplied, EditProposed, EditReviewed
from tui_agent.execution.execution_context import ToolOutcome
from tui_agent.permissions.verdict import Decision
from tui_agent.tools import files
from tui_agent.tools.base import Progress, Result
from tui_agent.tools.edit.tool import EditTool
from tui_agent.tools.file_state import FileRecord
from tui_agent.tools.files import load
from tui_agent.tools.multi_edit.tool import MultiEditTool
from tui_agent.tools.resolved_path import ResolvedPath, resolve
from tui_agent.tools.write.tool import WriteTool

FAR = "\n" * 9


class Desk:
    """An engine with the real tools over a folder whose files count as read."""

    def __init__(self, folder: Path, **texts: str) -> None:
        self.folder = folder
        self.runtime = Bench(
            folder,
            EditTool(),  # type: ignore[arg-type] # the pool of the tests takes any tool
            MultiEditTool(),  # type: ignore[arg-type]
            WriteTool(),  # type: ignore[arg-type]
            gate=FakeGate(judge=ask),
            state_dir=folder / "state",
        )
        for name, text in texts.items():
            (folder / name).write_text(text)
            file = load(resolve(str(folder / name)))
            self.runtime.execution_context.files.record(FileRecord(file.path, file.hash, file.mtime_ns, file.size))

    async def run(
        self, name: str, raw: dict[str, Any], *taken: set[int] | None, edited: str | None = None
    ) -> ToolOutcome:
        """Run one use; of each file of its proposal take these hunks (None: all)."""
        async with self.runtime.executor() as executor:
            executor.add("t1", name, raw)
            while "t1" not in self.runtime.gate.open:
                await settle()
            question, _ = self.runtime.gate.open["t1"]
            approved = tuple(
                change.approve(some, edited) for change, some in zip(question.proposals, taken, strict=True)
            )
            self.runtime.gate.answer("t1", Decision(behavior="allow", approved=approved))
            (outcome,) = await rest(executor)
        return outcome

    def text(self, name: str) -> str:
        return (self.folder / name).read_text()


def renaming() -> dict[str, Any]:
    return {
        "edits": [
            {"file_path": "a", "edits": [{"old_string": "x", "new_string": "y", "replace_all": True}]},
            {"file_path": "b", "edits": [{"old_string": "x", "new_string": "y"}]},
            {"file_path": "new/c", "edits": [{"old_string": "", "new_string": "y\n"}]},
        ]
    }


async def test_each_file_is_proposed_reviewed_and_written_as_it_was_taken(tmp_path: Path) -> None:
    desk = Desk(tmp_path, a=f"x{FAR}x\n", b="x\n")
    outcome = await desk.run("MultiEdit", renaming(), {1}, set(), None)
    assert (desk.text("a"), desk.text("b"), desk.text("new/c")) == (f"x{FAR}y\n", "x\n", "y\n")
    paths = [str(tmp_path / name) for name in ("a", "b", "new/c")]
    assert [event.change.path for event in desk.runtime.of(EditProposed)] == paths
    assert [(event.accepted, event.refused) for event in desk.runtime.of(EditReviewed)] == [
        ((1,), (0,)), ((), (0,)), ((0,), ()),
    ]  # fmt: skip
    assert [event.change.path for event in desk.runtime.of(EditApplied)] == [paths[0], paths[2]]
    assert len(desk.runtime.of(EditApplied)[0].change.hunks) == 1
    assert "accepted: 2; refused: 1." in str(outcome.content)
    assert (tmp_path / "state/intents").is_dir()
    assert not list((tmp_path / "state/intents").iterdir())


async def test_a_new_file_that_was_refused_is_neither_made_nor_said_to_be(tmp_path: Path) -> None:
    desk = Desk(tmp_path, a="x\n", b="x\n")
    await desk.run("MultiEdit", renaming(), None, None, set())
    assert [Path(event.change.path).name for event in desk.runtime.of(EditApplied)] == ["a", "b"]
    assert not (tmp_path / "new").exists()


async def test_taking_nothing_of_any_file_is_a_refusal(tmp_path: Path) -> None:
    desk = Desk(tmp_path, a="x\n", b="x\n")
    outcome = await desk.run("MultiEdit", renaming(), set(), set(), set())
    assert (outcome.error_kind, desk.text("a")) == ("denied", "x\n")


async def test_the_old_shape_is_judged_and_asked_about_in_the_present_one(tmp_path: Path) -> None:
    desk = Desk(tmp_path, a="x\n")
    raw = {"file_path": "a", "edits": [{"old_string": "x", "new_string": "y"}]}
    await desk.run("MultiEdit", raw, None)
    (call,) = desk.runtime.gate.calls
    assert call.input == {"edits": [raw]}
    assert call.writes == (str(tmp_path / "a"),)


async def test_what_the_person_wrote_is_what_a_write_writes(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    outcome = await desk.run("Write", {"file_path": "f", "content": "theirs\n"}, None, edited="mine\n")
    assert desk.text("f") == "mine\n"
    assert "+mine" in str(outcome.content)


async def test_after_an_edited_hunk_the_model_is_told_which_others_were_refused(tmp_path: Path) -> None:
    desk = Desk(tmp_path, a=f"x{FAR}x\n")
    raw = {"file_path": "a", "old_string": "x", "new_string": "y", "replace_all": True}
    outcome = await desk.run("Edit", raw, {0}, edited=f"mine{FAR}x\n")
    assert desk.text("a") == f"mine{FAR}x\n"
    assert "The user changed your proposal" in str(outcome.content)
    assert "accepted: 1; refused: 2." in str(outcome.content)


@pytest.mark.parametrize("name", ["Edit", "Write", "MultiEdit"])
async def test_a_file_that_changes_while_the_person_looks_is_left_alone(name: str, tmp_path: Path) -> None:
    desk = Desk(tmp_path, a="x\n")
    raw: dict[str, dict[str, Any]] = {
        "Edit": {"file_path": "a", "old_string": "x", "new_string": "y"},
        "Write": {"file_path": "a", "content": "y\n"},
        "MultiEdit": {"edits": [{"file_path": "a", "edits": [{"start_line": 1, "new_string": "y"}]}]},
    }

    async with desk.runtime.executor() as executor:
        executor.add("t1", name, raw[name])
        while "t1" not in desk.runtime.gate.open:
            await settle()
        (tmp_path / "a").write_text("theirs x\n")
        desk.runtime.gate.answer("t1", Decision(behavior="allow"))
        (outcome,) = await rest(executor)
    assert (outcome.is_error, (outcome.data or {})["code"]) == (True, "changed_on_disk")
    assert desk.text("a") == "theirs x\n"
    assert not desk.runtime.of(EditApplied)


@pytest.mark.parametrize("name", ["Edit", "Write", "MultiEdit"])
async def test_the_file_is_read_and_compared_once_for_check_proposal_and_report(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk(tmp_path, a="x\n")
    desk.runtime.gate.judge = allow
    seen: list[str] = []
    real = files.open_regular

    def counted(path: ResolvedPath) -> Any:
        seen.append(Path(path.path).name)
        return real(path)

    monkeypatch.setattr(files, "open_regular", counted)
    raw: dict[str, dict[str, Any]] = {
        "Edit": {"file_path": "a", "old_string": "x", "new_string": "y"},
        "Write": {"file_path": "a", "content": "y\n"},
        "MultiEdit": {"edits": [{"file_path": "a", "edits": [{"start_line": 1, "new_string": "y"}]}]},
    }
    async with desk.runtime.executor() as executor:
        executor.add("t1", name, raw[name])
        (outcome,) = await rest(executor)
    assert not outcome.is_error, outcome.content
    assert desk.text("a") == "y\n"
    assert seen == ["a", "a"], "once to check, once to be sure before it is written"


async def test_what_is_kept_between_stages_goes_when_a_file_changes(tmp_path: Path) -> None:
    desk = Desk(tmp_path, a="x\n")

    class Watching(WriteTool):
        async def propose(self, input: Any, plan: Any, ctx: Any) -> Any:
            (tmp_path / "a").write_text("theirs\n")
            return await super().propose(input, plan, ctx)

        def call(self, input: Any, plan: Any, ctx: Any) -> AsyncIterator[Progress | Result[Any]]:
            raise AssertionError("it must not come to this")

    desk.runtime.execution_context.pool._tools["Write"] = Watching()  # type: ignore[attr-defined]
    async with desk.runtime.executor() as executor:
        executor.add("t1", "Write", {"file_path": "a", "content": "y\n"})
        (outcome,) = await rest(executor)
    assert "changed since it was read" in str(outcome.content)
