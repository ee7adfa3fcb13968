"""What may speak after a tool use, before the model gets its result: hooks, all started together.

The call is over, and what it did stands, whatever a hook says or fails to say; a hook can add to its result, or give the model
another one. A hook limits its own time; until it answers, the use counts as running.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tui_agent.hooks.dispatch import HookedUse, hear_all

__all__ = ["HookedResult", "PostAnswer", "PostToolUseHook", "run_post_hooks"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HookedResult:
    """What came of the use: the text or blocks the model gets, and the structured output (of an error: its facts, or None).

    `duration_ms` is how long the call itself took.
    """

    use: HookedUse
    content: str | list[dict[str, Any]]
    data: dict[str, Any] | None
    is_error: bool = False
    duration_ms: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PostAnswer:
    """What a hook adds: `context` for the model, beside the result, and `problems` to tell the user about.

    `content` takes the place of what the model would have got. `ends_turn` ends the turn after this result.
    """

    context: str = ""
    content: str | list[dict[str, Any]] | None = None
    ends_turn: bool = False
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
        content=next((answer.content for answer in answers if answer.content is not None), None),
        ends_turn=any(answer.ends_turn for answer in answers),
        problems=tuple(problem for answer in answers for problem in answer.problems),
    )
