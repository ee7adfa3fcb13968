"""A question at the foot of the screen, over the prompt. What stands above it moves up, so that it can be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tui_agent.ui.dialogs.question import QuestionScreen

if TYPE_CHECKING:
    from textual.screen import Screen

__all__ = ["DockedScreen"]

_LEAST: Final = 3  # lines of the conversation that are left; where there would be fewer, it stays as it is


class DockedScreen(QuestionScreen):
    """Stands on the last line, as wide as the window. Its look is in `styles/dialogs.tcss`, by the class `-docked`."""

    def on_mount(self) -> None:
        self.add_class("-docked")
        self.screen_layout_refresh_signal.subscribe(self, lambda _: self._lift())

    def on_unmount(self) -> None:
        """Let what is below have its room again, unless the next question takes it."""
        if not isinstance(self.app.screen, DockedScreen):
            for screen in self.app.screen_stack:
                _raise(screen, 0)

    def _lift(self) -> None:
        """Keep as many lines free below the conversation as the dialog takes beyond those of the prompt."""
        stack = self.app.screen_stack
        if self not in stack or stack.index(self) == 0:
            return
        below = stack[stack.index(self) - 1]
        prompts = below.query("#prompt")
        if not prompts:
            return
        height, raised = below.outer_size.height, int(below.styles.padding.bottom)
        above = prompts.first().region.y
        wanted = max(0, self.query_one("#dialog").outer_size.height - (height - raised - above))
        _raise(below, wanted if above + raised - wanted >= _LEAST else 0)


def _raise(screen: Screen[object], lines: int) -> None:
    if int(screen.styles.padding.bottom) != lines:
        screen.styles.padding = (0, 0, lines, 0)
