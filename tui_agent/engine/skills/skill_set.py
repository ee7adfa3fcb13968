"""The skills of one session: read at its start, again when files have changed, and more as the work goes to where they lie."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tui_agent.context_marks import framed
from tui_agent.engine.context.path_globs import fits
from tui_agent.settings.load import Settings
from tui_agent.settings.watch import stamps_of
from tui_agent.skills.catalog import SkillCatalog, load_catalog
from tui_agent.skills.listing import listing_lines
from tui_agent.skills.places import SkillPlace, nested_places, skill_places
from tui_agent.skills.reading import SkillFiles
from tui_agent.skills.skill import Skill
from tui_agent.slash_commands import NAMES

__all__ = ["LoadedSkills", "SkillLoader", "SkillSet"]

_CHARS_PER_TOKEN: Final = 4
_DEFAULT_CONTEXT: Final = 200_000
_LEAST_BUDGET: Final = 2_000
_INTRODUCTION: Final = (
    "These skills are there. When one fits what is to be done, load it with the Skill tool before you begin; its "
    "instructions come as the result. Do not load one that has been loaded in this conversation already."
)
_MORE: Final = "These skills have come, or have changed:"


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillLoader:
    """Reads the skills that count for a session in `start`, and in `plugins`. With `is_off` there are none."""

    start: Path
    plugins: tuple[SkillPlace, ...] = ()
    is_off: bool = False

    def load(self, settings: Settings, files: SkillFiles, nested: Iterable[SkillPlace] = ()) -> SkillCatalog:
        """Return all there are. Blocks; never raises."""
        if self.is_off:
            return SkillCatalog()
        own = skill_places(self.start, is_trusted=settings.is_trusted)
        exposure = settings.values.skill_overrides
        return load_catalog((*own, *nested, *self.plugins), files, exposure=exposure, reserved=NAMES)

    def begin(self, settings: Settings) -> LoadedSkills:
        """Read them for the first time. Blocks."""
        files = SkillFiles()
        return LoadedSkills(self, files, self.load(settings, files))


@dataclass(frozen=True, slots=True)
class LoadedSkills:
    """The skills as a session begins with them, and what reads them again."""

    loader: SkillLoader
    files: SkillFiles
    catalog: SkillCatalog


class SkillSet:
    """What there is now, and what the model knows of it. `settings` gives those in force."""

    def __init__(
        self,
        loaded: LoadedSkills,
        settings: Callable[[], Settings],
        *,
        context_tokens: int | None = None,
        can_invoke: Callable[[], bool] = lambda: True,
    ) -> None:
        self._loader = loaded.loader
        self._settings = settings
        self._budget_tokens = context_tokens or _DEFAULT_CONTEXT
        self._can_invoke = can_invoke
        self._files = loaded.files
        self._nested: dict[Path, SkillPlace] = {}
        self._worked_on: set[str] = set()  # names of skills with `paths` that a file has fitted
        self._told: dict[str, str] = {}  # what the model knows: names and words
        self._loaded_for: object = None
        self.catalog = loaded.catalog
        self._note_settings()

    def _note_settings(self) -> None:
        now = self._settings()
        self._loaded_for = (now.is_trusted, now.values.skill_overrides)

    async def refresh(self) -> None:
        """Read what has changed, where anything has."""
        now = self._settings()
        same = (now.is_trusted, now.values.skill_overrides) == self._loaded_for
        if same and await asyncio.to_thread(stamps_of, self.catalog.stamps) == self.catalog.stamps:
            return
        self.catalog = await asyncio.to_thread(self._loader.load, now, self._files, tuple(self._nested.values()))
        self._note_settings()

    async def work_on(self, files: Iterable[str]) -> None:
        """Take note of files that a tool has read or changed: skills that lie there, or are about them, count from now on."""
        paths = [Path(file) for file in files]
        start, is_trusted = self._loader.start, self._settings().is_trusted
        places = [
            place
            for path in paths
            for place in nested_places(path, start, is_trusted=is_trusted)
            if place.path not in self._nested
        ]
        if places and not self._loader.is_off:
            self._nested |= {place.path: place for place in places}
            found = await asyncio.to_thread(lambda: [place for place in places if place.path.is_dir()])
            if found:
                settings = self._settings()
                self.catalog = await asyncio.to_thread(
                    self._loader.load, settings, self._files, tuple(self._nested.values())
                )
        for skill in self.catalog.for_model:
            if skill.paths and skill.name not in self._worked_on and any(_is_about(skill, path) for path in paths):
                self._worked_on.add(skill.name)

    # --- what the model is told --------------------------------------------------------------------------------------

    def forget_told(self) -> None:
        """A new conversation begins: the model knows of none."""
        self._told.clear()
        self._worked_on.clear()

    def take_news(self) -> str:
        """Return what the model has to be told of skills that it does not know of, or that are gone; empty for nothing."""
        offered = [] if not self._can_invoke() else [one for one in self.catalog.for_model if self._is_offered(one)]
        values = self._settings().values
        budget = max(_LEAST_BUDGET, int(self._budget_tokens * _CHARS_PER_TOKEN * values.skill_listing_budget_fraction))
        now = {skill.name: skill.words for skill in offered}
        fresh = [skill for skill in offered if self._told.get(skill.name) != skill.words]
        gone = [name for name in self._told if name not in now]
        is_first = not self._told
        self._told = now
        said = []
        if fresh:
            lines = listing_lines(fresh, self.catalog, budget=budget, longest=values.skill_listing_max_desc_chars)
            said.append("\n".join((_INTRODUCTION if is_first else _MORE, *lines)))
        if gone:
            said.append(f"These skills are there no longer: {', '.join(gone)}.")
        return framed("\n".join(said))

    def _is_offered(self, skill: Skill) -> bool:
        return not skill.paths or skill.name in self._worked_on


def _is_about(skill: Skill, path: Path) -> bool:
    return skill.base is not None and fits(path, skill.paths, skill.base)
