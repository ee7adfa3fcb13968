"""A scenario: what the scripted model says, step by step, and how it misbehaves. Plain data; `scenario_file` reads it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = [
    "FaultKind",
    "Pace",
    "Scenario",
    "ScenarioError",
    "ScriptedAnswer",
    "ScriptedBlock",
    "ScriptedFault",
    "ScriptedReply",
    "When",
]

BlockKind = Literal["text", "thinking", "tool", "markdown"]
FaultKind = Literal["status", "drop", "silence", "error_event"]


class ScenarioError(ValueError):
    """A scenario cannot be read or does not exist; the text names the file and the entry."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast text streams: so many bytes a delta (never splitting a character), so many milliseconds between two."""

    delta_bytes: int = 20
    delay_ms: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedBlock:
    """One content block. `raw_input` is sent as the argument text as it is, whole JSON or not. `use_id` is a tool use's id as
    it is sent, however odd (None: a fresh one that names the block).

    `cut_after` ends block and reply after so many bytes, as a reply does that runs into its token limit.
    """

    kind: BlockKind
    text: str = ""
    tool: str = ""
    label: str = ""
    use_id: str | None = None
    input: Mapping[str, Any] = field(default_factory=dict)
    raw_input: str | None = None
    markdown_bytes: int = 0
    pause_ms: float = 0.0
    pace: Pace | None = None
    cut_after: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedFault:
    """One misbehaviour, for the first `times` requests that reach its reply.

    `status` answers with that status and `message` instead; `drop` cuts the connection after `after_events` stream events;
    `error_event` sends an error of type `error` with `message` there; `silence` says nothing for `seconds` there, then goes on.
    """

    kind: FaultKind
    times: int = 1
    status: int = 529
    retry_after: str = ""
    after_events: int = 0
    seconds: float = 0.0
    error: str = "overloaded_error"
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class When:
    """Conditions on the newest results by label; all must hold. A refused or failed result is not ok."""

    ok: str = ""
    failed: str = ""
    refused: str = ""
    result: Mapping[str, re.Pattern[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedReply:
    """One reply of the model."""

    name: str
    blocks: tuple[ScriptedBlock, ...]
    when: When = field(default_factory=When)
    next: str = ""
    stop_reason: str = ""
    pace: Pace | None = None
    faults: tuple[ScriptedFault, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedAnswer:
    """Where free text leads: to the reply `goto`, when it matches `said` and the script stands at one of `after`."""

    said: re.Pattern[str]
    goto: str
    after: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A whole script. `variables` are its defaults, overridden by those the server is started with."""

    name: str
    title: str
    about: str = ""
    prompt: str = ""
    project: str = ""
    replies: tuple[ScriptedReply, ...] = ()
    answers: tuple[ScriptedAnswer, ...] = ()
    pace: Pace = field(default_factory=Pace)
    variables: Mapping[str, str] = field(default_factory=dict)
