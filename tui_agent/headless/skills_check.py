"""The part of `doctor` on skills and commands: how many there are, which files are left out, what does not count."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tui_agent.headless.findings import Finding
from tui_agent.text import clean_line

__all__ = ["examine_skills"]

_LONGEST = 500


def examine_skills(cwd: Path, inline: str | None) -> Iterator[Finding]:
    """Yield what is to be said of the skills that a session in `cwd` would have; nothing where there are none."""
    from tui_agent.engine.inspection import catalog_for, skill_notes
    from tui_agent.settings.load import SettingsError

    try:
        catalog = catalog_for(cwd, inline=inline)
    except SettingsError:
        return  # said of the settings already
    left_out = [problem for problem in catalog.problems if problem.is_left_out]
    for problem in (*left_out, *(problem for problem in catalog.problems if not problem.is_left_out)):
        yield Finding("warning", "skills", clean_line(str(problem), _LONGEST))
    for skill in catalog.skills.values():
        for note in skill_notes(skill):
            yield Finding("warning", "skills", clean_line(f"{skill.file}: {note}", _LONGEST))
    if catalog.skills or left_out:
        kinds = [skill.kind for skill in catalog.skills.values()]
        text = f"{kinds.count('skill')} skills, {kinds.count('command')} commands; {len(left_out)} files left out"
        yield Finding("ok", "skills", text)
