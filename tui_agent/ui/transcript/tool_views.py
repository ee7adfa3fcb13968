"""Finding the view of a tool by its name: in the tool's own folder, imported when the first use of it is drawn."""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING

from tui_agent.tools import catalog

if TYPE_CHECKING:
    from tui_agent.viewkit.tool_view import ToolView

__all__ = ["view_for"]

_VIEWS: dict[tuple[str, str], ToolView] = {}


def view_for(name: str) -> ToolView:
    """Return what draws uses of the tool `name`; the generic view for a tool that is unknown or brings none."""
    from tui_agent.viewkit.tool_view import ToolView

    entry = catalog.find(name)
    key = (name, entry.package if entry else "")
    view = _VIEWS.get(key)
    if view is None:
        view = _VIEWS[key] = _load(entry.package) if entry else ToolView()
    return view


def _load(package: str) -> ToolView:
    from tui_agent.viewkit.tool_view import ToolView

    if importlib.util.find_spec(f"{package}.view") is None:
        return ToolView()
    made = importlib.import_module(f"{package}.view").View()
    return made if isinstance(made, ToolView) else ToolView()
