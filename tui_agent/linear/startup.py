"""From the start to a session, asked line by line: settings that cannot be read, a way to a model, which session, trust."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tui_agent.linear.asker import Choice
from tui_agent.linear.sessions import choose_session
from tui_agent.linear.withheld import withheld_lines
from tui_agent.text import clean_line, reveal

if TYPE_CHECKING:
    from tui_agent.boundary import Engine
    from tui_agent.commands import SignIn
    from tui_agent.engine.opening import SessionOptions
    from tui_agent.engine.setup import ModelAccess
    from tui_agent.linear.asker import Asker
    from tui_agent.model.demo.demo import Demo
    from tui_agent.model.providers.resolve import ModelClients
    from tui_agent.queries import SessionState

__all__ = ["Startup"]

_KEYRING_PATIENCE_S: Final = 3.0  # a locked keyring may wait for a password that nobody is asked for


_WAYS: Final = (
    Choice("key", "Enter an API key"),
    Choice("endpoint", "Use a server at an address, without a key"),
)


@dataclass(frozen=True, slots=True)
class _Given:
    """A way to models that the user gave for this run."""

    api_key: str | None = None
    base_url: str | None = None

    def resolve(self, access: ModelAccess) -> ModelClients:
        if self.base_url is not None and self.api_key is None:
            return access.resolve_without_key(self.base_url)
        return access.resolve(api_key=self.api_key, base_url=self.base_url)


class Startup:
    """Makes sessions. `make_options` is called with the folder to work in, where that is not the user's choice.

    `demo` is the one that was asked for; `close` ends whichever there is.
    """

    def __init__(
        self, asker: Asker, make_options: Callable[[Path | None], SessionOptions], *, demo: Demo | None = None
    ) -> None:
        self._asker = asker
        self._make_options = make_options
        self.demo = demo
        self._given: _Given | None = None

    async def connect(self) -> Engine | None:
        """Return the session, not started yet; None where the user chose to leave.

        Raises:
            SessionConfigError: it cannot start as asked.
            JournalError: its record cannot be written.
            EndOfInputError: the input ended before it was clear how.
        """
        options = self._make_options(self.demo.folder if self.demo else None)
        if self.demo is None and not await self._settings_can_be_read(options):
            return None
        models = await self._models(options)
        if models is None:
            return None
        options = self._make_options(self.demo.folder if self.demo else None)
        if options.resume == "":
            from tui_agent.engine.recorded_sessions import RecordedSessions

            chosen = await choose_session(RecordedSessions(options.state, options.cwd), self._asker)
            if chosen is None:
                return None
            cwd = Path(chosen.cwd)
            is_trusted = options.is_trusted if cwd == options.cwd else None
            options = replace(options, resume=chosen.id, cwd=cwd, is_trusted=is_trusted)
        return await self._open(options, models)

    async def resume(self, session_id: str, cwd: Path) -> Engine | None:
        """Return a recorded session, not started yet, with the model and mode it had.

        Raises:
            SessionConfigError: it cannot start, or its folder is gone.
            JournalError: it is damaged, or open elsewhere.
            EndOfInputError: the input ended.
        """
        from tui_agent.engine.opening import SessionConfigError

        options = self._make_options(self.demo.folder if self.demo else None)
        is_trusted = options.is_trusted if cwd == options.cwd else None
        options = replace(
            options, cwd=cwd, resume=session_id, is_continued=False, model=None, mode=None, is_trusted=is_trusted
        )
        if not await asyncio.to_thread(cwd.is_dir):
            raise SessionConfigError(f"its folder is gone: {cwd}")
        models = await self._models(options)
        return None if models is None else await self._open(options, models)

    async def renew(self, state: SessionState, limit_usd: float | None) -> Engine | None:
        """Return a new session, not started yet, with the folder, model and mode of one that stands at `state`.

        Raises:
            SessionConfigError: it cannot start.
            JournalError: its record cannot be written.
            EndOfInputError: the input ended.
        """
        from tui_agent.engine.opening import options_after_clear

        options = options_after_clear(self._make_options(self.demo.folder if self.demo else None), state, limit_usd)
        models = await self._models(options)
        return None if models is None else await self._open(options, models)

    async def sign_in(self) -> SignIn | None:
        """Ask for a key or a server, try it at once, and return the command that takes it; None where the user goes back.

        Raises:
            EndOfInputError: the input ended.
        """
        from tui_agent.commands import SignIn
        from tui_agent.engine.setup import ModelAccess

        if self.demo is not None:
            self._asker.say("The demo has its own server, which needs no key.")
            return None
        access = await asyncio.to_thread(ModelAccess.read, self._make_options(None))
        choices = [*_WAYS, Choice("back", "Go back", ("b",))]
        while True:
            match await self._asker.choose(choices):
                case "key" if await self._enter_key(access):
                    break
                case "endpoint" if await self._enter_address(access):
                    break
                case "back":
                    return None
                case _:
                    pass
        assert self._given is not None
        return SignIn(self._given.api_key or "", self._given.base_url or "")

    async def sign_out(self) -> str:
        """Remove the key that the keyring has, and say what came of it."""
        from tui_agent.model import keyring_key

        if await asyncio.to_thread(keyring_key.forget):
            return "The key was removed from the system keyring. This session still uses it."
        return "The system keyring has no key of tui-agent."

    def close(self) -> None:
        """End the demo, if there is one."""
        if self.demo is not None:
            self.demo.close()

    async def _open(self, options: SessionOptions, models: ModelClients) -> Engine:
        from tui_agent.engine.opening import open_engine

        if options.is_trusted is None:
            options = await self._with_trust(options)
        return await open_engine(options, models)

    # --- a way to a model --------------------------------------------------------------------------------------------

    async def _models(self, options: SessionOptions) -> ModelClients | None:
        from tui_agent.engine.setup import ModelAccess, demo_models

        if self.demo is not None:
            return await asyncio.to_thread(demo_models, self.demo)
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
        return await self._welcome(access)

    async def _welcome(self, access: ModelAccess) -> ModelClients | None:
        while True:
            choices = [
                *_WAYS,
                Choice("demo", "Try the demo: an embedded model and a scratch project"),
                Choice("quit", "Quit", ("q",)),
            ]
            picked = await self._asker.choose(
                choices,
                show=lambda: self._asker.say("Welcome to tui-agent. No key is set. How do you want to reach a model?"),
            )
            match picked:
                case "key":
                    if await self._enter_key(access):
                        break
                case "endpoint":
                    if await self._enter_address(access):
                        break
                case "demo":
                    return await self._start_demo()
                case _:
                    return None
        assert self._given is not None
        return self._given.resolve(access)

    async def _enter_address(self, access: ModelAccess) -> bool:
        """Take the address of a server; whether there is one."""
        url = await self._asker.text("Address, such as http://127.0.0.1:8080 (just Enter goes back): ")
        if not url:
            return False
        if not url.startswith(("http://", "https://")):
            self._asker.say("An address begins with http:// or https://.")
            return False
        return await self._accepts(_Given(base_url=url), access)

    async def _accepts(self, given: _Given, access: ModelAccess) -> bool:
        """Try a way to models at once, and take it unless the endpoint refuses it, or the user thinks better of it."""
        from tui_agent.engine.setup import try_out

        problem, is_refused = await try_out(given.resolve(access))
        if problem:
            self._asker.say(f"It does not work: {clean_line(problem, 500)}")
            if is_refused or not await self._asker.confirm("Use it all the same?"):
                return False
        self._given = given
        return True

    async def _enter_key(self, access: ModelAccess) -> bool:
        """Take a key; whether there is one."""
        from tui_agent.model import keyring_key

        key = await self._asker.secret("API key (it is not shown; just Enter goes back): ")
        if not key:
            return False
        if not await self._accepts(_Given(api_key=key), access):
            return False
        can_keep = False
        with contextlib.suppress(TimeoutError):
            can_keep = await asyncio.wait_for(asyncio.to_thread(keyring_key.can_keep), _KEYRING_PATIENCE_S)
        if can_keep and await self._asker.confirm("Keep it in the system's keyring?"):
            problem = await asyncio.to_thread(keyring_key.keep, key)
            if problem:
                self._asker.say(f"The keyring did not take the key ({clean_line(problem, 300)}).")
        self._asker.say("The key is used for this run.")
        return True

    async def _start_demo(self) -> ModelClients:
        from tui_agent.engine.setup import demo_models
        from tui_agent.model.demo.demo import start_demo

        self.demo = await asyncio.to_thread(start_demo)
        self._asker.say(f"This is the demo. Say, for example: {self.demo.prompt}")
        return await asyncio.to_thread(demo_models, self.demo)

    # --- settings and trust ------------------------------------------------------------------------------------------

    async def _settings_can_be_read(self, options: SessionOptions) -> bool:
        """Whether to go on: all settings files can be read, were mended, or the user wants to do without."""
        from tui_agent.engine.setup import broken_files

        while broken := await asyncio.to_thread(broken_files, options):

            def show() -> None:
                self._asker.say("These settings files cannot be read:")
                for problem in broken:
                    self._asker.say(f"  {clean_line(str(problem), 1000)}")
                self._asker.say(
                    "If you continue, nothing in them applies, including deny and ask rules, hooks and limits."
                )

            choices = [
                Choice("again", "Read them again: you have mended them"),
                Choice("without", "Continue without them"),
                Choice("quit", "Quit", ("q",)),
            ]
            way = await self._asker.choose(choices, show=show)
            if way != "again":
                return way == "without"
        return True

    async def _with_trust(self, options: SessionOptions) -> SessionOptions:
        """Ask about a folder that is not trusted yet, or whose settings are not those that were; then the session goes on."""
        from tui_agent.engine.setup import untrusted_folder

        folder = await asyncio.to_thread(untrusted_folder, options)
        if folder is None:
            return options

        def show() -> None:
            asker = self._asker
            changed = "the changed settings of this folder" if folder.is_trusted else "this folder"
            asker.say(f"Do you trust {changed}? {reveal(folder.root)}")
            if folder.withheld:
                asker.say("Its settings ask for the following. None of it applies until you say yes.")
                asker.say_all(withheld_lines(folder.withheld, folder.root))
            if not folder.is_trusted:
                things = "these settings do such things" if folder.withheld else "its settings run commands"
                asker.say(f"Trust lets {things} without asking you. When they change, you are asked again.")
                asker.say(
                    "Deny and ask rules always apply. Until you trust this folder, no hooks run, including yours."
                )

        choices = [Choice("yes", "Yes, trust it", ("y",)), Choice("no", "No, continue without", ("n",))]
        if await self._asker.choose(choices, show=show) != "yes":
            return replace(options, is_trusted=folder.is_trusted, confirmed=folder.confirmed_before)
        try:
            await asyncio.to_thread(folder.remember)
        except OSError as error:
            self._asker.say(f"That {reveal(folder.root)} is trusted could not be saved: {error.strerror or error}")
        return replace(options, is_trusted=True, confirmed=folder.confirmed)
