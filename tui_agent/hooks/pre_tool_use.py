"""What may speak before a tool use is judged: hooks, all started together, their answers made into one.

A hook can refuse a call, ask for or against asking the user, or give the call another input. It cannot let through what
would otherwise be asked by failing: one that raises has said nothing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from tui_agent.hooks.dispatch import HookedUse, hear_all

__all__ = ["HookAnswer", "HookedUse", "PreToolUseHook", "run_pre_hooks"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HookAnswer:
    """What a hook says. `input` takes the place of the whole input, and `context` is for the model, beside the result.

    `ends_turn`, with a denial, ends the turn. `problems` are failures to tell the user about.
    """

    behavior: Literal["allow", "ask", "deny"] | None = None
    reason: str = ""
    input: dict[str, Any] | None = None
    context: str = ""
    ends_turn: bool = False
    problems: tuple[str, ...] = field(default=())


PreToolUseHook = Callable[[HookedUse], Awaitable[HookAnswer]]

_SEVERITY: Final = {None: 0, "allow": 1, "ask": 2, "deny": 3}


async def run_pre_hooks(hooks: Sequence[PreToolUseHook], use: HookedUse) -> HookAnswer:
    """Run all hooks side by side and join their answers: the strictest behaviour wins, then the first input given.

    Never raises for a hook's fault; a cancelled caller cancels the hooks.
    """
    if not hooks:
        return HookAnswer()
    answers = await hear_all(hooks, use, _failed)
    strictest = max(answers, key=lambda answer: _SEVERITY[answer.behavior])
    return HookAnswer(
        behavior=strictest.behavior,
        reason=strictest.reason,
        input=next((answer.input for answer in answers if answer.input is not None), None),
        context="\n\n".join(answer.context for answer in answers if answer.context.strip()),
        ends_turn=any(answer.ends_turn for answer in answers),
        problems=tuple(problem for answer in answers for problem in answer.problems),
    )


def _failed(problem: str) -> HookAnswer:
    return HookAnswer(problems=(problem,))
