"""The skills and commands of a session, in sections by where they come from; what is left out comes first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from tui_agent.text import clean_line, reveal
from tui_agent.ui.screen_text.sections import Section

if TYPE_CHECKING:
    from tui_agent.queries import SkillList, SkillRow

__all__ = ["sections"]

_NONE: Final = "A skill is a file .claude/skills/NAME/SKILL.md, in the project or in your home folder."


def sections(found: SkillList) -> Sequence[Section]:
    """Return the sections. All of it is foreign text, cleaned here."""
    parts: list[Section] = []
    if found.left_out:
        parts.append(("Left out", [("", clean_line(text, 1000)) for text in found.left_out]))
    places = dict.fromkeys(row.place for row in found.skills)
    for place in places:
        rows = [_row(row) for row in found.skills if row.place == place]
        parts.append((clean_line(place, 60).capitalize(), rows))
    return parts or [("There are no skills", [("", _NONE)])]


def _row(row: SkillRow) -> tuple[str, str]:
    hint = f" {clean_line(row.argument_hint, 60)}" if row.argument_hint else ""
    words = clean_line(row.words, 300)
    facts = "; ".join(clean_line(fact, 200) for fact in row.facts)
    notes = "".join(f" — {clean_line(note, 300)}" for note in row.notes)
    return f"/{reveal(row.name)}{hint}", f"{words} ({facts}){notes}"
