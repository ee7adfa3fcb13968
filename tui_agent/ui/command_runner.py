"""Carries out the commands that a user types after `/` or takes from the palette."""

from __future__ import annotations

import inspect
import os
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from tui_agent import slash_commands
from tui_agent.commands import (
    Clear,
    ConfirmSettings,
    DropResult,
    ReloadSettings,
    RenameSession,
    RunTool,
    SetSpendingLimit,
)
from tui_agent.queries import (
    ContextQuery,
    ExportQuery,
    HooksQuery,
    PatchQuery,
    PermissionsQuery,
    Query,
    SessionQuery,
    SessionsQuery,
    SettingsQuery,
    ToolList,
    ToolsQuery,
    WithheldQuery,
)
from tui_agent.slash_hints import hint_for
from tui_agent.ui.switch_commands import SwitchCommands
from tui_agent.ui.work_commands import WorkCommands

if TYPE_CHECKING:
    from tui_agent.boundary import Engine
    from tui_agent.commands import Done, Reply
    from tui_agent.queries import (
        ContextReport,
        HooksReport,
        PermissionsReport,
        RecordedSession,
        SettingsReport,
        WithheldReport,
    )
    from tui_agent.ui.engine import Access
    from tui_agent.ui.prompting.palette_search import PaletteEntry
    from tui_agent.ui.session_app import SessionApp

__all__ = ["CommandRunner"]

_NO_ACCESS: Final = "Keys are not used here."
_RECENT: Final = 30  # sessions in the palette

A = TypeVar("A")


class CommandRunner:
    """One method a command, each with what followed its name.

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
            "clear": self._clear,
            "login": lambda _: sign_in() if access is not None else self._app.notify_user(_NO_ACCESS),
            "logout": self._logout,
            "rename": self._rename,
            "permissions": self._permissions,
            "patch": self._patch,
            "hooks": self._hooks,
            "settings": self._settings,
            "trust": self._trust,
            "status": self._status,
            "cost": self._cost,
            "context": self._context,
            "resume": self._resume,
            "export": self._export,
            "tasks": self._tasks,
            "tool": self._tool,
            "keybindings": self._keybindings,
            "quit": self._quit,
            **SwitchCommands(app, self.models, keep_theme=keep_theme, keep_model=keep_model).doers,
            **WorkCommands(app, copy=copy).doers,
        }

    def run(self, name: str, argument: str = "") -> None:
        """Carry out a command, or say that there is none of this name."""
        command = slash_commands.find(name)
        if command is None:
            if hint := hint_for(name):
                self._app.notify_user(f"There is no /{name} here.", hint, level="info")
            else:
                self._app.notify_user(f"No command is named /{name}.", "Type / to see the commands.")
        else:
            self._doers[command.name](argument)

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

    def _clear(self, title: str) -> None:
        if self._app.resumable_id or self._app.is_busy:
            self._app.begin_anew(title)
        elif self._app.engine is not None:
            self._app.engine.send(Clear())  # nothing was said in it: it may as well go on

    def _logout(self, _argument: str) -> None:
        async def sign_out(access: Access) -> None:
            self._app.notify_user(await access.sign_out(), level="info")

        if self._access is None:
            self._app.notify_user(_NO_ACCESS)
        else:
            self._app.run_worker(sign_out(self._access), group="access", exit_on_error=False)

    def _rename(self, title: str) -> None:
        engine = self._app.engine
        if engine is None:
            return
        if not title:
            now = self._app.projection.status.title
            named = f"This session is called “{now}”." if now else "This session has no name yet."
            self._app.notify_user(named, "/rename NAME gives it one; /resume lists it by that.", level="info")
            return

        def told(reply: Reply[Done]) -> None:
            if reply.error:
                self._app.notify_user(f"The session keeps its name: {reply.error}")
            else:
                self._app.notify_user(f"This session is called “{title}” now.", level="brief")

        engine.send(RenameSession(title)).then(told)

    def _permissions(self, call: str) -> None:
        engine = self._app.engine

        def show(report: PermissionsReport | None, found: ToolList) -> None:
            if engine is None or report is None:
                self._app.notify_user("Permissions are not available in a replay.")
                return
            from tui_agent.ui.screens.permissions import PermissionsScreen

            self._app.push_screen(PermissionsScreen(engine, report, [tool.name for tool in found.tools], call=call))

        if engine is None:
            show(None, ToolList())
        else:
            engine.query(ToolsQuery()).then(
                lambda tools: engine.query(PermissionsQuery()).then(lambda r: show(r, tools))
            )

    def _hooks(self, _argument: str) -> None:
        def show(report: HooksReport | None) -> None:
            if report is None:
                self._app.notify_user("Hooks are not available in a replay.")
                return
            from tui_agent.ui.screens.hooks import HooksScreen

            self._app.push_screen(HooksScreen(report, self._app.projection.hooks.runs))

        self._ask(HooksQuery(), show)

    def _settings(self, _argument: str) -> None:
        engine = self._app.engine

        async def reload() -> SettingsReport | None:
            if engine is None:
                return None
            await engine.send(ReloadSettings())
            return await engine.query(SettingsQuery())

        def show(report: SettingsReport | None) -> None:
            if report is None:
                self._app.notify_user("Settings are not available in a replay.")
                return
            from tui_agent.ui.screens.settings import SettingsScreen

            self._app.push_screen(SettingsScreen(report, reload))

        self._ask(SettingsQuery(), show)

    def _trust(self, _argument: str) -> None:
        self._ask(WithheldQuery(), self._ask_trust)

    def _ask_trust(self, report: WithheldReport | None) -> None:
        if report is None:
            self._app.notify_user("Settings are not available in a replay.")
        elif not report.is_trusted:
            self._app.notify_user("This folder is not trusted.", "Start tui-agent here again to be asked about it.")
        elif not report.hashes:
            self._app.notify_user("Nothing in this folder's settings is held back.", level="info")
        else:
            from tui_agent.ui.screens.trust import TrustScreen

            def confirm(is_trusted: bool | None) -> None:
                if is_trusted and self._app.engine is not None:  # what was shown, and nothing that has come since
                    self._app.engine.send(ConfirmSettings(report.hashes)).then(self._notify_error)

            self._app.push_screen(TrustScreen(report.project_root, report.settings, is_changed=True), confirm)

    def _notify_error(self, reply: Reply[Done]) -> None:
        if reply.error:
            self._app.notify_user(reply.error)

    def _ask(self, query: Query[A], show: Callable[[A | None], object]) -> None:
        """Ask the engine and show the answer; without an engine, or one that has none, None."""
        if self._app.engine is None:
            show(None)
        else:
            self._app.engine.query(query).then(show)

    def _status(self, _argument: str) -> None:
        from tui_agent.ui.screen_text.status_text import sections
        from tui_agent.ui.screens.help import HelpScreen

        self._app.push_screen(HelpScreen(sections(self._app.projection), "Status", searches=False))

    def _cost(self, argument: str) -> None:
        from tui_agent.ui.screen_text.cost_text import parse_limit

        engine = self._app.engine
        word, _, amount = argument.partition(" ")
        if engine is None:
            return
        if word == "limit" and amount:
            try:
                engine.send(SetSpendingLimit(parse_limit(amount)))
            except ValueError:
                self._app.notify_user(f"/cost limit expects US dollars, such as 5 or 0.50, or off, not {amount}.")
        elif word and word != "limit":
            self._app.notify_user(f"/cost expects limit and an amount, not {argument}.")
        else:
            from tui_agent.ui.screens.cost import CostScreen

            screen = CostScreen(self._app.projection.cost, lambda usd: engine.send(SetSpendingLimit(usd)))
            self._app.push_screen(screen)
            if word == "limit":
                self._app.call_after_refresh(screen.action_limit)

    def _context(self, _argument: str) -> None:
        self._app.run_worker(self._show_context(), group="context", exclusive=True, exit_on_error=False)

    async def _show_context(self) -> None:
        engine = self._app.engine
        report = await engine.query(ContextQuery()) if engine is not None else None
        if engine is None or report is None:
            self._app.notify_user("A replay sends nothing to a model.")
            return
        from tui_agent.ui.screens.context import ContextScreen

        async def context_report() -> ContextReport | None:
            return await engine.query(ContextQuery())

        async def drop(tool_use_id: str) -> str:
            return (await engine.send(DropResult(tool_use_id))).error

        status = self._app.projection.status
        self._app.push_screen(
            ContextScreen(
                report,
                reported=status.context_tokens,
                size=status.context_size,
                load_report=context_report,
                drop=drop,
                uses=self._app.projection.tools,
            )
        )

    def _resume(self, session_id: str) -> None:
        engine = self._app.engine
        if engine is None:
            return

        def go_on(info: RecordedSession | None) -> None:
            if info is not None:
                self._app.resume(info.id, Path(info.cwd))

        def resume(info: RecordedSession | None) -> None:
            if info is None:
                self._app.notify_user(f"No conversation found with session ID: {session_id}.", "/resume lists them.")
            go_on(info)

        if session_id:
            engine.query(SessionQuery(session_id)).then(resume)
            return
        from tui_agent.ui.screens.sessions import SessionsScreen

        cwd = Path(self._app.projection.status.cwd or ".").absolute()
        screen = SessionsScreen(engine, cwd, current=self._app.session_id)
        self._app.push_screen(screen, go_on)

    def _export(self, folder: str) -> None:
        place = Path(self._app.projection.status.cwd or ".", os.path.expanduser(folder))  # noqa: PTH111 - may stay as it is
        self._app.run_worker(self._write_export(place), group="export", exclusive=True, exit_on_error=False)

    async def _write_export(self, folder: Path) -> None:
        import asyncio

        from tui_agent.answer_files import write_export

        engine = self._app.engine
        if engine is None:
            return
        try:
            export = await engine.query(ExportQuery())
            if export is None:
                raise ValueError("this session is not recorded")
            path = await asyncio.to_thread(write_export, export, folder)
        except (OSError, ValueError) as error:
            what = f"The conversation cannot be exported to {folder}: {getattr(error, 'strerror', None) or error}"
            is_none = isinstance(error, FileNotFoundError | NotADirectoryError)
            self._app.notify_user(what, "Give /export an existing folder; it names the file itself." if is_none else "")
        else:
            self._app.notify_user(f"The conversation was exported to {path}", level="info")

    def _patch(self, name: str) -> None:
        self._app.run_worker(self._write_patch(self._app.engine, name), exit_on_error=False)

    async def _write_patch(self, engine: Engine | None, name: str) -> None:
        from tui_agent.answer_files import write_patch

        patch = await engine.query(PatchQuery()) if engine is not None else None
        if patch is None:
            self._app.notify_user("There are no changes to write as a patch.")
            return
        said = await write_patch(patch, self._app.projection.status.cwd, name)
        self._app.notify_user(said.text, said.hint, level="info" if said.is_done else "warning")

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
