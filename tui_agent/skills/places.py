"""Where skills and commands lie: the policy's folders, the user's, and those of the project, nearest first.

Beside our own folders those of Claude Code are read, and `.agents/skills`, which several programs share.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tui_agent.settings import standard_paths
from tui_agent.skills.skill import SkillKind, SkillSource

__all__ = ["SkillPlace", "nested_places", "skill_places"]

_PROJECT: Final[tuple[tuple[str, SkillKind], ...]] = (
    (".tui-agent/skills", "skill"),
    (".claude/skills", "skill"),
    (".agents/skills", "skill"),
    (".tui-agent/commands", "command"),
    (".claude/commands", "command"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillPlace:
    """A folder of skills or commands; it may not exist.

    `within` is a folder that no link may lead out of. `base` is where globs of its skills begin, `prefix` what their names
    begin with. `prefix_on_clash` is what goes before a name that others have already.
    """

    path: Path
    kind: SkillKind
    source: SkillSource
    is_trusted: bool = True
    within: Path | None = None
    base: Path | None = None
    prefix: str = ""
    prefix_on_clash: str = ""
    plugin: str = ""
    plugin_root: Path | None = None


def skill_places(
    start: Path,
    *,
    is_trusted: bool,
    home: Path | None = None,
    config: Path | None = None,
    claude: Path | None = None,
    policy: Path = standard_paths.POLICY_FOLDER,
    claude_policy: Path = standard_paths.CLAUDE_POLICY_FOLDER,
) -> tuple[SkillPlace, ...]:
    """Return the places that count for a session in `start`, the strongest first. Folders are as in `load_settings`."""
    config, claude = config or standard_paths.config_dir(), claude or standard_paths.claude_dir(home)
    home = home or Path.home()
    kinds: tuple[SkillKind, SkillKind] = ("skill", "command")
    found: list[SkillPlace] = []
    for kind in kinds:
        name = f"{kind}s"
        found += [
            SkillPlace(path=policy / name, kind=kind, source="policy"),
            SkillPlace(path=claude_policy / ".claude" / name, kind=kind, source="policy"),
            SkillPlace(path=config / name, kind=kind, source="user"),
            SkillPlace(path=claude / name, kind=kind, source="user"),
        ]
    found.append(SkillPlace(path=home / ".agents/skills", kind="skill", source="user"))
    found += _project_places(start, is_trusted=is_trusted)
    found.sort(key=lambda place: (("policy", "user", "project").index(place.source), place.kind != "skill"))
    own = {place.path for place in found if place.source != "project"}
    return tuple(place for place in found if place.source != "project" or place.path not in own)


def _project_places(start: Path, *, is_trusted: bool) -> Iterator[SkillPlace]:
    root = standard_paths.project_root(start)
    start = Path(os.path.abspath(start))  # noqa: PTH100 - links stay as the user wrote them
    folders = [start, *start.parents]
    for folder in folders[: folders.index(root) + 1] if root in folders else [start]:
        yield from _places_in(folder, root, is_trusted=is_trusted)


def _places_in(folder: Path, root: Path, *, is_trusted: bool, clash: str = "") -> Iterator[SkillPlace]:
    for name, kind in _PROJECT:
        yield SkillPlace(
            path=folder / name,
            kind=kind,
            source="project",
            is_trusted=is_trusted,
            within=root,
            base=folder,
            prefix_on_clash=clash,
        )


def nested_places(file: Path, start: Path, *, is_trusted: bool) -> tuple[SkillPlace, ...]:
    """Return the places of the folders between `start` and a file below it: they count once something there was worked on."""
    if not file.is_relative_to(start):
        return ()
    root = standard_paths.project_root(start)
    between = [folder for folder in file.parents if folder != start and folder.is_relative_to(start)]
    return tuple(
        place
        for folder in between
        for place in _places_in(folder, root, is_trusted=is_trusted, clash=f"{folder.relative_to(start).as_posix()}:")
    )
