"""The part of `doctor` on agent files: how many types there are, which files are left out, what of others does not count."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tui_agent.headless.findings import Finding
from tui_agent.text import clean_line

__all__ = ["examine_agents"]

_LONGEST = 500


def examine_agents(cwd: Path, inline: str | None) -> Iterator[Finding]:
    """Yield what is to be said of the agent files that a session in `cwd` would read; nothing where there are none."""
    from tui_agent.engine.inspection import agent_catalog
    from tui_agent.settings.load import SettingsError

    try:
        catalog = agent_catalog(cwd, inline=inline)
    except SettingsError:
        return  # said of the settings already
    for problem in catalog.problems:
        yield Finding("warning", "agents", clean_line(str(problem), _LONGEST))
    for file in catalog.held_back:
        yield Finding("warning", "agents", clean_line(f"{file}: not used, as the folder is not trusted", _LONGEST))
    own = [one for one in catalog.types if one.source != "built-in"]
    if own:
        yield Finding("ok", "agents", f"from files: {len(own)}, built in: {len(catalog.types) - len(own)}")
