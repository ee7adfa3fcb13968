"""How hooks of any kind are heard: all started together, each one's fault reported and never taken for an answer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

__all__ = ["HookedUse", "end", "hear_all", "heard"]

_GRACE_S: Final = 1.0

UseT = TypeVar("UseT")
AnswerT = TypeVar("AnswerT")


@dataclass(frozen=True, slots=True, kw_only=True)
class HookedUse:
    """The tool use a hook is told about: canonical name, and the input as it stands now."""

    tool_use_id: str
    name: str
    input: dict[str, Any]


async def heard(hook: Callable[[UseT], Awaitable[AnswerT]], use: UseT, failed: Callable[[str], AnswerT]) -> AnswerT:
    """Return one hook's answer, or what `failed` makes of its fault. A cancelled caller cancels the hook."""
    try:
        return await hook(use)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - foreign code; its fault is reported, never an answer
        return failed(f"{type(error).__name__}: {error}")


async def hear_all(
    hooks: Sequence[Callable[[UseT], Awaitable[AnswerT]]], use: UseT, failed: Callable[[str], AnswerT]
) -> list[AnswerT]:
    """Run all hooks side by side and return their answers in the hooks' order. Never raises for a hook's fault.

    A cancelled caller cancels the hooks, and is not held up by one that does not mind.
    """
    running = [asyncio.create_task(heard(hook, use, failed)) for hook in hooks]
    try:
        await asyncio.wait(running)
    finally:
        await end(running)
    return [failed("it was cancelled") if task.cancelled() else task.result() for task in running]


async def end(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancel what is not done, and wait for it a moment; what clings on longer than that is left to end by itself."""
    running = [task for task in tasks if not task.done()]
    for task in running:
        task.cancel()
    if running:
        await asyncio.wait(running, timeout=_GRACE_S)
