"""Undoing a file that the session and others changed in turn: the session's own goes, what others did stays, always."""

from __future__ import annotations

import asyncio
import itertools
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_agent.bus import Bus
from tui_agent.changes import FileChange, content_hash
from tui_agent.engine.files.change_history import ChangeHistory, PreparedUndo
from tui_agent.engine.files.changed_files import MOST_RUNS
from tui_agent.events import EditApplied, EditUndone, Event
from tui_agent.tools.file_changes.versions import Versions

Who = Literal["session", "others"]
BASE = tuple(f"base {number}" for number in range(12))
# Who changes the file, where, how many lines go, and how many come.
CHANGES = st.lists(
    st.tuples(st.sampled_from(["session", "others"]), st.integers(0, 30), st.integers(0, 2), st.integers(0, 2)),
    min_size=1,
    max_size=8,
)


@dataclass
class Told:
    """A file whose every line is there once, so that it is known who wrote each, and who took it away."""

    folder: Path
    lines: list[str] = field(default_factory=lambda: list(BASE))
    removed_by: dict[str, Who] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.path = self.folder / "a.txt"
        self._write(self.lines)
        self.change_history = self.new_ledger()
        self._numbers = itertools.count()

    def new_ledger(self) -> ChangeHistory:
        self.bus, self.versions = Bus("s"), Versions(self.folder / "versions")
        return ChangeHistory(self.versions, self.bus, folder=lambda: self.folder, state=self.folder / "state")

    def _write(self, lines: list[str]) -> None:
        self.lines = lines
        self.path.write_text("".join(f"{line}\n" for line in lines))

    def change(self, who: Who, at: int, going: int, coming: int) -> None:
        at = min(at, len(self.lines))
        before = self.path.read_bytes()
        new = [f"{who} {next(self._numbers)}" for _ in range(coming)]
        self.removed_by |= dict.fromkeys(self.lines[at : at + going], who)
        lines = [*self.lines[:at], *new, *self.lines[at + going :]]
        after = "".join(f"{line}\n" for line in lines)
        if who == "session" and after.encode() != before:
            self.versions.keep_change(str(self.path), before, after.encode())
            change = FileChange.between(str(self.path), before.decode(), after, before_hash=content_hash(before))
            self.events.append(EditApplied(tool_use_id="u", change=change, after_hash=content_hash(after.encode())))
            self.bus.publish(self.events[-1])
        self._write(lines)

    def undo(self, change_history: ChangeHistory | None = None) -> PreparedUndo | None:
        """Undo what can be, and return the plan; None where the session has changed nothing."""

        async def undo() -> PreparedUndo | None:
            plan = await (change_history or self.change_history).plan(str(self.path))
            if plan is not None and plan.kind != "nothing":
                assert await (change_history or self.change_history).undo(plan) is None
            return plan

        plan = asyncio.run(undo())
        self.lines = self.path.read_text().splitlines()
        return plan


@given(CHANGES)
def test_nothing_that_others_did_is_undone_and_nothing_of_the_session_stays_unless_that_is_said(
    changes: list[tuple[Who, int, int, int]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        told = Told(Path(folder))
        for who, at, going, coming in changes:
            told.change(who, at, going, coming)
        before = list(told.lines)
        plan = told.undo()
        after = set(told.lines)
        assert len(after) == len(told.lines)
        assert {line for line in before if line.startswith("others")} <= after, "what others wrote stays"
        assert not after & {line for line, who in told.removed_by.items() if who == "others"}, "what they took is gone"
        if plan is None or (plan.kind == "nothing" and plan.clashes):
            assert told.lines == before
        elif plan.clashes == 0:
            others = {f"others {number}" for number in range(99)}
            written = {line for line in (*before, *told.removed_by) if line in others or line.startswith("base")}
            assert after == {line for line in written if told.removed_by.get(line) != "others"}
        if all(who == "session" for who, *_ in changes):
            assert tuple(told.lines) == BASE


@given(CHANGES)
def test_a_session_that_is_taken_up_again_undoes_the_same(changes: list[tuple[Who, int, int, int]]) -> None:
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        live, again = Told(Path(one)), Told(Path(two))
        for change in changes:
            live.change(*change)
            again.change(*change)
        change_history = again.new_ledger()
        change_history.recall(again.events)
        plans = live.undo(), again.undo(change_history)
        assert live.lines == again.lines
        assert len({None if plan is None else (plan.kind, plan.taken, plan.clashes) for plan in plans}) == 1


@pytest.fixture
def told(tmp_path: Path) -> Told:
    return Told(tmp_path)


def test_what_others_did_between_two_changes_of_the_session_stays_and_no_more_is_kept_then(told: Told) -> None:
    told.change("session", 2, 1, 1)
    told.change("others", 6, 1, 1)
    told.change("session", 9, 0, 2)
    plan = told.undo()
    assert plan is not None
    assert (plan.kind, plan.taken, plan.clashes) == ("reverse", 2, 0)
    assert told.lines == [*BASE[:6], "others 1", *BASE[7:]]
    assert told.change_history.files == ()
    assert list((told.folder / "versions").iterdir()) == []
    assert "everything this session changed was undone; what others changed stays" in told.change_history.take_news()


def test_after_an_undo_in_part_only_what_the_session_did_since_is_taken_back(told: Told) -> None:
    told.change("session", 2, 1, 1)
    told.change("session", 8, 1, 1)
    told.change("others", 2, 0, 1)  # touches the first of them
    first = told.undo()
    assert first is not None
    assert (first.taken, first.clashes) == (1, 1)
    left = list(told.lines)
    told.change("session", 10, 1, 0)
    plan = told.undo()
    assert plan is not None
    assert (plan.kind, plan.taken, plan.clashes) == ("reverse", 1, 0)
    assert told.lines == left


def test_where_what_was_there_could_not_be_kept_all_goes_back_and_the_person_is_asked_knowing_that(told: Told) -> None:
    told.change("session", 2, 1, 1)
    told.change("others", 6, 1, 1)
    told.change("session", 9, 0, 2)
    (touched,) = told.change_history.files
    (told.folder / "versions" / touched.runs[-1][0]).unlink()
    plan = asyncio.run(told.change_history.plan(str(told.path)))
    assert plan is not None
    assert (plan.kind, plan.touched.is_mixed) == ("restore", True)
    told.change("others", 0, 0, 1)
    plan = asyncio.run(told.change_history.plan(str(told.path)))
    assert plan is not None
    assert (plan.kind, plan.problem) == (
        "nothing",
        "Others have changed it since, and their changes cannot be told from this session's.",
    )


def test_a_file_that_the_session_made_and_others_changed_is_not_removed_though_the_session_changed_it_last(
    told: Told,
) -> None:
    path = told.folder / "made.txt"
    for before, after in ((None, "mine\n"), ("mine\ntheirs\n", "mine\ntheirs\nmine too\n")):
        old = before.encode() if before is not None else None
        told.versions.keep_change(str(path), old, after.encode())
        change = FileChange.between(str(path), before, after, before_hash=content_hash(old) if old is not None else "")
        told.bus.publish(EditApplied(tool_use_id="u", change=change, after_hash=content_hash(after.encode())))
        path.write_text(after)
    plan = asyncio.run(told.change_history.plan(str(path)))
    assert plan is not None
    assert (plan.kind, plan.problem) == (
        "nothing",
        "This session created the file, and others have changed it since. It is kept.",
    )


def test_what_is_needed_again_later_is_still_there_when_the_session_is_taken_up_again(told: Told) -> None:
    told.change("session", 2, 1, 1)
    first, kept = told.path.read_bytes(), told.folder / "versions"
    told.change("session", 2, 1, 1)
    told.versions.keep_change(str(told.path), told.path.read_bytes(), first)
    change = FileChange.between(
        str(told.path), told.path.read_text(), first.decode(), before_hash=content_hash(told.path.read_bytes())
    )
    told.events.append(EditApplied(tool_use_id="u", change=change, after_hash=content_hash(first)))
    told.bus.publish(told.events[-1])
    told._write(first.decode().splitlines())
    told.change("others", 9, 1, 1)
    needed = set(kept.iterdir())
    assert kept / content_hash(first) in needed
    again = told.new_ledger()
    again.recall(told.events)
    assert set(kept.iterdir()) == needed
    plan = told.undo(again)
    assert plan is not None
    assert (plan.kind, plan.taken, plan.clashes) == ("reverse", 1, 0)


def test_a_file_that_was_undone_and_changed_again_can_be_undone_when_the_session_is_taken_up_again(told: Told) -> None:
    told.change("session", 2, 1, 1)
    plan = told.undo()
    assert plan is not None
    assert plan.change is not None
    told.events.append(EditUndone(path=plan.path, change=plan.change, after_hash=content_hash(told.path.read_bytes())))
    told.change("session", 5, 1, 1)
    again = told.new_ledger()
    again.recall(told.events)
    plan = told.undo(again)
    assert plan is not None
    assert (plan.kind, plan.problem) == ("restore", "")
    assert tuple(told.lines) == BASE


def test_a_file_that_others_change_after_each_change_of_the_session_takes_no_more_and_more_of_the_disk(
    told: Told,
) -> None:
    for number in range(3 * MOST_RUNS):
        told.change("session", number % 12, 1, 1)
        told.change("others", (number + 5) % 12, 1, 1)
        assert len(list((told.folder / "versions").iterdir())) <= 2 * MOST_RUNS + 2
    told.change("session", 3, 1, 1)
    assert len(list((told.folder / "versions").iterdir())) == 2
    again = told.new_ledger()
    again.recall(told.events)
    assert again.files == told.change_history.files
    plan = told.undo(again)
    assert plan is not None
    assert (plan.kind, plan.touched.is_mixed) == ("restore", True)
    assert tuple(told.lines) == BASE
    assert list((told.folder / "versions").iterdir()) == []
