"""What is said to the terminal itself: its window's title, and a call for a user who is elsewhere. Sequences only.

Which sequence a terminal takes for a notification is known by the variables it sets. Inside tmux it is wrapped to reach
the terminal outside, with a bell for tmux itself, which shows it in its own way. Text is cleaned: no control gets through.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tui_agent.text import clean_line

__all__ = ["SAVE_TITLE", "call_sequence", "restore_title", "title_sequence"]

BELL: Final = "\a"
_ESC: Final = "\x1b"
_ST: Final = "\x1b\\"
_LONGEST: Final = 200  # characters of a title or a text

SAVE_TITLE: Final = "\x1b[22;2t"
_RESTORE_TITLE: Final = "\x1b[23;2t"


def title_sequence(title: str) -> str:
    """Return what gives the window a title."""
    return f"{_ESC}]2;{clean_line(title, _LONGEST)}{BELL}"


def restore_title() -> str:
    """Return what gives the window the title it had; an empty one where the terminal does not remember it."""
    return title_sequence("") + _RESTORE_TITLE


def call_sequence(channel: str, title: str, text: str, environ: Mapping[str, str]) -> str:
    """Return what makes the terminal call the user; empty where the setting wants none.

    `channel` is the setting `preferredNotifChannel`; `auto` goes by what the terminal says it is, and rings where that is not
    known.
    """
    if channel == "notifications_disabled":
        return ""
    if channel == "terminal_bell":
        return BELL
    kind = {"iterm2": "9", "iterm2_with_bell": "9", "kitty": "99", "ghostty": "777"}.get(channel) or _kind(environ)
    sequence = _notification(kind, clean_line(title, _LONGEST), clean_line(text, _LONGEST))
    if not sequence:
        return BELL
    wrapped = _wrapped(sequence, environ)
    rings = channel == "iterm2_with_bell" or wrapped != sequence
    return wrapped + BELL if rings else wrapped


def _kind(environ: Mapping[str, str]) -> str:
    """Return the number of the sequence that the terminal understands; empty where none is known."""
    program = environ.get("TERM_PROGRAM", "")
    term = environ.get("TERM", "")
    if "KITTY_WINDOW_ID" in environ or "kitty" in term:
        return "99"
    if program == "ghostty" or "GHOSTTY_RESOURCES_DIR" in environ or term.startswith(("rxvt", "foot")):
        return "777"
    if program == "WezTerm" or "WEZTERM_PANE" in environ:
        return "777"
    if program == "iTerm.app" or environ.get("LC_TERMINAL") == "iTerm2":
        return "9"
    return ""


def _notification(kind: str, title: str, text: str) -> str:
    match kind:
        case "99":
            return f"{_ESC}]99;i=tui-agent:d=0;{title}{_ST}{_ESC}]99;i=tui-agent:p=body;{text}{_ST}"
        case "777":
            return f"{_ESC}]777;notify;{title.replace(';', ',')};{text}{BELL}"
        case "9":
            # Not with a digit first: some terminals take numbers there for something else.
            return f"{_ESC}]9;{title}: {text}{BELL}"
        case _:
            return ""


def _wrapped(sequence: str, environ: Mapping[str, str]) -> str:
    if "TMUX" in environ:
        return f"{_ESC}Ptmux;{sequence.replace(_ESC, _ESC + _ESC)}{_ST}"
    return sequence
