"""The types of agents of a session: the built-in ones and those of files, of which the strongest source of a name counts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from tui_agent.subagents.builtin import BUILTIN
from tui_agent.subagents.definition import AgentDefinition, AgentSource

__all__ = ["AgentCatalog", "AgentProblem"]

# The strongest first; of two of the same source the one that was read first counts.
_SOURCES: Final[tuple[AgentSource, ...]] = ("policy", "cli", "project", "user", "plugin", "built-in")


@dataclass(frozen=True, slots=True)
class AgentProblem:
    """An agent file that does not count, or a part of one: which, and why."""

    file: str
    text: str

    def __str__(self) -> str:
        return f"{self.file}: {self.text}"


@dataclass(frozen=True, slots=True)
class AgentCatalog:
    """All types. `others` are those that do not count because a stronger source has one of the same name.

    `held_back` are files of a folder that is not trusted: nothing of them is used.
    """

    types: tuple[AgentDefinition, ...] = BUILTIN
    others: tuple[AgentDefinition, ...] = ()
    problems: tuple[AgentProblem, ...] = ()
    held_back: tuple[str, ...] = field(default=())

    @classmethod
    def of(
        cls,
        definitions: Iterable[AgentDefinition],
        *,
        problems: Iterable[AgentProblem] = (),
        held_back: Iterable[str] = (),
    ) -> AgentCatalog:
        """Return a catalog of these and the built-in types."""
        found: dict[str, AgentDefinition] = {}
        others: list[AgentDefinition] = []
        for one in sorted((*definitions, *BUILTIN), key=lambda one: _SOURCES.index(one.source)):
            if one.name in found:
                others.append(one)
            else:
                found[one.name] = one
        types = tuple(found[name] for name in sorted(found, key=str.casefold))
        return cls(types, tuple(others), tuple(problems), tuple(held_back))

    def find(self, name: str) -> AgentDefinition | None:
        """Return the type of this name; where none has it, the one whose name differs in case alone."""
        exact = next((one for one in self.types if one.name == name), None)
        return exact or next((one for one in self.types if one.name.casefold() == name.casefold()), None)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all types, sorted."""
        return tuple(one.name for one in self.types)
