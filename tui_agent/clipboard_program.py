"""The program of this desktop that takes text for the clipboard."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import Mapping

__all__ = ["clipboard_command", "copy_by_program"]


def clipboard_command(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> list[str] | None:
    """Return the program that takes text for the clipboard on its standard input, None when there is none here."""
    if environment.get("TMUX") and shutil.which("tmux"):
        return ["tmux", "load-buffer", "-w", "-"]
    if environment.get("SSH_CONNECTION"):
        return None  # this desktop is not the one the user sits at
    if platform == "darwin":
        return ["pbcopy"]
    if environment.get("WAYLAND_DISPLAY") and shutil.which("wl-copy"):
        return ["wl-copy"]
    if environment.get("DISPLAY"):
        for command in (["xclip", "-selection", "clipboard"], ["xsel", "--clipboard", "--input"]):
            if shutil.which(command[0]):
                return command
    return None


async def copy_by_program(text: str, command: list[str]) -> bool:
    """Give the text to a clipboard program; False when it does not take it within two seconds."""
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
    except OSError:
        return False
    try:
        await asyncio.wait_for(process.communicate(text.encode("utf-8", "replace")), 2)
    except TimeoutError:
        process.kill()
        await process.wait()
        return False
    return process.returncode == 0
