"""The plan dialog: the plan to read, the ways to say yes, and no with words."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.reactive import var
from textual.widgets import Static

from tui_agent.commands import PlanEdited
from tui_agent.permissions.modes import Mode
from tui_agent.permissions.verdict import Decision
from tui_agent.permissions.words import PLAN_ANSWERS
from tui_agent.queries import PlanQuery
from tui_agent.text import clean_line
from tui_agent.ui.dialogs.answers import AnswerChoice, AnswersScreen, Choices, SteadyKeys
from tui_agent.ui.dialogs.dialog_box import YIELDS, DialogBox
from tui_agent.ui.dialogs.input_grace import InputGrace
from tui_agent.ui.dialogs.question import QuestionQueue, QueuePosition
from tui_agent.ui.render_style import render_state
from tui_agent.ui.widgets.field import Field
from tui_agent.ui.widgets.view_widget import ViewWidget
from tui_agent.viewkit.markdown import MarkdownView
from tui_agent.viewkit.tool_text import count, display_path

if TYPE_CHECKING:
    from tui_agent.boundary import Engine
    from tui_agent.events import PermissionRequested
    from tui_agent.queries import PlanOffer

__all__ = ["PlanScreen"]

_LABELS: Final[dict[str, str]] = {
    **{str(mode): words for mode, words in PLAN_ANSWERS.items()},
    "keep": "No, keep planning",
}
_KEYS: Final = "↑↓ choose · enter select · w {}, with words · pgup/dn scroll · ^g edit · esc no"


class PlanScreen(AnswersScreen):
    """Asks whether a plan is to be carried out, and in which mode."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "Up", show=False),
        Binding("down", "move(1)", "Down", show=False),
        Binding("enter", "take", "Choose", show=False),
        *(Binding(str(number), f"pick_number({number})", f"Answer {number}", show=False) for number in range(1, 6)),
        Binding("w", "with_words", "Answer with words", show=False),
        Binding("escape", "refuse", "No", show=False),
        Binding("ctrl+g", "edit", "Edit the plan in your editor"),
        Binding("pageup", "scroll_body(-1)", "Scroll up", show=False),
        Binding("pagedown,space", "scroll_body(1)", "Scroll down", show=False),
        Binding("home", "go_to(False)", "Start of the plan", show=False),
        Binding("end", "go_to(True)", "End of the plan", show=False),
    ]

    chosen: var[str] = var("", init=False)

    def __init__(
        self,
        request: PermissionRequested,
        offer: PlanOffer,
        engine: Engine,
        queue: QuestionQueue,
        *,
        base: str = "",
        place: QueuePosition | None = None,
        grace: InputGrace | None = None,
    ) -> None:
        super().__init__(request, queue, place=place or QueuePosition(), grace=grace or InputGrace())
        self._offer = offer
        self._engine = engine
        self._base = base
        self._answers: list[str] = [*offer.modes, "keep"]

    def compose(self) -> ComposeResult:
        with DialogBox():
            body = ViewWidget(id="body", classes=YIELDS)
            body.can_focus = False  # arrows choose an answer; the page keys and the wheel scroll
            yield body
            yield Static(id="about", markup=False)
            with Choices(id="choices"):
                for number, answer in enumerate(self._answers, 1):
                    yield AnswerChoice(number, _LABELS[answer])
                yield Field(id="words", placeholder="what to do instead, then Enter · Esc goes back")
            yield SteadyKeys()

    def on_mount(self) -> None:
        self.query_one("#dialog").border_title = Content("Plan · carry it out?")
        self.query_one("#words").display = False
        self.back_to_choices()
        before = self._offer.before
        self.chosen = before if before in self._offer.modes and before != "default" else self._answers[0]
        self._show()
        self.watch_chosen()
        self.refresh_place()

    def refresh_place(self) -> None:
        self.query_one("#dialog").border_subtitle = self.place.words(self.others_key)

    def _show(self) -> None:
        text = self._offer.text.strip("\n")
        self.query_one("#body", ViewWidget).show(MarkdownView(text), render_state(self.app))
        lines = count(text.count("\n") + 1, "line") if text.strip() else "it is empty"
        self.query_one("#about", Static).update(f"{display_path(clean_line(self._offer.file), self._base)} · {lines}")

    def watch_chosen(self) -> None:
        for choice in self.query(AnswerChoice):
            choice.show(is_chosen=self._answers[choice.number - 1] == self.chosen)
        self._show_keys()
        self.scroll_to_chosen()

    def back_to_choices(self) -> None:
        super().back_to_choices()
        self._show_keys()

    def open_words(self, *, is_yes: bool = False) -> None:
        super().open_words(is_yes=is_yes)
        self._show_keys()

    def _show_keys(self) -> None:
        """Say which keys do something now."""
        is_writing = self.query_one("#words").display
        if is_writing:
            keys = f"enter {'yes' if self.is_yes else 'no'}, with these words · esc back"
        else:
            keys = _KEYS.format("no" if self.chosen == "keep" else "yes")
        self.query_one("#keys", Static).update(keys)

    def action_move(self, step: int) -> None:
        self.chosen = self._answers[(self._answers.index(self.chosen) + step) % len(self._answers)]

    def action_take(self) -> None:
        self._pick(self.chosen)

    def action_pick_number(self, number: int) -> None:
        if number <= len(self._answers):
            self._pick(self._answers[number - 1])

    def action_refuse(self) -> None:
        self.answer(Decision(behavior="deny"))

    @on(AnswerChoice.Picked)
    def _picked(self, message: AnswerChoice.Picked) -> None:
        self._pick(self._answers[message.number - 1])

    def _pick(self, answer: str) -> None:
        """Give the answer, or open the field for what is to be done instead."""
        if not self.grace.is_open:  # a click on a choice comes past `check_action`
            return
        self.chosen = answer
        mode: Mode | None = next((mode for mode in self._offer.modes if mode == answer), None)
        if mode is not None:
            self.answer(Decision(behavior="allow", mode=mode))
            return
        self.open_words()

    def action_with_words(self) -> None:
        """Open the field for what is said with the answer that the cursor is on."""
        if self.grace.is_open:
            self.open_words(is_yes=self.chosen != "keep")

    def answer_with_words(self, words: str | None) -> None:
        mode: Mode | None = next((mode for mode in self._offer.modes if mode == self.chosen), None)
        if self.is_yes and mode is not None:
            self.answer(Decision(behavior="allow", mode=mode, message=words))
        else:
            super().answer_with_words(words)

    def action_scroll_body(self, step: int) -> None:
        body = self.query_one("#body", ViewWidget)
        body.scroll_relative(y=step * max(1, body.size.height - 1), animate=False)

    def action_go_to(self, is_end: bool) -> None:
        body = self.query_one("#body", ViewWidget)
        body.scroll_to(y=body.max_scroll_y if is_end else 0, animate=False)

    @work(exit_on_error=False, group="editor", exclusive=True)
    async def action_edit(self) -> None:
        """Open the plan's own file in the user's editor, and show what it says then."""
        from pathlib import Path

        from tui_agent.ui.terminal.editor import EditorError, open_outside

        try:
            await open_outside(self.app, Path(self._offer.file))
        except EditorError as error:
            self.query_one("#keys", Static).update(clean_line(str(error), 200))
            return
        await self._engine.send(PlanEdited())
        offer = await self._engine.query(PlanQuery())
        if offer is not None and self.is_current:
            self._offer = offer
            self._show()
