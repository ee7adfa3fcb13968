"""The commands about the work itself: instructions for the model, its replies, the folders and files it works on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tui_agent.commands import AddFolder, Submit
from tui_agent.queries import MemoryQuery
from tui_agent.slash_prompts import PROMPTS, prompt_of
from tui_agent.ui.short_path import short_path

if TYPE_CHECKING:
    from tui_agent.commands import FolderAdded, Reply
    from tui_agent.queries import MemoryReport
    from tui_agent.ui.projection.blocks import Block
    from tui_agent.ui.session_app import SessionApp

__all__ = ["WorkCommands"]

_PATH_CELLS: Final = 44


class WorkCommands:
    """One method a command, each with what followed its name. `copy` sends text to the clipboard."""

    def __init__(self, app: SessionApp, *, copy: Callable[[str, str], None]) -> None:
        self._app = app
        self._copy_text = copy
        self.doers: dict[str, Callable[[str], object]] = {
            **{name: partial(self._say, name) for name in PROMPTS},
            "copy": self._copy,
            "diff": lambda _: self._app.show_diff(),
            "add-dir": self._add_folder,
            "memory": self._memory,
        }

    def _say(self, name: str, more: str) -> None:
        if self._app.engine is not None:
            self._app.engine.send(Submit(prompt_of(name, more)))

    def _copy(self, wanted: str) -> None:
        from tui_agent.ui.transcript.block_source import copied_source

        if wanted and not (wanted.isascii() and wanted.isdecimal() and int(wanted)):
            self._app.notify_user(f"/copy expects a number, not {wanted}.", "/copy 2 copies the last reply but one.")
            return
        blocks = self._app.projection.blocks
        replies = _replies(blocks)
        number = int(wanted or 1)
        if number > len(replies):
            said = "There is no reply to copy yet." if not replies else f"There are only {len(replies)} replies."
            self._app.notify_user(said)
            return
        self._copy_text(copied_source(blocks, replies[-number]), "reply")

    def _add_folder(self, folder: str) -> None:
        engine = self._app.engine
        if engine is None:
            return
        if not folder:
            self._app.notify_user("/add-dir expects a folder.", "For example: /add-dir ../library")
            return

        def told(reply: Reply[FolderAdded]) -> None:
            if reply.ok is None:
                self._app.notify_user(reply.error)
            else:
                hint = "Until this session ends. For always: permissions.additionalDirectories in the settings."
                self._app.notify_user(f"{reply.ok.path} is a working folder now.", hint, level="info")

        engine.send(AddFolder(folder)).then(told)

    def _memory(self, _argument: str) -> None:
        engine = self._app.engine

        def show(report: MemoryReport | None) -> None:
            if report is None:
                self._app.notify_user("Memory files are not available in a replay.")
                return
            from tui_agent.ui.screens.choosers import ChooserItem, FileChooser

            def edit(path: str | None) -> None:
                if path:
                    work = self._edit(Path(path))
                    self._app.run_worker(work, group="editor", exclusive=True, exit_on_error=False)

            items = [ChooserItem(path, words, label) for path, label, words in _memory_files(report)]
            first = next((place.path for place in report.places if place.is_there), "")
            self._app.push_screen(FileChooser("Edit a memory file", items, current=first), edit)

        if engine is None:
            show(None)
        else:
            engine.query(MemoryQuery()).then(show)

    async def _edit(self, file: Path) -> None:
        from tui_agent.ui.terminal.editor import EditorError, open_outside

        try:
            await open_outside(self._app, file)
        except EditorError as error:
            self._app.notify_user(str(error), f"The file is {file}.")
        else:
            self._app.notify_user(f"{file.name} goes to the model at the start of the next session.", level="brief")


def _memory_files(report: MemoryReport) -> Iterator[tuple[str, str, str]]:
    """Yield the files that can be edited: where instructions can be kept, and what else the model has. Path, label, words."""
    rows = {row.path: row for row in report.files}
    for place in report.places:
        row = rows.pop(place.path, None)
        said = f"{row.chars:,} characters" if row is not None else "empty" if place.is_there else "not there yet"
        yield place.path, short_path(place.path, _PATH_CELLS), f"for {place.words}; {said}"
    for row in rows.values():
        by = f", imported by {Path(row.importer).name}" if row.importer else ""
        yield row.path, short_path(row.path, _PATH_CELLS), f"{row.kind.lower()}, {row.chars:,} characters{by}"


def _replies(blocks: Sequence[Block]) -> list[int]:
    """Return where in `blocks` each reply of the model has its last text."""
    last: dict[str, int] = {}
    for position, block in enumerate(blocks):
        if block.kind == "text" and not block.is_live:
            last[block.group] = position
    return sorted(last.values())
