"""The commands about the work itself: instructions for the model, its replies, the folders and files it works on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tui_agent.commands import AddFolder, Submit
from tui_agent.memory_file import memory_file
from tui_agent.slash_prompts import PROMPTS, prompt_of

if TYPE_CHECKING:
    from tui_agent.commands import FolderAdded, Reply
    from tui_agent.ui.projection.blocks import Block
    from tui_agent.ui.session_app import SessionApp

__all__ = ["WorkCommands"]


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
        file = memory_file(Path(self._app.projection.status.cwd or "."))
        self._app.run_worker(self._edit(file), group="editor", exclusive=True, exit_on_error=False)

    async def _edit(self, file: Path) -> None:
        from tui_agent.ui.terminal.editor import EditorError, open_outside

        try:
            await open_outside(self._app, file)
        except EditorError as error:
            self._app.notify_user(str(error), f"The file is {file}.")
        else:
            self._app.notify_user(f"{file.name} goes to the model at the start of the next session.", level="brief")


def _replies(blocks: Sequence[Block]) -> list[int]:
    """Return where in `blocks` each reply of the model has its last text."""
    last: dict[str, int] = {}
    for position, block in enumerate(blocks):
        if block.kind == "text" and not block.is_live:
            last[block.group] = position
    return sorted(last.values())
