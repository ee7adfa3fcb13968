"""Files whose own protection a change would pass over without a word, so that the user is asked first.

A file is replaced by renaming a new one onto it. That needs no permission to write the file itself, only its folder.
"""

from __future__ import annotations

import asyncio
import os
import pwd
import stat
from collections.abc import Iterable

from tui_agent.tools.base import Ask, ToolContext
from tui_agent.tools.files import TextFile

__all__ = ["ask_about", "ask_about_path"]


def ask_about(ctx: ToolContext, files: Iterable[TextFile | None]) -> Ask | None:
    """Return the question that a change of these files leads to; None where there is none to ask, as for a new file."""
    return _joined(_reason(ctx, file.path, file.status) for file in files if file is not None)


async def ask_about_path(ctx: ToolContext, path: str) -> Ask | None:
    """Do what `ask_about` does for a file that was not read, by its absolute path."""

    def reason() -> str:
        try:
            return _reason(ctx, path, ctx.paths[path].status())
        except (OSError, ValueError):  # whoever changes it says what is wrong
            return ""

    return _joined([await asyncio.to_thread(reason)])


def _joined(reasons: Iterable[str]) -> Ask | None:
    told = "; ".join(filter(None, reasons))
    return Ask(told) if told else None


def _reason(ctx: ToolContext, path: str, found: os.stat_result | None) -> str:
    if found is None:
        return ""
    name = ctx.workspace.display(path)
    if not _is_writable(found):
        return f"`{name}` is read-only (mode {stat.S_IMODE(found.st_mode):04o})"
    if os.geteuid() not in (0, found.st_uid):  # root can give the new file to the old one's owner
        return f"`{name}` belongs to {_user(found.st_uid)}; writing it makes it yours"
    return ""


def _is_writable(status: os.stat_result) -> bool:
    """Whether the mode lets this user write the file; of root, who may always, whether it lets anybody."""
    user = os.geteuid()
    if user == 0:
        return bool(status.st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH))
    if user == status.st_uid:
        return bool(status.st_mode & stat.S_IWUSR)
    if status.st_gid in (os.getegid(), *os.getgroups()):
        return bool(status.st_mode & stat.S_IWGRP)
    return bool(status.st_mode & stat.S_IWOTH)


def _user(number: int) -> str:
    try:
        return f"the user {pwd.getpwuid(number).pw_name}"
    except KeyError:
        return f"the user with the number {number}"
