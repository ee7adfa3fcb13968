"""The user's own editor on a text: the app steps aside until it is closed."""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from textual.app import SuspendNotSupported

if TYPE_CHECKING:
    from textual.app import App

__all__ = ["EditorError", "edit_outside", "open_outside"]

_TAKE_LINES: Final = frozenset({"vi", "vim", "nvim", "nano", "emacs", "micro", "kak", "joe", "ne"})


class EditorError(Exception):
    """There is no editor to be had here; the message says why."""


async def edit_outside(app: App[object], text: str, name: str) -> str:
    """Open `text` in the user's editor, as a file called `name`, and return what was saved. The session goes on meanwhile.

    Raises:
        EditorError: the app cannot step aside, there is no such editor, or it failed.
    """
    with tempfile.TemporaryDirectory(prefix="tui-agent-") as folder:
        file = Path(folder, Path(name).name)
        _write(file, text)
        await open_outside(app, file)
        try:
            return _read(file)
        except (OSError, UnicodeDecodeError) as error:
            raise EditorError(f"What was saved cannot be read: {error}") from None


async def open_outside(app: App[object], file: Path, line: int = 0) -> None:
    """Open a file itself in the user's editor, at a line where the editor is one that is known to take it.

    Raises:
        EditorError: the app cannot step aside, there is no such editor, or it failed.
    """
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    try:
        words = shlex.split(command)
        at = [f"+{line}"] if line and words and Path(words[0]).name in _TAKE_LINES else []
        with _lent(app):
            code = await _run([*words, *at, str(file)])
    except SuspendNotSupported:
        raise EditorError("This terminal cannot run an editor.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise EditorError(f"{command} cannot be started: {reason}") from None
    if code:
        raise EditorError(f"{command} ended with {code}; the text is unchanged.")


@contextmanager
def _lent(app: App[object]) -> Iterator[None]:
    """Lend the terminal, and take it back whatever happens: Textual by itself does not when something is raised meanwhile."""
    failure: BaseException | None = None
    with app.batch_update(), app.suspend():  # nothing is painted while the terminal is the editor's
        try:
            yield
        except BaseException as error:  # noqa: BLE001 - it is raised again
            failure = error
    if failure is not None:
        raise failure


def _write(file: Path, text: str) -> None:
    file.write_bytes(text.encode())


def _read(file: Path) -> str:
    return file.read_bytes().decode()


async def _run(words: list[str]) -> int:
    """Run a program on the terminal. Ctrl+C there is the program's business, not ours."""
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        process = await asyncio.create_subprocess_exec(*words)
        try:
            return await process.wait()
        except asyncio.CancelledError:
            process.terminate()
            await process.wait()
            raise
    finally:
        signal.signal(signal.SIGINT, before)
