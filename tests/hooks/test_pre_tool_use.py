"""Hooks before a tool use: heard together, joined into one answer."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tui_agent.hooks.pre_tool_use import HookAnswer, HookedUse, PreToolUseHook, run_pre_hooks

USE = HookedUse(tool_use_id="t1", name="Bash", input={"command": "ls"})


def saying(**answer: Any) -> PreToolUseHook:
    async def hook(use: HookedUse) -> HookAnswer:
        return HookAnswer(**answer)

    return hook


async def test_without_hooks_nothing_is_said() -> None:
    assert await run_pre_hooks([], USE) == HookAnswer()


async def test_hooks_run_side_by_side() -> None:
    together = asyncio.Barrier(3)

    async def meeting(use: HookedUse) -> HookAnswer:
        await together.wait()  # passes only when all three are here
        return HookAnswer(behavior="allow")

    assert (await run_pre_hooks([meeting] * 3, USE)).behavior == "allow"


@pytest.mark.parametrize(
    ("behaviors", "expected"),
    [(["allow", "ask", "deny"], "deny"), (["ask", "allow"], "ask"), ([None, "allow"], "allow"), ([None, None], None)],
)
async def test_the_strictest_answer_wins(behaviors: list[Any], expected: str | None) -> None:
    hooks = [saying(behavior=behavior, reason=str(behavior)) for behavior in behaviors]
    answer = await run_pre_hooks(hooks, USE)
    assert (answer.behavior, answer.reason) == (expected, str(expected))


async def test_the_first_input_given_is_taken() -> None:
    hooks = [saying(), saying(input={"command": "a"}), saying(input={"command": "b"})]
    assert (await run_pre_hooks(hooks, USE)).input == {"command": "a"}


async def test_a_hook_that_raises_neither_allows_nor_silences_the_others() -> None:
    async def broken(use: HookedUse) -> HookAnswer:
        raise PermissionError("not executable")

    answer = await run_pre_hooks([broken, saying(behavior="ask")], USE)
    assert answer.behavior == "ask"
    assert answer.problems == ("PermissionError: not executable",)


async def test_a_caller_that_is_cancelled_cancels_the_hooks() -> None:
    cancelled = asyncio.Event()

    async def endless(use: HookedUse) -> HookAnswer:
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            cancelled.set()
        raise AssertionError("never")

    running = asyncio.ensure_future(run_pre_hooks([endless], USE))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert cancelled.is_set()
