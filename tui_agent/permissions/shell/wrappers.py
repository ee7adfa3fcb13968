"""Wrappers that run what stands behind them and change nothing about it: `timeout 5 ls`, `time ls`, `env LC_ALL=C ls` …"""

from __future__ import annotations

import re
from typing import Final

from tui_agent.permissions.shell.values import is_harmless_setting
from tui_agent.permissions.shell.words import Word

__all__ = ["IN_SHELL", "WRAPPERS", "unwrapped"]

IN_SHELL: Final = frozenset({"command", "builtin", "time"})
"""Wrappers behind which a builtin still works on this very shell."""

# Each with the options that are known: alone, and with a word of their own behind them.
_OPTIONS: Final[dict[str, tuple[str, str]]] = {
    "timeout": (
        r"--foreground|--preserve-status|-v|--verbose|-k\d[\d.]*[smhd]?|-s[A-Z0-9]+|--(?:signal|kill-after)=[\w.]+",
        r"-k|-s|--signal|--kill-after",
    ),
    "time": (r"-p", r"(?!)"),
    "nice": (r"-n?-?\d+|--adjustment=-?\d+", r"-n"),
    "nohup": (r"(?!)", r"(?!)"),
    "stdbuf": (r"-[ioe](?:0|L|\d+[KM]?)|--(?:input|output|error)=(?:0|L|\d+[KM]?)", r"-[ioe]"),
    "command": (r"-p", r"(?!)"),
    "builtin": (r"(?!)", r"(?!)"),
    "env": (r"(?!)", r"(?!)"),
}
WRAPPERS: Final = frozenset(_OPTIONS)
_VALUE: Final = re.compile(r"[A-Za-z0-9.-]+")
_DURATION: Final = re.compile(r"\d+(?:\.\d+)?[smhd]?")
_SET: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)


def unwrapped(words: tuple[Word, ...]) -> tuple[Word, ...] | None:
    """Return the words behind a wrapper, or None where its options are not all known or nothing stands behind it."""
    name = words[0].value
    alone, valued = _OPTIONS[name]
    rest = list(words[1:])
    while rest and rest[0].is_known and rest[0].value.startswith("-"):
        if "\\" in rest[0].raw:
            return None
        option = rest.pop(0).value
        if option == "--":
            break
        if re.fullmatch(valued, option) and rest and rest[0].is_known and _VALUE.fullmatch(rest[0].value):
            rest.pop(0)
        elif not re.fullmatch(alone, option):
            return None
    if name == "timeout" and (not rest or not rest[0].is_known or not _DURATION.fullmatch(rest.pop(0).value)):
        return None
    while name == "env" and rest and rest[0].is_known and (match := _SET.fullmatch(rest[0].value)):
        if not is_harmless_setting(match[1], match[2]):
            return None
        rest.pop(0)
    if not rest or not rest[0].is_known or rest[0].value.startswith("-") or "=" in rest[0].value:
        return None
    return tuple(rest)
