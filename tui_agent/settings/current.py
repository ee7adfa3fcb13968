"""The settings in force while a session runs: one object that all parts look at, replaced when files were read anew."""

from __future__ import annotations

from tui_agent.settings.load import Settings

__all__ = ["CurrentSettings"]


class CurrentSettings:
    """Holds the settings of one session."""

    def __init__(self, settings: Settings) -> None:
        self._now = settings

    @property
    def now(self) -> Settings:
        """The settings in force."""
        return self._now

    def replace(self, settings: Settings) -> None:
        """Go on with these."""
        self._now = settings
