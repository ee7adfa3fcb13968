"""What is settled before an engine is opened: a way to models, settings that can be read, trust in the folder.

A front end shows what is found here and asks the user; nothing here asks anybody. Most of it reads files and blocks. Nothing
heavy is imported before it is needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tui_agent.engine.opening import SessionOptions
    from tui_agent.events import Event
    from tui_agent.model.demo.demo import Demo
    from tui_agent.model.providers.resolve import ModelClients
    from tui_agent.settings.load import Settings
    from tui_agent.settings.problems import Problem
    from tui_agent.settings.schema import SettingsValues
    from tui_agent.settings.withheld_settings import WithheldSetting

__all__ = [
    "ModelAccess",
    "UntrustedFolder",
    "broken_files",
    "demo_models",
    "recorded_ending",
    "try_out",
    "untrusted_folder",
]


@dataclass(frozen=True, slots=True)
class ModelAccess:
    """What leads to models: the user's own settings, and the process's variables with those of the settings on top.

    `is_open` is whether that is enough for the model that is wanted.
    """

    settings: SettingsValues
    environment: dict[str, str]
    wanted: str
    is_open: bool

    @classmethod
    def read(cls, options: SessionOptions) -> ModelAccess:
        """Read it; blocks."""
        from tui_agent.model.providers.resolve import resolve
        from tui_agent.settings.load import own_settings

        own = own_settings(options.cwd, inline=options.settings, sources=options.setting_sources)
        environment = {**options.environment, **own.env}
        wanted = options.model or environment.get("ANTHROPIC_MODEL") or own.model or ""
        return cls(own, environment, wanted, is_open=not resolve(own, environment).problem(wanted))

    def resolve(self, *, api_key: str | None = None, base_url: str | None = None) -> ModelClients:
        """Return the models it leads to, with a key or an address that were given for this run."""
        from tui_agent.model.providers.resolve import resolve

        return resolve(self.settings, self.environment, api_key=api_key, base_url=base_url)

    def resolve_without_key(self, base_url: str) -> ModelClients:
        """Return the models of a server that gets no key: those of the environment are for another one."""
        from tui_agent.model.providers.resolve import resolve, without_keys

        return resolve(self.settings, without_keys(self.environment), base_url=base_url)


async def try_out(models: ModelClients) -> tuple[str, bool]:
    """Ask an endpoint for its models: return what is wrong (nothing: empty), and whether it was the endpoint that said so.

    What was tried is closed.
    """
    from tui_agent.model.protocol import ModelError

    try:
        await models.list_models()
    except ModelError as error:
        return error.message, error.kind in ("authentication", "permission", "billing")
    finally:
        await models.close()
    return "", False


def demo_models(demo: Demo) -> ModelClients:
    """Return the models of a demo's own server."""
    from tui_agent.model.providers.resolve import resolve
    from tui_agent.settings.schema import SettingsValues

    return resolve(SettingsValues(), {}, api_key=demo.api_key, base_url=demo.server.base_url)


def recorded_ending(journal: Path) -> list[Event]:
    """Return how a recorded session ends; empty where opening it will say what is wrong. Blocks."""
    from tui_agent.journal.load import read_ending

    return read_ending(journal)


# --- settings --------------------------------------------------------------------------------------------------------


def broken_files(options: SessionOptions) -> tuple[Problem, ...]:
    """Return what is wrong with settings files of which nothing can be read, one problem a file. Blocks."""
    from tui_agent.settings.load import SettingsError, load_settings

    try:
        settings = load_settings(options.cwd, sources=options.setting_sources, is_trusted=True)
    except SettingsError:
        return ()  # opening the session says it better
    return tuple(problem for problem in settings.problems if problem.is_whole_file)


@dataclass(frozen=True, slots=True)
class UntrustedFolder:
    """A folder of which not everything counts that its settings say. `root` is what trust would be in."""

    root: str
    _cwd: Path
    _settings: Settings

    @property
    def withheld(self) -> tuple[WithheldSetting, ...]:
        """What its settings want."""
        return self._settings.withheld

    @property
    def is_trusted(self) -> bool:
        """Whether it was trusted before, and its settings have changed since."""
        return self._settings.is_trusted

    @property
    def confirmed_before(self) -> frozenset[str] | None:
        """The hashes of what was confirmed before."""
        return self._settings.confirmed

    @property
    def confirmed(self) -> frozenset[str]:
        """The hashes of what a yes confirms: what was found here, and nothing that comes to the files later."""
        return self._settings.pending | (self._settings.confirmed or frozenset())

    def remember(self) -> None:
        """Record the user's yes. What is confirmed is written first: trust without it would cover whatever is found later.

        Raises:
            OSError: the state folder cannot be written.
        """
        from tui_agent.settings.confirmed import confirm
        from tui_agent.settings.trust import trust

        confirm(self._cwd, self.confirmed)
        trust(self._cwd)


def untrusted_folder(options: SessionOptions) -> UntrustedFolder | None:
    """Return the folder if not everything counts that its settings say; None where there is nothing to ask. Blocks."""
    from tui_agent.settings.load import SettingsError, load_settings
    from tui_agent.settings.trust import trusted_root

    try:
        settings = load_settings(options.cwd, inline=options.settings, sources=options.setting_sources)
    except SettingsError:
        return None  # opening the session says it better
    if settings.is_trusted and not settings.pending:
        return None
    return UntrustedFolder(str(trusted_root(options.cwd)), options.cwd, settings)
