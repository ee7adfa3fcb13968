"""The skills that a session in a folder would begin with, for whoever wants to know before there is one."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from tui_agent.engine.skills.skill_set import SkillLoader
from tui_agent.settings.load import load_settings
from tui_agent.skills.catalog import SkillCatalog
from tui_agent.skills.places import SkillPlace

__all__ = ["catalog_for"]


def catalog_for(
    cwd: Path,
    *,
    inline: str | None = None,
    sources: Collection[str] | None = None,
    is_trusted: bool | None = None,
    plugins: tuple[SkillPlace, ...] = (),
    is_off: bool = False,
) -> SkillCatalog:
    """Return all skills; arguments are as for `load_settings`. Blocks.

    Raises:
        SettingsError: as from `load_settings`.
    """
    settings = load_settings(cwd, inline=inline, sources=sources, is_trusted=is_trusted)
    return SkillLoader(start=settings.start_dir, plugins=plugins, is_off=is_off).begin(settings).catalog
