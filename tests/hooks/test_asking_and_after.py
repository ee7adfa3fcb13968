"""Hooks that hear a question, and hooks that hear a result: their faults are problems, never answers."""

from __future__ import annotations

import asyncio

import pytest

from tui_agent.hooks.dispatch import HookedUse
from tui_agent.hooks.permission_request import HookedQuestion, PermissionAnswer, hear_request_hook
from tui_agent.hooks.post_tool_use import HookedResult, PostAnswer, run_post_hooks

USE = HookedUse(tool_use_id="t1", name="Bash", input={"command": "ls"})
QUESTION = HookedQuestion(use=USE, reason="no rule allows it")
RESULT = HookedResult(use=USE, content="a b", data=None)


async def test_a_hook_that_raises_has_not_answered_the_question() -> None:
    async def broken(question: HookedQuestion) -> PermissionAnswer:
        raise SystemExit(3)

    answer = await hear_request_hook(broken, QUESTION)
    assert (answer.behavior, answer.problems) == (None, ("SystemExit: 3",))


async def test_hooks_after_a_call_run_side_by_side_and_speak_in_their_order() -> None:
    together = asyncio.Barrier(2)

    async def first(result: HookedResult) -> PostAnswer:
        await together.wait()
        await asyncio.sleep(0)
        return PostAnswer(context="first")

    async def second(result: HookedResult) -> PostAnswer:
        await together.wait()
        return PostAnswer(context="second", problems=("odd",))

    assert await run_post_hooks([first, second], RESULT) == PostAnswer(context="first\n\nsecond", problems=("odd",))


async def test_without_hooks_nothing_is_added() -> None:
    assert await run_post_hooks([], RESULT) == PostAnswer()


async def test_a_hook_that_cancels_itself_has_failed_and_no_more() -> None:
    async def confused(result: HookedResult) -> PostAnswer:
        raise asyncio.CancelledError

    async def fine(result: HookedResult) -> PostAnswer:
        return PostAnswer(context="fine")

    answer = await run_post_hooks([confused, fine], RESULT)
    assert answer == PostAnswer(context="fine", problems=("it was cancelled",))


async def test_a_hook_that_does_not_mind_being_cancelled_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui_agent.hooks.dispatch._GRACE_S", 0.01)
    is_over, has_begun = asyncio.Event(), asyncio.Event()

    async def clings(result: HookedResult) -> PostAnswer:
        while not is_over.is_set():
            try:
                has_begun.set()
                await is_over.wait()
            except asyncio.CancelledError:
                continue
        return PostAnswer()

    hearing = asyncio.ensure_future(run_post_hooks([clings], RESULT))
    await has_begun.wait()
    hearing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(hearing, 5)
    is_over.set()
