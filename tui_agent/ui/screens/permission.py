"""The permission dialog: what will happen, why it asks, and the four answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, Literal

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.reactive import var
from textual.widgets import Input, Static

from tui_agent.permissions.verdict import Decision
from tui_agent.text import clean_line
from tui_agent.ui.looks import render_state
from tui_agent.ui.screens.always import AlwaysField, why_not_always
from tui_agent.ui.screens.guard import Guard
from tui_agent.ui.screens.question import Desk, Place, QuestionScreen, why
from tui_agent.ui.widgets.field import Field
from tui_agent.viewkit.widget import ViewWidget

if TYPE_CHECKING:
    from tui_agent.events import PermissionRequested
    from tui_agent.viewkit.view import View

__all__ = ["PermissionScreen"]

Answer = Literal["once", "always", "no", "words"]
_ANSWERS: Final[tuple[Answer, ...]] = ("once", "always", "no", "words")
_LABELS: Final[dict[Answer, str]] = {
    "once": "Yes, once",
    "always": "Yes, always for",
    "no": "No",
    "words": "No, and tell it what to do instead",
}


class Choice(Static):
    """One answer: its digit and its words. A click picks it."""

    ALLOW_SELECT = False

    class Picked(Message):
        """The choice was clicked."""

        def __init__(self, answer: Answer) -> None:
            super().__init__()
            self.answer = answer

    def __init__(self, answer: Answer, *, missing: str | None = None) -> None:
        super().__init__(classes="choice")
        self.answer: Final = answer
        self.missing: Final = missing
        self.set_class(missing is not None, "-missing")

    def on_mount(self) -> None:
        self.show(is_chosen=False)

    def show(self, *, is_chosen: bool) -> None:
        """Draw it with or without the mark of the chosen one."""
        self.set_class(is_chosen, "-chosen")
        number = f"{_ANSWERS.index(self.answer) + 1}  "
        if self.missing is not None:
            text = Content.assemble("  ", number, f"Always is not offered: {self.missing}")
        else:
            text = Content.assemble("❯ " if is_chosen else "  ", number, _LABELS[self.answer])
        self.update(text)

    def on_click(self, event: events.Click) -> None:
        event.stop()
        if self.missing is None:
            self.post_message(self.Picked(self.answer))


class Choices(Vertical, can_focus=True):
    """The answers, one below the other; has the focus, so that keys reach the screen and no field."""


class PermissionScreen(QuestionScreen):
    """Asks whether one tool call may run. The answer goes to the desk; the desk closes the screen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "Up", show=False),
        Binding("down", "move(1)", "Down", show=False),
        Binding("enter", "take", "Choose", show=False),
        Binding("1", "pick('once')", _LABELS["once"], show=False),
        Binding("2", "pick('always')", _LABELS["always"], show=False),
        Binding("3", "pick('no')", _LABELS["no"], show=False),
        Binding("4", "pick('words')", _LABELS["words"], show=False),
        Binding("escape", "pick('no')", "No", show=False),
        Binding("e", "edit_rule", "Edit the rule", show=False),
        Binding("r", "other_rule", "Another rule", show=False),
        Binding("left", "scope(-1)", "Where the rule is kept", show=False),
        Binding("right,s", "scope(1)", "Where the rule is kept", show=False),
        Binding("pageup", "scroll_body(-1)", "Scroll up", show=False),
        Binding("pagedown", "scroll_body(1)", "Scroll down", show=False),
    ]

    chosen: var[Answer] = var("once", init=False)

    def __init__(
        self,
        request: PermissionRequested,
        view: View,
        desk: Desk,
        *,
        place: Place | None = None,
        guard: Guard | None = None,
    ) -> None:
        super().__init__(request, desk, place=place or Place(), guard=guard or Guard())
        self._view = view
        self._missing = why_not_always(request)

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog"):
            body = ViewWidget(id="body")
            body.can_focus = False  # arrows choose an answer; the page keys and the wheel scroll
            yield body
            yield Static(why(self.request), id="why")
            with Choices(id="choices"):
                yield Choice("once")
                yield Choice("always", missing=self._missing)
                if self._missing is None:
                    yield AlwaysField(self.request.suggestions, "session" if self.request.has_proposal else "local")
                yield Choice("no")
                yield Choice("words")
                yield Field(id="words", placeholder="say it, then Enter · Esc goes back")
            yield Static(id="keys", markup=False)

    def on_mount(self) -> None:
        dialog = self.query_one("#dialog")
        dialog.border_title = Content.assemble(
            clean_line(self.request.name, 40),
            (" cannot be taken back", "$text-error") if self.request.is_destructive else "",
        )
        self.query_one("#body", ViewWidget).show(self._view, render_state(self.app))
        self.query_one("#words").display = False
        self.set_focus(self.query_one(Choices), scroll_visible=False)
        self.watch_chosen()
        self.refresh_place()

    def refresh_place(self) -> None:
        others = f"{self.place.label} · [ ] to see the others" if self.place.label else ""
        self.query_one("#dialog").border_subtitle = Content(others)

    def watch_chosen(self) -> None:
        for choice in self.query(Choice):
            choice.show(is_chosen=choice.answer == self.chosen)
        self.query(AlwaysField).set_class(self.chosen == "always", "-chosen")
        self.call_after_refresh(self._scroll_to_chosen)
        words = "↑↓ choose · enter · pgup/pgdn scroll · esc no"
        if self.chosen == "always":
            other = "r other rule · " if self.query_one(AlwaysField).has_others else ""
            words = f"enter · e edit rule · {other}←→ where kept · esc no"
        self.query_one("#keys", Static).update(words)

    def _scroll_to_chosen(self) -> None:
        """Have the marked answer in sight, with what belongs to it, in however low a terminal."""
        for part in self.query("AlwaysField.-chosen, .choice.-chosen, Field:focus"):
            part.scroll_visible(animate=False)

    def on_resize(self) -> None:
        self.call_after_refresh(self._scroll_to_chosen)

    @property
    def _offered(self) -> list[Answer]:
        return [answer for answer in _ANSWERS if answer != "always" or self._missing is None]

    def action_move(self, step: int) -> None:
        offered = self._offered
        self.chosen = offered[(offered.index(self.chosen) + step) % len(offered)]

    def action_take(self) -> None:
        self.action_pick(self.chosen)

    def action_pick(self, answer: Answer) -> None:
        """Give the answer, or open the field that it needs."""
        if answer not in self._offered or not self.guard.is_open:  # a click on a choice comes past `check_action`
            return
        self.chosen = answer
        match answer:
            case "once":
                self.answer(Decision(behavior="allow"))
            case "always":
                self._answer_always()
            case "no":
                self.answer(Decision(behavior="deny"))
            case "words":
                field = self.query_one("#words", Field)
                field.display = True
                self.set_focus(field)
                self.call_after_refresh(self._scroll_to_chosen)

    def action_edit_rule(self) -> None:
        if self._missing is None:
            self.chosen = "always"
            self.query_one(AlwaysField).edit()

    def action_other_rule(self) -> None:
        if self._missing is None:
            self.chosen = "always"
            self.query_one(AlwaysField).suggest_next()

    def action_scope(self, step: int) -> None:
        if self.chosen == "always":
            self.query_one(AlwaysField).move_scope(step)

    def action_scroll_body(self, step: int) -> None:
        body = self.query_one("#body", ViewWidget)
        body.scroll_relative(y=step * max(1, body.size.height - 1), animate=False)

    @on(Choice.Picked)
    def _picked(self, message: Choice.Picked) -> None:
        self.action_pick(message.answer)

    @on(AlwaysField.Confirmed)
    def _answer_always(self) -> None:
        field = self.query_one(AlwaysField)
        rule = field.checked()
        if rule is not None:
            self.answer(Decision(behavior="allow", rule=rule, scope=field.scope))

    @on(AlwaysField.Left)
    def _back_to_choices(self) -> None:
        self.set_focus(self.query_one(Choices), scroll_visible=False)

    @on(Input.Submitted, "#words")
    def _answer_words(self, event: Input.Submitted) -> None:
        event.stop()
        self.answer(Decision(behavior="deny", message=event.value.strip() or None))

    def on_key(self, event: events.Key) -> None:
        """Esc in the field for words goes back to the answers; only from there it means No."""
        if event.key == "escape" and self.query_one("#words").has_focus:
            event.stop()
            event.prevent_default()
            self.query_one("#words").display = False
            self.set_focus(self.query_one(Choices), scroll_visible=False)
