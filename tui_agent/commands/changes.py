"""Commands about what the session has changed in files."""

from __future__ import annotations

from dataclasses import dataclass

from tui_agent.commands.command import Command
from tui_agent.plain import Plain
from tui_agent.queries.changes import UndoPlan

__all__ = ["Undo", "Undone"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Undone(Plain):
    """The file was put back; or it was not, and `plan` is what undoing it would do now, or says why it cannot be done."""

    plan: UndoPlan | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Undo(Command[Undone]):
    """Take back what the session did to a file, as the plan with this id said; nothing where the file has changed since."""

    path: str
    plan_id: str
