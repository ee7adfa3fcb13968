"""A folder that becomes a link between judgement and use leads no tool out of the workspace, at whatever moment it does.

Outside lie files with the very same names and contents as inside, so that nothing but their place tells them apart. What is
looked at is the disk, and every byte that the model or the events got.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import gc
import json
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fake_tools import Bench, FakeGate, rest, settle

from tui_agent import nofollow
from tui_agent.events import EditProposed, Event, ToolStageEnded, ToolStageStarted
from tui_agent.execution.execution_context import ToolOutcome
from tui_agent.permissions.decide import decide
from tui_agent.permissions.path_context import PathContext
from tui_agent.permissions.rules import RuleSet
from tui_agent.permissions.verdict import Decision, ToolCall, Verdict
from tui_agent.tools import files
from tui_agent.tools.bash.tool import BashTool
from tui_agent.tools.edit.tool import EditTool
from tui_agent.tools.glob.tool import GlobTool
from tui_agent.tools.grep.tool import GrepTool
from tui_agent.tools.ls.tool import LSTool
from tui_agent.tools.multi_edit.tool import MultiEditTool
from tui_agent.tools.notebook_edit.tool import NotebookEditTool
from tui_agent.tools.notebook_read.tool import NotebookReadTool
from tui_agent.tools.read.tool import ReadTool
from tui_agent.tools.write.tool import WriteTool

MANY = 12
NOTEBOOK = {
    "cells": [
        {"cell_type": "code", "id": "one", "metadata": {}, "execution_count": None, "outputs": [], "source": "x"}
    ],
    "metadata": {"language_info": {"name": "python"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}
TOOLS: tuple[Any, ...] = (
    ReadTool(), EditTool(), MultiEditTool(), WriteTool(), NotebookEditTool(), NotebookReadTool(), BashTool(), GrepTool(),
    GlobTool(), LSTool(),
)  # fmt: skip
WRITES: dict[str, tuple[str, dict[str, Any]]] = {
    "Write, a new file": ("Write", {"file_path": "src/fresh.txt", "content": "y\n"}),
    "Write, a new folder": ("Write", {"file_path": "src/one/two/fresh.txt", "content": "y\n"}),
    "Write, an old file": ("Write", {"file_path": "src/0.txt", "content": "y\n"}),
    "Edit": ("Edit", {"file_path": "src/0.txt", "old_string": "x", "new_string": "y"}),
    "MultiEdit": (
        "MultiEdit",
        {
            "edits": [
                {"file_path": f"src/{n}.txt", "edits": [{"old_string": "x", "new_string": "y"}]} for n in range(MANY)
            ]
        },
    ),
    "NotebookEdit": ("NotebookEdit", {"notebook_path": "src/n.ipynb", "cell_id": "one", "new_source": "y"}),
    "sed": ("Bash", {"command": "sed -i s/x/y/ src/0.txt"}),
}
# Moments of a use at which the folder is exchanged, in their order.
EARLY = ("before all", "validated", "proposed", "decided", "asked", "call")
LATE = ("while staging", "while renaming")


class World:
    """A workspace with a folder `src`, one just like it outside, and the means to exchange the one for a link to the other."""

    def __init__(self, root: Path, mode: str = "acceptEdits", secret: str = "x\n") -> None:
        self.root = root = Path(os.path.realpath(root))
        self.work, self.outside = root / "work", root / "outside"
        for folder, text in ((self.work / "src", "x\n"), (self.outside, secret)):
            folder.mkdir(parents=True)
            for number in range(MANY):
                (folder / f"{number}.txt").write_text(text)
            (folder / "n.ipynb").write_text(json.dumps(NOTEBOOK).replace('"x"', json.dumps(text.strip())))
        self.moment = ""
        self.mode = mode
        self.is_exchanged = False
        self.runtime = Bench(self.work, *TOOLS, gate=FakeGate(judge=self.judge), state_dir=root / "state")
        object.__setattr__(self.runtime.execution_context, "publish", self.publish)
        self.before = self.look()

    def judge(self, call: ToolCall, _proposals: object) -> Verdict:
        where = PathContext(cwd=str(self.work), project_root=str(self.work), home=str(self.root / "home"))
        verdict = decide(call, rules=RuleSet.from_lists(), mode=self.mode, where=where)  # type: ignore[arg-type]
        self.reach("decided")
        return verdict

    def publish(self, event: Event) -> None:
        self.runtime.events.append(event)
        match event:
            case ToolStageEnded(stage="validate"):
                self.reach("validated")
            case EditProposed():
                self.reach("proposed")
            case ToolStageStarted(stage="call"):
                self.reach("call")
            case _:
                pass

    def reach(self, moment: str) -> None:
        if moment == self.moment and not self.is_exchanged:
            self.exchange()

    def exchange(self) -> None:
        self.is_exchanged = True
        (self.work / "src").rename(self.work / "moved")
        (self.work / "src").symlink_to(self.outside)

    def look(self) -> dict[str, Any]:
        """Return all that can be seen of the files outside."""
        found: dict[str, Any] = {}
        for path in sorted(self.outside.rglob("*")):
            status = path.lstat()
            found[path.name] = (
                path.read_bytes(),
                status.st_ino,
                status.st_mtime_ns,
                status.st_ctime_ns,
                status.st_mode,
            )
        return found

    def inside(self) -> list[str]:
        """Return the names in the folder inside, wherever it is now, that were not there before."""
        folder = self.work / ("moved" if self.is_exchanged else "src")
        return sorted({str(path.relative_to(folder)) for path in folder.rglob("*")} - self.before.keys())

    async def use(self, name: str, raw: dict[str, Any], use_id: str = "t1") -> ToolOutcome:
        async with self.runtime.executor() as executor:
            executor.add(use_id, name, raw)
            executor.close()
            gathering = asyncio.create_task(rest(executor))
            while not gathering.done():
                await settle()
                if use_id in self.runtime.gate.open:
                    self.reach("asked")
                    is_yes = self.mode == "default" and self.moment != "before all"
                    behavior = "allow" if is_yes else "deny"
                    self.runtime.gate.answer(use_id, Decision(behavior=behavior, message=None if is_yes else "no"))  # type: ignore[arg-type]
                await asyncio.wait([gathering], timeout=0.001)
            (outcome,) = await gathering
        return outcome

    async def read_all(self) -> None:
        """Let the model know all files, so that it may change them."""
        for number in range(MANY):
            await self.use("Read", {"file_path": f"src/{number}.txt"}, f"r{number}")
        await self.use("NotebookRead", {"notebook_path": "src/n.ipynb"}, "rn")

    def said(self) -> str:
        """Return all that events told."""
        return repr([event.__class__.__name__ + repr(_fields(event)) for event in self.runtime.events])


def _fields(event: Event) -> dict[str, Any]:
    return {name: getattr(event, name) for name in getattr(event, "__dataclass_fields__", {})}


@pytest.fixture(params=["openat2", "step by step"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """How paths without links are opened; the second is that of systems that cannot do it in one call."""
    if request.param == "step by step":
        monkeypatch.setattr(nofollow, "_openat2", lambda: None)
    return str(request.param)


@contextlib.contextmanager
def exchanging_in(world: World, moment: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let a late moment come: in a system call of the writing itself."""
    calls = {"while staging": ("fsync",), "while renaming": ("replace", "link")}.get(moment, ())
    with monkeypatch.context() as patched:
        for name in calls:
            real = getattr(os, name)

            def call(*arguments: Any, real: Callable[..., Any] = real, **more: Any) -> Any:
                world.reach(moment)
                return real(*arguments, **more)

            patched.setattr(os, name, call)
        yield


@pytest.mark.parametrize("kind", WRITES)
async def test_no_change_is_written_outside(
    kind: str, way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, raw = WRITES[kind]
    for moment in (*EARLY, *LATE) if way == "openat2" else ("call", *LATE):
        world = World(tmp_path / moment, mode="default" if moment == "asked" else "acceptEdits")
        await world.read_all()
        if moment == "before all":
            world.exchange()
        world.moment = moment
        with exchanging_in(world, moment, monkeypatch):
            outcome = await world.use(name, raw)
        assert world.is_exchanged, moment
        assert world.look() == world.before, moment
        if moment != "while renaming":  # then it is the folder that was judged that gets it, where it is now
            assert outcome.is_error, moment
            assert world.inside() == [], moment
            assert (world.work / "moved/0.txt").read_text() == "x\n"
        if moment not in ("before all", *LATE) and (kind, moment) != ("sed", "validated"):
            told = f"{world.work}/src is now a link to {world.outside}; it was a folder when this was judged"
            assert told in str(outcome.content), moment
            assert any(words in str(outcome.content) for words in ("Nothing was written.", "No file was changed."))


async def test_what_is_asked_about_says_when_its_folder_is_another_one(tmp_path: Path) -> None:
    world = World(tmp_path, mode="default")
    await world.read_all()
    async with world.runtime.executor() as executor:
        executor.add("t1", *WRITES["Edit"])
        while "t1" not in world.runtime.gate.open:
            await settle()
            await asyncio.sleep(0)
        question, _ = world.runtime.gate.open["t1"]
        disk = files_on_disk(question)
        assert disk() == []
        world.exchange()
        assert disk() == [(f"{world.work}/src/0.txt", "changed")]
        world.runtime.gate.answer("t1", Decision(behavior="allow"))
        (outcome,) = await rest(executor)
    assert outcome.is_error
    assert world.look() == world.before


def files_on_disk(question: Any) -> Callable[[], list[tuple[str, str]]]:
    from tui_agent.tools.file_changes.on_disk import OnDisk

    return OnDisk(question.proposals, question.paths).news  # type: ignore[return-value]


READS: dict[str, tuple[str, dict[str, Any]]] = {
    "Read": ("Read", {"file_path": "src/0.txt"}),
    "Read, bytes": ("Read", {"file_path": "src/0.txt", "encoding": "base64"}),
    "NotebookRead": ("NotebookRead", {"notebook_path": "src/n.ipynb"}),
    "Grep": ("Grep", {"pattern": ".", "path": "src", "output_mode": "content"}),
    "Grep, one file": ("Grep", {"pattern": ".", "path": "src/0.txt", "output_mode": "content"}),
    "Grep, from above": ("Grep", {"pattern": ".", "output_mode": "content"}),
    "Glob": ("Glob", {"pattern": "src/*.txt"}),
    "Glob, from above": ("Glob", {"pattern": "**/*.txt"}),
    "LS": ("LS", {"path": "src"}),
}


@pytest.mark.parametrize("kind", READS)
async def test_nothing_is_read_outside(kind: str, way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name, raw = READS[kind]
    checked = files._check_kind
    every = ("before all", "validated", "decided", "call", "while opening")
    for moment in every if way == "openat2" else ("call", "while opening"):
        world = World(tmp_path / moment, secret="SECRET\n")
        (world.outside / "SECRET.txt").write_text("SECRET")
        world.moment = moment
        if moment == "before all":
            world.exchange()

        def opening(status: os.stat_result, world: World = world) -> None:
            world.reach("while opening")
            checked(status)

        monkeypatch.setattr(files, "_check_kind", opening)
        outcome = await world.use(name, raw)
        if moment != "while opening":
            assert world.is_exchanged, moment
            assert outcome.is_error is ("above" not in kind), moment
        found = str(outcome.content) + json.dumps(outcome.data, default=str) + world.said()
        assert "SECRET" not in found, moment
        assert "U0VDUkVU" not in found, moment  # the same in Base64
        if moment in ("decided", "call") and "above" not in kind:
            assert "is now a link to" in str(outcome.content), moment


async def test_what_the_model_read_is_not_edited_where_the_path_leads_now(tmp_path: Path) -> None:
    """Also not when the place it leads to now is one that may be changed: it is not the file that was read."""
    world = World(tmp_path)
    await world.read_all()
    (world.work / "src").rename(world.work / "moved")
    (world.work / "other").mkdir()
    (world.work / "other/0.txt").write_text("x\n")
    (world.work / "src").symlink_to("other")
    outcome = await world.use(*WRITES["Edit"])
    assert outcome.is_error
    assert f"led to {world.work}/src/0.txt when it was read, and leads to {world.work}/other/0.txt now" in str(
        outcome.content
    )
    assert (world.work / "other/0.txt").read_text() == "x\n"
    await world.use("Read", {"file_path": "src/0.txt"}, "r")
    assert not (await world.use(*WRITES["Edit"], "t2")).is_error
    assert (world.work / "other/0.txt").read_text() == "y\n"
    assert (world.work / "src").is_symlink()


async def test_links_within_the_workspace_go_on_working(tmp_path: Path) -> None:
    world = World(tmp_path)
    (world.work / "packages").mkdir()
    (world.work / "src").rename(world.work / "packages/src")
    (world.work / "src").symlink_to("packages/src")
    await world.read_all()
    for number, kind in enumerate(kind for kind in WRITES if kind not in ("Edit", "sed", "Write, an old file")):
        outcome = await world.use(*WRITES[kind], f"t{number}")
        assert not outcome.is_error, (kind, outcome.content)
    for number, kind in enumerate(READS):
        outcome = await world.use(*READS[kind], f"s{number}")
        assert not outcome.is_error, (kind, outcome.content)
    assert (world.work / "src").is_symlink()
    assert (world.work / "packages/src/0.txt").read_text() == "y\n"
    assert (world.work / "packages/src/one/two/fresh.txt").read_text() == "y\n"


async def test_a_link_out_of_the_workspace_is_followed_where_the_person_says_yes(tmp_path: Path) -> None:
    world = World(tmp_path, mode="default")
    (world.work / "out").symlink_to(world.outside)
    assert not (await world.use("Read", {"file_path": "out/0.txt"}, "r")).is_error
    outcome = await world.use("Edit", {"file_path": "out/0.txt", "old_string": "x", "new_string": "y"})
    assert not outcome.is_error
    assert (world.outside / "0.txt").read_text() == "y\n"
    assert world.runtime.gate.calls[-1].reals[f"{world.work}/out/0.txt"] == f"{world.outside}/0.txt"


async def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    def count() -> int:
        gc.collect()
        return len(list(Path("/dev/fd").iterdir()))

    world = World(tmp_path)
    await world.read_all()
    for number, use in enumerate((*READS.values(), *WRITES.values())):  # whatever is opened once stays open
        await world.use(*use, f"a{number}")
    before = count()
    for number, use in enumerate((*READS.values(), *WRITES.values()) * 2):
        if number == len(READS) + len(WRITES):
            world.exchange()
        await world.use(*use, f"b{number}")
    assert count() <= before


# --- without hooks: a thread that exchanges the two as fast as it can ----------------------------------------------------


@contextlib.contextmanager
def restless(world: World) -> Iterator[None]:
    """Exchange `src` for a link to the folder outside, and back, all the time."""
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:
        pytest.skip("no way to exchange two names here")
    one, other = os.fsencode(world.work / "src"), os.fsencode(world.work / "link")
    (world.work / "link").symlink_to(world.outside)
    is_over = threading.Event()
    count = 0

    def work() -> None:
        nonlocal count
        while not is_over.is_set():
            assert rename(-100, one, -100, other, 2) == 0  # RENAME_EXCHANGE
            count += 1

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()
    assert count > 100


@pytest.mark.usefixtures("way")
async def test_a_folder_that_is_exchanged_all_the_time_lets_nothing_out(tmp_path: Path) -> None:
    world = World(tmp_path)
    await world.read_all()
    records = dict(world.runtime.execution_context.files._records)
    with restless(world):
        for number in range(40):
            world.runtime.execution_context.files._records.update(records)
            kind = list(WRITES)[number % len(WRITES)]
            if kind != "sed":  # what sed itself follows is the sandbox's to stop
                await world.use(*WRITES[kind], f"t{number}")
    assert world.look() == world.before


@pytest.mark.usefixtures("way")
async def test_a_folder_that_is_exchanged_all_the_time_lets_nothing_in(tmp_path: Path) -> None:
    world = World(tmp_path, secret="SECRET\n")
    (world.outside / "SECRET.txt").write_text("SECRET")
    with restless(world):
        for number in range(90):
            kind = list(READS)[number % len(READS)]
            outcome = await world.use(*READS[kind], f"t{number}")
            assert "SECRET" not in str(outcome.content), kind
            assert "U0VDUkVU" not in str(outcome.content), kind
    assert "SECRET" not in world.said()
