"""Changing a file in hundreds of thousands of places leaves the event loop free: all that takes long runs in threads."""

from __future__ import annotations

import asyncio
import time
from asyncio import events
from pathlib import Path
from typing import Any

import pytest
from runtimes import make_runtime
from session_front import place_apart

from tui_agent.engine.session.tool_runtime import ToolRuntimeOptions
from tui_agent.execution.single_use import run_one
from tui_agent.journal.writer import JournalWriter
from tui_agent.permissions.modes import Mode
from tui_agent.settings.load import load_settings
from tui_agent.tools.file_state import FileRecord
from tui_agent.tools.files import load
from tui_agent.tools.resolved_path import resolve

PLACES = 100_000
# Of the processor, so that other programs do not count. The record of such a change is one long line, which is the most of it.
MOST_S = 0.15


@pytest.fixture
def longest(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The processor seconds of each turn of the loop."""
    found: list[float] = []
    run = events.Handle._run

    def timed(self: events.Handle) -> None:
        began = time.thread_time()
        run(self)
        found.append(time.thread_time() - began)

    monkeypatch.setattr(events.Handle, "_run", timed)
    return found


def use(name: str, path: Path) -> dict[str, Any]:
    swap = {"old_string": "row x", "new_string": "row y", "replace_all": True}
    if name == "Write":
        return {"file_path": str(path), "content": "row y\n" * PLACES}
    return {"file_path": str(path)} | swap if name == "Edit" else {"edits": [{"file_path": str(path), "edits": [swap]}]}


@pytest.mark.parametrize("name", ["Edit", "MultiEdit", "Write"])
@pytest.mark.parametrize("mode", ["acceptEdits", "default"])
async def test_no_turn_of_the_loop_takes_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, longest: list[float], name: str, mode: Mode
) -> None:
    work = place_apart(tmp_path, monkeypatch)
    path = work / "f"
    path.write_text("row x\n" * PLACES)
    runtime = make_runtime(
        ToolRuntimeOptions(cwd=work, mode=mode),
        load_settings(work, is_trusted=True),
        results_dir=tmp_path / "results",
        is_attended=False,
    )
    journal = JournalWriter(tmp_path / "journal.jsonl", runtime.core.bus)
    file = load(resolve(str(path)))
    runtime.execution_context.files.record(FileRecord(str(path), file.hash, file.mtime_ns, file.size))  # it was read
    given = use(name, path)
    await asyncio.sleep(0)  # what was done here so far is a turn of its own
    longest.clear()
    outcome = (await run_one(runtime.execution_context, name, given)).outcome
    turns = list(longest)
    await journal.close()
    assert outcome.error_kind == ("denied" if mode == "default" else None), (
        outcome.content
    )  # nobody is there to be asked
    assert (path.read_text() == "row y\n" * PLACES) == (mode == "acceptEdits")
    assert max(turns) < MOST_S
