"""The words of a permission decision: what is judged, what came out and why, and what a person may answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from tui_agent.changes import ApprovedChange

__all__ = ["Call", "Decision", "Scope", "Step", "ToolOpinion", "Verdict"]

Scope = Literal["session", "local", "user"]
By = Literal["rule", "mode", "tool", "classifier", "protected_path", "hook", "default"]


@dataclass(frozen=True, slots=True)
class ToolOpinion:
    """What the tool itself says of the call; None in its place is no opinion."""

    behavior: Literal["allow", "ask", "deny"]
    message: str = ""
    suggestions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One tool call as permissions see it: canonical name, final input, and what it touches (absolute paths).

    `command` is the shell command it runs, None for tools that run none. `opinion` may also come from a business check that
    hands the decision to the person; `hook` is what the person's own hooks said of the call.
    """

    tool: str
    input: dict[str, Any]
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    command: str | None = None
    is_read_only: bool = False
    is_destructive: bool = False
    opinion: ToolOpinion | None = None
    hook: ToolOpinion | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One check of a decision and how it went, for `permissions explain`."""

    check: str
    outcome: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What was decided, by which kind of check, by which rule from where, and each step on the way.

    `reason` is a sentence for a person; `suggestions` are rules that would allow this call for good (empty where none can).
    """

    behavior: Literal["allow", "ask", "deny"]
    by: By
    reason: str
    rule: str | None = None
    source: str | None = None
    steps: tuple[Step, ...] = ()
    suggestions: tuple[str, ...] = ()
    is_read_only: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A person's answer to one question.

    `rule` and `scope` save an "always"; `message` goes to the model with a refusal; `input` is the whole input where the person
    changed it; `approved` is what was taken of each proposed change (none: all of all). A refusal without words also ends
    the turn.
    """

    behavior: Literal["allow", "deny"]
    rule: str | None = None
    scope: Scope | None = None
    message: str | None = None
    input: dict[str, Any] | None = field(default=None)
    approved: tuple[ApprovedChange, ...] = ()
