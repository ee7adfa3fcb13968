"""Whether the program is to run in linear mode: asked before anything heavy is imported."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from tui_agent.regular_files import read_regular
from tui_agent.settings.standard_paths import claude_dir, user_settings_file

__all__ = ["READER_VARIABLES", "wants_linear"]

# Screen readers set no variable themselves; these are what people who use one set, to ask programs for plain prompts:
# ACCESSIBLE for command-line tools in general, the second for programs built on Ink, the others for Claude Code and gh.
READER_VARIABLES: Final = ("ACCESSIBLE", "INK_SCREEN_READER", "CLAUDE_AX_SCREEN_READER", "GH_ACCESSIBLE_PROMPTER")
_OFF: Final = frozenset({"", "0", "false", "no", "off"})
_MOST_BYTES: Final = 2 * 1024 * 1024  # of a settings file, as everywhere


def wants_linear(environment: Mapping[str, str], *, is_asked: bool = False, inline: str | None = None) -> bool:
    """Whether to run without a screen.

    The command line (`is_asked`) decides, then the terminal (one that is dumb has no screen to draw on), then the setting
    `screen` (`inline` is what `--settings` says), then the variables of those who use a screen reader.
    """
    if is_asked:
        return True
    said = next(filter(None, map(_screen, _settings(inline))), None)
    if said == "linear" or environment.get("TERM") == "dumb":
        return True
    is_reader = any(environment.get(name, "").strip().lower() not in _OFF for name in READER_VARIABLES)
    return said is None and is_reader


def _screen(settings: dict[str, Any]) -> str | None:
    """Return what a file says of the screen; `axScreenReader` is Claude Code's way to say the same."""
    if (kind := settings.get("screen")) in ("full", "linear"):
        return str(kind)
    return "linear" if settings.get("axScreenReader") is True else None


def _settings(inline: str | None) -> Iterator[dict[str, Any]]:
    """Yield what `--settings` and the user's own files say, the strongest first: plain JSON, as a schema takes a while."""
    if inline is not None and inline.lstrip().startswith("{"):
        yield from _read(inline.encode())
    elif inline is not None:
        yield from _read_file(Path(inline).expanduser())
    for file in (user_settings_file(), claude_dir() / "settings.json"):
        yield from _read_file(file)


def _read_file(file: Path) -> Iterator[dict[str, Any]]:
    try:
        data = read_regular(file, _MOST_BYTES, follow_links=True)
    except (OSError, ValueError):
        return
    yield from _read(data)


def _read(data: bytes) -> Iterator[dict[str, Any]]:
    try:
        settings = json.loads(data)
    except (ValueError, RecursionError):
        return
    if isinstance(settings, dict):
        yield settings
