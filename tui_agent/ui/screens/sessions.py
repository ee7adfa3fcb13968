"""The recorded sessions: to search, to look at, to go on with, to export and to delete.

What is listed is read in threads: first which sessions there are, then what each is about, the newest first.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from textual import work
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import OptionList

from tui_agent.journal.load import JournalError, read_events
from tui_agent.journal.store import delete_session, list_sessions
from tui_agent.journal.summary import Summary, summarize
from tui_agent.text import clean, clean_line
from tui_agent.ui.dialogs.browser import Browser
from tui_agent.ui.dialogs.confirm import Confirm
from tui_agent.ui.widgets.statusbar import short_path
from tui_agent.viewkit.tool_text import count

if TYPE_CHECKING:
    from tui_agent.journal.store import SessionInfo

__all__ = ["SessionsScreen"]

_NO_MESSAGE = "(no message)"
_GONE: Final = "it is gone: somebody else deleted it"
_MEANT_FOR_ID: Final = 8  # characters, those before an id's first dash


class SessionsScreen(Browser["SessionInfo", "SessionInfo | None"]):
    """Dismissed with the session to go on with, or None.

    `state` is where sessions are kept, `cwd` the folder whose sessions come first; exports go there. `current` is the id of the
    session that is open here. `now` gives seconds since the epoch.
    """

    TITLE = "Sessions"
    SEARCH: ClassVar[str] = "search in what you wrote: press / and type"
    KEYS: ClassVar[str] = (
        "enter go on with it · / search · a all folders · e export · d delete · tab preview · esc close"
    )
    EMPTY: ClassVar[str] = "No session is recorded here."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "all", "Sessions of all folders, or of this one"),
        Binding("e", "export", "Export it as Markdown into this folder"),
        Binding("d,delete", "delete", "Delete it for good"),
        Binding("q", "leave", "Close", show=False),
    ]

    def __init__(
        self,
        state: Path,
        cwd: Path,
        *,
        current: str = "",
        now: Callable[[], float] = lambda: datetime.now(UTC).timestamp(),
    ) -> None:
        super().__init__()
        self._state = state
        self._cwd = cwd
        self._open_id = current
        self._now = now
        self._all = False
        self._is_reading = True
        self._sessions: Sequence[SessionInfo] = ()
        self._summaries: dict[str, Summary] = {}

    def on_mount(self) -> None:
        super().on_mount()
        self._read()

    # --- reading -----------------------------------------------------------------------------------------------------

    @work(exit_on_error=False, exclusive=True, group="reading")
    async def _read(self) -> None:
        """List the sessions, then bring in what each is about."""
        self._sessions = await asyncio.to_thread(list_sessions, self._state, None if self._all else self._cwd)
        self._is_reading = False
        self.refill()
        for info in tuple(self._sessions):
            if info.id not in self._summaries:
                try:
                    self._summaries[info.id] = await asyncio.to_thread(summarize, info.folder)
                except OSError:
                    continue  # it is gone, or cannot be read: what the list says already is all there is
                self._show(info)

    def _show(self, info: SessionInfo) -> None:
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

    def found(self, query: str) -> Sequence[SessionInfo]:
        words = query.lower().split()
        if not words:
            return self._sessions
        return [info for info in self._sessions if self._mentions(info, words)]

    def _mentions(self, info: SessionInfo, words: list[str]) -> bool:
        title = (f"{info.first_message}\n{info.cwd}" if self._all else info.first_message).lower()
        summary = self._summaries.get(info.id)
        left = [word for word in words if word not in title and not _begins(info.id, word)]
        return not left or (summary is not None and summary.mentions(left))

    def count(self) -> str:
        where = "all folders" if self._all else "this folder"
        return "reading…" if self._is_reading else f"{count(len(self.entries), 'session')} of {where}"

    def line(self, entry: SessionInfo, room: int) -> Content:
        summary = self._summaries.get(entry.id)
        mark = "● " if entry.id == self._open_id else "  "
        right = _ago(self._now() - entry.changed)
        if summary is not None and room >= 50:
            cost = "" if summary.cost_usd is None else f"  ${summary.cost_usd:.2f}"
            right = f"{count(summary.turns, 'turn')}{cost}  {right:>8}"
        where = f"{short_path(entry.cwd, 24)}  " if self._all else ""
        title = clean_line(" ".join(entry.first_message.split()), 400) or _NO_MESSAGE
        left = Content.assemble(mark, (where, "$foreground-muted"), title)
        left = left.truncate(max(8, room - len(right) - 2), ellipsis=True)
        gap = " " * max(1, room - left.cell_length - len(right))
        return Content.assemble(left, gap, (right, "$foreground-muted"))

    def details(self, entry: SessionInfo, room: int) -> Content:
        summary = self._summaries.get(entry.id)
        facts = [_day(entry.changed), short_path(entry.cwd, max(20, room))]
        if summary is not None:
            facts += [count(summary.turns, "turn")]
            facts += [f"${summary.cost_usd:.2f}"] if summary.cost_usd is not None else []
            facts += [f"branch {clean_line(summary.branch, 60)}"] if summary.branch else []
            facts += [clean_line(summary.model, 60)] if summary.model else []
        if entry.id == self._open_id:
            facts.insert(0, "open here")
        lines = [Content.styled(" · ".join(facts), "$foreground-muted"), Content.styled(entry.id, "$foreground-muted")]
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

    def chosen(self, entry: SessionInfo) -> None:
        if entry.id == self._open_id:
            self.show_message("this session is open here")
        elif not entry.folder.journal.exists():
            self._drop(entry, _GONE)
        else:
            self.dismiss(entry)

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
        try:
            path = await asyncio.to_thread(_export, info, self._cwd)
        except (OSError, JournalError) as error:
            if not info.folder.journal.exists():
                self._drop(info, _GONE)
                return
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
        about = (
            f"{_beginning(info.first_message) or _NO_MESSAGE}\n\nWhat was said, and what tools gave, is gone for good."
        )
        yes, no = "Delete it", "Keep it"
        if not await self.app.push_screen_wait(Confirm("Delete this session?", about, yes=yes, no=no)):
            return
        try:
            await asyncio.to_thread(delete_session, info.folder)
        except BlockingIOError:
            self.show_message("it is open in another window; close it there first")
        except FileNotFoundError:
            self._drop(info, _GONE)
        except OSError as error:
            self.show_message(f"it cannot be deleted: {error.strerror or error}")
        else:
            self._drop(info, "deleted")

    def _drop(self, info: SessionInfo, words: str) -> None:
        """Take a session that is not there any more off the list, and say so."""
        self._sessions = [other for other in self._sessions if other.id != info.id]
        self.refill()
        self.show_message(words)


def _begins(session_id: str, word: str) -> bool:
    """Whether a word is meant for this id; a few letters and digits are in many ids by chance."""
    return len(word) >= _MEANT_FOR_ID and session_id.startswith(word)


def _export(info: SessionInfo, folder: Path) -> Path:
    from tui_agent.journal.export import export_markdown

    return export_markdown(read_events(info.folder.journal).events, folder, info.id)


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
