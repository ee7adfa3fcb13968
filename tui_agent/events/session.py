"""The session as a whole: its beginning and end, what it runs under from now on, and what the user should know of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from tui_agent.events.event import Event

__all__ = [
    "BranchChanged",
    "MaskingChanged",
    "ModeChanged",
    "ModelChanged",
    "Notice",
    "SessionEnded",
    "SessionRenamed",
    "SessionStarted",
    "SettingsReloaded",
    "SpendingLimitChanged",
    "TasksChanged",
    "ThinkingChanged",
]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class SessionStarted(Event):
    """First event of a process's part of a session; a resumed journal holds one for every process that went on with it.

    `sandbox` is the one that commands which only read run in: its name, followed by `, on` where others run in it too; `none`
    where there is none, and empty where that was not recorded. `is_thinking`: as in `ThinkingChanged`; None where it was not.
    """

    cwd: str
    model: str
    mode: str
    version: str
    source: Literal["startup", "continue", "resume", "clear"] = "startup"
    trusted: bool = True
    tools: tuple[str, ...] = ()
    additional_dirs: tuple[str, ...] = ()
    sandbox: str = ""
    is_thinking: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class SessionRenamed(Event):
    """The user calls the session `title` from now on; empty: by its first message, as any session without a title."""

    title: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ModeChanged(Event):
    """The permission mode is now `mode`."""

    mode: str
    previous: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class MaskingChanged(Event):
    """Secrets are hidden from here on, or shown. `names` are the variables and the like whose values are known."""

    is_on: bool
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ModelChanged(Event):
    """Requests from now on go to `model`."""

    model: str
    previous: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ThinkingChanged(Event):
    """The user wants the model to think before it answers, or not to; from the next message on, as far as it can be told."""

    is_on: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class SpendingLimitChanged(Event):
    """The session may cost so many US dollars before the user is asked; None: any number. `by` says who wanted it so."""

    limit_usd: float | None
    by: Literal["settings", "person"] = "settings"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class SettingsReloaded(Event):
    """Settings files were read; `problems` are the entries that do not count, each naming file, line and reason.

    When they were read anew, `problems` are those that are new, and `changes` says what is different now. `sandbox` is as in
    `SessionStarted`; empty where nothing is said of it.
    """

    problems: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    sandbox: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class BranchChanged(Event):
    """The workspace's git branch and its number of changed files, as of the end of a turn; empty outside git.

    The number is None where git may not be asked.
    """

    branch: str
    changed_files: int | None = 0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class TasksChanged(Event):
    """The task list is now this; keys are those of `tools.task_list.Task`."""

    tasks: tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Notice(Event):
    """Something the user should know that belongs to no tool use. Shown in the conversation, not only for a moment."""

    level: Literal["info", "warning", "error"]
    text: str
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class SessionEnded(Event):
    """Last event of a process that ended in order; a killed one leaves none."""

    reason: Literal["exit", "clear", "done", "failed", "interrupted"] = "exit"
