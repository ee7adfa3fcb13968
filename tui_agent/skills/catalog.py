"""All skills and commands of a session by name, and what of their files is left out."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tui_agent.settings.watch import Stamps, stamps_of
from tui_agent.skills.places import SkillPlace
from tui_agent.skills.reading import SkillFiles
from tui_agent.skills.skill import Exposure, Skill, SkillProblem

__all__ = ["SkillCatalog", "load_catalog"]


@dataclass(frozen=True)
class SkillCatalog:
    """What there is. A name means one skill: that of the strongest place, and a skill before a command.

    `stamps` is what the files looked like when they were read.
    """

    skills: Mapping[str, Skill] = field(default_factory=dict)
    problems: tuple[SkillProblem, ...] = ()
    exposure: Mapping[str, Exposure] = field(default_factory=dict)
    stamps: Stamps = field(default_factory=dict, repr=False)
    _aliases: Mapping[str, str] = field(default_factory=dict, repr=False)

    def find(self, name: str) -> Skill | None:
        """Return the skill of this name, or the command that lies in such a subfolder (`frontend:component`)."""
        skill = self.skills.get(name) or self.skills.get(self._aliases.get(name, ""))
        return None if skill is None or self.exposed(skill) == "off" else skill

    def exposed(self, skill: Skill) -> Exposure:
        """Return whom the settings let a skill be offered to."""
        return self.exposure.get(skill.name, "on")

    def is_for_model(self, skill: Skill) -> bool:
        """Whether the model may invoke it."""
        return skill.is_for_model and self.exposed(skill) in ("on", "name-only")

    def is_for_user(self, skill: Skill) -> bool:
        """Whether the user may invoke it."""
        return skill.is_for_user and self.exposed(skill) != "off"

    @property
    def for_model(self) -> tuple[Skill, ...]:
        """What the model may invoke, by name."""
        return tuple(skill for skill in self.skills.values() if self.is_for_model(skill))

    @property
    def for_user(self) -> tuple[Skill, ...]:
        """What is offered after `/`, by name."""
        return tuple(skill for skill in self.skills.values() if self.is_for_user(skill))

    def nearest(self, name: str) -> list[str]:
        """Return names that look like `name`, the closest first."""
        return difflib.get_close_matches(name, self.skills, n=3)


def load_catalog(
    places: Sequence[SkillPlace],
    files: SkillFiles,
    *,
    exposure: Mapping[str, Exposure] | None = None,
    reserved: Iterable[str] = (),
) -> SkillCatalog:
    """Read all places. Blocks; never raises.

    Args:
        places: where to look, the strongest first.
        files: reads them, and remembers.
        exposure: the setting `skillOverrides`.
        reserved: names of built-in commands, which no skill can take.
    """
    taken = frozenset(reserved)
    skills: dict[str, Skill] = {}
    problems: list[SkillProblem] = []
    aliases: dict[str, str] = {}
    watched: dict[Path, None] = {}
    seen: set[Path] = set()
    for place in places:
        found = files.read(place)
        problems += found.problems
        watched |= dict.fromkeys(found.watched)
        for skill in found.skills:
            real = skill.file.resolve()
            if real in seen:
                continue  # two names for one file: a folder that is a link to another
            seen.add(real)
            if skill.name in taken:
                text = f"/{skill.name} is a command of this program; the model can still use this one"
                problems.append(SkillProblem(str(skill.file), text))
                skill = replace(skill, is_for_user=False)
            named = _named(skill, skills, place)
            if named is None:
                text = f"/{skill.name} is already {skills[skill.name].file}; this one is left out"
                problems.append(SkillProblem(str(skill.file), text, is_left_out=True))
                continue
            skills[named.name] = named
            aliases.setdefault(skill.full_name, named.name)
    ordered = dict(sorted(skills.items()))
    return SkillCatalog(ordered, tuple(problems), exposure or {}, stamps_of(watched), aliases)


def _named(skill: Skill, taken: Mapping[str, Skill], place: SkillPlace) -> Skill | None:
    """Return a skill under a name that is free; None where there is none for it."""
    other = (f"{place.prefix_on_clash}{skill.name}", skill.full_name)
    return next((replace(skill, name=name) for name in (skill.name, *other) if name not in taken), None)
