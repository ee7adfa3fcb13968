"""What may answer in the user's place when a tool use has to be asked about: hooks that hear the question.

Each is heard for itself, beside the dialog: the first answer of anybody counts. One that says nothing, or fails, leaves the
question to the others.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from tui_agent.hooks.dispatch import HookedUse, heard

__all__ = ["HookedQuestion", "PermissionAnswer", "PermissionRequestHook", "PermissionUpdate", "hear_request_hook"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionUpdate:
    """A change of rules, mode or folders that a hook wants with its yes. Which fields count follows from `type`."""

    type: Literal["addRules", "replaceRules", "removeRules", "setMode", "addDirectories", "removeDirectories"]
    destination: Literal["session", "localSettings", "projectSettings", "userSettings"]
    rules: tuple[str, ...] = ()
    behavior: Literal["allow", "ask", "deny"] = "allow"
    mode: str = ""
    directories: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HookedQuestion:
    """The question: the use as it would run, why it asks, and the rules that would allow it for good."""

    use: HookedUse
    reason: str
    suggestions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionAnswer:
    """What a hook says; without `behavior` it leaves the question to others.

    `message` goes to the model with a denial, and `ends_turn` ends the turn with it. `input` takes the place of the whole
    input, and everything is judged again by it. `updates` are made when this answer is the one that counts, and is a yes.
    `problems` are failures to tell the user about.
    """

    behavior: Literal["allow", "deny"] | None = None
    message: str = ""
    input: dict[str, Any] | None = None
    ends_turn: bool = False
    updates: tuple[PermissionUpdate, ...] = ()
    problems: tuple[str, ...] = field(default=())


PermissionRequestHook = Callable[[HookedQuestion], Awaitable[PermissionAnswer]]


async def hear_request_hook(hook: PermissionRequestHook, question: HookedQuestion) -> PermissionAnswer:
    """Return the hook's answer; its fault is no answer and a problem. A cancelled caller cancels the hook."""
    return await heard(hook, question, lambda problem: PermissionAnswer(problems=(problem,)))
