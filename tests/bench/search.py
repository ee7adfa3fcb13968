"""What a search costs beside plain ripgrep: nothing to find, very much to find, and stopping one over 100,000 files."""

from __future__ import annotations

import asyncio
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from measuring import Finding, spread

from tui_agent.tools.base import Progress, Result, Tool, ToolContext
from tui_agent.tools.file_state import FileState
from tui_agent.tools.glob.tool import GlobTool
from tui_agent.tools.grep.tool import GrepTool
from tui_agent.tools.inputs.schema import parse_input
from tui_agent.tools.shared_search.ripgrep import find_ripgrep
from tui_agent.tools.workspace import Workspace

RUNS = 15
FILES, LINES = 20_000, 400_000
NOTHING_LIMIT, MANY_LIMIT = 1.3, 2.0
STOP_FILES, STOP_LIMIT_MS = 100_000, 100.0
SOURCE = "".join(f"def function_{number}(value):\n    return value + {number}\n\n" for number in range(12))


def measure() -> list[Finding]:
    """Return searches as multiples of plain ripgrep's, and how soon a search over many files stops."""
    with tempfile.TemporaryDirectory(prefix="tui-agent-bench-") as folder:
        top = Path(folder)
        few, many = make_files(top / "few", FILES, SOURCE), make_files(top / "many", 400, "a needle in a line\n" * 1000)
        findings = [
            *compared("nothing to find in 20,000 files", few, "no such word", NOTHING_LIMIT),
            *compared("400,000 lines to find", many, "needle", MANY_LIMIT),
        ]
        shutil.rmtree(many)
        shutil.rmtree(few)
        findings += stopped(make_files(top / "stop", STOP_FILES, "def main():\n    pass\n"))
    return findings


def make_files(folder: Path, count: int, text: str) -> Path:
    """Make that many files with this text, a hundred in each folder."""
    for number in range(count):
        if number % 100 == 0:
            (folder / f"part_{number // 100:04}").mkdir(parents=True)
        (folder / f"part_{number // 100:04}" / f"module_{number % 100:02}.py").write_text(text)
    return folder


def compared(what: str, folder: Path, pattern: str, limit: float) -> list[Finding]:
    """Return the cost of a search in each output mode; every run of the tool stands beside one of ripgrep."""
    program = find_ripgrep()
    assert program
    plain: list[str] = [program, pattern, str(folder)]
    findings: list[Finding] = []
    for mode in ("content", "files_with_matches"):
        arguments = plain if mode == "content" else [*plain, "--files-with-matches"]
        ours, theirs = alternately(
            lambda mode=mode: asyncio.run(search(GrepTool(), folder, {"pattern": pattern, "output_mode": mode})),
            lambda arguments=arguments: subprocess.run(arguments, capture_output=True, check=False),
        )
        ratio = statistics.median(ours) / statistics.median(theirs)
        detail = f"Grep {spread(ours)}, rg {spread(theirs)}"
        findings.append(Finding(f"{what}, {mode}, times plain rg", ratio, limit, "×", detail))
    return findings


def alternately(*calls: Callable[[], object]) -> tuple[list[float], ...]:
    """Return the seconds of each call's runs, which take turns, so that all meet the same machine."""
    times: tuple[list[float], ...] = tuple([] for _ in calls)
    for _ in range(RUNS + 1):
        for call, taken in zip(calls, times, strict=True):
            began = time.perf_counter()
            call()
            taken.append(time.perf_counter() - began)
    return tuple(taken[1:] for taken in times)  # the first of each warmed the caches


async def search(tool: Tool[Any, Any, Any], folder: Path, raw: dict[str, Any]) -> Result[Any]:
    input = parse_input(tool, raw)
    async for item in tool.call(input, None, context(folder)):
        if isinstance(item, Result):
            return item
    raise AssertionError("no result")


def context(folder: Path) -> ToolContext:
    return ToolContext(workspace=Workspace(folder), files=FileState())


def stopped(folder: Path) -> list[Finding]:
    """Return how soon searches over many files are gone after they are cancelled, at the first progress they showed."""
    findings = []
    for tool, raw in (
        (GrepTool(), {"pattern": "def", "output_mode": "content"}),
        (GlobTool(), {"pattern": "**/*.py"}),
    ):
        whole = time.perf_counter()
        asyncio.run(search(tool, folder, raw))
        whole = time.perf_counter() - whole
        stop, shown = asyncio.run(stop_after_progress(tool, folder, raw))
        detail = f"whole search {whole:.2f} s; progress: {shown}"
        findings.append(
            Finding(f"{tool.name} over 100,000 files, until stopped", stop * 1000, STOP_LIMIT_MS, "ms", detail)
        )
    return findings


async def stop_after_progress(tool: Tool[Any, Any, Any], folder: Path, raw: dict[str, Any]) -> tuple[float, str]:
    seen: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def run() -> None:
        async for item in tool.call(parse_input(tool, raw), None, context(folder)):
            if isinstance(item, Progress) and not seen.done():
                seen.set_result(item.message)
        if not seen.done():
            seen.set_result("none: it was over before")

    task = asyncio.create_task(run())
    shown = await seen
    began = time.perf_counter()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    return time.perf_counter() - began, shown


if __name__ == "__main__":
    print(*measure(), sep="\n")
