"""The memory files of a session: those of its start, and those that come to count as the work goes on.

Before the first message the user is asked, once for each project, about files outside of it that its own memory files import.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Final

from tui_agent.checkouts import project_root
from tui_agent.engine.context.import_approvals import decide_imports, declined_imports
from tui_agent.engine.context.memory import Memory, MemoryFile, OutsideImport, memory_text
from tui_agent.engine.context.memory_loading import FolderMemory, MemoryLoader
from tui_agent.events import Event, Notice
from tui_agent.queries import MemoryPlace, MemoryReport, MemoryRow
from tui_agent.text import clean_line, reveal
from tui_agent.tools.forms import Answers, Form, FormField, Option

__all__ = ["LoadedMemory", "SessionMemory"]

_YES: Final = "Read them"
_NO: Final = "Leave them out"
_ABOUT: Final = (
    "Memory files of this project import files outside of it. What stands in those goes to the model, now and in later "
    "sessions here."
)
_UNASKED: Final = "it is outside of this project; start tui-agent here without -p to be asked about it"


class LoadedMemory:
    """The memory as it was read before the session began: `first` is what counts at the start."""

    def __init__(self, loader: MemoryLoader) -> None:
        self.loader = loader
        self.folder: FolderMemory | None = None
        self.first = Memory()
        self._read()

    def _read(self) -> None:
        if self.loader.is_off:
            return
        self.folder = self.loader.open()
        declined = declined_imports(project_root(self.loader.cwd), self.loader.state)
        found = self.folder.load()
        self.first = replace(found, outside=tuple(one for one in found.outside if one.path not in declined))

    def again(self) -> LoadedMemory:
        """Return it read anew. Blocks."""
        return LoadedMemory(self.loader)


class SessionMemory:
    """What of it the model is told, and when. `ask` puts a form to the user (None: there is nobody).

    `heard` is called with each memory file that is added after the start.
    """

    def __init__(
        self,
        loaded: LoadedMemory,
        *,
        ask: Callable[[str, Form], Awaitable[Answers | None]] | None,
        publish: Callable[[Event], object],
        heard: Callable[[MemoryFile], object] = lambda _file: None,
    ) -> None:
        self._loaded = loaded
        self._ask = ask
        self._publish = publish
        self._heard = heard
        self._waiting = loaded.first.outside
        self._later: list[MemoryFile] = []  # that came to count after the start
        self._news: list[MemoryFile] = []
        self._problems: list[str] = list(loaded.first.problems)
        self._is_stale = False

    @property
    def files(self) -> tuple[MemoryFile, ...]:
        """The files that count at the start."""
        return self._loaded.first.files

    @property
    def text(self) -> str:
        """What goes to the model with the first message."""
        return self._loaded.first.text

    async def settle(self) -> None:
        """Ask about what waits for the user's word, and read it where they agree. Where nobody can be asked, say so."""
        if self._is_stale:
            self._is_stale = False
            self._take(await asyncio.to_thread(self._loaded.again))
        waiting, self._waiting = self._waiting, ()
        if not waiting:
            return
        if self._ask is None:
            for one in waiting:
                self._note(f"{one.importer}: imports {one.path}: {_UNASKED}")
            return
        answers = await self._ask("", _form(waiting))
        if answers is None:
            return
        is_yes = answers.get("answer") == _YES
        try:
            await asyncio.to_thread(self._decide, waiting, is_yes=is_yes)
        except OSError as error:
            self._note(f"Your answer could not be saved: {error.strerror or error}")
            return
        if is_yes:
            self._take(await asyncio.to_thread(self._loaded.again))
            await self.settle()  # what those import in their turn

    def _take(self, loaded: LoadedMemory) -> None:
        self._loaded = loaded
        self._waiting = loaded.first.outside
        self._later, self._news, self._problems = [], [], list(loaded.first.problems)

    def _decide(self, waiting: Iterable[OutsideImport], *, is_yes: bool) -> None:
        loader = self._loaded.loader
        decide_imports(project_root(loader.cwd), (one.path for one in waiting), is_yes=is_yes, state=loader.state)

    def _note(self, text: str) -> None:
        self._problems.append(text)
        self._publish(Notice(level="warning", text=clean_line(text, 500)))

    async def work_on(self, files: Iterable[str]) -> None:
        """Take note of files that a tool has read or changed: memory of their folders, and rules on them, count from now on."""
        folder = self._loaded.folder
        if folder is None:
            return
        found = await asyncio.to_thread(folder.work_on, [Path(file) for file in files])
        for file in found.files:
            self._heard(file)
        self._later += found.files
        self._news += found.files
        self._problems += found.problems
        for one in found.outside:
            self._problems.append(f"{one.importer}: imports {one.path}: it is outside of this project; it is not read")

    def take_news(self) -> str:
        """Return, once, what the model has to be told of files that have come to count."""
        news, self._news = tuple(self._news), []
        return memory_text(news)

    def expire(self) -> None:
        """Have everything read anew before the next message: a new conversation begins."""
        self._is_stale = True
        self._news.clear()

    def report(self) -> MemoryReport:
        """Return which files count, and which a user may want to edit."""
        rows = tuple(
            MemoryRow(
                path=file.path,
                kind=file.kind,
                chars=len(file.text),
                is_cut=file.is_cut,
                importer=file.importer,
                globs=file.globs,
            )
            for file in (*self.files, *self._later)
        )
        first = self._loaded.first
        later = tuple(f"{rule.path}: for {' '.join(rule.globs)}" for rule in first.rules)
        places = () if self._loaded.loader.is_off else self._loaded.loader.places()
        return MemoryReport(
            files=rows,
            later=later,
            problems=tuple(self._problems),
            places=tuple(MemoryPlace(words, str(path), path.is_file()) for words, path in places),
        )


def _form(waiting: Iterable[OutsideImport]) -> Form:
    lines = [f"{reveal(clean_line(one.importer, 200))} imports {reveal(clean_line(one.path, 300))}" for one in waiting]
    options = (
        Option(label=_YES, description="\n".join(lines)),
        Option(label=_NO, description="You are not asked again."),
    )
    field = FormField(key="answer", question="May they be read?", header="Imports", options=options)
    return Form(title="Read files outside of this project?", about=f"{_ABOUT}\n" + "\n".join(lines), fields=(field,))
