"""The environment variables of a session's commands: the process's own, the settings', what hooks left, and who runs them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

from tui_agent.settings.load import Settings
from tui_agent.tools.base import Limits

__all__ = ["CommandEnvironment"]

# What the user's settings set is for commands too, but not the keys to the model.
_OWN_KEYS: Final = frozenset({"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"})


class CommandEnvironment:
    """The variables of the moment; each change makes new objects, so that what a running command was given stays as it was."""

    def __init__(self, settings: Settings, *, session_id: str) -> None:
        self._told = _told_to_commands(session_id)
        self._left: dict[str, str] = {}
        self._variables: Mapping[str, str] = {}
        self._kept_names: frozenset[str] = frozenset()
        self._limits = Limits()
        self.reload(settings)

    @property
    def variables(self) -> Mapping[str, str]:
        """All variables."""
        return self._variables

    @property
    def kept_names(self) -> frozenset[str]:
        """Variables that commands get although they look like secrets, as the user or a hook named them."""
        return self._kept_names

    @property
    def limits(self) -> Limits:
        """The limits of tools that variables set."""
        return self._limits

    def add(self, found: Mapping[str, str]) -> None:
        """Let later commands have these variables, which hooks left."""
        self._left = {**self._left, **found}
        self._variables = {**self._variables, **found}
        self._kept_names |= frozenset(found)

    def reload(self, settings: Settings) -> None:
        """Go on with the variables of these settings."""
        self._variables = {**os.environ, **settings.values.env, **self._left, **self._told}
        self._kept_names = frozenset((*settings.values.env, *self._left)) - _OWN_KEYS
        self._limits = Limits.from_environment(self._variables)


def _told_to_commands(session_id: str) -> dict[str, str]:
    """Return the variables by which a command knows that an agent runs it, and in which session; scripts look for them."""
    told = {"CLAUDECODE": "1"}
    return {**told, "CLAUDE_CODE_SESSION_ID": session_id, "TUI_AGENT_SESSION_ID": session_id} if session_id else told
