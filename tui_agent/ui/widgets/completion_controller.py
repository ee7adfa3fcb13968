"""What is offered while something is being named in the prompt: when the list opens, what is in it, and taking it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from tui_agent import slash_commands
from tui_agent.ui.prompting.completion import Named, completed_file, named_at, rows_for
from tui_agent.ui.prompting.completion_row import CompletionRow
from tui_agent.ui.widgets.completions import Completions

if TYPE_CHECKING:
    from tui_agent.ui.prompting.file_finder import FileFinder
    from tui_agent.ui.widgets.prompt_text import PromptText

__all__ = ["OFFER_KEYS", "CompletionController"]

OFFER_KEYS: Final = frozenset({"up", "down", "tab", "enter", "escape", "ctrl+n", "ctrl+p"})
_MOST_FILES: Final = 50
_PATIENCE_S: Final = 0.4  # for a list that a key is meant for
_LISTING: Final = "listing files…"


class CompletionController:
    """Keeps `completions` to what is being named in `text`.

    `give` carries out a command, of a name and an argument; `notify` shows a problem.
    """

    def __init__(
        self,
        text: PromptText,
        completions: Completions,
        *,
        give: Callable[[str, str], object],
        notify: Callable[[str], object],
    ) -> None:
        self._text = text
        self._notify = notify
        self._list = completions
        self._give = give
        self._skills: Callable[[], Sequence[slash_commands.SlashCommand]] = tuple
        self._tools: Callable[[], Sequence[tuple[str, str]]] = tuple
        self._values: Callable[[str], Sequence[tuple[str, str]]] = lambda _command: ()
        self._finder: FileFinder | None = None
        self._named: Named | None = None
        self._dismissed: tuple[str, int] | None = None  # kind and place of what the list was closed for
        self._answered: Named | None = None  # what the list is about
        self._search: asyncio.Task[None] | None = None

    # --- when the list opens -----------------------------------------------------------------------------------------

    def update(self) -> None:
        """Offer what fits what is being named now."""
        named = named_at(self._text.text, self._text.at)
        if named == self._named and named is not None:
            return
        self._named = named
        if named is None:
            self._dismissed = None
        elif self._dismissed != (named.kind, named.start):
            self._dismissed = None
            if named.kind == "file":
                self._find()
            else:
                rows, is_sure = rows_for(
                    named,
                    tools=self._tools() if named.kind == "tool" else (),
                    values=self._values,
                    skills=self._skills() if named.kind == "command" else (),
                )
                self._show(named, rows, is_marked=is_sure)
            return
        self._show(None, ())

    def _show(
        self, named: Named | None, rows: Sequence[CompletionRow], *, note: str = "", is_marked: bool = True
    ) -> None:
        self._answered = named
        self._list.offer(rows, note=note, is_marked=is_marked)

    def dismiss(self) -> None:
        """Close the list until something else is named."""
        named = named_at(self._text.text, self._text.at)
        self._named = named
        self._dismissed = (named.kind, named.start) if named is not None else None
        self._show(None, ())

    # --- files -------------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """There are other files now."""
        if self._named is not None and self._named.kind == "file" and self._dismissed is None:
            self._find()

    def offer_tools(self, tools: Callable[[], Sequence[tuple[str, str]]]) -> None:
        """Offer the names of tools that `tools` gives then, with words on each."""
        self._tools = tools

    def offer_skills(self, skills: Callable[[], Sequence[slash_commands.SlashCommand]]) -> None:
        """Offer what `skills` gives then besides the built-in commands."""
        self._skills = skills

    def offer_files(self, finder: FileFinder) -> None:
        """Find files by this one from now on."""
        if self._finder is not None:
            self._finder.close()
        self._finder = finder
        self.refresh()

    def offer_values(self, values: Callable[[str], Sequence[tuple[str, str]]]) -> None:
        """Offer what `values` gives for a command's name."""
        self._values = values

    def files_changed(self) -> None:
        """Tools may have made or removed files."""
        if self._finder is not None:
            self._finder.touch()

    def _find(self) -> None:
        if self._finder is None:
            self._show(None, ())
            return
        if self._answered is None or self._answered.kind != "file":
            self._finder.refresh()
        if self._search is None or self._search.done():
            self._search = asyncio.create_task(self._search_on(self._finder))
            self._search.add_done_callback(self._searched)

    async def _search_on(self, finder: FileFinder) -> None:
        """Search until what was found is about what is being named now."""
        named: Named | None = None
        while self._named is not None and self._named.kind == "file" and self._named != named:
            named = self._named
            found = await finder.search(named.typed, _MOST_FILES)
            if named == self._named and self._dismissed is None:
                rows = [CompletionRow(one.path, marks=one.marks) for one in found]
                self._show(named, rows, note="" if rows or not finder.is_listing else _LISTING)

    def _searched(self, search: asyncio.Task[None]) -> None:
        if not search.cancelled() and (error := search.exception()) is not None:
            self._show(None, ())
            self._notify(f"Files cannot be searched: {type(error).__name__}: {error}")

    async def settle(self) -> None:
        """Return when the list is about what is being named, or after a moment."""
        self.update()
        if self._search is not None and not self._search.done():
            await asyncio.wait({self._search}, timeout=_PATIENCE_S)

    # --- taking ------------------------------------------------------------------------------------------------------

    @property
    def is_open(self) -> bool:
        """Whether there is something to take for what is being named now."""
        return self._list.is_open and self._answered == self._named and self._named is not None

    def take_key(self, key: str) -> bool:
        """Do what a key means while the list is open; False when it means nothing there."""
        self.update()  # keys may come faster than the news of what they changed
        if key not in OFFER_KEYS or not self.is_open:
            return False
        match key:
            case "up" | "ctrl+p":
                self._list.move(-1)
            case "down" | "ctrl+n":
                self._list.move(1)
            case "escape":
                self.dismiss()
            case "tab":
                self.complete(self._list.current or self._list.names[0])
            case _:
                return self._enter()
        return True

    def _enter(self) -> bool:
        name, named = self._list.current, self._named
        if not name or named is None:
            self.dismiss()
            return False
        if named.kind == "file" and name.rstrip("/") == named.typed.rstrip("/"):
            self.dismiss()
            return False  # it is there already
        self.take(name)
        return True

    def take(self, name: str) -> None:
        """Take what was chosen: write a file's name, give a command."""
        named = self._named
        if named is None:
            return
        match named.kind:
            case "file":
                self._write_file(name, goes_on=False)
            case "command":
                self._give(name, "")
            case "value":
                self._give(named.command, name)
            case "tool":
                self.complete(name)

    def complete(self, name: str) -> None:
        """Write what was chosen, to be gone on with."""
        named = self._named
        if named is None:
            return
        match named.kind:
            case "file":
                self._write_file(name, goes_on=name.endswith("/"))
            case "command":
                command = slash_commands.find(name)
                takes_more = command is None or bool(command.argument)
                self._write(f"/{name}{' ' if takes_more else ''}")
            case "value":
                self._write(f"/{named.command} {name}")
            case "tool":
                self._write(f"/{named.command} {name} ")

    def _write(self, text: str) -> None:
        self._text.rewrite(text, len(text))
        self.update()

    def _write_file(self, path: str, *, goes_on: bool) -> None:
        if self._named is not None:
            self._text.rewrite(*completed_file(self._text.text, self._text.at, self._named, path, goes_on=goes_on))
            self.update()

    def close(self) -> None:
        """Stop looking."""
        if self._search is not None:
            self._search.cancel()
        if self._finder is not None:
            self._finder.close()
