"""The parts of settings that are lists of things with a place of their own: rules, hooks, added folders, sandbox paths."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from tui_agent.settings.source_text import Location
from tui_agent.settings.sources import SettingsSource, SourceKind
from tui_agent.settings.values import look_up

__all__ = [
    "HookEntry",
    "RuleEntry",
    "SandboxPaths",
    "directories",
    "handlers",
    "hook_entries",
    "listed",
    "rule_entries",
    "sandbox_paths",
]


@dataclass(frozen=True, slots=True)
class RuleEntry:
    """One permission rule as written, and where. `base` is the folder that its `/path` starts at.

    `is_held_back` marks an allow rule of a folder that is not trusted, or not with this rule: it is known but does not count,
    and `reason` says why.
    """

    behavior: Literal["allow", "ask", "deny"]
    text: str
    kind: SourceKind
    file: str
    line: int
    base: Path
    is_held_back: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class HookEntry:
    """One hook handler as written (its shape is the hooks' own to judge), its group's matcher, and where it stands.

    `is_held_back` marks one that does not run, and `reason` says why: the folder is not trusted, hooks are off, or only the
    policy's run. `plugin_root` is the folder of the plugin that it comes with; `is_of_skill` that it comes with a skill.
    """

    event: str
    matcher: str
    handler: Mapping[str, Any]
    kind: SourceKind
    file: str
    line: int
    is_held_back: bool = False
    reason: str = ""
    plugin_root: str = ""
    is_of_skill: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxPaths:
    """The folders of `sandbox.filesystem`, absolute: each source's own relative ones start where that source says."""

    allow_write: tuple[str, ...] = ()
    deny_write: tuple[str, ...] = ()
    deny_read: tuple[str, ...] = ()
    allow_read: tuple[str, ...] = ()


_BEHAVIORS: Final[tuple[Literal["allow", "ask", "deny"], ...]] = ("deny", "ask", "allow")


def rule_entries(sources: Sequence[SettingsSource], *, is_policy_only: bool) -> Iterator[RuleEntry]:
    """Yield all rules, those of the strongest source first within each list; with `is_policy_only` only a policy's."""
    for behavior in _BEHAVIORS:
        path = ("permissions", behavior)
        for source in sources:
            if is_policy_only and source.kind != "policy":
                continue
            reason = source.ignored.get(path, "")
            for text, line in listed(source, path):
                yield RuleEntry(
                    behavior,
                    text,
                    source.kind,
                    source.file,
                    line,
                    source.base,
                    is_held_back=bool(reason),
                    reason=reason,
                )


def hook_entries(
    sources: Sequence[SettingsSource], *, is_off: bool, is_policy_only: bool, only_policy_reason: str = ""
) -> Iterator[HookEntry]:
    """Yield all hooks, those that do not run with the reason.

    `is_off` is that hooks are disabled: by a policy all of them, else all but the policy's. `only_policy_reason` is why no
    other's run here and now.
    """
    is_policy_off = any(source.kind == "policy" and source.values.get("disableAllHooks") is True for source in sources)
    for source in sources:
        is_policy = source.kind == "policy"
        reason = source.ignored.get(("hooks",), "")
        if is_policy_off or (is_off and not is_policy):
            reason = reason or "hooks are disabled (`disableAllHooks`)"
        if not is_policy:
            reason = reason or ("only the policy's hooks run" if is_policy_only else only_policy_reason)
        for event, matcher, handler, line in handlers(source):
            yield HookEntry(event, matcher, handler, source.kind, source.file, line, bool(reason), reason)


def handlers(source: SettingsSource) -> Iterator[tuple[str, str, Mapping[str, Any], int]]:
    """Yield the well-formed handlers of a source. Lines are those of the file, where left-out entries stand as well."""
    events = look_up(source.text.value, ("hooks",))
    for event, groups in events.items() if isinstance(events, dict) else ():
        for number, group in enumerate(groups if isinstance(groups, list) else ()):
            handlers = group.get("hooks") if isinstance(group, dict) else None
            matcher = group.get("matcher", "") if isinstance(group, dict) else None
            if not isinstance(handlers, list) or not isinstance(matcher, str | None):
                continue
            for place, handler in enumerate(handlers):
                if isinstance(handler, dict):
                    yield event, matcher or "", handler, source.text.line(("hooks", event, number, "hooks", place))


def directories(sources: Sequence[SettingsSource], start: Path, home: Path) -> Iterator[Path]:
    """Yield the added folders that count, absolute, each once."""
    path = ("permissions", "additionalDirectories")
    texts = (text for source in sources if path not in source.ignored for text, _line in listed(source, path))
    for folder in dict.fromkeys(_absolute(text, start, home) for text in texts):
        yield Path(folder)


def sandbox_paths(sources: Sequence[SettingsSource], home: Path) -> SandboxPaths:
    """Return the folders of the sandbox's settings. `/x` and `//x` are absolute there, unlike in permission rules."""

    def of(key: str) -> tuple[str, ...]:
        path = ("sandbox", "filesystem", key)
        found = (
            _absolute(text, source.anchor, home)
            for source in sources
            if path not in source.ignored
            for text, _line in listed(source, path)
        )
        return tuple(dict.fromkeys(found))

    return SandboxPaths(
        allow_write=of("allowWrite"), deny_write=of("denyWrite"), deny_read=of("denyRead"), allow_read=of("allowRead")
    )


def listed(source: SettingsSource, path: Location) -> Iterator[tuple[str, int]]:
    """Yield the entries of a list that survived checking, with their lines in the file (where they may stand lower)."""
    original = look_up(source.text.value, path)
    if isinstance(original, list):
        for index, item in enumerate(original):
            if isinstance(item, str):
                yield item, source.text.line((*path, index))


def _absolute(text: str, base: Path, home: Path) -> str:
    expanded = str(home) + text[1:] if text == "~" or text.startswith("~/") else text
    found = os.path.normpath(base / expanded)
    return found[1:] if found.startswith("//") else found
