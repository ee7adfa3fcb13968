"""The keys of a screen, at its foot: a line may break between two of them, but not between a key and its word."""

from __future__ import annotations

from typing import Final

from textual.content import Content
from textual.geometry import Size
from textual.visual import VisualType
from textual.widgets import Static

from tui_agent.ui.terminal.shown_keys import keymap_of, named_in_line

__all__ = ["KeyLine", "packed"]

_BETWEEN: Final = ("  ", " · ")  # what stands between two keys


def packed(keys: Content, width: int) -> Content:
    """Return the keys in lines of at most `width` cells; one that is wider alone is left to break at its words."""
    between = _between(keys)
    if not between or keys.cell_length <= width:
        return keys
    lines: list[Content] = []
    for key in keys.split(between):
        if lines and lines[-1].cell_length + len(between) + key.cell_length <= width:
            lines[-1] = Content.assemble(lines[-1], between, key)
        else:
            lines.append(key)
    return Content("\n").join(lines)


def _between(keys: Content) -> str:
    return next((mark for mark in _BETWEEN if mark in keys.plain), "")


class KeyLine(Static):
    """Keys with what they do, with two blanks or ` · ` between them; named as the user has bound them. Never markup: their
    words may be foreign.
    """

    def __init__(self, keys: VisualType = "", *, id: str | None = "keys") -> None:
        super().__init__(keys, id=id, markup=False)

    def render(self) -> VisualType:
        return self._packed(self.content_size.width)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002 - not mine
        return self._packed(width).get_height(self.styles.get_rules(), width) if width > 0 else 1

    def _packed(self, width: int) -> Content:
        keys = self.visual
        if not isinstance(keys, Content):
            raise TypeError(f"keys are words, not {type(keys).__name__}")
        if keymap_of(self.app) is not None:
            between = _between(keys)
            keys = Content(between).join(named_in_line(self.screen, keys.split(between) if between else [keys]))
        return keys if self.styles.text_wrap == "nowrap" else packed(keys, width)
