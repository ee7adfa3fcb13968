"""From the first frame to a session: a key or another way to a model, trust in the folder, then the engine.

Everything that takes time runs in threads, and nothing of the engine is imported before `connect` is called.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from tui_agent.boundary import Engine
    from tui_agent.engine.opening import SessionOptions
    from tui_agent.events import Event
    from tui_agent.model.demo.demo import Demo
    from tui_agent.model.providers.resolve import ModelClients
    from tui_agent.settings.load import Settings
    from tui_agent.settings.problems import Problem
    from tui_agent.settings.schema import SettingsValues
    from tui_agent.ui.engine import StartupPrompter

__all__ = ["Startup"]

_KEYRING_PATIENCE_S: Final = 3.0  # a locked keyring may wait for a password that nobody is asked for
_CALM_S: Final = 1.5  # after the start, before the client's library is imported: first keys come first


@dataclass(frozen=True, slots=True)
class _Given:
    """A way to models that the user gave for this run."""

    api_key: str | None = None
    base_url: str | None = None


@dataclass(frozen=True, slots=True)
class _WayToModels:
    """What leads to models: the user's own settings, and the process's variables with those of the settings on top.

    `is_open` is whether that is enough for the model that is wanted.
    """

    settings: SettingsValues
    environment: dict[str, str]
    is_open: bool

    @classmethod
    def read(cls, options: SessionOptions) -> _WayToModels:
        """Read it; blocks."""
        from tui_agent.model.providers.resolve import resolve
        from tui_agent.settings.load import own_settings

        own = own_settings(options.cwd, inline=options.settings, sources=options.setting_sources)
        environment = {**options.environment, **own.env}
        wanted = options.model or environment.get("ANTHROPIC_MODEL") or own.model or ""
        return cls(own, environment, is_open=not resolve(own, environment).problem(wanted))

    def resolve(self, given: _Given | None = None) -> ModelClients:
        """Return the models it leads to."""
        from tui_agent.model.providers.resolve import resolve

        given = given or _Given()
        return resolve(self.settings, self.environment, api_key=given.api_key, base_url=given.base_url)


class Startup:
    """Makes the session of an app. `demo` names a scenario (empty: the usual one), or is None for real work.

    `make_options` is called in a thread, with the folder to work in where that is not the user's choice; so is `find_record`,
    which gives the journal that is to be taken up. `close` ends what was started on the way; call it when the app has ended.
    """

    def __init__(
        self,
        make_options: Callable[[Path | None], SessionOptions],
        *,
        demo: Demo | None = None,
        find_record: Callable[[], Path | None] = lambda: None,
    ) -> None:
        self._make_options = make_options
        self._find_record = find_record
        self._demo = demo
        self._notices: list[tuple[Literal["info", "warning"], str]] = []
        self._warming: asyncio.Task[None] | None = None
        # The way to a model that the user gave for this run.
        self._given: _Given | None = None

    async def connect(self, prompter: StartupPrompter) -> Engine | None:
        """Return the session, not started yet; None when the user chose to leave.

        Raises:
            SessionConfigError: it cannot start as asked.
            JournalError: its record cannot be written.
        """
        ending = await asyncio.to_thread(_ending, self._find_record)
        if ending:
            prompter.preview(ending)
        options = await asyncio.to_thread(self._make_options, self._demo.folder if self._demo else None)
        if self._demo is None and not await self._settings_can_be_read(prompter, options):
            return None
        models = await self._models(prompter, options)
        if models is None:
            return None
        options = await asyncio.to_thread(self._make_options, self._demo.folder if self._demo else None)
        if options.resume == "":
            chosen = await self._choose(prompter, options)
            if chosen is None:
                return None
            options = chosen
        return await self._open(prompter, options, models)

    async def resume(self, prompter: StartupPrompter, session_id: str, cwd: Path) -> Engine | None:
        """Return a recorded session, not started yet; None when the user chose not to go on with it.

        Model and mode are those it had, whatever the command line says of the session that was first.

        Raises:
            SessionConfigError: it cannot start, or its folder is gone.
            JournalError: it is damaged, or open in another window.
        """
        from dataclasses import replace

        folder = self._demo.folder if self._demo else None
        options = await asyncio.to_thread(self._make_options, folder)
        is_trusted = options.is_trusted if cwd == options.cwd else None
        options = replace(
            options, cwd=cwd, resume=session_id, is_continued=False, model=None, mode=None, is_trusted=is_trusted
        )
        if not await asyncio.to_thread(cwd.is_dir):
            from tui_agent.engine.opening import SessionConfigError

            raise SessionConfigError(f"its folder is gone: {cwd}")
        models = await self._models(prompter, options)
        return None if models is None else await self._open(prompter, options, models)

    async def _choose(self, prompter: StartupPrompter, options: SessionOptions) -> SessionOptions | None:
        """Let the user choose the session to go on with; None: none."""
        from dataclasses import replace

        from tui_agent.settings.places import state_home
        from tui_agent.ui.screens.sessions import SessionsScreen

        info = await prompter.ask(SessionsScreen(options.state or state_home(), options.cwd))
        if info is None:
            return None
        cwd = Path(info.cwd)
        is_trusted = options.is_trusted if cwd == options.cwd else None
        return replace(options, resume=info.id, cwd=cwd, is_trusted=is_trusted)

    async def _open(self, prompter: StartupPrompter, options: SessionOptions, models: ModelClients) -> Engine:
        if options.is_trusted is None:
            options = await self._with_trust(prompter, options)
        opening = await asyncio.to_thread(importlib.import_module, "tui_agent.engine.opening")
        engine: Engine = await opening.open_engine(options, models)
        for level, text in self._notices:
            prompter.notify_later(text, level=level)
        self._notices.clear()
        self._warming = asyncio.create_task(_warm_up(models, engine))
        return engine

    def close(self) -> None:
        """End the demo, if there is one."""
        if self._demo is not None:
            self._demo.close()

    def _note(self, level: Literal["info", "warning"], text: str) -> None:
        """Keep words for the user until there is a conversation to say them in."""
        self._notices.append((level, text))

    async def _models(self, prompter: StartupPrompter, options: SessionOptions) -> ModelClients | None:
        """Return the way to models, asking for one where none is set up for the model that is wanted; None: to leave."""
        if self._demo is not None:
            return await asyncio.to_thread(_models_of, self._demo)
        way = await asyncio.to_thread(_WayToModels.read, options)
        if self._given is not None:
            return way.resolve(self._given)
        if way.is_open:
            return way.resolve()
        from tui_agent.model import keyring_key

        with contextlib.suppress(TimeoutError):
            key = await asyncio.wait_for(asyncio.to_thread(keyring_key.kept), _KEYRING_PATIENCE_S)
            if key:
                return way.resolve(_Given(api_key=key))
        return await self._welcome(prompter, way)

    async def _welcome(self, prompter: StartupPrompter, way: _WayToModels) -> ModelClients | None:
        from tui_agent.model import keyring_key
        from tui_agent.ui.screens.welcome import UseDemo, UseEndpoint, UseKey, WelcomeScreen

        can_keep = False
        with contextlib.suppress(TimeoutError):
            can_keep = await asyncio.wait_for(asyncio.to_thread(keyring_key.can_keep), _KEYRING_PATIENCE_S)
        match await prompter.ask(WelcomeScreen(can_keep=can_keep)):
            case UseKey(key=key, keep=keep):
                problem = await asyncio.to_thread(keyring_key.keep, key) if keep else ""
                if problem:
                    text = f"The keyring did not take the key ({problem}); it is kept for this run only."
                    self._note("warning", text)
                self._given = _Given(api_key=key)
                return way.resolve(self._given)
            case UseEndpoint(url=url):
                self._given = _Given(base_url=url)
                return way.resolve(self._given)
            case UseDemo():
                from tui_agent.model.demo.demo import start_demo

                self._demo = await asyncio.to_thread(start_demo)
                text = f"This is the demo. Say, for example: {self._demo.prompt}"
                self._note("info", text)
                return await asyncio.to_thread(_models_of, self._demo)
            case _:
                return None

    async def _settings_can_be_read(self, prompter: StartupPrompter, options: SessionOptions) -> bool:
        """Whether to go on: all settings files can be read, were mended, or the user wants to do without."""
        while broken := await asyncio.to_thread(_broken_files, options):
            from tui_agent.ui.screens.broken_settings import BrokenSettingsScreen

            way = await prompter.ask(BrokenSettingsScreen(broken))
            if way != "again":
                return way == "without"
        return True

    async def _with_trust(self, prompter: StartupPrompter, options: SessionOptions) -> SessionOptions:
        """Ask about a folder that is not trusted yet, or whose settings are not those that were; then the session goes on."""
        from dataclasses import replace

        settings = await asyncio.to_thread(_unknown_folder, options)
        if settings is None:
            return options
        from tui_agent.settings.trust import trusted_root
        from tui_agent.ui.screens.trust import TrustScreen

        folder = trusted_root(options.cwd)
        screen = TrustScreen(str(folder), settings.wishes, is_changed=settings.is_trusted)
        answer: bool | None = await prompter.ask(screen)
        if answer is not True:
            return replace(options, is_trusted=settings.is_trusted, confirmed=settings.confirmed)
        try:
            await asyncio.to_thread(_remember, options, settings)
        except OSError as error:
            text = f"That {folder} is trusted could not be written down: {error.strerror or error}"
            self._note("warning", text)
        # What was shown, and nothing that has come to the files since.
        confirmed = settings.pending | (settings.confirmed or frozenset())
        return replace(options, is_trusted=True, confirmed=confirmed)


def _ending(find_record: Callable[[], Path | None]) -> list[Event]:
    """Return how a session ends that is to be taken up; empty where none is, or where opening it will say what is wrong."""
    path = find_record()
    if path is None:
        return []
    from tui_agent.journal.load import read_ending

    for name in ("tui_agent.ui.projection.projection", "tui_agent.viewkit.markdown"):  # which showing it needs
        importlib.import_module(name)
    return read_ending(path)


def _models_of(demo: Demo) -> ModelClients:
    from tui_agent.model.providers.resolve import resolve
    from tui_agent.settings.schema import SettingsValues

    return resolve(SettingsValues(), {}, api_key=demo.api_key, base_url=demo.server.base_url)


def _unknown_folder(options: SessionOptions) -> Settings | None:
    """Return the settings of a folder of which not everything counts that it says; None where there is nothing to ask."""
    from tui_agent.settings.load import SettingsError, load_settings

    try:
        settings = load_settings(options.cwd, inline=options.settings, sources=options.setting_sources)
    except SettingsError:
        return None  # opening the session says it better
    return None if settings.is_trusted and not settings.pending else settings


def _remember(options: SessionOptions, settings: Settings) -> None:
    """Record the user's yes. What is confirmed is written first: trust without it would cover whatever is found later.

    Raises:
        OSError: the state folder cannot be written.
    """
    from tui_agent.settings.confirmed import confirm
    from tui_agent.settings.trust import trust

    confirm(options.cwd, settings.pending | (settings.confirmed or frozenset()))
    trust(options.cwd)


def _broken_files(options: SessionOptions) -> tuple[Problem, ...]:
    """Return what is wrong with settings files of which nothing can be read, one problem a file."""
    from tui_agent.settings.load import SettingsError, load_settings

    try:
        settings = load_settings(options.cwd, sources=options.setting_sources, is_trusted=True)
    except SettingsError:
        return ()  # opening the session says it better
    return tuple(problem for problem in settings.problems if problem.is_whole_file)


async def _warm_up(models: ModelClients, engine: Engine) -> None:
    """Import what the first answer needs before there is one: while it streams, imports would hold up keys."""
    from tui_agent.queries import StateQuery

    model = (await engine.query(StateQuery())).model
    await asyncio.sleep(_CALM_S)
    with contextlib.suppress(Exception):  # the first request meets the same trouble, and says so
        await models.prepare(model)
    markdown = await asyncio.to_thread(importlib.import_module, "tui_agent.viewkit.markdown")
    await asyncio.to_thread(markdown.warm_up)
    gc.freeze()  # all of that stays: looking through it for garbage would stop everything for a tenth of a second each time
