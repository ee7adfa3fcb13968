"""A session in linear mode on an engine with nothing behind it, and a terminal that keeps what was written."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections import deque
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

from fake_engine import FakeEngine

from tui_agent.commands import SignIn
from tui_agent.linear.console import Entry
from tui_agent.linear.session import LinearSession
from tui_agent.queries import SessionState
from tui_agent.text import clean


class Lines:
    """What the session needs of a terminal. `text` is all that was written, prompts on lines of their own."""

    is_gone = False

    def __init__(self, width: int = 0) -> None:
        self.width = width
        self.written: list[str] = []
        self._entries: deque[Entry] = deque()
        self._came = asyncio.Event()
        self._prompt = ""

    def line(self, text: str = "") -> None:
        self.written.append(clean(text))
        if self._prompt:
            asyncio.get_running_loop().call_soon(self._show_prompt)

    def prompt(self, text: str) -> None:
        self._prompt = text
        self.written.append(text)

    def end_prompt(self) -> None:
        self._prompt = ""

    def ring(self) -> None:
        self.written.append("(bell)")

    def _show_prompt(self) -> None:
        if self._prompt and self.written[-1:] != [self._prompt]:
            self.written.append(self._prompt)

    async def entry(self) -> Entry:
        while not self._entries:
            self._came.clear()
            await self._came.wait()
        return self._entries.popleft()

    @contextlib.contextmanager
    def hidden(self) -> Iterator[None]:
        yield

    @contextlib.contextmanager
    def lent(self) -> Iterator[None]:
        yield

    def type(self, text: str | None) -> None:
        self._prompt = ""
        self._entries.append(Entry(text, asyncio.get_running_loop().time()))
        self._came.set()

    @property
    def text(self) -> str:
        return "\n".join(self.written)


class StandInEntrance:
    """Leads to `next`, where there is one; `problem` keeps it from being opened."""

    def __init__(self, next: FakeEngine | None = None) -> None:
        self.next = next
        self.problem: Exception | None = None
        self.signs_in: SignIn | None = None
        self.renewed: list[tuple[str, float | None]] = []

    async def resume(self, session_id: str, cwd: Path) -> FakeEngine | None:
        return self.next

    async def renew(self, state: SessionState, limit_usd: float | None) -> FakeEngine | None:
        self.renewed.append((state.session_id, limit_usd))
        if self.problem is not None:
            raise self.problem
        return self.next

    async def sign_in(self) -> SignIn | None:
        return self.signs_in

    async def sign_out(self) -> str:
        return "The key was removed."


class Stage:
    """A session under way. `answer` waits for a prompt that was not answered yet, then types."""

    def __init__(self, engine: FakeEngine, lines: Lines, session: LinearSession) -> None:
        self.engine = engine
        self.lines = lines
        self.session = session
        self._read = 0

    async def wait_for(self, pattern: str) -> str:
        """Wait until what was not read yet matches; return that up to the match's end."""
        try:
            async with asyncio.timeout(10):
                while True:
                    text = self.lines.text[self._read :]
                    match = re.search(pattern, text, re.MULTILINE)
                    if match is not None:
                        self._read += match.end()
                        return text[: match.end()]
                    await asyncio.sleep(0)
        except TimeoutError:
            raise AssertionError(f"/{pattern}/ in {self.lines.text[self._read :]!r}") from None

    async def answer(self, *typed: str) -> None:
        """Type answers, each when it is asked for."""
        for text in typed:
            await self.wait_for(r"(?:: |\| )$")
            self.lines.type(text)

    async def until_asked(self, *, named: str) -> Any:
        """Wait until a command of this name has come to the engine, and return it."""
        async with asyncio.timeout(10):
            while True:
                found = [asked for asked in self.engine.asked if asked[0] == named]
                if found:
                    return found[-1]
                await asyncio.sleep(0)


@contextlib.asynccontextmanager
async def staged(
    engine: FakeEngine | None = None,
    *,
    has_grace: bool = False,
    width: int = 0,
    entrance: StandInEntrance | None = None,
) -> AsyncIterator[Stage]:
    """Run a session until the test is done with it."""
    engine = engine or FakeEngine()
    lines = Lines(width)

    entrance = entrance or StandInEntrance()
    session = LinearSession(engine, lines, entrance=entrance, is_terminal=True)
    if not has_grace:
        session.asker._has_grace = False
    running = asyncio.create_task(session.run([]))
    stage = Stage(engine, lines, session)
    await stage.wait_for("^You: $")
    try:
        yield stage
    finally:
        session.leave(0)
        await running
