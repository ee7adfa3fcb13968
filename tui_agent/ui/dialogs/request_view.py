"""What a permission dialog shows of the call: the tool's own request view, as a view that any host can paint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tui_agent.ui.transcript.tool_views import view_for
from tui_agent.viewkit.tool_use import ToolUse
from tui_agent.viewkit.view import Rendered, RenderState

if TYPE_CHECKING:
    from tui_agent.events import PermissionRequested

__all__ = ["RequestView"]


@dataclass(frozen=True, slots=True)
class RequestView:
    """The call that `request` is about, in the tool's own words. The request's input counts: it is what would be run."""

    request: PermissionRequested
    use: ToolUse | None = None

    def render(self, width: int, state: RenderState) -> Rendered:
        """Return the tool's request view."""
        asked = ToolUse(
            id=self.request.tool_use_id,
            name=self.request.name,
            input=self.request.input,
            is_input_whole=True,
            phase="waiting",
            changes=self.use.changes if self.use is not None else (),
            base=self.use.base if self.use is not None else "",
            cwd=self.request.cwd,
        )
        return view_for(self.request.name).request(asked, width, state)
