"""Getting text into the clipboard, as far as a program in a terminal can.

The terminal itself is asked by an escape sequence (OSC 52), which also works from a machine far away, if the terminal allows
it; nobody answers. A clipboard program of this desktop, or tmux, is told as well where there is one. tmux and screen keep the
sequence to themselves unless it is wrapped for the terminal around them.
"""

from __future__ import annotations

import asyncio
import base64
import os
import shutil
import sys
from collections.abc import Mapping
from typing import Final

__all__ = ["MOST_BYTES", "clipboard_command", "copied_words", "copy_by_program", "passed_through"]

MOST_BYTES: Final = 74_994  # of text: what fits into the 100,000 bytes of a sequence that many terminals take at most


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


def passed_through(text: str, environment: Mapping[str, str] = os.environ) -> str:
    """Return the sequence that asks the terminal around tmux or screen; empty where there is no such terminal."""
    sequence = f"\x1b]52;c;{base64.b64encode(text.encode('utf-8', 'replace')).decode('ascii')}\a"
    if environment.get("TMUX"):
        return "\x1bPtmux;" + sequence.replace("\x1b", "\x1b\x1b") + "\x1b\\"
    return f"\x1bP{sequence}\x1b\\" if environment.get("STY") else ""


def copied_words(text: str, what: str = "", *, is_taken: bool) -> str:
    """Return what to tell the user who copied `text`; `is_taken` says that a program of this desktop has it."""
    lines = text.count("\n") + 1
    size = f"{lines:,} lines" if lines > 1 else f"{len(text):,} characters"
    told = f"{size} of {what}" if what else size
    if is_taken:
        return f"{told} copied"
    count = len(text.encode("utf-8", "replace"))
    if count > MOST_BYTES:
        return f"{told} sent to the terminal to copy; {count // 1000} KB is more than many terminals take (75 KB)"
    return f"{told} sent to the terminal to copy"
