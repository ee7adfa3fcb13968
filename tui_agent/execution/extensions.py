"""Extension points of a tool use: hooks before it, at a question, at a denial and after it, and a safety classifier."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from tui_agent.hooks.dispatch import HookedUse
from tui_agent.hooks.permission_request import PermissionRequestHook, PermissionUpdate
from tui_agent.hooks.post_tool_use import PostToolUseHook
from tui_agent.hooks.pre_tool_use import PreToolUseHook

__all__ = ["Classified", "Classifier", "ClassifierQuestion", "DenialHook", "Extensions", "HookedDenial"]

Classified = Literal["safe", "unsafe"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassifierQuestion:
    """What the classifier is asked: `text` is what the tool says a model may judge, and is never empty."""

    tool_use_id: str
    name: str
    text: str


# Says whether a call is safe, or None where it cannot tell. Only "safe" changes anything; one that raises has said nothing.
Classifier = Callable[[ClassifierQuestion], Awaitable[Classified | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class HookedDenial:
    """A use that was denied though no rule forbids it: the mode denies what it would have to ask, or nobody is there to ask."""

    use: HookedUse
    reason: str


# Says whether the model may be told to try again. Must not raise.
DenialHook = Callable[[HookedDenial], Awaitable[bool]]


def _no_updates(_updates: Sequence[PermissionUpdate]) -> None:
    return


@dataclass(slots=True, kw_only=True)
class Extensions:
    """The hooks of each point. They are looked up when a use reaches the point.

    `update_permissions` makes the changes of rules and mode that came with a hook's yes to a question.
    """

    pre_tool_use: Sequence[PreToolUseHook] = ()
    permission_request: Sequence[PermissionRequestHook] = ()
    post_tool_use: Sequence[PostToolUseHook] = ()
    permission_denied: DenialHook | None = None
    update_permissions: Callable[[Sequence[PermissionUpdate]], None] = _no_updates
    classifier: Classifier | None = None

    def hear(
        self,
        *,
        pre_tool_use: Sequence[PreToolUseHook],
        permission_request: Sequence[PermissionRequestHook],
        post_tool_use: Sequence[PostToolUseHook],
        permission_denied: DenialHook | None,
    ) -> None:
        """Hear these hooks from now on."""
        self.pre_tool_use = pre_tool_use
        self.permission_request = permission_request
        self.post_tool_use = post_tool_use
        self.permission_denied = permission_denied
