"""Settings files that cannot be read, found at the start: mend them, go on without, or leave."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, Literal

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.types import CSSPathType
from textual.widgets import Static

from tui_agent.text import reveal
from tui_agent.ui.dialogs.dialog import Dialog
from tui_agent.ui.dialogs.dialog_box import YIELDS, DialogBox
from tui_agent.ui.dialogs.input_grace import InputGrace
from tui_agent.ui.styles_path import style_sheet
from tui_agent.ui.transcript.clickable import clickable
from tui_agent.ui.widgets.key_line import KeyLine

if TYPE_CHECKING:
    from tui_agent.settings.problems import Problem

__all__ = ["BrokenSettingsScreen", "Way"]

Way = Literal["again", "without", "leave"]
_CHOICES: Final[tuple[tuple[Way, str], ...]] = (
    ("again", "1  Fix {it} in your editor"),
    ("without", "2  Continue without {it}"),
    ("leave", "3  Quit"),
)


class BrokenSettingsScreen(Dialog[Way]):
    """Dismissed with what to do: look at the files again (they may have been mended), go on without them, or leave.

    `problems` are one a file. The first is what the editor opens.
    """

    CSS_PATH: ClassVar[CSSPathType | None] = [style_sheet("dialogs"), style_sheet("settings")]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("1,e", "choose('again')", "Mend"),
        Binding("2", "choose('without')", "Go on"),
        Binding("3,escape", "choose('leave')", "Leave"),
        Binding("r", "check_again", "Check again", show=False),
        Binding("up", "move(-1)", "Other answer", show=False),
        Binding("down", "move(1)", "Other answer", show=False),
        Binding("enter", "take", "Take", show=False),
    ]

    def __init__(self, problems: Sequence[Problem], *, grace: InputGrace | None = None) -> None:
        super().__init__()
        self._problems = tuple(problems)
        self._grace = grace or InputGrace()
        self._chosen = 0

    def compose(self) -> ComposeResult:
        with DialogBox():
            many = len(self._problems) > 1
            words = "These settings files cannot be read:" if many else "This settings file cannot be read:"
            yield Static(words, markup=False)
            with VerticalScroll(id="held", classes=YIELDS, can_focus=False):
                yield Static(Content("\n").join(_told(problem) for problem in self._problems))
            yield Static(
                f"If you continue, nothing in {'them' if many else 'it'} applies, "
                "including deny and ask rules, hooks and limits.",
                classes="warning",
            )
            yield Static(id="problem", classes="warning", markup=False)
            for way, _words in _CHOICES:
                yield Static(id=way, classes="choice")
            yield KeyLine("↑↓ or digits choose · enter select · r check again · esc quit")

    def on_mount(self) -> None:
        self.query_one("#dialog").border_title = Content("Broken settings")
        self.query_one("#problem").display = False
        self._show()
        self.call_after_refresh(self._grace.restart)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return self._grace.is_open and super().check_action(action, parameters)

    def _show(self) -> None:
        it = "them" if len(self._problems) > 1 else "it"
        for number, (way, words) in enumerate(_CHOICES):
            row = self.query_one(f"#{way}", Static)
            is_chosen = number == self._chosen
            row.set_class(is_chosen, "-chosen")
            row.update(clickable(("❯ " if is_chosen else "  ") + words.format(it=it), "screen.choose", way))

    def action_move(self, step: int) -> None:
        self._chosen = (self._chosen + step) % len(_CHOICES)
        self._show()

    def action_take(self) -> None:
        self.action_choose(_CHOICES[self._chosen][0])

    def action_check_again(self) -> None:
        self.dismiss("again")

    def action_choose(self, way: Way) -> None:
        if way == "again":
            self._mend()
        else:
            self.dismiss(way)

    @work(exclusive=True, exit_on_error=False)
    async def _mend(self) -> None:
        """Let the user edit the first file where it lies; the files are looked at again when the editor is closed."""
        from tui_agent.ui.terminal.editor import EditorError, open_outside

        problem = self._problems[0]
        try:
            await open_outside(self.app, Path(problem.file), problem.line)
        except EditorError as error:
            said = self.query_one("#problem", Static)
            said.update(f"{error} Fix it in another window, then press r.")
            said.display = True
        else:
            self.dismiss("again")


def _told(problem: Problem) -> Content:
    place = (f"{reveal(problem.file)}:{problem.line}", "bold")
    return Content.assemble(place, "\n  ", reveal(problem.text.removesuffix("; the file is ignored")))
