"""Small lists to choose one thing from, with a look at what is under the cursor: the model, the permission mode, the theme."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, TypeVar

from rich.cells import cell_len
from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from tui_agent.permissions.words import MODE_DETAILS
from tui_agent.text import clean_line
from tui_agent.ui.dialogs.dialog import Dialog
from tui_agent.ui.dialogs.dialog_box import DialogBox
from tui_agent.ui.render_style import render_state
from tui_agent.ui.themes import BY_GROUND, resolve
from tui_agent.ui.widgets.field import Field
from tui_agent.ui.widgets.key_line import KeyLine
from tui_agent.ui.widgets.view_widget import ViewWidget

__all__ = ["Chooser", "ChooserItem", "ChosenModel", "FileChooser", "ModeChooser", "ModelChooser", "ThemeChooser"]

AnswerT = TypeVar("AnswerT")

_AUTO: Final = "auto"
BESIDE: Final = 90  # columns from which the look stands beside the list


@dataclass(frozen=True, slots=True)
class ChooserItem:
    """One thing that can be chosen: its value, and words on it."""

    value: str
    detail: str = ""
    label: str = ""


class Chooser(Dialog[AnswerT]):
    """A list over the conversation. Dismissed with what `answer` makes of the value that was chosen, or None.

    `free` is what a field below the list asks for, where any text may be the answer too; empty: no field.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "cancel", "Cancel")]
    KEYS: ClassVar[str] = "↑↓ choose · enter select · esc cancel"

    def __init__(self, title: str, choices: Iterable[ChooserItem], *, current: str = "", free: str = "") -> None:
        super().__init__()
        self._title = title
        self._choices: Sequence[ChooserItem] = tuple(choices)
        self._current = current
        self._free = free

    def compose(self) -> ComposeResult:
        with DialogBox(classes="chooser"):
            with Container(id="halves"):
                yield OptionList(
                    *(Option(self._prompt(choice)) for choice in self._choices), markup=False, compact=True
                )
                yield from self.preview()
            if self._free:
                yield Field(placeholder=self._free)
            yield KeyLine(self.keys)

    @property
    def keys(self) -> str:
        """What stands at the foot."""
        return self.KEYS

    def preview(self) -> Iterable[Widget]:
        """Yield what shows the choice under the cursor."""
        yield from ()

    def show(self, choice: ChooserItem) -> None:
        """Show the choice under the cursor."""

    def answer(self, value: str) -> AnswerT | None:
        """Return what the screen is dismissed with for a value."""
        raise NotImplementedError

    def on_mount(self) -> None:
        self.query_one("#dialog").border_title = Content(self._title)
        chosen = next((number for number, choice in enumerate(self._choices) if choice.value == self._current), 0)
        options = self.query_one(OptionList)
        options.highlighted = chosen if self._choices else None
        self.set_focus(options)

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.width >= BESIDE, "-beside")
        self.call_after_refresh(self.query_one(OptionList).scroll_to_highlight)

    @property
    def _under_cursor(self) -> ChooserItem | None:
        at = self.query_one(OptionList).highlighted
        return self._choices[at] if at is not None and self._choices else None

    def _prompt(self, choice: ChooserItem) -> Content:
        mark = "● " if choice.value == self._current else "  "
        label = clean_line(choice.label or choice.value)
        if not choice.detail:
            return Content.assemble(mark, label)
        room = max(cell_len(clean_line(other.label or other.value)) for other in self._choices)
        blanks = " " * (room - cell_len(label) + 2)
        return Content.assemble(mark, label, blanks, (clean_line(choice.detail), "$foreground-muted"))

    @on(OptionList.OptionHighlighted)
    def _show_preview(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self.show(self._choices[event.option_index])

    @on(OptionList.OptionSelected)
    def _take(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(self.answer(self._choices[event.option_index].value))

    @on(Input.Submitted)
    def _take_free(self, event: Input.Submitted) -> None:
        event.stop()
        if value := event.value.strip():
            self.dismiss(self.answer(value))

    def action_cancel(self) -> None:
        self.dismiss(None)


class FileChooser(Chooser[str]):
    """A choice among files."""

    def answer(self, value: str) -> str:
        return value


@dataclass(frozen=True, slots=True)
class ChosenModel:
    """The model to go on with; one that `is_kept` is also for the sessions that start from now on."""

    name: str
    is_kept: bool


class ModelChooser(Chooser[ChosenModel]):
    """The models that are known, with all that is known of the one under the cursor, and a field for the name of any other.

    Enter keeps the choice for later sessions where it `can_keep` it; `s`, or a name that is written, counts for this one.
    `more` gives models that have to be asked for.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "this_session", "Use this model for this session only"),
        Binding("tab", "write", "Type the name of another model, or go back", priority=True),
    ]
    KEYS: ClassVar[str] = "enter use it from now on · s this session only · tab another name · esc cancel"
    _KEYS_ONCE: ClassVar[str] = "enter use it in this session · tab another name · esc cancel"

    def __init__(
        self,
        models: Iterable[ChooserItem],
        *,
        current: str,
        can_keep: bool = True,
        more: Callable[[], Awaitable[Sequence[ChooserItem]]] | None = None,
    ) -> None:
        self._more = more
        super().__init__("Model", models, current=current, free="tab: the name of another model, for this session")
        self._can_keep = can_keep

    @property
    def keys(self) -> str:
        return self.KEYS if self._can_keep else self._KEYS_ONCE

    def on_mount(self) -> None:
        super().on_mount()
        self._read_more()

    @work(exit_on_error=False)
    async def _read_more(self) -> None:
        """Add what the endpoint has besides."""
        if self._more is None:
            return
        known = {choice.value for choice in self._choices}
        found = [choice for choice in await self._more() if choice.value not in known]
        if found and self.is_attached:
            self._choices = (*self._choices, *found)
            self.query_one(OptionList).add_options(Option(self._prompt(choice)) for choice in found)

    def preview(self) -> Iterable[Widget]:
        yield Static(id="preview", markup=False)

    def show(self, choice: ChooserItem) -> None:
        from tui_agent.model.prices import ModelTable
        from tui_agent.ui.screen_text.model_text import described

        self.query_one("#preview", Static).update(described(choice.value, ModelTable.builtin()))

    def _prompt(self, choice: ChooserItem) -> Content:
        return super()._prompt(ChooserItem(choice.value, "", choice.label))  # the look says the rest

    def answer(self, value: str) -> ChosenModel:
        return ChosenModel(value, is_kept=self._can_keep and any(choice.value == value for choice in self._choices))

    def action_this_session(self) -> None:
        """Take the model under the cursor, without keeping it."""
        choice = self._under_cursor
        if choice is not None:
            self.dismiss(ChosenModel(choice.value, is_kept=False))

    def action_write(self) -> None:
        """Go to the field for a name, or back to the list."""
        field = self.query_one(Field)
        self.set_focus(self.query_one(OptionList) if field.has_focus else field)


class ModeChooser(Chooser[str]):
    """The permission modes, each with what it does."""

    BYPASS: ClassVar[ChooserItem] = ChooserItem("bypassPermissions", MODE_DETAILS["bypassPermissions"])
    MODES: ClassVar[tuple[ChooserItem, ...]] = tuple(
        ChooserItem(mode, words) for mode, words in MODE_DETAILS.items() if mode != "bypassPermissions"
    )

    def __init__(self, *, current: str) -> None:
        # The one that asks nothing is only told of where it counts: it has to have been allowed when the program was started.
        modes = (*self.MODES, self.BYPASS) if current == self.BYPASS.value else self.MODES
        super().__init__("Permission mode", modes, current=current)

    def answer(self, value: str) -> str:
        return value


class ThemeChooser(Chooser[str]):
    """The themes, with a sample; the one under the cursor is put on at once, and taken back on Esc."""

    KEYS: ClassVar[str] = "↑↓ preview · enter keep · esc cancel"

    def __init__(self, themes: Iterable[str], *, current: str, apply: Callable[[str], object] | None = None) -> None:
        ours_first = sorted(themes, key=lambda name: (not name.startswith("tui-agent"), name))
        auto = ChooserItem(_AUTO, label="auto, as your terminal")
        super().__init__(
            "Theme", (auto, *map(ChooserItem, ours_first)), current=_AUTO if current in BY_GROUND else current
        )
        self._apply = apply or self._apply_at_once

    def _apply_at_once(self, name: str) -> None:
        if (full := resolve(name)) in self.app.available_themes:
            self.app.theme = full

    def preview(self) -> Iterable[Widget]:
        sample = ViewWidget(id="preview")
        sample.can_focus = False
        yield sample

    def show(self, choice: ChooserItem) -> None:
        self._apply(choice.value)
        self.call_after_refresh(self._draw)  # the theme's colours are there then

    def _draw(self) -> None:
        from tui_agent.ui.theme_sample import ThemeSample

        if self.is_attached:
            self.query_one("#preview", ViewWidget).show(ThemeSample(), render_state(self.app))

    def answer(self, value: str) -> str:
        return value

    def action_cancel(self) -> None:
        self._apply(self._current)
        self.dismiss(None)
