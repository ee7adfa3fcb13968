"""Changing one thing in a settings file of the user's own; everything else in it stays as it was."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tui_agent.regular_files import read_regular
from tui_agent.settings.reading import MAX_BYTES
from tui_agent.settings.source_text import MalformedJson, parse
from tui_agent.settings.standard_paths import user_settings_file

__all__ = ["ChangeError", "change_file", "keep_own", "was_kept_here"]

_kept: dict[str, object] = {}  # what this program wrote into the user's own settings, until it has read it there


class ChangeError(ValueError):
    """The file holds something that must not be overwritten; the message names it and says what is wrong."""


def change_file(file: Path, change: Callable[[dict[str, Any]], bool]) -> None:
    """Let `change` alter the settings in `file`; it says whether it did. The file is replaced in one step.

    Raises:
        ChangeError: the file is not valid; whatever `change` raises comes through too.
        OSError: the file cannot be read or written.
    """
    try:
        text = read_regular(file, MAX_BYTES, follow_links=True).decode("utf-8-sig")
    except FileNotFoundError:
        text = ""
    except UnicodeDecodeError:
        raise ChangeError(f"{file} is not UTF-8 text") from None
    try:
        settings: Any = parse(text).value if text.strip() else {}
    except MalformedJson as error:
        raise ChangeError(f"{file}, {error}") from None
    if not isinstance(settings, dict):
        raise ChangeError(f"{file} holds no settings")
    if change(settings):
        _write(file, json.dumps(settings, indent=_indent(text), ensure_ascii=False) + "\n")


def keep_own(key: str, value: str) -> None:
    """Set one key in the user's own settings.

    Raises:
        ChangeError: the file is damaged, and stays as it is.
        OSError: it cannot be written.
    """

    def change(settings: dict[str, Any]) -> bool:
        is_new: bool = settings.get(key) != value
        settings[key] = value
        return is_new

    change_file(user_settings_file(), change)
    _kept[key] = value


def was_kept_here(key: str, value: object) -> bool:
    """Whether this value, read from the files just now, is what `keep_own` wrote there. True once: then it is known."""
    is_ours = key in _kept and _kept[key] == value
    if is_ours:
        del _kept[key]
    return is_ours


def _indent(text: str) -> int | str:
    """Return the step by which the file indents, so that one change does not show as a change of every line."""
    for line in text.splitlines():
        blanks = line[: len(line) - len(line.lstrip(" \t"))]
        if blanks:
            return "\t" if blanks[0] == "\t" else len(blanks)
    return 2


def _write(file: Path, text: str) -> None:
    target = Path(os.path.realpath(file))  # a link to a file kept elsewhere stays a link
    target.parent.mkdir(parents=True, exist_ok=True)
    mode = target.stat().st_mode & 0o777 if target.exists() else 0o600
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=".settings-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        Path(temporary).chmod(mode)
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
