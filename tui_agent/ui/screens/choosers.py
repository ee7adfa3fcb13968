"""Small lists to choose one thing from: the model, the permission mode, the theme."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from tui_agent.text import clean_line
from tui_agent.ui.screens.dialog import Dialog
from tui_agent.ui.widgets.field import Field

__all__ = ["Choice", "Chooser", "ModeChooser", "ModelChooser", "ThemeChooser"]


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing that can be chosen: its value, and words on it."""

    value: str
    detail: str = ""
    label: str = ""


class Chooser(Dialog[str | None]):
    """A list over the conversation. Dismissed with the value that was chosen, or None.

    `free` is what a field below the list asks for, where any text may be the answer too; empty: no field.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "cancel", "Cancel")]

    def __init__(self, title: str, choices: Iterable[Choice], *, current: str = "", free: str = "") -> None:
        super().__init__()
        self._title = title
        self._choices: Final[Sequence[Choice]] = tuple(choices)
        self._current = current
        self._free = free

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog", classes="chooser"):
            yield OptionList(*(Option(self._prompt(choice)) for choice in self._choices), markup=False, compact=True)
            if self._free:
                yield Field(placeholder=self._free)
            yield Static("↑↓ choose · enter take · esc leave", id="keys", markup=False)

    def on_mount(self) -> None:
        self.query_one("#dialog").border_title = Content(self._title)
        chosen = next((number for number, choice in enumerate(self._choices) if choice.value == self._current), 0)
        options = self.query_one(OptionList)
        options.highlighted = chosen if self._choices else None
        self.set_focus(options)

    def _prompt(self, choice: Choice) -> Content:
        mark = "● " if choice.value == self._current else "  "
        detail = f"  {clean_line(choice.detail)}" if choice.detail else ""
        return Content.assemble(mark, clean_line(choice.label or choice.value), (detail, "$foreground-muted"))

    @on(OptionList.OptionSelected)
    def _take(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(self._choices[event.option_index].value)

    @on(Input.Submitted)
    def _take_free(self, event: Input.Submitted) -> None:
        event.stop()
        if value := event.value.strip():
            self.dismiss(value)

    def action_cancel(self) -> None:
        self.dismiss(None)


class ModelChooser(Chooser):
    """The models that are known, and a field for the name of any other."""

    def __init__(self, models: Iterable[Choice], *, current: str) -> None:
        super().__init__("Model", models, current=current, free="or the name of another model")


class ModeChooser(Chooser):
    """The permission modes, each with what it does."""

    MODES: ClassVar[tuple[Choice, ...]] = (
        Choice("default", "asks before anything is changed or run"),
        Choice("acceptEdits", "edits files in this folder without asking"),
        Choice("plan", "only reads, and makes a plan"),
        Choice("dontAsk", "refuses what it would have to ask"),
    )

    def __init__(self, *, current: str) -> None:
        super().__init__("Permission mode", self.MODES, current=current)


class ThemeChooser(Chooser):
    """The themes; the one under the cursor is shown at once, and taken back on Esc."""

    def __init__(self, themes: Iterable[str], *, current: str) -> None:
        super().__init__("Theme", (Choice(name) for name in sorted(themes)), current=current)

    @on(OptionList.OptionHighlighted)
    def _preview(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self.app.theme = self._choices[event.option_index].value

    def action_cancel(self) -> None:
        self.app.theme = self._current
        self.dismiss(None)
