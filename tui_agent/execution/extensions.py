"""Where others join in on tool uses: hooks before them, at a question and after them, and a model that judges what is safe."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from tui_agent.hooks.permission_request import PermissionRequestHook
from tui_agent.hooks.post_tool_use import PostToolUseHook
from tui_agent.hooks.pre_tool_use import PreToolUseHook

__all__ = ["Classified", "Classifier", "ClassifierQuestion", "Extensions"]

Classified = Literal["safe", "unsafe"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassifierQuestion:
    """What the classifier is asked: `text` is what the tool says a model may judge, and is never empty."""

    tool_use_id: str
    name: str
    text: str


# Says whether a call is safe, or None where it cannot tell. Only "safe" changes anything; one that raises has said nothing.
Classifier = Callable[[ClassifierQuestion], Awaitable[Classified | None]]


@dataclass(slots=True, kw_only=True)
class Extensions:
    """Who is heard, and at which point. Fields may be set anew at any time: they are read when a use reaches the point."""

    pre_tool_use: Sequence[PreToolUseHook] = ()
    permission_request: Sequence[PermissionRequestHook] = ()
    post_tool_use: Sequence[PostToolUseHook] = ()
    classifier: Classifier | None = None
