"""The keys of a screen, at its foot: a line may break between two of them, but not between a key and its word."""

from __future__ import annotations

import re
from typing import Final

from textual.content import Content
from textual.geometry import Size
from textual.visual import VisualType
from textual.widgets import Static

from tui_agent.ui.terminal.shown_keys import keymap_of, named_in_line

__all__ = ["KeyLine", "marked", "packed"]

_PLAIN_BETWEEN: Final = " · "
_BETWEEN: Final = ("  ", _PLAIN_BETWEEN)  # what stands between two keys
# The keys at the beginning of a piece: signs, single characters, names. What begins with none has no key.
_KEY: Final = r"(?:[⇧^↑↓←→]\S*|enter|esc|tab|space|home|end|pg(?:up|dn)(?:/dn)?|F\d+|(?:alt|ctrl)\+\S+|\S)"
_KEYS: Final = re.compile(rf"((?:{_KEY}(?: {_KEY})*(?= |\Z))?)", re.DOTALL)


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


def marked(keys: Content) -> Content:
    """Return keys that are written plainly, ` · ` between them, as they are shown everywhere: bold, with two blanks between."""
    if keys.spans or "  " in keys.plain:
        return keys
    pieces = [_KEYS.match(piece) for piece in keys.plain.split(_PLAIN_BETWEEN)]
    return Content("  ").join(
        Content.assemble((piece[1], "bold $foreground"), piece.string[piece.end(1) :]) for piece in pieces if piece
    )


def _between(keys: Content) -> str:
    return next((mark for mark in _BETWEEN if mark in keys.plain), "")


class KeyLine(Static):
    """Keys with what they do, with two blanks between them; named as the user has bound them. They may be given as plain words
    with ` · ` between. Never markup: what they do may be foreign.
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
        keys = marked(keys)
        if keymap_of(self.app) is not None:
            between = _between(keys)
            keys = Content(between).join(named_in_line(self.screen, keys.split(between) if between else [keys]))
        return keys if self.styles.text_wrap == "nowrap" else packed(keys, width)
