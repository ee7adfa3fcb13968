"""How diffs are laid out for as long as the app runs: by their width, until the user says otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from textual.app import App

    from tui_agent.viewkit.diff import DiffView, Layout

__all__ = ["diff_layout", "switch_layout"]

_CHOSEN: Final[WeakKeyDictionary[App[object], Layout]] = WeakKeyDictionary()


def diff_layout(app: App[object]) -> Layout:
    """Return the layout in force."""
    return _CHOSEN.get(app, "auto")


def switch_layout(app: App[object], view: DiffView, width: int) -> None:
    """Go to the other layout than the one `view` has at this width."""
    _CHOSEN[app] = "unified" if view.is_split(width) else "split"
