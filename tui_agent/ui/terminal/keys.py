"""Keys as terminals without a keyboard protocol send them, told apart where Textual throws them together.

Such a terminal sends Alt with a key as Escape and the key. Textual drops the Escape before Enter and before signs, so that
Alt+Enter would send what it should break into lines; and it takes Alt+B for Ctrl+Left. Here each stays what was pressed. A key
that came this way has its character: the user may as well have pressed Escape and then the key, as those of vi do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from textual import events

from tui_agent.ui.textual_patches.parser_layers import ToKeys, key_layer, read_by

__all__ = ["for_field", "pressed_after_escape", "read_alt"]

_ESC: Final = "\x1b"
_BEGINNINGS: Final = frozenset("[O]P_^X" + _ESC)  # what may go on as a longer sequence
_OTHER_KEYS: Final = re.compile(r"\x1b\[27;(\d+);(\d+)~")  # as xterm and tmux send keys with modifiers
# What Textual makes of Alt with these, and its text fields know.
_IN_FIELDS: Final = {"alt+b": "ctrl+left", "alt+f": "ctrl+right", "alt+backspace": "ctrl+w", "alt+d": "ctrl+f"}


def read_alt() -> None:
    """Have the terminal's driver read keys this way."""
    read_by(_layer)


def _read(below: ToKeys, sequence: str, alt: bool) -> Iterable[events.Key]:
    if match := _OTHER_KEYS.fullmatch(sequence):
        sequence = f"{_ESC}[{match[2]};{match[1]}u"
    if len(sequence) == 2 and sequence[0] == _ESC and sequence[1] not in _BEGINNINGS:
        sequence, alt = sequence[1], True
    for key in below(sequence, alt=alt):
        yield events.Key(f"alt+{key.key}", key.character) if alt and "alt+" not in key.key else key


_layer: Final = key_layer(_read)


def pressed_after_escape(event: events.Key) -> events.Key | None:
    """Return the key that was pressed with Alt, where it may as well have been pressed after Escape; else None."""
    if not event.key.startswith("alt+") or not event.character or not event.character.isprintable():
        return None
    return events.Key(event.character, event.character)


def for_field(event: events.Key) -> events.Key:
    """Return a key as a text field that knows nothing of Alt is to get it: no character of its own."""
    if not event.key.startswith("alt+") or event.character is None:
        return event
    return events.Key(_IN_FIELDS.get(event.key, event.key), None)
