"""Which layout counts: the one that the settings say, or the one chosen by key since. No widget is known here."""

from __future__ import annotations

from tui_agent.ui.arrangement import Layout, keep_layout, next_layout

__all__ = ["LayoutChoice"]


class LayoutChoice:
    """The layout as chosen last, whether by key or by an edit of the settings.

    A choice by key is written into the settings, which are then read again. What was written comes back from there once, maybe
    after the key was pressed again, and is not an edit.
    """

    def __init__(self) -> None:
        self.current: Layout = "auto"
        self._in_settings: Layout = "auto"
        self._written: list[Layout] = []

    def go_on(self) -> str:
        """Take the next layout and keep it; return why it could not be kept, nothing where it was."""
        self.current = next_layout(self.current)
        try:
            keep_layout(self.current)
        except (OSError, ValueError) as error:
            return str(error)
        self._written.append(self.current)
        return ""

    def read(self, layout: Layout) -> bool:
        """Take in what the settings say; return whether that is another choice than before."""
        is_edit = layout != self._in_settings and layout not in self._written
        self._in_settings = layout
        if layout in self._written:
            del self._written[: self._written.index(layout) + 1]
        if not is_edit or layout == self.current:
            return False
        self.current = layout
        return True
