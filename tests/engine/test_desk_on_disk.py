"""While the user is asked about changes, it is told when their files are not what was read any more."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tui_agent.bus import Bus, Subscription
from tui_agent.changes import FileChange
from tui_agent.engine.gate.permission_broker import PermissionBroker
from tui_agent.events import Event, PermissionRequested, PermissionResolved, ProposedFileChanged
from tui_agent.execution.execution_context import PermissionQuestion
from tui_agent.execution.responders import ResponderAnswer, Responders
from tui_agent.permissions.verdict import Decision, Verdict
from tui_agent.tools.files import load
from tui_agent.tools.resolved_path import resolve

ASKS = Verdict(behavior="ask", by="default", reason="no rule allows it")


class Asking:
    """A desk that looks at files as often as it can, and all that it said."""

    def __init__(self, *changes: FileChange, is_attended: bool = True, rivals: Responders | None = None) -> None:
        bus = Bus("test")
        self.subscription: Subscription = bus.subscribe("test")
        self.events: list[Event] = []
        self.broker = PermissionBroker(
            publish=bus.publish,
            folder=lambda: "/w",
            judge=lambda _call: ASKS,
            save_rule=lambda _rule, _scope: None,
            is_attended=is_attended,
            check_every_s=0.0,
        )
        question = PermissionQuestion(
            tool_use_id="t1",
            name="Edit",
            input={},
            verdict=ASKS,
            proposals=changes,
            is_destructive=False,
            judge=lambda _: ASKS,
        )
        self.asked: asyncio.Task[ResponderAnswer] = asyncio.create_task(
            self.broker.ask(question, rivals or Responders())
        )

    async def until(self, kind: type[Event], count: int = 1) -> list[Event]:
        """Wait until so many events of a kind were published, and return these."""
        while len(found := self.of(kind)) < count:
            await asyncio.wait_for(self.subscription.wait(), 20)
        return found

    def of(self, kind: type[Event]) -> list[Event]:
        self.events += self.subscription.take()
        return [event for event in self.events if isinstance(event, kind)]

    async def standing(self, count: int) -> list[str]:
        found = await self.until(ProposedFileChanged, count)
        return [event.standing for event in found if isinstance(event, ProposedFileChanged)]


def proposed(path: Path) -> FileChange:
    file = load(resolve(str(path)))
    return FileChange.between(file.path, file.text, "new\n", before_hash=file.hash)


def put(path: Path, text: str) -> None:
    """Write a file so that nobody sees it half written."""
    beside = path.with_suffix(".new")
    beside.write_text(text)
    beside.replace(path)


async def test_what_becomes_of_a_file_is_told_while_the_question_is_open_and_not_after(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old\n")
    asking = Asking(proposed(path))
    (requested,) = await asking.until(PermissionRequested)
    assert isinstance(requested, PermissionRequested)
    put(path, "theirs\n")
    assert await asking.standing(1) == ["changed"]
    path.unlink()
    assert await asking.standing(2) == ["changed", "gone"]
    put(path, "old\n")
    assert await asking.standing(3) == ["changed", "gone", "as_read"]
    told = asking.of(ProposedFileChanged)[0]
    assert isinstance(told, ProposedFileChanged)
    assert (told.request_id, told.tool_use_id, told.path) == (requested.request_id, "t1", str(path))
    assert asking.broker.answer(requested.request_id, Decision(behavior="deny"))
    await asking.asked
    assert isinstance(asking.of(Event)[-1], PermissionResolved)
    assert watching() == []


async def test_a_question_that_is_withdrawn_is_looked_after_no_longer(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old\n")
    asking = Asking(proposed(path))
    await asking.until(PermissionRequested)
    asking.asked.cancel()
    await asking.until(PermissionResolved)
    await asyncio.wait([asking.asked])
    assert watching() == []


def watching() -> list[str]:
    """Return the tasks that look at files."""
    return [repr(task) for task in asyncio.all_tasks() if "_watch" in repr(task)]


async def test_nobody_looks_where_nobody_is_asked_or_nothing_is_to_change(tmp_path: Path) -> None:
    async def thinks() -> None:
        await asyncio.Event().wait()

    path = tmp_path / "a.txt"
    path.write_text("old\n")
    for changes, is_attended, expected in (((proposed(path),), True, 1), ((proposed(path),), False, 0), ((), True, 0)):
        asking = Asking(*changes, is_attended=is_attended, rivals=Responders([thinks]))
        await asking.until(PermissionRequested)
        assert len(watching()) == expected
        asking.asked.cancel()
        await asyncio.wait([asking.asked])
