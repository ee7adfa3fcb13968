"""The list of what a session changed: one line a file, with what its changes come to and what is special about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tui_agent.viewkit.runs import Run, fit_path, fit_runs, line_of
from tui_agent.viewkit.tool_text import display_path
from tui_agent.viewkit.view import Hit, Line, Rendered, RenderState

if TYPE_CHECKING:
    from tui_agent.queries import NetChange

__all__ = ["NetChanges", "totals"]

_FOOT: Final = "Edits only: what commands changed is not listed."


def totals(nets: Sequence[NetChange]) -> tuple[int, int]:
    """Return how many lines came in and how many went, over all files."""
    changes = [net.change for net in nets if net.change is not None]
    return sum(change.added for change in changes), sum(change.removed for change in changes)


@dataclass(frozen=True, eq=False)
class NetChanges:
    """The files as a view; `number` is the one that is looked at, `base` the folder that paths are shown relative to."""

    nets: Sequence[NetChange]
    number: int
    base: str = ""

    def render(self, width: int, state: RenderState) -> Rendered:
        """Return one line a file, and one that says what is not in the list."""
        lines = [line_of(self._runs(number, width, state), width) for number in range(len(self.nets))]
        hits = [Hit(number, 0, max(1, line.width), "file", str(number)) for number, line in enumerate(lines)]
        foot = line_of(fit_runs([Run(_FOOT, state.palette.faint)], width), width)
        return Rendered([*lines, Line(foot.segments, 0, width)], hits, "\n".join(line.text for line in lines))

    def _runs(self, number: int, width: int, state: RenderState) -> list[Run]:
        net, palette = self.nets[number], state.palette
        change = net.change
        is_here = number == self.number
        pointer = (">" if state.is_ascii else "▶") if is_here else " "
        sign, what, style = (
            ("+", "new", palette.success) if change is not None and change.is_new else ("~", "", palette.muted)
        )
        if net.is_gone:
            sign, what, style = "-", "deleted", palette.error
        rest = [
            Run(f"  +{change.added} " if change is not None else "", palette.success),
            Run(f"−{change.removed}" if change is not None else "", palette.error),
            Run(f"  {what}" if what else "", style),
            Run(f"  {net.problem}" if net.problem else "", palette.warning),
            Run("  also changed by others" if net.is_others or net.is_mixed else "", palette.warning),
        ]
        path = Run(display_path(net.path, self.base), palette.strong if is_here else palette.text)
        return [Run(f"{pointer} ", palette.accent), Run(f"{sign} ", style), *fit_path([path, *rest], width - 4)]
