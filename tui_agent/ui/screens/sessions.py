"""The recorded sessions: to search, to look at, to go on with, to rename, to export and to delete.

What is listed is asked for in two steps: first which sessions there are, then what each is about, the newest first.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Input, OptionList, Static

from tui_agent.answer_files import write_export
from tui_agent.commands import DeleteSession, RenameSession
from tui_agent.queries import ExportQuery, SessionPreviewQuery, SessionQuery, SessionsQuery
from tui_agent.text import clean, clean_line
from tui_agent.ui.dialogs.browser import Browser
from tui_agent.ui.dialogs.confirm import Confirm
from tui_agent.ui.short_path import short_path
from tui_agent.ui.widgets.field import Field
from tui_agent.viewkit.tool_text import count

if TYPE_CHECKING:
    from tui_agent.boundary import Backend
    from tui_agent.queries import RecordedSession, SessionPreview

__all__ = ["SessionsScreen"]

_NO_MESSAGE = "(no message)"
_GONE: Final = "it is gone: it was deleted elsewhere"
_MEANT_FOR_ID: Final = 8  # characters, those before an id's first dash


class SessionsScreen(Browser["RecordedSession", "RecordedSession | None"]):
    """Dismissed with the session to go on with, or None.

    `sessions` knows them: an engine, or what there is before one. Exports go into `folder`. `current` is the id of the session
    that is open here. `now` gives seconds since the epoch.
    """

    TITLE = "Sessions"
    SEARCH: ClassVar[str] = "type to search names and messages"
    KEYS: ClassVar[str] = "enter resume · ^r rename · ^x delete · ^e export · ^a all folders · tab preview · esc close"
    _NAMING: ClassVar[str] = "enter rename · esc keep the name"
    EMPTY: ClassVar[str] = "No recorded sessions here."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+r", "rename", "Rename", priority=True),
        Binding("ctrl+x,delete", "delete", "Delete permanently", priority=True),
        Binding("ctrl+e", "export", "Export it as Markdown into this folder", priority=True),
        Binding("ctrl+a", "all", "Sessions of all folders, or of this one", priority=True),
    ]

    def __init__(
        self,
        sessions: Backend,
        folder: Path,
        *,
        current: str = "",
        now: Callable[[], float] = lambda: datetime.now(UTC).timestamp(),
    ) -> None:
        super().__init__()
        self._backend = sessions
        self._folder = folder
        self._open_id = current
        self._now = now
        self._all = False
        self._is_reading = True
        self._sessions: Sequence[RecordedSession] = ()
        self._summaries: dict[str, SessionPreview] = {}
        self._renamed: RecordedSession | None = None  # what is being given another name

    def more(self) -> ComposeResult:
        field = Field(placeholder="what to call it; empty: by its first message", id="name")
        field.display = False
        yield field

    def on_mount(self) -> None:
        super().on_mount()
        self._read()

    # --- reading -----------------------------------------------------------------------------------------------------

    @work(exit_on_error=False, exclusive=True, group="reading")
    async def _read(self) -> None:
        """List the sessions, then bring in what each is about."""
        self._sessions = (await self._backend.query(SessionsQuery(self._all))).sessions
        self._is_reading = False
        self.refill()
        for info in tuple(self._sessions):
            if info.id not in self._summaries:
                found = await self._backend.query(SessionPreviewQuery(info.id))
                if found is None:
                    continue  # it is gone, or cannot be read: what the list says already is all there is
                self._summaries[info.id] = found
                self._show(info)

    def _show(self, info: RecordedSession) -> None:
        """Bring what became known of a session to the screen."""
        if self._query:
            self.refill()  # it may be found now
        elif info in self.entries:
            options = self.query_one(OptionList)
            options.replace_option_prompt_at_index(
                self.entries.index(info), self.line(info, max(10, options.size.width - 2))
            )
            if info == self.current:
                self.show_details()

    # --- what it says ------------------------------------------------------------------------------------------------

    def found(self, query: str) -> Sequence[RecordedSession]:
        words = query.lower().split()
        if not words:
            return self._sessions
        return [info for info in self._sessions if self._mentions(info, words)]

    def _mentions(self, info: RecordedSession, words: list[str]) -> bool:
        title = "\n".join((info.title, info.first_message, *((info.cwd,) if self._all else ()))).lower()
        summary = self._summaries.get(info.id)
        left = [word for word in words if word not in title and not _begins(info.id, word)]
        return not left or (summary is not None and summary.mentions(left))

    def count(self) -> str:
        where = "all folders" if self._all else "this folder"
        return "reading…" if self._is_reading else f"{count(len(self.entries), 'session')} of {where}"

    def line(self, entry: RecordedSession, room: int) -> Content:
        summary = self._summaries.get(entry.id)
        mark = "● " if entry.id == self._open_id else "  "
        right = _ago(self._now() - entry.changed)
        if summary is not None and room >= 50:
            cost = "" if summary.cost_usd is None else f"  ${summary.cost_usd:.2f}"
            right = f"{count(summary.turns, 'turn')}{cost}  {right:>8}"
        where = f"{short_path(entry.cwd, 24)}  " if self._all else ""
        title = clean_line(" ".join((entry.title or entry.first_message).split()), 400) or _NO_MESSAGE
        left = Content.assemble(mark, (where, "$foreground-muted"), title)
        left = left.truncate(max(8, room - len(right) - 2), ellipsis=True)
        gap = " " * max(1, room - left.cell_length - len(right))
        return Content.assemble(left, gap, (right, "$foreground-muted"))

    def details(self, entry: RecordedSession, room: int) -> Content:
        summary = self._summaries.get(entry.id)
        facts = [_day(entry.changed), short_path(entry.cwd, max(20, room))]
        if summary is not None:
            facts += [count(summary.turns, "turn")]
            facts += [f"${summary.cost_usd:.2f}"] if summary.cost_usd is not None else []
            facts += [f"branch {clean_line(summary.branch, 60)}"] if summary.branch else []
            facts += [clean_line(summary.model, 60)] if summary.model else []
        if entry.id == self._open_id:
            facts.insert(0, "open here")
        named = [Content.styled(clean_line(entry.title, 200), "bold")] if entry.title else []
        lines = [
            *named,
            Content.styled(" · ".join(facts), "$foreground-muted"),
            Content.styled(entry.id, "$foreground-muted"),
        ]
        for message in summary.messages[:3] if summary is not None else [entry.first_message]:
            lines += [Content(""), Content.assemble(("❯ ", "$text-primary"), _beginning(message))]
        if summary is not None and len(summary.messages) > 4:
            lines += [Content(""), Content.styled(f"… {len(summary.messages) - 4} more …", "$foreground-muted")]
        if summary is not None and len(summary.messages) > 3:
            lines += [Content(""), Content.assemble(("❯ ", "$text-primary"), _beginning(summary.messages[-1]))]
        if summary is not None and summary.last_reply:
            lines += [Content(""), Content(_beginning(summary.last_reply, 600))]
        return Content("\n").join(lines)

    # --- what can be done --------------------------------------------------------------------------------------------

    async def chosen(self, entry: RecordedSession) -> None:
        if entry.id == self._open_id:
            self.show_message("this session is open here")
        elif await self._backend.query(SessionQuery(entry.id)) is None:
            self._drop(entry, _GONE)
        else:
            self.dismiss(entry)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While a name is written, keys are for that."""
        is_named = self._renamed is not None and action in {
            "rename",
            "delete",
            "export",
            "all",
            "details",
            "move",
            "page",
        }
        return False if is_named else super().check_action(action, parameters)

    def action_rename(self) -> None:
        """Let the user write another name for the session."""
        info = self._renamed = self.current
        if info is not None:
            field = self.query_one("#name", Field)
            field.value, field.display = info.title, True
            field.cursor_position = len(info.title)
            self.set_focus(field)
            self.query_one("#keys", Static).update(self._NAMING)

    @on(Input.Submitted, "#name")
    async def _rename(self, event: Input.Submitted) -> None:
        event.stop()
        info = self._renamed
        if info is None:
            return
        self._stop_renaming()
        reply = await self._backend.send(RenameSession(event.value, info.id))
        if reply.ok is None:
            self._drop(info, reply.error) if reply.error == _GONE else self.show_message(reply.error)
            return
        named = await self._backend.query(SessionQuery(info.id)) or info
        self._sessions = [named if other.id == info.id else other for other in self._sessions]
        at = self.entries.index(info) if info in self.entries else None
        self.refill(at)

    def _stop_renaming(self) -> None:
        self._renamed = None
        self.query_one("#name").display = False
        self.set_focus(self.query_one("#search"))
        self.query_one("#keys", Static).update(self.KEYS)

    def action_leave(self) -> None:
        if self._renamed is not None:
            self._stop_renaming()
        else:
            super().action_leave()

    def action_all(self) -> None:
        """List the sessions of all folders, or of this one."""
        self._all = not self._all
        self._read()

    @work(exit_on_error=False, exclusive=True, group="doing")
    async def action_export(self) -> None:
        """Write the session into a file."""
        info = self.current
        if info is None:
            return
        export = await self._backend.query(ExportQuery(info.id))
        if export is None:
            self._drop(info, _GONE)
            return
        try:
            path = await asyncio.to_thread(write_export, export, self._folder)
        except (OSError, ValueError) as error:
            self.show_message(f"it cannot be exported: {getattr(error, 'strerror', None) or error}")
        else:
            self.show_message(f"exported to {clean_line(str(path), 200)}")

    @work(exit_on_error=False, exclusive=True, group="doing")
    async def action_delete(self) -> None:
        """Delete the session, if the user means it."""
        info = self.current
        if info is None:
            return
        if info.id == self._open_id:
            self.show_message("this session is open here; it cannot be deleted")
            return
        name = _beginning(info.title or info.first_message) or _NO_MESSAGE
        about = f"{name}\n\nIts messages and tool results will be deleted permanently."
        yes, no = "Delete it", "Keep it"
        if not await self.app.push_screen_wait(Confirm("Delete this session?", about, yes=yes, no=no)):
            return
        reply = await self._backend.send(DeleteSession(info.id))
        if reply.ok is None:
            self.show_message(reply.error)
        else:
            self._drop(info, _GONE if reply.ok.was_gone else "deleted")

    def _drop(self, info: RecordedSession, words: str) -> None:
        """Take a session that is not there any more off the list, and say so."""
        self._sessions = [other for other in self._sessions if other.id != info.id]
        self.refill()
        self.show_message(words)


def _begins(session_id: str, word: str) -> bool:
    """Whether a word is meant for this id; a few letters and digits are in many ids by chance."""
    return len(word) >= _MEANT_FOR_ID and session_id.startswith(word)


def _beginning(text: str, most: int = 300) -> str:
    shown = clean(text[:most]).strip()
    return f"{shown}…" if len(text) > most else shown


def _ago(seconds: float) -> str:
    """Return how long ago something was, in a few characters."""
    minutes = max(0.0, seconds) / 60
    if minutes < 1:
        return "just now"
    if minutes < 60:
        return f"{int(minutes)}m ago"
    if minutes < 48 * 60:
        return f"{int(minutes / 60)}h ago"
    return f"{int(minutes / 60 / 24)}d ago"


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).astimezone().strftime("%Y-%m-%d %H:%M")
