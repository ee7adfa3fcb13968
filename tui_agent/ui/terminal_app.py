"""An app and its terminal: what it is asked, in which colours it is drawn, and what is said of errors that end the app."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual import on
from textual.filter import LineFilter, Monochrome, NoColor
from textual.reactive import reactive

from tui_agent.ui import themes
from tui_agent.ui.colourless import Colourless
from tui_agent.ui.terminal.background import ASK, BackgroundReported, read_answers
from tui_agent.ui.terminal.hang_up import surviving
from tui_agent.ui.terminal.modifiers import asking
from tui_agent.ui.textual_patches.app import ReportingApp, write_to_terminal
from tui_agent.ui.textual_patches.style_sheets import ThriftyStylesheet

if TYPE_CHECKING:
    from textual.driver import Driver

__all__ = ["TerminalApp"]


class TerminalApp(ReportingApp):
    """Drawn in a theme, which may go by the terminal's background. With `has_reduced_motion` nothing moves by itself."""

    ENABLE_COMMAND_PALETTE = False  # ours is another one
    ansi_theme_dark = reactive(themes.SIXTEEN_ON_DARK, init=False)
    ansi_theme_light = reactive(themes.SIXTEEN_ON_LIGHT, init=False)

    def __init__(self, *, sheets: Sequence[str], theme: str | None, has_reduced_motion: bool) -> None:
        super().__init__(css_path=[*sheets])
        self.stylesheet = ThriftyStylesheet(variables=self.get_css_variables())
        read_answers()
        themes.apply_theme(self, theme)
        # The theme, while it goes by the terminal's background.
        self._by_background = theme if theme in themes.BY_GROUND else None
        if has_reduced_motion:
            self.animation_level = "none"

    def get_driver_class(self) -> type[Driver]:
        """Return what has the terminal.

        As anywhere, but it goes on when the terminal has gone, and asks for keys that some tell only if asked otherwise.
        """
        return asking(surviving(super().get_driver_class()), os.environ)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return the filters in use; without colours there is one, whatever the theme."""
        filters = super().get_line_filters()
        if self.no_color:
            filters = [Colourless() if isinstance(each, NoColor | Monochrome) else each for each in filters]
        return filters

    def write_raw(self, text: str) -> None:
        """Send text to the terminal as it is; to none where there is none."""
        if not self.is_headless:
            write_to_terminal(self, text)

    def on_mount(self) -> None:
        """Ask which background the terminal has, behind the first frame."""
        if self._by_background is not None:
            self.call_after_refresh(self._ask_background)

    def apply_theme(self, theme: str) -> bool:
        """Put a theme on, and ask for the terminal's background if it goes by that; False where there is none of that name."""
        if (full := themes.resolve(theme)) not in self.available_themes:
            return False
        self.theme = full
        self._by_background = theme if theme in themes.BY_GROUND else None
        if self._by_background is not None:
            self._ask_background()
        return True

    @property
    def theme_name(self) -> str:
        """The theme as the user would name it: `auto` while it goes by the terminal's background."""
        return self._by_background or self.theme

    def _ask_background(self) -> None:
        if os.environ.get("TERM") != "linux":  # the console, which would write the question on the screen
            self.write_raw(ASK)

    @on(BackgroundReported)
    def _background_told(self, event: BackgroundReported) -> None:
        if self._by_background is not None:
            self.theme = themes.resolve(self._by_background, is_light=event.is_light)

    def fault_report(self) -> str:
        """Say where an error comes from that ends the app: without the values of variables, and without secrets."""
        from tui_agent.secrets.process import process_masker

        return process_masker().mask(super().fault_report())
