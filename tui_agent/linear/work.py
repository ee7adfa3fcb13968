"""The commands about the work itself: the model's replies, the folders and files it works on, the way to the model."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tui_agent.clipboard_program import clipboard_command, copy_by_program
from tui_agent.commands import AddFolder
from tui_agent.linear.editor import EditorError, open_file
from tui_agent.memory_file import memory_file
from tui_agent.queries import StateQuery
from tui_agent.text import clean_line
from tui_agent.viewkit.tool_text import count

if TYPE_CHECKING:
    from tui_agent.linear.front import Front

__all__ = ["WorkCommands"]


class WorkCommands:
    """One method a command, each with what followed its name."""

    def __init__(self, session: Front) -> None:
        self._session = session
        self.dialogs: dict[str, Callable[[str], Coroutine[Any, Any, None]]] = {
            "copy": self._copy,
            "add-dir": self._add_folder,
            "memory": self._memory,
        }

    async def _copy(self, wanted: str) -> None:
        """Give a reply to the clipboard; where there is none, write it as the model did."""
        asker, replies = self._session.asker, self._session.reporter.replies
        if wanted and not (wanted.isascii() and wanted.isdecimal() and len(wanted) < 9 and int(wanted)):
            asker.say(f"/copy expects a number, not {clean_line(wanted, 60)}. /copy 2 copies the last reply but one.")
            return
        number = int(wanted or 1)
        if number > len(replies):
            asker.say("There is no reply to copy yet." if not replies else f"There are only {len(replies)} replies.")
            return
        text = replies[-number]
        command = clipboard_command()
        if command is not None and await copy_by_program(text, command):
            asker.say(f"Copied: {count(text.count(chr(10)) + 1, 'line')}.")
            return
        asker.say("There is no clipboard program here. The reply as it was written:")
        asker.say_all(text.split("\n"))

    async def _add_folder(self, folder: str) -> None:
        asker = self._session.asker
        if not folder:
            asker.say("/add-dir expects a folder. For example: /add-dir ../library")
            return
        reply = await self._session.engine.send(AddFolder(folder))
        if reply.ok is None:
            asker.say(clean_line(reply.error, 1000))
        else:
            asker.say(f"{reply.ok.path} is a working folder now, until this session ends.")
            asker.say("For always: permissions.additionalDirectories in the settings.")

    async def _memory(self, _argument: str) -> None:
        asker = self._session.asker
        state = await self._session.engine.query(StateQuery())
        file = memory_file(Path(state.cwd or state.root or "."))
        asker.say(f"Opening {file} in your editor.")
        try:
            await open_file(asker.console, file)
        except EditorError as error:
            asker.say(str(error))
        else:
            asker.say(f"{file.name} goes to the model at the start of the next session.")
