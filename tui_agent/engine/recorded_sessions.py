"""Where front ends ask about recorded sessions: within a session by its engine, and before there is one by this alone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from tui_agent.boundary import Pending
from tui_agent.commands import Command, DeleteSession, Done, RenameSession, Reply, SessionDeleted
from tui_agent.events import Event, SessionRenamed
from tui_agent.journal.store import delete_session, find_session, list_sessions, rename_session, session_info
from tui_agent.queries import (
    ExportQuery,
    MarkdownExport,
    Query,
    RecordedSession,
    SessionList,
    SessionPreview,
    SessionPreviewQuery,
    SessionQuery,
    SessionsQuery,
)

if TYPE_CHECKING:
    from tui_agent.journal.store import SessionInfo

__all__ = ["RecordedSessions"]

R = TypeVar("R")
A = TypeVar("A")


class RecordedSessions:
    """What is recorded in `state`, the program's own folder, or where settings say that this is.

    `folder` is the one whose sessions are listed without `all`. `current` is the id of the session that asks, empty where none
    does; that it has another title is published. What is listed passes `mask`: a session may have been recorded while secrets
    were shown.
    """

    def __init__(
        self,
        state: Path | None,
        folder: Path,
        *,
        current: str = "",
        mask: Callable[[str], str] = lambda text: text,
        publish: Callable[[Event], object] = lambda _event: None,
    ) -> None:
        if state is None:
            from tui_agent.settings.standard_paths import state_home

            state = state_home()
        self._state = state
        self._folder = folder
        self._current = current
        self._mask = mask
        self._publish = publish
        self.answers: Mapping[type[Query[Any]], Callable[[Any], Coroutine[Any, Any, Any]]] = {
            SessionsQuery: self._list,
            SessionQuery: self._find,
            SessionPreviewQuery: self._preview,
            ExportQuery: self._export,
        }
        self.doers: Mapping[type[Command[Any]], Callable[[Any], Coroutine[Any, Any, Reply[Any]]]] = {
            DeleteSession: self._delete,
            RenameSession: self._rename,
        }

    # --- a back end, where there is no session yet -------------------------------------------------------------------

    def query(self, query: Query[A]) -> Pending[A]:
        """Answer a query about recorded sessions; see `boundary.Backend`."""
        return Pending.running(cast("Coroutine[Any, Any, A]", self.answers[type(query)](query)))

    def send(self, command: Command[R]) -> Pending[Reply[R]]:
        """Carry out a command about recorded sessions; see `boundary.Backend`."""
        return Pending.running(cast("Coroutine[Any, Any, Reply[R]]", self.doers[type(command)](command)))

    # --- one function for each ---------------------------------------------------------------------------------------

    async def _list(self, query: SessionsQuery) -> SessionList:
        return await asyncio.to_thread(self._all, None if query.all else self._folder)

    async def _find(self, query: SessionQuery) -> RecordedSession | None:
        return await asyncio.to_thread(self._one, query.session_id)

    async def _preview(self, query: SessionPreviewQuery) -> SessionPreview | None:
        return await asyncio.to_thread(self._in_short, query.session_id)

    async def _export(self, query: ExportQuery) -> MarkdownExport | None:
        return await asyncio.to_thread(self._markdown, query.session_id or self._current)

    async def _delete(self, command: DeleteSession) -> Reply[SessionDeleted]:
        folder = await asyncio.to_thread(find_session, self._state, command.session_id)
        if folder is None or folder.id != command.session_id:
            return Reply(SessionDeleted(was_gone=True))
        try:
            await asyncio.to_thread(delete_session, folder)
        except BlockingIOError:
            where = "here" if folder.id == self._current else "in another window; close it there first"
            return Reply(error=f"it is open {where}")
        except FileNotFoundError:
            return Reply(SessionDeleted(was_gone=True))
        except OSError as error:
            return Reply(error=f"it cannot be deleted: {error.strerror or error}")
        return Reply(SessionDeleted())

    async def _rename(self, command: RenameSession) -> Reply[Done]:
        wanted = command.session_id or self._current
        folder = await asyncio.to_thread(find_session, self._state, wanted) if wanted else None
        if folder is None or folder.id != wanted:
            return Reply(error="it is gone: it was deleted elsewhere" if command.session_id else "no session is open")
        try:
            title = await asyncio.to_thread(rename_session, folder, self._mask(command.title))
        except OSError as error:
            return Reply(error=f"it cannot be renamed: {error.strerror or error}")
        if folder.id == self._current:
            self._publish(SessionRenamed(title=title))
        return Reply(Done())

    # --- reading files; these block ---------------------------------------------------------------------------------

    def _all(self, folder: Path | None) -> SessionList:
        return SessionList(tuple(map(self._row, list_sessions(self._state, folder))))

    def _one(self, session_id: str) -> RecordedSession | None:
        folder = find_session(self._state, session_id)
        info = session_info(folder) if folder is not None else None
        return self._row(info) if info is not None else None

    def _in_short(self, session_id: str) -> SessionPreview | None:
        from tui_agent.journal.summary import summarize

        folder = find_session(self._state, session_id)
        if folder is None:
            return None
        try:
            found = summarize(folder)
        except OSError:
            return None
        return SessionPreview(
            messages=tuple(map(self._mask, found.messages)),
            turns=found.turns,
            cost_usd=found.cost_usd,
            branch=found.branch,
            model=found.model,
            last_reply=self._mask(found.last_reply),
        )

    def _row(self, info: SessionInfo) -> RecordedSession:
        first, title = self._mask(info.first_message), self._mask(info.title)
        return RecordedSession(info.id, info.cwd, info.started, info.changed, first, title)

    def _markdown(self, session_id: str) -> MarkdownExport | None:
        from tui_agent.journal.export import as_markdown
        from tui_agent.journal.load import JournalError, read_events

        folder = find_session(self._state, session_id)
        if folder is None:
            return None
        try:
            return MarkdownExport(folder.id, as_markdown(read_events(folder.journal).events))
        except JournalError as error:
            return MarkdownExport(folder.id, "", str(error))
        except OSError as error:
            return MarkdownExport(folder.id, "", error.strerror or str(error))
