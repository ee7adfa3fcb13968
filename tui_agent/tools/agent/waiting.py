"""Waiting for an agent: its answer as a result, or the word that it goes on in the background."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any, Final

from tui_agent.tools.agent.report import Background, answer_data, answer_text
from tui_agent.tools.agents import RunningAgent
from tui_agent.tools.base import Partial, Progress, Result, ToolContext

__all__ = ["answer_of"]

_FRAME_S: Final = 1.0


async def answer_of(
    agent: RunningAgent, ctx: ToolContext, *, is_background: bool
) -> AsyncGenerator[Progress | Result[Any]]:
    """Yield how an agent stands, about once a second, and the result in the end.

    The user may move it to the background meanwhile. Cancelling stops it, and waits until it has ended.
    """
    if is_background:
        yield Result(Background(agent.report(), agent.move_to_background()))
        return
    ctx.partial = lambda: Partial(answer_text(agent.report()), answer_data(agent.report()))
    jobs = ctx.services.jobs
    waiting = asyncio.ensure_future(agent.wait())
    wanted = asyncio.ensure_future(jobs.wait_wanted(ctx.tool_use_id)) if jobs is not None else None
    both = {waiting} if wanted is None else {waiting, wanted}
    try:
        while not (await asyncio.wait(both, timeout=_FRAME_S, return_when=asyncio.FIRST_COMPLETED))[0]:
            yield agent.stand()
        if waiting.done():
            report = waiting.result()
            yield Result(report, is_error=report.outcome != "done")
        else:
            yield Result(Background(agent.report(), agent.move_to_background()))
    except BaseException:  # also when nobody waits for more: the agent is this call's
        await agent.stop()
        raise
    finally:
        for task in both:
            task.cancel()
