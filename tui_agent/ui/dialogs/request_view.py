"""What a permission dialog shows of the call: the tool's own request view, as a view that any host can paint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.style import Style

from tui_agent.text import clean_line
from tui_agent.ui.dialogs.marked_text import with_mark
from tui_agent.ui.transcript.tool_views import view_for
from tui_agent.viewkit.tool_use import ToolUse
from tui_agent.viewkit.view import Rendered, RenderState

if TYPE_CHECKING:
    from tui_agent.events import PermissionRequested

__all__ = ["RequestView", "asked_use", "question_of"]


@dataclass(frozen=True, slots=True)
class RequestView:
    """The call that `request` is about, in the tool's own words, with the part marked that matters most."""

    request: PermissionRequested
    use: ToolUse | None = None

    def render(self, width: int, state: RenderState) -> Rendered:
        """Return the tool's request view."""
        asked = asked_use(self.request, self.use)
        found = view_for(self.request.name).request(asked, width, state)
        palette = state.palette
        mark = (palette.error if self.request.is_destructive else palette.warning) + Style(bold=True, underline=True)
        return with_mark(found, self.request.part, mark) if self.request.part else found


def asked_use(request: PermissionRequested, use: ToolUse | None = None) -> ToolUse:
    """Return the call that a user is asked about, as views get it: with the input of the request, which is what would run."""
    return ToolUse(
        id=request.tool_use_id,
        name=request.name,
        input=request.input,
        is_input_whole=True,
        phase="waiting",
        changes=use.changes if use is not None else (),
        base=use.base if use is not None else "",
        cwd=request.cwd,
    )


def question_of(request: PermissionRequested, use: ToolUse | None = None) -> str:
    """Return what the user is asked, in the tool's words: the title of the dialog."""
    return clean_line(view_for(request.name).question(asked_use(request, use)), 200)
