"""The current agent types of a session, and their description for the model.

Files are read at the start, and again before a message where one has changed. The tool list that a conversation began with
stays as it is, so that the prompt cache holds; what has come or gone since is told with the next message.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from tui_agent.context_marks import framed
from tui_agent.settings.load import load_settings
from tui_agent.subagents.catalog import AgentCatalog
from tui_agent.subagents.definition import AgentDefinition
from tui_agent.subagents.places import AgentPlace, agent_places
from tui_agent.subagents.reading import AgentFiles
from tui_agent.text import clean_line
from tui_agent.tools.agents import AgentType

__all__ = ["AgentTypes", "agent_catalog"]


def agent_catalog(cwd: Path, *, inline: str | None = None) -> AgentCatalog:
    """Return the types of agents that a session in `cwd` would have; blocks.

    Raises:
        SettingsError: the settings given on the command line cannot be used.
    """
    types = AgentTypes(agent_places(cwd, is_trusted=load_settings(cwd, inline=inline).is_trusted))
    types.read()
    return types.now


class AgentTypes:
    """One session's. `given` are the types of the command line; `places` are read by `read`, not before."""

    def __init__(self, places: Sequence[AgentPlace] = (), *, given: Sequence[AgentDefinition] = ()) -> None:
        self._places = tuple(places)
        self._given = tuple(given)
        self._files = AgentFiles()
        self._now = AgentCatalog.of(self._given)
        self._told: tuple[str, ...] | None = None  # the names that the model knows of

    @property
    def now(self) -> AgentCatalog:
        """The types there are."""
        return self._now

    def read(self) -> None:
        """Read all files; blocks."""
        found, problems, held_back = self._files.read(self._places)
        self._now = AgentCatalog.of((*self._given, *found), problems=problems, held_back=held_back)

    async def reload(self) -> None:
        """Read the files anew if one has changed."""
        if self._places:
            await asyncio.to_thread(self._read_changed)

    def _read_changed(self) -> None:
        if self._files.has_changed():
            self.read()

    # --- for the model -----------------------------------------------------------------------------------------------

    def for_model(self, is_denied: Callable[[str], bool] = lambda _name: False) -> tuple[AgentType, ...]:
        """Return the types that no rule forbids, sorted by name."""
        return tuple(
            AgentType(one.name, one.description, one.tools_text) for one in self._now.types if not is_denied(one.name)
        )

    def begin(self) -> None:
        """A conversation begins: its tool list names the types there are."""
        self._told = self._now.names

    def take_news(self) -> str:
        """Return, once, what the model has to be told of types that came or went; empty where there is nothing."""
        names, told = self._now.names, self._told
        self._told = names
        if told is None or names == told:
            return ""
        said = [f"{one.name}: {clean_line(one.description, 400)}" for one in self._now.types if one.name not in told]
        lines = [f"More types of agents can be started: {'; '.join(said)}."] if said else []
        gone = [name for name in told if name not in names]
        lines += [f"These types of agents are not there any more: {', '.join(gone)}."] if gone else []
        return framed("\n".join(lines))
