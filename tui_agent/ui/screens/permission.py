"""The permission dialog: what will happen, why it asks, and the four answers. A command can be edited before it is run."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, Literal

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.reactive import var
from textual.widget import Widget
from textual.widgets import Input, Static, TextArea

from tui_agent.permissions.verdict import Decision
from tui_agent.ui.dialogs.always import AlwaysField, why_not_always
from tui_agent.ui.dialogs.answers import WORDS_FOR_NO, AnswerChoice, AnswersScreen, Choices, SteadyKeys
from tui_agent.ui.dialogs.dialog_box import YIELDS, DialogBox
from tui_agent.ui.dialogs.docked import DockedScreen
from tui_agent.ui.dialogs.edited_command import EditedCommand
from tui_agent.ui.dialogs.input_grace import InputGrace
from tui_agent.ui.dialogs.question import QuestionQueue, QueuePosition, titled, why
from tui_agent.ui.dialogs.request_view import question_of
from tui_agent.ui.render_style import render_state
from tui_agent.ui.transcript.clickable import clickable
from tui_agent.ui.verdict_view import PartsView, is_worth_parts, say_passing
from tui_agent.ui.widgets.field import Field
from tui_agent.ui.widgets.view_widget import ViewWidget

if TYPE_CHECKING:
    from tui_agent.boundary import Pending
    from tui_agent.events import PermissionRequested
    from tui_agent.permissions.verdict import Verdict
    from tui_agent.viewkit.view import View

__all__ = ["PermissionScreen"]

Answer = Literal["once", "always", "no", "words"]
_ANSWERS: Final[tuple[Answer, ...]] = ("once", "always", "no", "words")
_LABELS: Final[dict[Answer, str]] = {
    "once": "Yes, once",
    "always": "Yes, always for",
    "no": "No, and stop",
    "words": "No, and tell it what to do instead",
}
_YES: Final = frozenset({"once", "always"})
_EDITABLE: Final = frozenset({"Bash"})  # tools of which the one text that matters is a command
# What the foot offers: key, word, action with its arguments. An action of its own makes the words a place to click.
_Key = tuple[str, str, str, tuple[object, ...]]


class PermissionScreen(AnswersScreen, DockedScreen):
    """Asks whether one tool call may run. The answer goes to the queue; the queue closes the screen.

    What cannot be undone, or runs code that nobody has seen, has a border that warns, the cursor on No, and no "always".
    `title` is the question; `draft` is the command as the user was editing it when they went to look at another question.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "Up", show=False),
        Binding("down", "move(1)", "Down", show=False),
        Binding("enter", "take", "Choose; on a rule: edit it", show=False),
        Binding("1", "pick('once')", _LABELS["once"], show=False),
        Binding("2", "pick('always')", _LABELS["always"], show=False),
        Binding("3", "pick('no')", _LABELS["no"], show=False),
        Binding("4", "pick('words')", _LABELS["words"], show=False),
        Binding("escape", "pick('no')", "No", show=False),
        Binding("w", "with_words", "Answer with words", show=False),
        Binding("e", "edit_command", "Edit the command", show=False),
        Binding("r", "other_rule", "Another rule", show=False),
        Binding("space", "toggle_rule", "Leave out one of several rules", show=False),
        Binding("left", "scope(-1)", "Where the rules are saved", show=False),
        Binding("right,s", "scope(1)", "Where the rules are saved", show=False),
        Binding("pageup", "scroll_body(-1)", "Scroll up", show=False),
        Binding("pagedown", "scroll_body(1)", "Scroll down", show=False),
    ]

    IN_SIGHT = "AlwaysField.-chosen, .choice.-chosen, RuleLine.-current, Field:focus"

    chosen: var[Answer] = var("once", init=False)
    rule_at: var[int | None] = var(None, init=False)
    """Which of the rules of "always" the cursor is on; None: on no rule."""

    def __init__(
        self,
        request: PermissionRequested,
        view: View,
        queue: QuestionQueue,
        *,
        title: str = "",
        place: QueuePosition | None = None,
        grace: InputGrace | None = None,
        draft: str | None = None,
    ) -> None:
        super().__init__(request, queue, place=place or QueuePosition(), grace=grace or InputGrace())
        self._view = view
        self._title = title or question_of(request)
        self._missing = why_not_always(request)
        self._draft = draft
        command = request.input.get("command")
        self._command = command if isinstance(command, str) and request.name in _EDITABLE else None

    # --- structure ---------------------------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        with DialogBox():
            body = ViewWidget(id="body", classes=YIELDS)
            body.can_focus = False  # arrows choose an answer; the page keys and the wheel scroll
            yield body
            passing = say_passing(self._command or "")
            yield Static(passing, id="passing", classes="warning" if passing else "-nothing", markup=False)
            if self._command is not None:
                yield EditedCommand(self._command, self._judge_command, is_open=lambda: self.grace.is_open)
            yield Static(why(self.request), id="why")
            parts = ViewWidget(id="parts", classes=YIELDS)
            parts.can_focus = False
            yield parts
            with Choices(id="choices"):
                yield self._choice("once")
                if not self.request.is_destructive:
                    yield self._choice("always")
                if self._missing is None:
                    scope: Literal["session", "local"] = "session" if self.request.has_proposal else "local"
                    yield AlwaysField(
                        self.request.offers,
                        scope,
                        check=self.queue.check_rule,
                        coverage=lambda rules, take: self.queue.coverage(self.request, rules, take),
                    )
                yield self._choice("no")
                yield self._choice("words")
                yield Field(id="words", placeholder=WORDS_FOR_NO)
            yield SteadyKeys()

    def _choice(self, answer: Answer) -> AnswerChoice:
        number = _ANSWERS.index(answer) + 1
        if answer == "always" and self._missing is not None:
            return AnswerChoice(number, f"Yes, always (not available: {self._missing})", is_missing=True)
        return AnswerChoice(number, _LABELS[answer])

    def on_mount(self) -> None:
        dialog = self.query_one("#dialog")
        dialog.border_title = titled(self._title, self.request)
        dialog.set_class(self.request.is_destructive, "-careful")
        self.query_one("#body", ViewWidget).show(self._view, render_state(self.app))
        self._show_parts()
        self.query_one("#words").display = False
        self.set_focus(self.query_one(Choices), scroll_visible=False)
        if self.request.is_destructive:
            self.set_reactive(PermissionScreen.chosen, "no")
        self.watch_chosen()
        self.refresh_place()
        if self._draft is not None:
            self._open_editor(self._draft)

    def _show_parts(self) -> None:
        """Show why each part of a command that has several is asked about, or is not."""
        if self._command is None:
            self._take_parts(None)
        else:
            self.queue.judge(self.request_id, self.request.input).then(self._take_parts)

    def _take_parts(self, verdict: Verdict | None) -> None:
        if not self.is_attached:
            return
        widget = self.query_one("#parts", ViewWidget)
        has_parts = verdict is not None and is_worth_parts(verdict)
        widget.set_class(not has_parts, "-nothing")
        self.query_one("#why").set_class(has_parts, "-with-parts")
        if verdict is not None and has_parts:
            widget.show(PartsView(verdict.parts), render_state(self.app))

    def refresh_place(self) -> None:
        self.query_one("#dialog").border_subtitle = self.place.words("tab" if self.is_editing else self.others_key)

    # --- the cursor --------------------------------------------------------------------------------------------------

    def watch_chosen(self) -> None:
        self._show_cursor()

    def watch_rule_at(self) -> None:
        self._show_cursor()

    def _show_cursor(self) -> None:
        for choice in self.query(AnswerChoice):
            choice.show(is_chosen=_ANSWERS[choice.number - 1] == self.chosen and self.rule_at is None)
        for field in self.query(AlwaysField):
            field.set_class(self.chosen == "always", "-chosen")
            field.point_at(self.rule_at)
        self.scroll_to_chosen()
        self.show_keys()

    def show_keys(self) -> None:
        """Say which keys do something now."""
        keys = [
            clickable(Content.assemble((key, "bold"), " ", (word, "$foreground-muted")), f"screen.{action}", *arguments)
            if action
            else Content.assemble((key, "bold"), " ", (word, "$foreground-muted"))
            for key, word, action, arguments in self._keys()
        ]
        self.query_one("#keys", Static).update(Content("  ").join(keys))

    def _keys(self) -> list[_Key]:
        no: _Key = ("esc", "no, and stop", "pick", ("no",))
        if self.is_editing:
            keys = self.query_one(EditedCommand).keys
            return [(key, word, "", ()) for key, word in keys]
        if self.query_one("#words").display:
            return [("enter", f"{'yes' if self.is_yes else 'no'}, with these words", "", ()), ("esc", "back", "", ())]
        fields = list(self.query(AlwaysField))
        if fields and fields[0].is_editing:
            step: list[_Key] = [("↑↓", "rule", "", ())] if fields[0].count > 1 else []
            return [
                ("enter", "yes, with this rule" + "s" * (fields[0].count > 1), "", ()),
                *step,
                ("^t", "where", "", ()),
                ("esc", "back", "", ()),
            ]
        words: _Key = ("w", "yes, with words" if self.chosen in _YES else "no, with words", "with_words", ())
        edit: list[_Key] = [("e", "edit command", "edit_command", ())] if self._command is not None else []
        if self.chosen == "always" and fields:
            field = fields[0]
            has_others = field.has_others if self.rule_at is None else field.line(self.rule_at).has_others
            other: list[_Key] = [("r", "other", "other_rule", ())] if has_others else []
            where: _Key = ("←→", "where", "scope", (1,))
            if self.rule_at is None:
                down: _Key = ("↓", "edit " + ("rules" if field.count > 1 else "rule"), "move", (1,))
                return [("enter", "yes", "take", ()), down, *other, where, words, *edit, no]
            off: list[_Key] = [("space", "on/off", "toggle_rule", ())] if field.count > 1 else []
            return [("enter", "edit rule", "take", ()), *off, *other, where, no]
        scroll: _Key = ("pgup/dn", "scroll", "scroll_body", (1,))
        return [("↑↓", "choose", "move", (1,)), ("enter", "select", "take", ()), words, *edit, scroll, no]

    @property
    def _stops(self) -> list[tuple[Answer, int | None]]:
        """Where the cursor can be, from top to bottom."""
        stops: list[tuple[Answer, int | None]] = []
        for answer in self._offered:
            stops.append((answer, None))
            if answer == "always":
                stops += [(answer, number) for number in range(self.query_one(AlwaysField).count)]
        return stops

    @property
    def _offered(self) -> list[Answer]:
        return [answer for answer in _ANSWERS if answer != "always" or self._missing is None]

    def action_move(self, step: int) -> None:
        stops = self._stops
        at = stops.index((self.chosen, self.rule_at))
        self.chosen, self.rule_at = stops[(at + step) % len(stops)]

    # --- answers -----------------------------------------------------------------------------------------------------

    def action_take(self) -> None:
        if self.rule_at is not None:
            self.query_one(AlwaysField).edit(self.rule_at)
            self.show_keys()
        else:
            self.action_pick(self.chosen)

    def action_pick(self, answer: Answer) -> None:
        """Give the answer, or open the field that it needs."""
        if answer not in self._offered or not self.grace.is_open:  # a click on a choice comes past `check_action`
            return
        self.chosen, self.rule_at = answer, None
        match answer:
            case "once":
                self.answer(Decision(behavior="allow"))
            case "always":
                self._answer_always()
            case "no":
                self.answer(Decision(behavior="deny"))
            case "words":
                self.action_with_words()

    def action_with_words(self) -> None:
        """Open the field for what is said with the answer that the cursor is on."""
        self.open_words(is_yes=self.chosen in _YES)
        self.show_keys()

    def answer_with_words(self, words: str | None) -> None:
        if not self.is_yes:
            super().answer_with_words(words)
        elif self.chosen == "always":
            self._answer_always(words)
        else:
            self.answer(Decision(behavior="allow", message=words))

    @on(AnswerChoice.Picked)
    def _picked(self, message: AnswerChoice.Picked) -> None:
        self.action_pick(_ANSWERS[message.number - 1])

    def back_to_choices(self) -> None:
        super().back_to_choices()
        self.show_keys()

    def action_scroll_body(self, step: int) -> None:
        """Scroll what is asked about, then its parts, then the whole box; up again from the last to the first."""
        parts: list[Widget] = [self.query_one(name) for name in ("#body", "#parts", "#dialog")]
        for part in parts if step > 0 else reversed(parts):
            if part.scroll_y != (part.max_scroll_y if step > 0 else 0):
                part.scroll_relative(y=step * max(1, part.size.height - 1), animate=False)
                return

    # --- always ------------------------------------------------------------------------------------------------------

    def action_other_rule(self) -> None:
        if self._missing is None:
            self.chosen = "always"
            self.query_one(AlwaysField).suggest_next(self.rule_at)

    def action_toggle_rule(self) -> None:
        if self.rule_at is not None:
            self.query_one(AlwaysField).line(self.rule_at).toggle()

    def action_scope(self, step: int) -> None:
        if self.chosen == "always" and self._missing is None:
            self.query_one(AlwaysField).move_scope(step)

    @on(AlwaysField.LineReached)
    def _rule_reached(self, event: AlwaysField.LineReached) -> None:
        event.stop()
        if self.grace.is_open:
            self.chosen, self.rule_at = "always", event.number
            if not self.query_one(AlwaysField).line(event.number).is_editing:
                self.action_take()

    @on(AlwaysField.Confirmed)
    def _confirm_always(self) -> None:
        self._answer_always()

    def _answer_always(self, words: str | None = None) -> None:
        field = self.query_one(AlwaysField)
        rules = field.checked()
        if rules is not None:
            self.answer(Decision(behavior="allow", rules=rules, scope=field.scope, message=words))

    @on(AlwaysField.Left)
    def _left_rule(self) -> None:
        self.back_to_choices()

    # --- editing the command -----------------------------------------------------------------------------------------

    @property
    def is_editing(self) -> bool:
        """Whether the command is being edited."""
        return self._command is not None and bool(self.query_one(EditedCommand).display)

    @property
    def is_writing(self) -> bool:
        """Whether something is being written that would be lost with the screen; a command is kept."""
        return super().is_writing and not self.is_editing

    def action_edit_command(self) -> None:
        if self._command is not None:
            self._open_editor(self._command)

    def _open_editor(self, command: str) -> None:
        """Put the editor in the place of what is shown and asked; it can be left by running the command or giving it up."""
        self.query_one(EditedCommand).open(command)
        self.add_class("-editing")
        self.refresh_place()
        self.show_keys()

    def _judge_command(self, command: str) -> Pending[Verdict]:
        return self.queue.judge(self.request_id, {**self.request.input, "command": command})

    def action_cycle(self, step: int) -> None:
        if self.place.count == 1 and step > 0 and not isinstance(self.focused, Input | TextArea):
            self.action_with_words()  # what Tab does where there is no other question to go to
            return
        if self.is_editing:
            self.queue.keep_draft(self.request_id, self.query_one(EditedCommand).command)
        super().action_cycle(step)

    @on(EditedCommand.Judged)
    def _judged(self, event: EditedCommand.Judged) -> None:
        event.stop()
        self.show_keys()

    @on(EditedCommand.GivenUp)
    def _give_up_edit(self, event: EditedCommand.GivenUp) -> None:
        event.stop()
        self.queue.keep_draft(self.request_id, None)
        self.query_one(EditedCommand).close()
        self.remove_class("-editing")
        self.refresh_place()
        self.back_to_choices()

    @on(EditedCommand.Given)
    def _run_edited(self, event: EditedCommand.Given) -> None:
        """Run it once as it stands now. What would be denied cannot be run."""
        event.stop()
        changed = {**self.request.input, "command": event.command}
        self.answer(Decision(behavior="allow", input=None if event.command == self._command else changed))
