"""Hooks and classifiers that answer when the test says, and a bench where they race a user."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fake_tools import Bench, FakeGate, FakeTool, ask, rest, settle

from tui_agent.execution.execution_context import ToolOutcome
from tui_agent.permissions.verdict import Decision, Verdict

YES, NO = Decision(behavior="allow"), Decision(behavior="deny")


class Oracle:
    """A hook or a classifier that answers when, and what, the test says."""

    def __init__(self) -> None:
        self.asked: list[Any] = []
        self.cancelled = 0
        self._answers: list[asyncio.Future[Any]] = []

    async def __call__(self, question: Any) -> Any:
        self.asked.append(question)
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._answers.append(answer)
        try:
            return await answer
        except asyncio.CancelledError:
            self.cancelled += 1
            raise

    def say(self, answer: Any) -> None:
        waiting = self._answers[-1]
        if isinstance(answer, BaseException):
            waiting.set_exception(answer)
        else:
            waiting.set_result(answer)

    @property
    def is_thinking(self) -> bool:
        return bool(self._answers) and not self._answers[-1].done()


def judged(**verdict: Any) -> Callable[..., Verdict]:
    return lambda call, proposals=(): Verdict(**{"behavior": "ask", "by": "default", "reason": "so it is", **verdict})


def shell(**answers: Any) -> FakeTool:
    return FakeTool(**{"classifier_input": lambda given: given.note, **answers})


def bench_of(
    folder: Path, tool: FakeTool | None = None, *, judge: Any = ask, is_attended: bool = True, **extensions: Any
) -> Bench:
    return Bench(
        folder,
        tool or shell(),
        gate=FakeGate(judge=judge, is_attended=is_attended),
        extensions=extensions,
        is_interactive=is_attended,
    )


async def run(runtime: Bench, *steps: Callable[[], object], raw: dict[str, Any] | None = None) -> ToolOutcome:
    """Run one use; each step is taken when nothing goes on by itself any more."""
    async with runtime.executor() as executor:
        executor.add("t1", "Fake", raw or {"note": "ls"})
        for step in steps:
            await settle()
            step()
        await settle()
        (outcome,) = await asyncio.wait_for(rest(executor), 10)
    return outcome
