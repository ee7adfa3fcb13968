"""What is said of skills to whoever asks: as rows for front ends, and as lines for `doctor`."""

from __future__ import annotations

from collections.abc import Iterator

from tui_agent.engine.skills.invocation import rule_problems
from tui_agent.queries import SkillList, SkillRow
from tui_agent.skills.catalog import SkillCatalog
from tui_agent.skills.dynamic import pieces
from tui_agent.skills.skill import Skill

__all__ = ["skill_list", "skill_notes"]


def skill_list(catalog: SkillCatalog) -> SkillList:
    """Return all skills as plain data."""
    notes: dict[str, list[str]] = {}
    for problem in catalog.problems:
        notes.setdefault(problem.file, []).append(problem.text)
    rows = tuple(
        SkillRow(
            name=skill.name,
            full_name=skill.full_name,
            kind=skill.kind,
            place=skill.place,
            file=str(skill.file),
            words=skill.words,
            argument_hint=skill.argument_hint or " ".join(f"[{name}]" for name in skill.arguments),
            is_for_user=catalog.is_for_user(skill),
            is_for_model=catalog.is_for_model(skill),
            is_trusted=skill.is_trusted,
            allows=skill.allowed_tools if skill.is_trusted else (),
            paths=skill.paths,
            model=skill.model,
            notes=(*notes.get(str(skill.file), ()), *skill_notes(skill)),
        )
        for skill in catalog.skills.values()
    )
    return SkillList(rows, tuple(str(problem) for problem in catalog.problems if problem.is_left_out))


def skill_notes(skill: Skill) -> Iterator[str]:
    """Yield what of a skill does not count, besides what reading its file has found."""
    if not skill.is_trusted:
        if any(piece.is_command for piece in pieces(skill.body)):
            yield "its commands do not run: the folder is not trusted"
        if skill.allowed_tools:
            yield "`allowed-tools` does not count: the folder is not trusted"
        if skill.hooks:
            yield "its hooks do not run: the folder is not trusted"
    yield from rule_problems(skill)
