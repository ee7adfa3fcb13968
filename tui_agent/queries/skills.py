"""What may be asked of skills and commands: which there are, for the list after `/` and for the screen that lists them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tui_agent.plain import Plain
from tui_agent.queries.query import Query

__all__ = ["SkillList", "SkillRow", "SkillsQuery"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class SkillRow(Plain):
    """A skill or a command: what it is called after `/`, what it is for, what may follow it, and where it comes from.

    `full_name` is the name with the subfolder that a command lies in: `frontend:component`.

    `words`, `argument_hint` and the names are foreign text. `is_for_user` says that it is offered after `/`, `is_for_model`
    that the model may invoke it. `allows` are the rules that count while it is followed. `notes` say what of its file does not
    count.
    """

    name: str
    full_name: str
    kind: Literal["skill", "command"]
    place: str
    file: str
    words: str = ""
    argument_hint: str = ""
    is_for_user: bool = True
    is_for_model: bool = True
    is_trusted: bool = True
    allows: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    model: str = ""
    notes: tuple[str, ...] = ()

    @property
    def facts(self) -> tuple[str, ...]:
        """What there is to know of it besides, in a few words each."""
        who = {(True, True): "", (True, False): "only you can invoke it", (False, True): "only the model can invoke it"}
        said = (
            f"{self.kind}, {self.place}",
            who.get((self.is_for_user, self.is_for_model), "turned off"),
            f"for {' '.join(self.paths)}" if self.paths else "",
            f"with {self.model}" if self.model else "",
            f"allows {', '.join(self.allows)}" if self.allows else "",
        )
        return tuple(filter(None, said))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SkillList(Plain):
    """All of them, by name. `left_out` says of each file that cannot be used why, and what else of files does not count."""

    skills: tuple[SkillRow, ...] = ()
    left_out: tuple[str, ...] = ()

    def takes(self, name: str) -> bool:
        """Whether a message may begin with this name after `/`."""
        return any(row.is_for_user and name in (row.name, row.full_name) for row in self.skills)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SkillsQuery(Query[SkillList | None]):
    """Which skills and commands are there? With `is_fresh`, files are looked at first. Null in a recording."""

    is_fresh: bool = False
