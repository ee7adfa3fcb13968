"""Settings files must stay readable: a change that breaks one is refused before it is written."""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import Final

__all__ = ["settings_problem"]

_FOLDERS: Final = frozenset({".tui-agent", ".claude"})
_NAMES: Final = frozenset({"settings.json", "settings.local.json"})


def settings_problem(path: str, text: str) -> str | None:
    """Return what is wrong with `text` as the settings file `path`; None when nothing is, or it is no settings file."""
    place = PurePath(path)
    if place.name not in _NAMES or place.parent.name not in _FOLDERS:
        return None
    try:
        values = json.loads(text)
    except ValueError as error:
        return f"it would not be JSON any more: {error}"
    except RecursionError:
        return "it would be nested too deeply"
    if not isinstance(values, dict):
        return "it would not be a JSON object any more"
    return None
