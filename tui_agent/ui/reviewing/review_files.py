"""The list of the files of a review: one line each, with how far it is decided; a click goes to the file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from tui_agent.ui.reviewing.file_review import FileReview
from tui_agent.viewkit.runs import Run, fit_path, line_of
from tui_agent.viewkit.tool_text import count, display_path
from tui_agent.viewkit.view import Hit, Rendered, RenderState

__all__ = ["ReviewFiles"]

_STANDINGS: Final = {
    "undecided": ("○", "?", "undecided", "waiting"),
    "partly": ("◐", "~", "", "waiting"),
    "accepted": ("✓", "+", "accepted", "success"),
    "refused": ("✗", "x", "refused", "error"),
    "mixed": ("✓", "+", "accepted in part", "success"),
}
_ON_DISK: Final = {"changed": "  ! changed on disk", "gone": "  ! deleted", "made": "  ! already exists"}


@dataclass(frozen=True, eq=False)
class ReviewFiles:
    """The files as a view; `number` is the one that is looked at, `base` the folder that paths are shown relative to.

    `on_disk` says which changed on disk meanwhile, and how, as in `ProposedFileChanged`.
    """

    files: Sequence[FileReview]
    number: int
    base: str = ""
    on_disk: Mapping[str, str] = field(default_factory=dict)

    def render(self, width: int, state: RenderState) -> Rendered:
        """Return one line a file."""
        lines = [line_of(self._runs(number, width, state), width) for number in range(len(self.files))]
        hits = [Hit(number, 0, max(1, line.width), "file", str(number)) for number, line in enumerate(lines)]
        return Rendered(lines, hits, "\n".join(line.text for line in lines))

    def _runs(self, number: int, width: int, state: RenderState) -> list[Run]:
        file, palette = self.files[number], state.palette
        glyph, plain, word, style = _STANDINGS[file.standing]
        hunks = len(file.change.hunks)
        if file.standing == "partly":
            word = f"{len(file.decisions)} of {hunks} decided"
        is_here = number == self.number
        pointer = (">" if state.is_ascii else "▶") if is_here else " "
        rest = [
            Run(f"  +{file.change.added}", palette.success),
            Run(f" −{file.change.removed}", palette.error),
            Run("  new file" if file.change.is_new else "", palette.muted),
            Run(f"  {word}", getattr(palette, style)),
            Run("  edited" if file.is_edited else "", palette.warning),
            Run(_ON_DISK.get(self.on_disk.get(file.change.path, ""), ""), palette.warning),
            Run(f"  {count(len(file.comments), 'comment')}" if file.comments else "", palette.accent),
        ]
        path = Run(display_path(file.change.path, self.base), palette.strong if is_here else palette.text)
        head = [
            Run(f"{pointer} ", palette.accent),
            Run(f"{plain if state.is_ascii else glyph} ", getattr(palette, style)),
        ]
        return [*head, *fit_path([path, *rest], width - 4)]
