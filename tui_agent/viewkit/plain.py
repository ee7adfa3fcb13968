"""Prose without any syntax: what a user typed, a notice, a tool's text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from rich.style import Style

from tui_agent.text import clean
from tui_agent.viewkit.runs import Run, add_runs, crop
from tui_agent.viewkit.view import LinesBuilder, Rendered, RenderState
from tui_agent.viewkit.wrap import cut_cells, expand_tabs, wrap_cells

__all__ = ["TextView", "add_text", "cut_cells", "wrap_cells"]

_NARROWEST: Final = 4


@dataclass(frozen=True, slots=True)
class TextView:
    """Foreign text, cleaned and wrapped at words. `style` names a palette field (`"error"`); `limit` is in lines of text."""

    text: str
    style: str = "text"
    limit: int | None = None

    def render(self, width: int, state: RenderState) -> Rendered:
        """Return the wrapped text."""
        builder = LinesBuilder()
        style: Style = getattr(state.palette, self.style)
        lines = clean(self.text).split("\n")
        shown = lines if self.limit is None else lines[: self.limit]
        add_text(builder, "\n".join(shown), style, max(width, _NARROWEST))
        if len(shown) < len(lines):
            add_text(builder, f"… {len(lines) - len(shown)} more lines", state.palette.faint, max(width, _NARROWEST))
        rendered = builder.build()
        return rendered if width >= _NARROWEST else crop(rendered, width)


def add_text(builder: LinesBuilder, text: str, style: Style, width: int) -> None:
    """Add cleaned text, wrapped at words."""
    for line in text.split("\n"):
        add_runs(builder, (Run(expand_tabs(line), style),), width)
