"""Keys with modifiers from terminals that have a protocol of their own for them: xterm, tmux, mintty.

Textual asks for kitty's, which they do not know; so Shift+Enter would come as Enter there and send what it should break into
lines, and in xterm Alt with a letter would be a letter with an accent. Asked for is the least: keys that are told apart
already stay as they are. How they come is what `keys` reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from tui_agent.ui.textual_patches.drivers import asking_driver

if TYPE_CHECKING:
    from textual.driver import Driver

__all__ = ["asking", "asks"]

_OTHER_KEYS: Final = "\x1b[>4;1m", "\x1b[>4m"  # xterm's modifyOtherKeys 1, and what was set before
_META: Final = "\x1b[?1036s\x1b[?1036h", "\x1b[?1036r"  # xterm's metaSendsEscape, and what was set before


def asks(environ: Mapping[str, str]) -> tuple[str, str]:
    """Return what asks a terminal for such keys and what takes that back; nothing for one that may misread it."""
    if "STY" in environ:
        return "", ""
    if "TMUX" in environ or environ.get("TERM_PROGRAM") == "mintty":
        return _OTHER_KEYS
    if "XTERM_VERSION" in environ:
        return _OTHER_KEYS[0] + _META[0], _OTHER_KEYS[1] + _META[1]
    return "", ""


def asking(base: type[Driver], environ: Mapping[str, str]) -> type[Driver]:
    """Return a driver that asks for such keys as long as the app has the terminal."""
    begin, end = asks(environ)
    return asking_driver(base, begin, end) if begin else base
