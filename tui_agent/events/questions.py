"""What the user is asked before things go on, and how that is settled.

`PermissionResolved` always follows its `PermissionRequested`, and `FormAnswered` its `FormRequested`, also when the session
ends first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from tui_agent.events.event import Event

__all__ = ["FormAnswered", "FormRequested", "PermissionRequested", "PermissionResolved"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class PermissionRequested(Event):
    """The user is asked. `by`, `check` and `reason` say which rule or check asks; `offers` are rules for "always".

    `cwd` is the folder a command would run in: where the shell stands now. `effect` is what a command does that matters most
    (destroys, sends, escalates, runs; empty where that is not known), and `part` the text in it that does this.
    `is_destructive` says that it cannot be undone, or, where it `runs` something, that nobody has seen the code.
    """

    request_id: str
    tool_use_id: str
    name: str
    input: dict[str, Any]
    by: str
    reason: str
    cwd: str = ""
    rule: str | None = None
    source: str | None = None
    check: str = ""
    offers: tuple[tuple[str, ...], ...] = ()
    is_destructive: bool = False
    has_proposal: bool = False
    effect: str = ""
    part: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class PermissionResolved(Event):
    """The question is settled, once: by the user, a rule, a hook or the classifier, or as nobody is there to answer.

    `message` is what the user said with their yes or no. `comments` are what they wrote on lines of a proposed change; keys are
    those of `line_comments.LineComment`.
    """

    request_id: str
    tool_use_id: str
    behavior: Literal["allow", "deny", "cancelled"]
    by: Literal["person", "hook", "classifier", "rule", "interrupt", "nobody"]
    rules: tuple[str, ...] = ()
    saved_to: str | None = None
    message: str | None = None
    comments: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class FormRequested(Event):
    """A tool puts questions to the user; `form` is that of `tools.forms.Form.to_json`. `FormAnswered` always follows."""

    request_id: str
    tool_use_id: str
    form: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class FormAnswered(Event):
    """The form is closed: with `answers` by key (none of them told where the form is private), or without any."""

    request_id: str
    tool_use_id: str
    answers: dict[str, Any] | None
    by: Literal["person", "interrupt", "nobody"]
