"""Carries out the commands that a user types after `/` or takes from the palette."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from tui_agent import slash_commands
from tui_agent.commands import RunTool, Submit
from tui_agent.queries import SessionsQuery, SkillsQuery
from tui_agent.slash_hints import hint_for
from tui_agent.ui.report_commands import ReportCommands
from tui_agent.ui.session_commands import SessionCommands
from tui_agent.ui.switch_commands import SwitchCommands
from tui_agent.ui.work_commands import WorkCommands

if TYPE_CHECKING:
    from tui_agent.boundary import Engine
    from tui_agent.commands import Done, Reply
    from tui_agent.queries import SkillList
    from tui_agent.ui.engine import Access
    from tui_agent.ui.prompting.palette_search import PaletteEntry
    from tui_agent.ui.session_app import SessionApp

__all__ = ["CommandRunner"]

_NO_ACCESS: Final = "Keys are not used here."
_RECENT: Final = 30  # sessions in the palette


class CommandRunner:
    """Finds a command by its name, and knows what may follow it. Groups of commands have modules of their own.

    `list_models` reads the settings and returns the names of models with words on them, for the chooser.
    `keep_theme` and `keep_model` keep what was chosen for later runs; without `keep_model` a model counts for this one.
    `edit_keybindings` opens the user's own bindings in their editor; `copy` sends text to the clipboard, with what it is.
    """

    def __init__(
        self,
        app: SessionApp,
        list_models: Callable[[], Iterable[tuple[str, str]]],
        *,
        keep_theme: Callable[[str], None],
        keep_model: Callable[[str], None] | None,
        edit_keybindings: Callable[[], Coroutine[Any, Any, None]],
        copy: Callable[[str, str], None],
        sign_in: Callable[[], object],
        access: Access | None,
    ) -> None:
        self._app = app
        self._list_models = list_models
        self._models: tuple[tuple[str, str], ...] = ()
        self._models_of: tuple[str, int] | None = (
            None  # the session and the version of its settings that they were read in
        )
        self._edit_keybindings = edit_keybindings
        self._access = access
        self._values: dict[str, Sequence[tuple[str, str]]] = {}
        self._doers: dict[str, Callable[[str], object]] = {
            "help": self._help,
            "login": lambda _: sign_in() if access is not None else self._app.notify_user(_NO_ACCESS),
            "logout": self._logout,
            "tasks": self._tasks,
            "tool": self._tool,
            "keybindings": self._keybindings,
            "quit": self._quit,
            **SessionCommands(app).doers,
            **ReportCommands(app).doers,
            **SwitchCommands(app, self.models, keep_theme=keep_theme, keep_model=keep_model).doers,
            **WorkCommands(app, copy=copy).doers,
        }

    def run(self, name: str, argument: str = "") -> None:
        """Carry out a command, or say that there is none of this name."""
        command = slash_commands.find(name)
        if command is not None:
            self._doers[command.name](argument)
        elif (engine := self._app.engine) is None:
            self._notify_unknown(name)
        elif name.startswith("mcp__"):
            engine.send(Submit(f"/{name} {argument}".rstrip()))  # a prompt of a server
        else:
            engine.query(SkillsQuery(is_fresh=True)).then(partial(self._invoke, engine, name, argument))

    def _invoke(self, engine: Engine, name: str, argument: str, found: SkillList | None) -> None:
        """Invoke a skill of the session's, which the engine puts in the place of the message; or say that there is none."""
        if found is not None and found.takes(name):
            engine.send(Submit(f"/{name} {argument}".strip()))
        else:
            self._notify_unknown(name)

    def _notify_unknown(self, name: str) -> None:
        if hint := hint_for(name):
            self._app.notify_user(f"There is no /{name} here.", hint, level="info")
        else:
            self._app.notify_user(f"No command is named /{name}.", "Type / to see the commands.")

    def models(self) -> Sequence[tuple[str, str]]:
        """Return the models that can be chosen. Settings are read once for each session, and again when they have changed."""
        now = (self._app.session_id, self._app.projection.status.settings_version)
        if now != self._models_of:
            self._models, self._models_of = tuple(self._list_models()), now
        return self._models

    def values(self, name: str) -> Sequence[tuple[str, str]]:
        """Return what may follow a command, with words on it; nothing where that cannot be listed."""
        if name == "model":
            return self.models()
        if name not in self._values:
            self._values[name] = tuple(self._list_values(name))
        return self._values[name]

    def _list_values(self, name: str) -> Iterable[tuple[str, str]]:
        match name:
            case "theme":
                return [
                    ("auto", "light or dark, as in the terminal"),
                    *((theme, "") for theme in sorted(self._app.available_themes)),
                ]
            case "mode":
                from tui_agent.ui.screens.choosers import ModeChooser

                return [(choice.value, choice.detail) for choice in ModeChooser.MODES]
            case _:
                command = slash_commands.find(name)
                return [(word, "") for word in command.choices] if command is not None else ()

    def open_palette(self) -> None:
        """Show all that can be done, and do what is taken."""
        from tui_agent.ui.palette_entries import entries
        from tui_agent.ui.screens.palette import PaletteScreen

        def do(entry: PaletteEntry | None) -> None:
            if entry is not None:
                done = entry.run()
                if inspect.isawaitable(done):
                    self._app.run_worker(_finish(done), group="palette", exit_on_error=False)

        self._app.push_screen(PaletteScreen(entries(self._app, self.models(), self.run), self._recent), do)

    async def _recent(self) -> Sequence[PaletteEntry]:
        """Return the sessions of this folder that were used last."""
        from tui_agent.ui.prompting.palette_search import PaletteEntry

        engine, session_id = self._app.engine, self._app.session_id
        if engine is None or not session_id:
            return ()
        others = [info for info in (await engine.query(SessionsQuery())).sessions if info.id != session_id]
        return [
            PaletteEntry(
                "session",
                info.first_message or "(no message)",
                "resume it",
                "",
                partial(self.run, "resume", info.id),
            )
            for info in others[:_RECENT]
        ]

    def _help(self, _argument: str) -> None:
        from tui_agent.ui.screen_text.help_text import place_of, sections
        from tui_agent.ui.screens.help import HelpScreen
        from tui_agent.ui.terminal.shown_keys import named_keys

        screen = self._app.screen
        keys = sections(partial(named_keys, self._app))
        self._app.push_screen(HelpScreen(keys, at=place_of(screen, screen.focused)))

    def _logout(self, _argument: str) -> None:
        async def sign_out(access: Access) -> None:
            self._app.notify_user(await access.sign_out(), level="info")

        if self._access is None:
            self._app.notify_user(_NO_ACCESS)
        else:
            self._app.run_worker(sign_out(self._access), group="access", exit_on_error=False)

    def _tasks(self, _argument: str) -> None:
        self._app.show_jobs()

    def _tool(self, line: str) -> None:
        engine = self._app.engine
        if engine is None:
            return

        def take(reply: Reply[Done]) -> None:
            if reply.error:
                self._app.notify_user(reply.error)
                self._app.draft(f"/tool {line}")  # to be mended

        engine.send(RunTool(line)).then(take)

    def _keybindings(self, _argument: str) -> None:
        self._app.run_worker(self._edit_keybindings(), group="editor", exclusive=True, exit_on_error=False)

    def _quit(self, _argument: str) -> None:
        self._app.exit(0)


async def _finish(work: Awaitable[object]) -> None:
    await work
