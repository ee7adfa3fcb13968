"""What the user said of files outside of a project that its memory files import: remembered for the project, asked once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from tui_agent.settings.standard_paths import state_home
from tui_agent.settings.state_file import change_state, read_state, strings

__all__ = ["approved_imports", "decide_imports", "declined_imports"]

_FILE: Final = "memory_imports.json"


def approved_imports(root: Path, state: Path | None = None) -> frozenset[str]:
    """Return the files that may be imported into a project, links resolved. Blocks."""
    return _said(root, state, "yes")


def declined_imports(root: Path, state: Path | None = None) -> frozenset[str]:
    """Return the files that the user does not want imported. Blocks."""
    return _said(root, state, "no")


def _said(root: Path, state: Path | None, answer: str) -> frozenset[str]:
    entry = read_state((state or state_home()) / _FILE).get(str(root))
    return frozenset(strings(entry.get(answer))) if isinstance(entry, Mapping) else frozenset()


def decide_imports(root: Path, paths: Iterable[str], *, is_yes: bool, state: Path | None = None) -> None:
    """Remember what the user said. Blocks.

    Raises:
        OSError: it cannot be remembered.
    """
    given = frozenset(paths)

    def change(data: Mapping[str, Any]) -> Mapping[str, Any]:
        entry = data.get(str(root))
        entry = entry if isinstance(entry, Mapping) else {}
        yes, no = frozenset(strings(entry.get("yes"))), frozenset(strings(entry.get("no")))
        said = {"yes": yes | given, "no": no - given} if is_yes else {"yes": yes - given, "no": no | given}
        return {**data, str(root): {key: sorted(value) for key, value in said.items()}}

    change_state((state or state_home()) / _FILE, change)
