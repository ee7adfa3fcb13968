"""The hooks in the header of a skill, in the shape of those of settings.

They count from its invocation to the session's end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tui_agent.settings.load import HookEntry, SourceKind
from tui_agent.skills.skill import Skill

__all__ = ["entries_of", "skill_hooks"]


def skill_hooks(skill: Skill) -> tuple[HookEntry, ...]:
    """Return a skill's hooks."""
    kind: SourceKind = "project" if skill.source == "project" else "policy" if skill.source == "policy" else "user"
    root = str(skill.plugin_root or "")
    return tuple(entries_of(skill.hooks, kind=kind, file=str(skill.file), plugin_root=root, is_of_skill=True))


def entries_of(
    hooks: Mapping[str, Any], *, kind: SourceKind, file: str, plugin_root: str = "", is_of_skill: bool = False
) -> Iterator[HookEntry]:
    """Yield the handlers of a `hooks` object; what has not the shape of one is left out."""
    for event, groups in hooks.items():
        for group in groups if isinstance(groups, list) else ():
            if not isinstance(group, Mapping):
                continue
            matcher, handlers = group.get("matcher"), group.get("hooks")
            for handler in handlers if isinstance(handlers, list) else ():
                if isinstance(handler, Mapping):
                    yield HookEntry(
                        str(event),
                        matcher if isinstance(matcher, str) else "",
                        {str(key): value for key, value in handler.items()},
                        kind,
                        file,
                        1,
                        plugin_root=plugin_root,
                        is_of_skill=is_of_skill,
                    )
