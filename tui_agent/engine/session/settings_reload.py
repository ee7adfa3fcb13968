"""Settings that change while a session runs: noticed by the files' stamps, read anew, told in a few words.

Files are looked at when the user sends something, when a turn ends and when they come back to the window; never in between,
so that an idle session does nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from tui_agent.settings.change import was_kept_here
from tui_agent.settings.keys import KEYS
from tui_agent.settings.load import Settings, SettingsError
from tui_agent.settings.problems import Problem
from tui_agent.settings.watch import stamps_of
from tui_agent.text import clean_line

__all__ = ["RuleKey", "SettingsReloader", "changes_between"]

_AT_START: Final = frozenset({
    "model", "smallModel", "maxTurns", "maxTokens", "thinking", "alwaysThinkingEnabled", "features", "theme",
})  # fmt: skip
_TOLD_APART: Final = frozenset({
    "permissions.allow", "permissions.ask", "permissions.deny", "permissions.additionalDirectories", "permissions.defaultMode",
    "env", "hooks",
})  # fmt: skip
_MOST: Final = 3  # of one kind that are named
RuleKey = tuple[str, str]  # behavior and text


class SettingsReloader:
    """Reads a session's settings anew when one of their files has changed. `load` does it, given what was in force.

    Hold `one_at_a_time` from looking until what was found is in force, so that no two looks bring the same news.
    """

    def __init__(self, load: Callable[[Settings], Settings]) -> None:
        self._load = load
        self.one_at_a_time: Final = asyncio.Lock()

    async def changed_since(self, before: Settings) -> Settings | None:
        """Return the settings as they are now, None where no file has changed. `before` are those in force."""
        stamps = await asyncio.to_thread(stamps_of, before.stamps)
        if stamps == before.stamps:
            return None
        try:
            return await asyncio.to_thread(self._load, before)
        except SettingsError as error:  # the file of --settings: broken, or gone
            text = f"{error}; the previous content still applies"
            problems = dict.fromkeys((*before.problems, Problem("--settings", 1, text)))
            return replace(before, stamps=stamps, problems=tuple(problems))


@dataclass(frozen=True, slots=True)
class _Phrase:
    """Words on one kind of thing: how many there are, and what they are called."""

    one: str
    many: str


_RULES: Final = {kind: _Phrase(f"{kind} rule", f"{kind} rules") for kind in ("allow", "ask", "deny")}
_HOOKS: Final = _Phrase("hook", "hooks")
_FOLDERS: Final = _Phrase("folder", "folders")


def changes_between(
    before: Settings, after: Settings, rules_before: Collection[RuleKey], rules_after: Collection[RuleKey]
) -> tuple[str, ...]:
    """Return what is different now, a line for each kind of thing; nothing where only the files' shape has changed.

    The rules are those in force, wherever they came from: what the user has just added or removed here is no news. Nor is a
    theme, a model or the prompt's keys that they chose here: that counts already.
    """
    return tuple(_changes(before, after, rules_before, rules_after))


def _changes(
    before: Settings, after: Settings, rules_before: Collection[RuleKey], rules_after: Collection[RuleKey]
) -> Iterator[str]:
    for kind, told in _RULES.items():
        old, new = ({text for behavior, text in rules if behavior == kind} for rules in (rules_before, rules_after))
        yield from _differences(told, old, new)
    yield from _differences(_HOOKS, set(_hooks(before)), set(_hooks(after)))
    yield from _differences(
        _FOLDERS, {*map(str, before.additional_directories)}, {*map(str, after.additional_directories)}
    )
    held = {setting.text for setting in after.withheld} - {setting.text for setting in before.withheld}
    if held:
        how = "/trust shows and confirms it" if after.is_trusted else "the folder is not trusted"
        yield f"held back, as it is new in this folder ({how}): {_some(held)}"
    names = {
        name
        for name in before.values.env.keys() | after.values.env.keys()
        if before.values.env.get(name) != after.values.env.get(name)
    }
    if names:
        yield f"environment changed: {_some(names)}"  # names only: values may be secret
    for key in (key for key in KEYS if key not in _TOLD_APART):
        old_value, new_value = before.value(key), after.value(key)
        if old_value != new_value and not was_kept_here(key, new_value):
            later = " (from the next session on)" if key in _AT_START else ""
            yield f"{key} is now {_shown(new_value)}{later}"


def _hooks(settings: Settings) -> Iterator[str]:
    for hook in settings.hooks:
        if not hook.is_held_back:
            does = hook.handler.get("command") or hook.handler.get("url") or hook.handler.get("prompt") or ""
            yield f"{hook.event}: {does}"


def _differences(told: _Phrase, before: set[str], after: set[str]) -> Iterator[str]:
    for verb, found in (("added", after - before), ("removed", before - after)):
        if found:
            noun = told.one if len(found) == 1 else f"{len(found)} {told.many}"
            yield f"{noun} {verb}: {_some(found)}"


def _some(names: Iterable[str]) -> str:
    ordered = sorted(names)
    shown = ", ".join(clean_line(name, 60) for name in ordered[:_MOST])
    return shown if len(ordered) <= _MOST else f"{shown} and {len(ordered) - _MOST} more"


def _shown(value: Any) -> str:  # noqa: ANN401 - any JSON
    match value:
        case None:
            return "not set"
        case bool():
            return "on" if value else "off"
        case list():
            return _some(map(str, value)) or "empty"
        case Mapping():
            return _some(f"{key}={item}" for key, item in value.items()) or "empty"
        case _:
            return clean_line(str(value), 60)
