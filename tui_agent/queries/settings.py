"""What may be asked about settings and hooks: what is in force, where it comes from, what is held back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from tui_agent.plain import Plain
from tui_agent.queries.query import Query
from tui_agent.settings.problems import Problem
from tui_agent.settings.withheld_setting import WithheldSetting

__all__ = [
    "HookRow",
    "HooksQuery",
    "HooksReport",
    "Preferences",
    "PreferencesQuery",
    "SettingRow",
    "SettingSaid",
    "SettingState",
    "SettingsQuery",
    "SettingsReport",
    "StatusLineCommand",
    "WithheldQuery",
    "WithheldReport",
]

SettingState = Literal["set", "default", "held back", "ignored", "not used", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class SettingSaid(Plain):
    """What one source says on a key, and whether that counts (`reason` says why not). `parts` is the value as plain words."""

    source: str
    file: str
    line: int
    value: Any
    parts: tuple[str, ...]
    counts: bool
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class SettingRow(Plain):
    """One key. `value` is what is in force (values of variables that look secret are hidden), `parts` the same as plain words.

    `source` says in a few words where it comes from, `said` what each source says, strongest first.
    """

    key: str
    value: Any
    parts: tuple[str, ...]
    meaning: str
    source: str
    state: SettingState
    said: tuple[SettingSaid, ...] = ()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SettingsReport(Plain):
    """A row for each key that somebody has said something on, and one for each other key (`defaults`).

    `problems` are entries of files that were left out.
    """

    rows: tuple[SettingRow, ...]
    defaults: tuple[SettingRow, ...]
    problems: tuple[Problem, ...]
    project_root: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SettingsQuery(Query[SettingsReport | None]):
    """What is set, and by which source? Null where nothing is, as in a recording."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class WithheldReport(Plain):
    """What the folder's own files want that is held back: in words, and by hash for `confirm_settings`."""

    project_root: str
    is_trusted: bool
    settings: tuple[WithheldSetting, ...]
    hashes: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class WithheldQuery(Query[WithheldReport | None]):
    """What do the folder's settings want that is held back? Null where there are no settings."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StatusLineCommand(Plain):
    """A command whose output is the status line. `refresh_interval` is seconds between two runs besides the usual ones."""

    command: str
    padding: int = 0
    refresh_interval: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Preferences(Plain):
    """What the settings say about the front end itself. `status_line` is null where none is set, or none may run."""

    notification_channel: str = "auto"
    editor_mode: str = "normal"
    layout: Literal["auto", "side", "strip", "alone"] = "auto"
    vim_insert_mode_remaps: dict[str, str] = field(default_factory=dict)
    respects_gitignore: bool = True
    review_moves_on: bool = False
    is_trusted: bool = False
    status_line: StatusLineCommand | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PreferencesQuery(Query[Preferences | None]):
    """What do the settings say about the front end? Null where there are no settings, as in a recording."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class HookRow(Plain):
    """One hook: when it is heard, and what is run, called or asked then. `id` is what events call it.

    `what` is the command, address or question as it was written, `name` a few words that a user knows it by. `matcher` is
    empty where it is for everything; `rule` is the permission rule of its `if`. `why_not` says why it does not run, where it
    does not; `notes` what of its settings does not count. One that `has_arguments` is run without a shell.
    """

    id: str
    event: str
    type: str
    matcher: str
    what: str
    name: str
    file: str
    line: int
    limit_s: float
    shell: str = "sh"
    has_arguments: bool = False
    rule: str = ""
    status_message: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    is_async: bool = False
    wakes: bool = False
    blocks_on_failure: bool = False
    why_not: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class HooksReport(Plain):
    """All hooks in the settings' order, those that only are listed included, and what is wrong with others."""

    hooks: tuple[HookRow, ...] = ()
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class HooksQuery(Query[HooksReport | None]):
    """Which hooks are there? Null where none run, as in a recording."""
