"""The user's own editor on a text or a file, on the terminal that is lent to it."""

from __future__ import annotations

import asyncio
import os
import shlex
import tempfile
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tui_agent.linear.console import ConsoleLike

__all__ = ["EditorError", "edit_text", "has_editor", "open_file"]


class EditorError(Exception):
    """The text could not be edited; the message says why."""


def has_editor() -> bool:
    """Whether the user has said which editor they want: another one may need a screen."""
    return bool(os.environ.get("VISUAL") or os.environ.get("EDITOR"))


async def edit_text(console: ConsoleLike, text: str, name: str) -> str:
    """Open `text` as a file called `name` and return what was saved.

    Raises:
        EditorError: there is no such editor, or it failed.
    """
    with tempfile.TemporaryDirectory(prefix="tui-agent-") as folder:
        file = Path(folder, PurePath(name).name)
        await asyncio.to_thread(file.write_bytes, text.encode())
        await open_file(console, file)
        try:
            return (await asyncio.to_thread(file.read_bytes)).decode()
        except (OSError, UnicodeDecodeError) as error:
            raise EditorError(f"What was saved cannot be read: {error}") from None


async def open_file(console: ConsoleLike, file: Path) -> None:
    """Open a file itself.

    Raises:
        EditorError: there is no such editor, or it failed.
    """
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    try:
        with console.lent():
            process = await asyncio.create_subprocess_exec(*shlex.split(command), str(file))
            code = await process.wait()
    except (OSError, ValueError) as error:
        raise EditorError(f"{command} cannot be started: {getattr(error, 'strerror', None) or error}") from None
    if code:
        raise EditorError(f"{command} ended with {code}; the text is unchanged.")
