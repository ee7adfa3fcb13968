"""Getting text into the clipboard, as far as a program in a terminal can.

The terminal itself is asked by an escape sequence (OSC 52), which also works from a machine far away, if the terminal allows
it; nobody answers. A clipboard program of this desktop, or tmux, is told as well where there is one. tmux and screen keep the
sequence to themselves unless it is wrapped for the terminal around them.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping
from typing import Final

__all__ = ["MOST_BYTES", "copied_words", "passed_through"]

MOST_BYTES: Final = 74_994  # of text: what fits into the 100,000 bytes of a sequence that many terminals take at most


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
