"""What may speak after a tool use, before the model gets its result: hooks, all started together.

The call is over and its result stands, whatever a hook says or fails to say; a hook can only add to it. A hook limits its own
time; until it answers, the use counts as running.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tui_agent.hooks.hearing import HookedUse, hear_all

__all__ = ["HookedResult", "PostAnswer", "PostToolUseHook", "run_post_hooks"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HookedResult:
    """What came of the use: the text or blocks the model gets, and the structured output (of an error: its facts, or None)."""

    use: HookedUse
    content: str | list[dict[str, Any]]
    data: dict[str, Any] | None
    is_error: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PostAnswer:
    """What a hook adds: `context` for the model, beside the result, and `problems` to tell the person about."""

    context: str = ""
    problems: tuple[str, ...] = field(default=())


PostToolUseHook = Callable[[HookedResult], Awaitable[PostAnswer]]


async def run_post_hooks(hooks: Sequence[PostToolUseHook], result: HookedResult) -> PostAnswer:
    """Run all hooks side by side and join what they add, in the hooks' order.

    Never raises for a hook's fault; a cancelled caller cancels the hooks.
    """
    if not hooks:
        return PostAnswer()
    answers = await hear_all(hooks, result, lambda problem: PostAnswer(problems=(problem,)))
    return PostAnswer(
        context="\n\n".join(answer.context for answer in answers if answer.context.strip()),
        problems=tuple(problem for answer in answers for problem in answer.problems),
    )
