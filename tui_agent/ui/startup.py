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
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from tui_agent.boundary import Engine
    from tui_agent.commands import SignIn
    from tui_agent.engine.opening import SessionOptions
    from tui_agent.engine.setup import ModelAccess
    from tui_agent.events import Event
    from tui_agent.model.demo.demo import Demo
    from tui_agent.model.providers.resolve import ModelClients
    from tui_agent.queries import SessionState
    from tui_agent.ui.engine import StartupPrompter
    from tui_agent.ui.screens.welcome import Refusal, UseEndpoint, UseKey

__all__ = ["Startup"]

_KEYRING_PATIENCE_S: Final = 3.0  # a locked keyring may wait for a password that nobody is asked for
_CALM_S: Final = 1.5  # after the start, before the client's library is imported: first keys come first


@dataclass(frozen=True, slots=True)
class _GivenEndpoint:
    """A way to models that the user gave for this run."""

    api_key: str | None = None
    base_url: str | None = None

    def resolve(self, access: ModelAccess) -> ModelClients:
        if self.base_url is not None and self.api_key is None:
            return access.resolve_without_key(self.base_url)
        return access.resolve(api_key=self.api_key, base_url=self.base_url)


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
        self._given: _GivenEndpoint | None = None

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

    async def renew(self, prompter: StartupPrompter, state: SessionState, limit_usd: float | None) -> Engine | None:
        """Return a new session, not started yet, with the folder, model and mode of one that stands at `state`.

        Raises:
            SessionConfigError: it cannot start.
            JournalError: its record cannot be written.
        """
        from tui_agent.engine.opening import options_after_clear

        options = await asyncio.to_thread(self._make_options, self._demo.folder if self._demo else None)
        options = options_after_clear(options, state, limit_usd)
        models = await self._models(prompter, options)
        return None if models is None else await self._open(prompter, options, models)

    async def _choose(self, prompter: StartupPrompter, options: SessionOptions) -> SessionOptions | None:
        """Let the user choose the session to go on with; None: none."""
        from dataclasses import replace

        from tui_agent.engine.recorded_sessions import RecordedSessions
        from tui_agent.ui.screens.sessions import SessionsScreen

        info = await prompter.ask(SessionsScreen(RecordedSessions(options.state, options.cwd), options.cwd))
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

    @property
    def is_demo(self) -> bool:
        """Whether the session is one of the demo, whose project goes with it."""
        return self._demo is not None

    def close(self) -> None:
        """End the demo, if there is one."""
        if self._demo is not None:
            self._demo.close()

    def _note(self, level: Literal["info", "warning"], text: str) -> None:
        """Keep words for the user until there is a conversation to say them in."""
        self._notices.append((level, text))

    async def _models(self, prompter: StartupPrompter, options: SessionOptions) -> ModelClients | None:
        """Return the way to models, asking for one where none is set up for the model that is wanted; None: to leave."""
        from tui_agent.engine.setup import ModelAccess, demo_models

        if self._demo is not None:
            return await asyncio.to_thread(demo_models, self._demo)
        access = await asyncio.to_thread(ModelAccess.read, options)
        if self._given is not None:
            return self._given.resolve(access)
        if access.is_open:
            return access.resolve()
        from tui_agent.model import keyring_key

        with contextlib.suppress(TimeoutError):
            key = await asyncio.wait_for(asyncio.to_thread(keyring_key.kept), _KEYRING_PATIENCE_S)
            if key:
                return access.resolve(api_key=key)
        return await self._welcome(prompter, access)

    async def _welcome(self, prompter: StartupPrompter, access: ModelAccess) -> ModelClients | None:
        from tui_agent.engine.setup import demo_models
        from tui_agent.ui.screens.welcome import UseDemo, UseEndpoint, UseKey, WelcomeScreen

        can_keep = await _can_keep()
        match await prompter.ask(WelcomeScreen(can_keep=can_keep, check=partial(_refusal, access))):
            case UseKey() | UseEndpoint() as choice:
                if problem := await self._take(choice):
                    self._note("warning", problem)
                return _given_by(choice).resolve(access)
            case UseDemo():
                from tui_agent.model.demo.demo import start_demo

                self._demo = await asyncio.to_thread(start_demo)
                text = f"This is the demo. Say, for example: {self._demo.prompt}"
                self._note("info", text)
                return await asyncio.to_thread(demo_models, self._demo)
            case _:
                return None

    async def _take(self, choice: UseKey | UseEndpoint) -> str:
        """Use a key or an address from now on, and keep the key where that is wanted; return what went wrong with that."""
        from tui_agent.model import keyring_key
        from tui_agent.ui.screens.welcome import UseKey

        self._given = _given_by(choice)
        problem = ""
        if isinstance(choice, UseKey) and choice.keep:
            problem = await asyncio.to_thread(keyring_key.keep, choice.key)
        return f"The keyring did not take the key ({problem}); it is kept for this run only." if problem else ""

    async def sign_in(self, prompter: StartupPrompter, problem: str = "") -> tuple[SignIn | None, str]:
        """Ask for a key or a server within a session, and return how to go on with it, with what else there is to say.

        `problem` is why it is asked for.
        """
        from tui_agent.commands import SignIn
        from tui_agent.engine.setup import ModelAccess
        from tui_agent.ui.screens.welcome import UseEndpoint, UseKey, WelcomeScreen

        if self._demo is not None:
            return None, "The demo has its own server, which needs no key."
        options = await asyncio.to_thread(self._make_options, None)
        access = await asyncio.to_thread(ModelAccess.read, options)
        screen = WelcomeScreen(
            problem=problem, can_keep=await _can_keep(), is_within=True, check=partial(_refusal, access)
        )
        match await prompter.ask(screen):
            case UseKey() | UseEndpoint() as choice:
                problem = await self._take(choice)
                given = _given_by(choice)
                return SignIn(given.api_key or "", given.base_url or ""), problem
            case _:
                return None, ""

    async def sign_out(self) -> str:
        """Remove the key that the keyring has, and say what came of it."""
        from tui_agent.model import keyring_key

        if await asyncio.to_thread(keyring_key.forget):
            return "The key was removed from the system keyring. This session still uses it."
        return "The system keyring has no key of tui-agent."

    async def _settings_can_be_read(self, prompter: StartupPrompter, options: SessionOptions) -> bool:
        """Whether to go on: all settings files can be read, were mended, or the user wants to do without."""
        from tui_agent.engine.setup import broken_files

        while broken := await asyncio.to_thread(broken_files, options):
            from tui_agent.ui.screens.broken_settings import BrokenSettingsScreen

            way = await prompter.ask(BrokenSettingsScreen(broken))
            if way != "again":
                return way == "without"
        return True

    async def _with_trust(self, prompter: StartupPrompter, options: SessionOptions) -> SessionOptions:
        """Ask about a folder that is not trusted yet, or whose settings are not those that were; then the session goes on."""
        from dataclasses import replace

        from tui_agent.engine.setup import untrusted_folder

        folder = await asyncio.to_thread(untrusted_folder, options)
        if folder is None:
            return options
        from tui_agent.ui.screens.trust import TrustScreen

        screen = TrustScreen(folder.root, folder.withheld, is_changed=folder.is_trusted)
        answer: bool | None = await prompter.ask(screen)
        if answer is not True:
            return replace(options, is_trusted=folder.is_trusted, confirmed=folder.confirmed_before)
        try:
            await asyncio.to_thread(folder.remember)
        except OSError as error:
            text = f"That {folder.root} is trusted could not be saved: {error.strerror or error}"
            self._note("warning", text)
        return replace(options, is_trusted=True, confirmed=folder.confirmed)


def _given_by(choice: UseKey | UseEndpoint) -> _GivenEndpoint:
    from tui_agent.ui.screens.welcome import UseKey

    return _GivenEndpoint(api_key=choice.key) if isinstance(choice, UseKey) else _GivenEndpoint(base_url=choice.url)


async def _can_keep() -> bool:
    """Whether there is a keyring that answers."""
    from tui_agent.model import keyring_key

    with contextlib.suppress(TimeoutError):
        return await asyncio.wait_for(asyncio.to_thread(keyring_key.can_keep), _KEYRING_PATIENCE_S)
    return False


async def _refusal(access: ModelAccess, choice: UseKey | UseEndpoint) -> Refusal:
    """Ask the endpoint for its models, and return what it has against a key, or why it does not answer."""
    from tui_agent.engine.setup import try_out
    from tui_agent.ui.screens.welcome import Refusal

    words, is_final = await try_out(_given_by(choice).resolve(access))
    return Refusal(words, is_final)


def _ending(find_record: Callable[[], Path | None]) -> list[Event]:
    """Return how a session ends that is to be taken up; empty where none is, or where opening it will say what is wrong."""
    path = find_record()
    if path is None:
        return []
    from tui_agent.engine.setup import recorded_ending

    for name in ("tui_agent.ui.projection.projection", "tui_agent.viewkit.markdown"):  # which showing it needs
        importlib.import_module(name)
    return recorded_ending(path)


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
