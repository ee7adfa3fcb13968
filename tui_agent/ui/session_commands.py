"""The commands about a session as a whole: begin another, name it, resume one, and write it or its changes into a file."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tui_agent.commands import Clear, RenameSession
from tui_agent.queries import ExportQuery, PatchQuery, SessionQuery

if TYPE_CHECKING:
    from tui_agent.boundary import Engine
    from tui_agent.commands import Done, Reply
    from tui_agent.queries import RecordedSession
    from tui_agent.ui.session_app import SessionApp

__all__ = ["SessionCommands"]


class SessionCommands:
    """One method a command, each with what followed its name."""

    def __init__(self, app: SessionApp) -> None:
        self._app = app
        self.doers: dict[str, Callable[[str], object]] = {
            "clear": self._clear,
            "rename": self._rename,
            "resume": self._resume,
            "export": self._export,
            "patch": self._patch,
        }

    def _clear(self, title: str) -> None:
        if self._app.resumable_id or self._app.is_busy:
            self._app.begin_anew(title)
        elif self._app.engine is not None:
            self._app.engine.send(Clear())  # nothing was said in it: it may as well go on

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
