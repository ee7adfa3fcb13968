"""Which settings of a folder the user has confirmed, entry by entry, known by their hashes in the program's own state.

An entry is whatever could loosen something: one allow rule, one hook, one variable, one switch of the sandbox. The user
confirms those that are there when they trust a folder, and later those that are new or have changed. What this program
writes into a folder's settings, because the user said so, is confirmed by that; so one's own local settings count in a
folder that is not trusted, and a file of the same name that came with the folder does not.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tui_agent.settings.standard_paths import state_home
from tui_agent.settings.state_file import change_state, read_state, strings
from tui_agent.settings.trust import trusted_root

__all__ = ["Confirmed", "confirm", "confirmed_file", "entry_hash", "forget_written", "load_confirmed", "note_written"]

_NAME: Final = "confirmed.json"
_MOST: Final = 5_000  # of one folder, and of what was written; the oldest go, and are asked about again
_HASH_CHARS: Final = 40


@dataclass(frozen=True, slots=True)
class Confirmed:
    """The hashes of a folder's confirmed entries, and of all that this program wrote.

    `entries` is None where nothing was ever recorded of the folder: it was trusted before there were such records, or as a
    part of another folder.
    """

    entries: frozenset[str] | None
    written: frozenset[str]


def entry_hash(file: str | Path, path: Iterable[str], entry: Any) -> str:  # noqa: ANN401 - any JSON
    """Return what one entry is known by: the file it stands in, its key, and what it says."""
    text = json.dumps([os.path.realpath(file), *path, entry], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:_HASH_CHARS]


def load_confirmed(folder: Path, *, home: Path | None = None) -> Confirmed:
    """Return what is known of the settings of a folder; a record that cannot be read confirms nothing.

    Args:
        folder: where a session starts.
        home: the state folder, by default the platform's.
    """
    file = confirmed_file(home)
    data = read_state(file)
    folders = data.get("folders", {} if data or not os.path.lexists(file) else None)
    root = str(trusted_root(folder))
    is_unknown = isinstance(folders, dict) and root not in folders
    known = None if is_unknown else frozenset(strings(folders.get(root) if isinstance(folders, dict) else None))
    return Confirmed(known, frozenset(strings(data.get("written"))))


def confirm(folder: Path, hashes: Collection[str], *, home: Path | None = None) -> None:
    """Remember that these entries of a folder's settings are confirmed, besides those that were before.

    Raises:
        OSError: the state folder cannot be written.
    """
    root = str(trusted_root(folder))

    def change(data: Mapping[str, Any]) -> Mapping[str, Any]:
        folders = data.get("folders")
        known = dict(folders) if isinstance(folders, dict) else {}
        before = strings(known.pop(root, None))
        known[root] = list(dict.fromkeys((*before, *sorted(hashes))))[-_MOST:]
        return {"version": 1, **data, "folders": known}

    change_state(confirmed_file(home), change)


def note_written(file: Path, path: Iterable[str], entries: Iterable[Any], *, home: Path | None = None) -> None:
    """Remember that this program wrote these entries of a list into a settings file, on the user's word.

    Raises:
        OSError: the state folder cannot be written.
    """
    key = tuple(path)
    new = [entry_hash(file, key, entry) for entry in entries]

    def change(data: Mapping[str, Any]) -> Mapping[str, Any]:
        before = [known for known in strings(data.get("written")) if known not in new]
        return {"version": 1, **data, "written": [*before, *new][-_MOST:]}

    change_state(confirmed_file(home), change)


def forget_written(file: Path, path: Iterable[str], entry: Any, *, home: Path | None = None) -> None:  # noqa: ANN401
    """Let an entry that the user had taken out of a settings file count as new, should it come back.

    Raises:
        OSError: the state folder cannot be written.
    """
    gone = entry_hash(file, path, entry)

    def change(data: Mapping[str, Any]) -> Mapping[str, Any]:
        folders = data.get("folders")
        known = {
            root: [one for one in strings(hashes) if one != gone]
            for root, hashes in (folders.items() if isinstance(folders, dict) else ())
        }
        written = [one for one in strings(data.get("written")) if one != gone]
        return {"version": 1, **data, "folders": known, "written": written}

    change_state(confirmed_file(home), change)


def confirmed_file(home: Path | None = None) -> Path:
    """Return the file of the record; it may not exist yet."""
    return (home or state_home()) / _NAME
