"""What changes of large files cost, through the whole engine with its journal: how long, and how long the loop stands still."""

from __future__ import annotations

import asyncio
import contextlib
import random
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

from measuring import Finding, spread

from tui_agent.bus import Bus
from tui_agent.changes import FileChange
from tui_agent.engine.gate.permission_broker import PermissionBroker
from tui_agent.execution.execution_context import ExecutionContext
from tui_agent.execution.single_use import run_one
from tui_agent.journal.writer import JournalWriter
from tui_agent.permissions.verdict import Verdict
from tui_agent.tools.edit.tool import EditTool
from tui_agent.tools.file_state import FileRecord, FileState
from tui_agent.tools.files import load
from tui_agent.tools.multi_edit.tool import MultiEditTool
from tui_agent.tools.registry import ToolPool
from tui_agent.tools.resolved_path import resolve
from tui_agent.tools.workspace import Workspace
from tui_agent.tools.write.tool import WriteTool

RUNS = 9
LINES = 20_000
EDIT_LIMIT_MS = 200.0
DIFF_LIMIT_MS = 150.0
FEW_TEXTS_LIMIT_MS = 1000.0
STALL_LIMIT_MS = 33.0
LARGE_STALL_LIMIT_MS = 50.0  # 10,000 hunks in one line of the journal
BIG = "".join(f"row {number}: {'x' * 60} é\n" for number in range(140_000))  # over 10 MB
OLD = [f"line {number} value\n" for number in range(LINES)]


def measure() -> list[Finding]:
    """Return the times of an edit of 10 MB, of diffs of 20,000 lines, and the longest time the loop stood still in each."""
    with tempfile.TemporaryDirectory(prefix="tui-agent-bench-") as name:
        return [*diffs(), *asyncio.run(edits(Path(name)))]


def diffs() -> list[Finding]:
    shuffled, few, mixed = list(OLD), [f"text {random.Random(n).randrange(150)}\n" for n in range(LINES)], []
    random.Random(1).shuffle(shuffled)
    mixed = list(few)
    random.Random(2).shuffle(mixed)
    cases = {
        "every line rewritten": (OLD, [f"other {number}\n" for number in range(LINES)], DIFF_LIMIT_MS),
        "every other line changed": (
            OLD,
            [f"{line[:-1]}{' !' * (n % 2)}\n" for n, line in enumerate(OLD)],
            DIFF_LIMIT_MS,
        ),
        "shuffled": (OLD, shuffled, DIFF_LIMIT_MS),
        "150 texts, shuffled": (few, mixed, FEW_TEXTS_LIMIT_MS),
    }
    found = []
    for what, (before, after, limit) in cases.items():
        texts = "".join(before), "".join(after)
        times = timed(lambda texts=texts: FileChange.between("f", *texts))  # type: ignore[misc]
        found.append(
            Finding(f"diff of 20,000 lines, {what}", statistics.median(times) * 1000, limit, "ms", spread(times))
        )
    return found


def timed(work: Callable[[], object]) -> list[float]:
    work()
    found = []
    for _ in range(RUNS):
        began = time.perf_counter()
        work()
        found.append(time.perf_counter() - began)
    return found


async def edits(folder: Path) -> list[Finding]:
    bus = Bus("runtime")
    journal = JournalWriter(folder / "journal.jsonl", bus)
    allowed = Verdict(behavior="allow", by="mode", reason="a benchmark")
    execution_context = ExecutionContext(
        pool=ToolPool([EditTool(), MultiEditTool(), WriteTool()]),
        workspace=Workspace(folder, home=folder),
        files=FileState(),
        gate=PermissionBroker(
            publish=bus.publish,
            folder=lambda: str(folder),
            judge=lambda _call: allowed,
            save_rule=lambda _rule, _scope: None,
            is_attended=False,
        ),
        publish=bus.publish,
        results_dir=folder / "results",
        state_dir=folder / "state",
    )
    path = folder / "big.txt"
    path.write_text(BIG)
    know(execution_context, path)

    def one(number: int) -> tuple[str, dict[str, Any]]:
        row = 70_000 + number
        return "Edit", {"file_path": str(path), "old_string": f"row {row}: ", "new_string": f"ROW {row}: "}

    def whole(number: int) -> tuple[str, dict[str, Any]]:
        text = "".join(f"{line[:-1]} {number * (place % 2)}\n" for place, line in enumerate(OLD))
        return "Write", {"file_path": str(folder / "whole.txt"), "content": text}

    def both(number: int) -> tuple[str, dict[str, Any]]:
        files = [folder / f"{name}.txt" for name in "abcdefgh"]
        return "MultiEdit", {
            "edits": [
                {
                    "file_path": str(file),
                    "edits": [
                        {"old_string": f"value {number}\n", "new_string": f"value {number + 1}\n", "replace_all": True}
                    ],
                }
                for file in files
            ]
        }

    for name in "abcdefgh":
        (folder / f"{name}.txt").write_text(
            "".join(f"line {n} value {0 if n % 10 == 0 else 'x'}\n" for n in range(2000))
        )
        know(execution_context, folder / f"{name}.txt")
    found = [
        *await run("Edit in a file of 10 MB", execution_context, one, EDIT_LIMIT_MS),
        *await run(
            "Write that changes every other of 20,000 lines", execution_context, whole, 500.0, LARGE_STALL_LIMIT_MS
        ),
        *await run("MultiEdit of 8 files, 200 places each", execution_context, both, EDIT_LIMIT_MS),
    ]
    await journal.close()
    return found


def know(execution_context: ExecutionContext, path: Path) -> None:
    file = load(resolve(str(path)))
    execution_context.files.record(FileRecord(str(path), file.hash, file.mtime_ns, file.size))


async def run(
    what: str,
    execution_context: ExecutionContext,
    call: Callable[[int], tuple[str, dict[str, Any]]],
    limit: float,
    stall: float = STALL_LIMIT_MS,
) -> list[Finding]:
    """Make the call several times, with another number each time; return its time and the loop's longest pause."""
    times, stalls = [], []
    for number in range(RUNS):
        name, raw = call(number)
        async with stopwatch() as pauses:
            began = time.perf_counter()
            outcome = (await run_one(execution_context, name, raw)).outcome
            times.append(time.perf_counter() - began)
        stalls.append(max(pauses, default=0.0))
        assert not outcome.is_error, outcome.content
    return [
        Finding(what, statistics.median(times) * 1000, limit, "ms", spread(times)),
        Finding("  the event loop's longest pause", statistics.median(stalls) * 1000, stall, "ms", spread(stalls)),
    ]


@contextlib.asynccontextmanager
async def stopwatch() -> AsyncIterator[list[float]]:
    """Note how long the loop takes each time to come back to somebody who wants nothing but that."""
    pauses: list[float] = []

    async def watch() -> None:
        while True:
            before = time.perf_counter()
            await asyncio.sleep(0)
            pauses.append(time.perf_counter() - before)
            await asyncio.sleep(0.001)
            pauses.append(time.perf_counter() - before - 0.001)

    task = asyncio.create_task(watch())
    await asyncio.sleep(0.01)
    pauses.clear()
    try:
        yield pauses
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


if __name__ == "__main__":
    print(*measure(), sep="\n")
