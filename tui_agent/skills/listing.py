"""What the model is told of the skills there are: every name, and of descriptions as much as there is room for."""

from __future__ import annotations

from collections.abc import Sequence

from tui_agent.context_marks import neutral
from tui_agent.skills.catalog import SkillCatalog
from tui_agent.skills.skill import Skill
from tui_agent.text import clean_line

__all__ = ["listing_lines"]


def listing_lines(skills: Sequence[Skill], catalog: SkillCatalog, *, budget: int, longest: int) -> list[str]:
    """Return a line for each skill.

    Args:
        skills: those to list.
        catalog: says of which only the name is told.
        budget: how many characters all lines may have together. Descriptions shrink to fit; names do not.
        longest: how many characters one description may have.
    """
    words = {
        skill.name: "" if catalog.exposed(skill) == "name-only" else neutral(clean_line(skill.words, longest))
        for skill in skills
    }
    names = [(neutral(skill.name), words[skill.name]) for skill in skills]
    left = budget - sum(len(name) + len("- : \n") for name, _ in names)
    limit = _limit([len(text) for _, text in names], left)
    return [f"- {name}: {_cut(text, limit)}" if text and limit > 0 else f"- {name}" for name, text in names]


def _limit(lengths: Sequence[int], room: int) -> int:
    """Return how long the longest texts may be so that all fit into `room`: short ones leave theirs to the others."""
    left, count = room, len(lengths)
    for length in sorted(lengths):
        if count * length >= left:
            return max(0, left // count)
        left -= length
        count -= 1
    return max(lengths, default=0)


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: max(0, limit - 1)].rstrip()}…"
