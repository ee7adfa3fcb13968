"""Stepping back into the shell that the program was started from, until it brings it to the front again."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

from textual.app import SuspendNotSupported

if TYPE_CHECKING:
    from textual.app import App

__all__ = ["suspend"]


def suspend(app: App[object]) -> str:
    """Stop the program, and whatever started it and waits for it. Return why that cannot be; empty when it goes on again.

    A program that no shell looks after would stop for good.
    """
    if not hasattr(signal, "SIGTSTP"):
        return "suspending is not possible here"
    if os.getpgrp() == os.getsid(0) and not app.is_headless:
        return "there is no shell to return to"
    try:
        # The terminal first: a shell that takes it back before is left with one in which Enter is no Enter.
        with app.suspend():
            handler = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
            try:
                os.killpg(
                    os.getpgrp(), signal.SIGTSTP
                )  # the shell waits for the whole group, as `uv run` and its like are
            finally:
                signal.signal(signal.SIGTSTP, handler)
    except SuspendNotSupported:
        return "suspending is not possible here"
    return ""
