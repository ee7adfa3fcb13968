"""What may be asked about recorded sessions: which there are, what one is about, and one as Markdown.

These are answered before there is a session, too: `engine.recorded_sessions` does that.
"""

from __future__ import annotations

from dataclasses import dataclass

from tui_agent.plain import Plain
from tui_agent.queries.query import Query

__all__ = [
    "ExportQuery",
    "MarkdownExport",
    "RecordedSession",
    "SessionList",
    "SessionPreview",
    "SessionPreviewQuery",
    "SessionQuery",
    "SessionsQuery",
]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RecordedSession(Plain):
    """A recorded session. `started` and `changed` are seconds since the epoch; `title` is what the user called it."""

    id: str
    cwd: str
    started: float
    changed: float
    first_message: str
    title: str = ""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SessionList(Plain):
    """Recorded sessions, newest first."""

    sessions: tuple[RecordedSession, ...] = ()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SessionsQuery(Query[SessionList]):
    """Which sessions were recorded in this folder, or with `all` anywhere?"""

    all: bool = False


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SessionQuery(Query[RecordedSession | None]):
    """Which recorded session has this id or title, or is the only one whose id begins with it? Null where none is."""

    session_id: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class SessionPreview(Plain):
    """One session in short. `messages` are the beginnings of what the user wrote, oldest first; texts are foreign.

    `cost_usd` is null as long as no request had a known price.
    """

    messages: tuple[str, ...] = ()
    turns: int = 0
    cost_usd: float | None = None
    branch: str = ""
    model: str = ""
    last_reply: str = ""

    def mentions(self, words: list[str]) -> bool:
        """Whether each of some words, in small letters, stands in one of the messages."""
        text = "\n".join(self.messages).lower()
        return all(word in text for word in words)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SessionPreviewQuery(Query[SessionPreview | None]):
    """What is a recorded session about? Null where there is none with this id, or it cannot be read."""

    session_id: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MarkdownExport(Plain):
    """A recorded session as Markdown. `problem` is why there is no text, or empty."""

    session_id: str
    text: str
    problem: str = ""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ExportQuery(Query[MarkdownExport | None]):
    """What is a recorded session as Markdown? Without an id this one; null where it is not recorded."""

    session_id: str = ""
