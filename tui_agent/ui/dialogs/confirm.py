"""A question before something that cannot be undone, or ends something. No is what Enter means at first."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from tui_agent.text import clean
from tui_agent.ui.dialogs.dialog import Dialog
from tui_agent.ui.dialogs.dialog_box import DialogBox
from tui_agent.ui.widgets.key_line import KeyLine

__all__ = ["Confirm"]


class Confirm(Dialog[bool]):
    """Dismissed with whether the user said yes. `yes` and `no` say what each answer does; `about` may be foreign text."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("1,y", "answer(True)", "Yes"),
        Binding("2,n,escape", "answer(False)", "No"),
    ]

    def __init__(self, title: str, about: str, *, yes: str, no: str) -> None:
        super().__init__()
        self._title = title
        self._about = about
        self._answers = (f"1  {yes}", f"2  {no}")

    def compose(self) -> ComposeResult:
        with DialogBox(classes="chooser"):
            yield Static(Content(clean(self._about)), classes="about")
            yield OptionList(*(Option(Content(words)) for words in self._answers), markup=False, compact=True)
            yield KeyLine("↑↓ choose · enter select · esc no")

    def on_mount(self) -> None:
        self.query_one("#dialog").border_title = Content(self._title)
        options = self.query_one(OptionList)
        options.highlighted = 1
        self.set_focus(options)

    @on(OptionList.OptionSelected)
    def _take(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(event.option_index == 0)

    def action_answer(self, is_yes: bool) -> None:
        self.dismiss(is_yes)
