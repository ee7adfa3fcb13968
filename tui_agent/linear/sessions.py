"""Recorded sessions as a list to choose from: search by words, look into one, delete one."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from tui_agent.commands import DeleteSession, RenameSession
from tui_agent.linear.asker import Choice
from tui_agent.queries import SessionPreviewQuery, SessionsQuery
from tui_agent.text import clean, clean_line
from tui_agent.viewkit.tool_text import count

if TYPE_CHECKING:
    from tui_agent.boundary import Backend
    from tui_agent.linear.asker import Asker
    from tui_agent.queries import RecordedSession

__all__ = ["choose_session"]

_PAGE: Final = 10
_HOW: Final = (
    "Type a number to choose a session, words to search, more for further ones, all for every folder, "
    "or just Enter to go back."
)


async def choose_session(backend: Backend, asker: Asker, *, current: str = "") -> RecordedSession | None:
    """Return the session that the user chooses; None where they choose none. `current` is the one that is open.

    Raises:
        EndOfInputError: there will be no answer.
    """
    is_all = False
    words: list[str] = []
    first = 0
    while True:
        found = (await backend.query(SessionsQuery(all=is_all))).sessions
        rows = [one for one in found if one.id != current and _mentions(one, words)]
        if not rows and not words:
            where = "" if is_all else " in this folder"
            asker.say(f"No other recorded sessions{where}.")
            elsewhere = (await backend.query(SessionsQuery(all=True))).sessions
            if is_all or all(one.id == current for one in elsewhere):
                return None
            is_all = await asker.confirm("Look in all folders?")
            if not is_all:
                return None
            continue
        first = first if first < len(rows) else 0
        page = rows[first : first + _PAGE]
        asker.say(
            f"Sessions {first + 1} to {first + len(page)} of {len(rows)}:" if rows else "No session has these words."
        )
        for number, one in enumerate(page, first + 1):
            asker.say(f"{number}. {_row(one, has_folder=is_all)}")
        typed = await asker.text(f"{_HOW}\nSession: " if not words and not first else "Session: ")
        if not typed:
            return None
        if typed.isascii() and typed.isdigit() and len(typed) < 6:
            number = int(typed)
            if not 1 <= number <= len(rows):
                asker.say(f"There is no session {number}.")
            elif (chosen := await _about(rows[number - 1], backend, asker)) is not None:
                return chosen
        elif typed.lower() == "more":
            first += _PAGE
        elif typed.lower() == "all":
            is_all, words, first = True, [], 0
        else:
            words, first = typed.lower().split(), 0


async def _about(info: RecordedSession, backend: Backend, asker: Asker) -> RecordedSession | None:
    """Say what a session is about and ask what to do with it; return it where it is to be resumed."""
    preview = await backend.query(SessionPreviewQuery(info.id))
    if preview is not None:
        asker.say(f"Session {info.id}, {count(preview.turns, 'turn')}, in {clean_line(info.cwd, 300)}")
        for message in preview.messages[-3:]:
            asker.say(f"  You: {clean_line(message, 200)}")
        if preview.last_reply:
            asker.say(f"  Model: {clean_line(preview.last_reply, 300)}")
    choices = [
        Choice("resume", "Resume it", ("r", "y", "yes")),
        Choice("rename", "Give it another name", ("n", "name")),
        Choice("delete", "Delete it", ("d",)),
        Choice("back", "Go back to the list", ("b",)),
    ]
    match await asker.choose(choices):
        case "resume":
            return info
        case "rename":
            if title := await asker.text("Name (just Enter goes back): "):
                renamed = await backend.send(RenameSession(title, info.id))
                asker.say(clean(renamed.error) if renamed.error else f"It is called “{clean_line(title, 80)}” now.")
        case "delete" if await asker.confirm("Delete this session for good?"):
            reply = await backend.send(DeleteSession(info.id))
            asker.say(clean(reply.error) if reply.error else "Deleted.")
        case _:
            pass
    return None


def _mentions(info: RecordedSession, words: list[str]) -> bool:
    text = f"{info.title} {info.first_message} {info.id} {info.cwd}".lower()
    return all(word in text for word in words)


def _row(info: RecordedSession, *, has_folder: bool) -> str:
    changed = datetime.fromtimestamp(info.changed, UTC).astimezone().strftime("%Y-%m-%d %H:%M")
    where = f", in {clean_line(info.cwd, 60)}" if has_folder else ""
    name = clean_line(info.title, 80) or clean_line(info.first_message, 80) or "(no message)"
    return f"{name}, {changed}{where}"
