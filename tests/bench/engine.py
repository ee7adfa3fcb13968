"""The engine without model, screen or disk: what a tool use costs beyond its own work, and how that grows with their number."""

from __future__ import annotations

import asyncio
import gc
import statistics
import tempfile
import time
import tracemalloc
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

from measuring import Finding, percentile
from pydantic import Field
from scripted_model import ScriptedModel, calls, reply, says

from tui_agent.bus import Bus
from tui_agent.engine.conversation.history import History
from tui_agent.engine.conversation.turn import Turn, TurnSetup
from tui_agent.engine.gate.permission_broker import PermissionBroker
from tui_agent.events import Event, ToolStageEnded, UsageReported
from tui_agent.execution.execution_context import ExecutionContext
from tui_agent.execution.executor import StreamingExecutor
from tui_agent.execution.extensions import Classified, ClassifierQuestion
from tui_agent.execution.single_use import run_one
from tui_agent.hooks.dispatch import HookedUse
from tui_agent.hooks.pre_tool_use import HookAnswer
from tui_agent.model.protocol import ModelRequest
from tui_agent.model.retry import RetryPolicy
from tui_agent.permissions.decide import decide
from tui_agent.permissions.path_context import PathContext
from tui_agent.permissions.rules import RuleSet
from tui_agent.tools.base import Claims, Limits, Progress, Result, Tool, ToolContext, ToolInput
from tui_agent.tools.file_state import FileState
from tui_agent.tools.workspace import Workspace

TIMES = 400
MOST = Limits().tool_concurrency
OVERHEAD_LIMIT_MS = 1.0
VALIDATION_LIMIT_MS = 1.0
CONVERSION_LIMIT_MS = 5.0
BOTH_LIMIT_MS = 400.0
GROWTH_LIMIT = 13.0  # of ten times as many; 10 is linear
MEMORY_LIMIT_MB = 1.0


async def _no_steering() -> int:
    return 0


class NoteInput(ToolInput):
    """A path to read, some text to give back, and whether somebody has to be asked first."""

    path: str = "a.txt"
    note: str = ""
    numbers: list[int] = Field(default_factory=list)
    asks: bool = False


class NoteTool(Tool[NoteInput, None, str]):
    """Gives its note back, at once or, with `together`, as soon as so many calls are in it as that says."""

    name = "Note"
    Input = NoteInput

    def __init__(self) -> None:
        self.running = self.most = 0
        self.together: asyncio.Barrier | None = None

    def is_read_only(self, input: NoteInput) -> bool:
        return not input.asks

    def classifier_input(self, input: NoteInput) -> str:
        return input.path

    def is_concurrency_safe(self, input: NoteInput) -> bool:
        return True

    def claims(self, input: NoteInput) -> Claims:
        return Claims(reads=frozenset([input.path]))

    async def call(self, input: NoteInput, plan: None, ctx: ToolContext) -> AsyncIterator[Progress | Result[str]]:
        self.running += 1
        self.most = max(self.most, self.running)
        if self.together is not None:
            await self.together.wait()
        self.running -= 1
        yield Result(input.note)


class Pool:
    """One tool."""

    names = ("Note",)

    def __init__(self) -> None:
        self.tool = NoteTool()

    def get(self, name: str) -> NoteTool | None:
        return self.tool if name == "Note" else None

    def nearest(self, name: str) -> list[str]:
        return []

    def on_use(self, tool: NoteTool) -> None:
        """There is nothing to activate."""


class Engine:
    """A toolbox over an empty folder, with the real judgement of permissions, and the stages' times."""

    def __init__(self, folder: Path, *, keeps_times: bool = False) -> None:
        self.bus = Bus("runtime")
        self.pool = Pool()
        self.times: dict[str, list[float]] = {}
        self._keeps_times = keeps_times
        where = PathContext(cwd=str(folder), project_root=str(folder), home=str(folder), shell_cwd=str(folder))
        self.execution_context = ExecutionContext(
            pool=self.pool,
            workspace=Workspace(folder, home=folder),
            files=FileState(),
            gate=PermissionBroker(
                publish=self.publish,
                folder=lambda: str(folder),
                judge=lambda call: decide(call, rules=RuleSet(), mode="default", where=where),
                save_rule=lambda _rule, _scope: None,
                is_attended=False,
            ),
            publish=self.publish,
            results_dir=folder / "results",
        )

    def publish(self, event: Event) -> Event:
        if self._keeps_times and isinstance(event, ToolStageEnded):
            self.times.setdefault(event.stage, []).append(event.ms)
        return self.bus.publish(event)

    async def turn(self, count: int) -> list[Any]:
        """Run a turn whose one reply uses the tool `count` times, and return the results' texts in their order."""
        history = History()
        history.add_user("go")
        uses = [item for n in range(count) for item in calls(n, "Note", {"note": str(n)}, f"toolu_{n}")]
        turn = Turn(
            TurnSetup(
                publish=self.publish,
                model=ScriptedModel(reply(uses, stop="tool_use"), reply(says(0, "done"))),
                history=history,
                new_executor=lambda: StreamingExecutor(self.execution_context),
                build_request=lambda: ModelRequest(
                    model="m", system=[], messages=history.messages(), tools=[], max_tokens=10
                ),
                report_usage=lambda request_id, usage: UsageReported(
                    request_id=request_id, model="m", input_tokens=1, output_tokens=1
                ),
                steering=_no_steering,
                retries=RetryPolicy(),
            )
        )
        assert await turn.run() == "done"
        return [block["content"] for block in history.messages()[2]["content"]]


def measure() -> list[Finding]:
    """Return overhead, validation and conversion of a tool use, and time and memory of many in one turn."""
    with tempfile.TemporaryDirectory(prefix="tui-agent-bench-") as name:
        folder = Path(name)
        return [*asyncio.run(one_by_one(folder)), asyncio.run(side_by_side(folder)), *many(folder)]


async def one_by_one(folder: Path) -> list[Finding]:
    engine = Engine(folder, keeps_times=True)
    empty = await timed(engine, {})
    engine.times.clear()
    await timed(engine, {"path": "some/where.txt", "note": "x" * 29_000, "numbers": list(range(500))})
    validation = percentile(engine.times["validate"], 0.95)
    conversion = [sum(stages) for stages in zip(engine.times["store"], engine.times["result"], strict=True)]
    engine.times.clear()
    await timed(engine, {"note": "x" * 200_000}, times=50)
    stored = statistics.median(engine.times["store"])
    detail = f"p95 {percentile(empty, 0.95):.2f} ms"
    return [
        Finding("a tool use that does nothing, median", statistics.median(empty), OVERHEAD_LIMIT_MS, "ms", detail),
        Finding("validation of an input with 500 numbers, p95", validation, VALIDATION_LIMIT_MS, "ms"),
        Finding(
            "conversion of 29,000 characters, p95",
            percentile(conversion, 0.95),
            CONVERSION_LIMIT_MS,
            "ms",
            f"200,000 to disk: median {stored:.2f} ms",
        ),
    ]


async def timed(engine: Engine, raw: dict[str, Any], *, times: int = TIMES) -> list[float]:
    """Return the milliseconds of each run."""
    found = []
    for _ in range(times):
        began = time.perf_counter()
        outcome = (await run_one(engine.execution_context, "Note", raw)).outcome
        found.append((time.perf_counter() - began) * 1000)
        assert not outcome.is_error, outcome.content
    return found


async def side_by_side(folder: Path) -> Finding:
    """Return how long a use takes before whose call a hook and a classifier think for 300 ms each."""
    engine = Engine(folder)

    async def hook(use: HookedUse) -> HookAnswer:
        await asyncio.sleep(0.3)
        return HookAnswer()

    async def classifier(question: ClassifierQuestion) -> Classified:
        await asyncio.sleep(0.3)
        return "safe"

    engine.execution_context.extensions.pre_tool_use = [hook]
    engine.execution_context.extensions.classifier = classifier
    (took,) = await timed(engine, {"asks": True}, times=1)
    return Finding("a hook and a classifier of 300 ms each, together", took, BOTH_LIMIT_MS, "ms")


def many(folder: Path) -> list[Finding]:
    few, lot = best(folder, 1_000), best(folder, 10_000)
    grown = growth(folder)
    return [
        Finding("1,000 tool uses in one reply, ten at a time", few, 1.0, "s", f"{few * 1000:.0f} µs each"),
        Finding("10,000 in one reply, times 1,000", lot / few, GROWTH_LIMIT, "×", f"{lot:.2f} s"),
        Finding("memory left by five turns of 1,000 after the first", grown, MEMORY_LIMIT_MB, "MB"),
    ]


def best(folder: Path, count: int) -> float:
    """Return the processor seconds of a turn with so many tool uses, the best of three."""
    return min(cost(folder, count) for _ in range(3))


def cost(folder: Path, count: int) -> float:
    engine = Engine(folder)
    engine.pool.tool.together = asyncio.Barrier(MOST)
    gc.collect()
    began = time.process_time()
    texts = asyncio.run(engine.turn(count))
    used = time.process_time() - began
    check(texts, count)
    assert engine.pool.tool.most == MOST, f"{engine.pool.tool.most} ran at once"
    return used


def check(texts: Sequence[Any], count: int) -> None:
    assert list(texts) == [str(number) for number in range(count)], "the results are not in the order of the uses"


def growth(folder: Path) -> float:
    """Return how many megabytes five turns of one engine leave behind beyond what the first one left."""
    engine = Engine(folder)

    def settled(turn: Callable[[], object]) -> int:
        turn()
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        first = settled(lambda: asyncio.run(engine.turn(1_000)))
        last = [settled(lambda: asyncio.run(engine.turn(1_000))) for _ in range(5)][-1]
    finally:
        tracemalloc.stop()
    return (last - first) / 1e6


if __name__ == "__main__":
    print(*measure(), sep="\n")
