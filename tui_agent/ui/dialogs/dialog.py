"""What all dialogs share: a modal screen around one box, `#dialog`, with less around it where there is little room."""

from __future__ import annotations

from typing import ClassVar, TypeVar

from textual.binding import Binding, BindingType
from textual.screen import ModalScreen
from textual.types import CSSPathType

from tui_agent.ui.styles_path import style_sheet

__all__ = ["Dialog"]

AnswerT = TypeVar("AnswerT")


class Dialog(ModalScreen[AnswerT]):
    """A modal screen; what it looks like is in `styles/dialogs.tcss`."""

    CSS_PATH: ClassVar[CSSPathType | None] = style_sheet("dialogs")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1,question_mark", "app.help", show=False),
        Binding("ctrl+c", "app.stop_or_leave", show=False),
    ]
    AUTO_FOCUS = ""  # each says itself where keys go; a field that took them unasked would swallow the answers
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (44, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [  # noqa: RUF012 - typed where Textual declares it
        (0, "-tiny"), (8, "-low"), (14, "-short"), (28, "-roomy")
    ]  # fmt: skip
