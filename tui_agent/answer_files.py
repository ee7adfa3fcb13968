"""Files that a front end makes of answers, where its user is: a conversation as Markdown, a session's changes as a patch.

They are new files, never written over others.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from tui_agent.viewkit.tool_text import count, display_path

if TYPE_CHECKING:
    from tui_agent.queries import MarkdownExport, Patch

__all__ = ["Notification", "write_export", "write_patch"]

_NAME: Final = "changes"
_MOST: Final = 1000


class Notification(NamedTuple):
    """What came of it, for the user: a sentence, a hint, and whether it was done."""

    text: str
    hint: str = ""
    is_done: bool = True


def write_export(export: MarkdownExport, folder: Path) -> Path:
    """Write a conversation into a new file in `folder`, and return which. Blocks.

    Raises:
        OSError: it cannot be written.
        ValueError: there is nothing to write; the text says why.
    """
    if export.problem:
        raise ValueError(export.problem)
    stem, number = f"conversation-{export.session_id[:8]}", 1
    while True:
        path = folder / (f"{stem}.md" if number == 1 else f"{stem}-{number}.md")
        try:
            with path.open("x", encoding="utf-8", errors="backslashreplace") as file:
                file.write(export.text)
        except FileExistsError:
            number += 1
            continue
        return path


async def write_patch(patch: Patch, folder: str, name: str) -> Notification:
    """Write the patch to `name` in `folder`; without a name to `changes.patch`, or the next such name that is free."""
    left_out = f"Left out: {'; '.join(patch.left_out)}." if patch.left_out else ""
    if not patch.files:
        return Notification("This session has no changes that a patch can hold.", left_out, is_done=False)
    try:
        path = await asyncio.to_thread(_write, patch.data, Path(folder), name)
    except FileExistsError as error:
        return Notification(f"The file {error.filename} already exists.", "Give /patch another name.", is_done=False)
    except OSError as error:
        return Notification(f"The patch could not be written: {error.strerror or error}", is_done=False)
    shown = display_path(str(path), folder)
    return Notification(
        f"{count(patch.files, 'changed file')} written to {shown} as a patch.",
        " ".join(filter(None, (f"`git apply` takes it in {patch.root}.", left_out))),
    )


def _write(data: bytes, folder: Path, name: str) -> Path:
    from tui_agent.tools.file_changes.atomic import create

    if name:
        path = folder / Path(name).expanduser()
        if os.path.lexists(path):
            raise FileExistsError(0, "", str(path))
        create(str(path), data)
        return path
    for number in range(1, _MOST):
        path = folder / f"{_NAME}{f'-{number}' if number > 1 else ''}.patch"
        try:
            create(str(path), data)
        except FileExistsError:
            continue
        return path
    raise FileExistsError(0, "", str(folder / f"{_NAME}.patch"))
