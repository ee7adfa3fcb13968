"""The question about a small change to one file: its diff and the answers, at the foot of the screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Final, Literal

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.reactive import var
from textual.widgets import Input, Static, TextArea

from tui_agent.changes import FileChange
from tui_agent.permissions.verdict import Decision
from tui_agent.ui.dialogs.answers import WORDS_FOR_NO, AnswerChoice, AnswersScreen, Choices, SteadyKeys
from tui_agent.ui.dialogs.dialog_box import YIELDS, DialogBox
from tui_agent.ui.dialogs.docked import DockedScreen
from tui_agent.ui.dialogs.input_grace import InputGrace
from tui_agent.ui.dialogs.question import QuestionQueue, QueuePosition, why
from tui_agent.ui.render_style import render_state
from tui_agent.ui.reviewing.diff_layout import diff_layout
from tui_agent.ui.reviewing.disk_warnings import disk_words
from tui_agent.ui.transcript.clickable import clickable
from tui_agent.ui.widgets.diff_body import DiffBody
from tui_agent.ui.widgets.field import Field
from tui_agent.viewkit.diff import DiffView

if TYPE_CHECKING:
    from tui_agent.events import PermissionRequested

__all__ = ["EditScreen", "is_small"]

Answer = Literal["once", "edits", "no", "words", "review"]
_MOST_LINES: Final = 15
_KEYS: Final[dict[Answer, str]] = {"once": "1", "edits": "⇧⇥", "no": "3", "words": "4", "review": "v"}
_LABELS: Final[dict[Answer, str]] = {
    "once": "Yes",
    "edits": "Yes, and accept edits from now on",
    "no": "No, and stop",
    "words": "No, and tell it what to do instead",
    "review": "Full review: hunks, comments, your own edit, always",
}
_YES: Final = frozenset({"once", "edits"})


def is_small(request: PermissionRequested, changes: Sequence[FileChange]) -> bool:
    """Whether all there is to a proposal can be seen at a glance: up to 15 lines in one hunk of one file."""
    if len(changes) != 1 or request.is_destructive or changes[0].after is None or len(changes[0].hunks) != 1:
        return False
    return changes[0].added + changes[0].removed <= _MOST_LINES


class EditScreen(AnswersScreen, DockedScreen):
    """Asks about one change as it stands. Whatever else can be done with it is done in the review, a key away.

    `on_disk` says whether the file changed on disk meanwhile, as in `ProposedFileChanged`.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "Up", show=False),
        Binding("down", "move(1)", "Down", show=False),
        Binding("enter", "take", "Choose", show=False),
        Binding("1", "pick('once')", _LABELS["once"], show=False),
        Binding("3", "pick('no')", _LABELS["no"], show=False),
        Binding("4", "pick('words')", _LABELS["words"], show=False),
        Binding("escape", "pick('no')", _LABELS["no"], show=False),
        Binding("v", "pick('review')", "Full review", show=False),
        Binding("w", "with_words", "Answer with words", show=False),
        Binding("pageup", "scroll_body(-1)", "Scroll up", show=False),
        Binding("pagedown", "scroll_body(1)", "Scroll down", show=False),
    ]

    chosen: var[Answer] = var("once", init=False)

    def __init__(
        self,
        request: PermissionRequested,
        change: FileChange,
        queue: QuestionQueue,
        *,
        title: str,
        base: str = "",
        on_disk: Mapping[str, str] | None = None,
        place: QueuePosition | None = None,
        grace: InputGrace | None = None,
    ) -> None:
        super().__init__(request, queue, place=place or QueuePosition(), grace=grace or InputGrace())
        self._change = change
        self._title = title
        self._base = base
        self._on_disk = on_disk or {}

    def compose(self) -> ComposeResult:
        with DialogBox():
            diff = DiffBody(id="body", classes=YIELDS)
            diff.can_focus = False  # arrows choose an answer; the page keys and the wheel scroll
            yield diff
            if self.request.by != "default" or self.request.rule or "outside" in self.request.reason:
                yield Static(why(self.request), id="why")  # that an edit changes its file is what the title says
            yield Static(id="disk", classes="warning", markup=False)
            with Choices(id="choices"):
                for answer in self._offered:
                    number = list(_KEYS).index(answer) + 1
                    yield AnswerChoice(number, self._label(answer), key=_KEYS[answer])
                yield Field(id="words", placeholder=WORDS_FOR_NO)
            yield SteadyKeys()

    def on_mount(self) -> None:
        change = self._change
        self.query_one("#dialog").border_title = Content.assemble(
            self._title, (f"  +{change.added}", "$text-success"), (f" −{change.removed}", "$text-error")
        )
        self.query_one("#body", DiffBody).show(DiffView(change, diff_layout(self.app)), render_state(self.app))
        self.query_one("#words").display = False
        self.set_focus(self.query_one(Choices), scroll_visible=False)
        self.watch_chosen()
        self._show_disk()
        self.refresh_place()

    def refresh_place(self) -> None:
        self.query_one("#dialog").border_subtitle = self.place.words(self.others_key)
        edits = list(self.query(AnswerChoice))[1:2] if "edits" in self._offered else []
        for choice in edits:
            choice.relabel(self._label("edits"))

    def show_on_disk(self, on_disk: Mapping[str, str]) -> None:
        """Say how the file stands on disk now."""
        if on_disk != self._on_disk:
            self._on_disk = on_disk
            self._show_disk()

    def _show_disk(self) -> None:
        disk = self.query_one("#disk", Static)
        disk.display = bool(self._on_disk)
        words = f"! {disk_words(self._on_disk, self._base)}. A yes writes nothing, and the model is told why."
        disk.update(Content(words if self._on_disk else ""))

    # --- the cursor --------------------------------------------------------------------------------------------------

    @property
    def _offered(self) -> list[Answer]:
        is_accepting = self.place.mode not in {"", "default"}
        return [answer for answer in _KEYS if not (answer == "edits" and is_accepting)]

    def _label(self, answer: Answer) -> str:
        others = self.place.count - 1
        if answer == "edits" and others:
            return f"{_LABELS[answer]}, those that wait now too"
        return _LABELS[answer]

    def watch_chosen(self) -> None:
        for choice in self.query(AnswerChoice):
            choice.show(is_chosen=list(_KEYS)[choice.number - 1] == self.chosen)
        self.scroll_to_chosen()
        self._show_keys()

    def _show_keys(self) -> None:
        """Say which keys do something now."""
        keys: list[tuple[str, str, str, tuple[object, ...]]]
        if self.query_one("#words").display:
            answer = "yes" if self.is_yes else "no"
            keys = [("enter", f"{answer}, with these words", "", ()), ("esc", "back", "", ())]
        else:
            words = "yes, with words" if self.chosen in _YES else "no, with words"
            keys = [
                ("↑↓", "choose", "move", (1,)),
                ("enter", "select", "take", ()),
                ("w", words, "with_words", ()),
                ("pgup/dn", "scroll", "scroll_body", (1,)),
                ("esc", "no, and stop", "pick", ("no",)),
            ]
        shown = [
            (Content.assemble((key, "bold"), " ", (word, "$foreground-muted")), action, arguments)
            for key, word, action, arguments in keys
        ]
        self.query_one("#keys", Static).update(
            Content("  ").join(
                clickable(text, f"screen.{action}", *arguments) if action else text for text, action, arguments in shown
            )
        )

    def action_move(self, step: int) -> None:
        offered = self._offered
        self.chosen = offered[(offered.index(self.chosen) + step) % len(offered)]

    # --- answers -----------------------------------------------------------------------------------------------------

    def action_take(self) -> None:
        self.action_pick(self.chosen)

    def action_pick(self, answer: Answer) -> None:
        """Give the answer, or open what it needs."""
        if answer not in self._offered or not self.grace.is_open:  # a click on a choice comes past `check_action`
            return
        self.chosen = answer
        match answer:
            case "once" | "edits":
                self._say_yes(None)
            case "no":
                self.answer(Decision(behavior="deny"))
            case "words":
                self.action_with_words()
            case "review":
                self.queue.review_fully(self.request_id)

    def _say_yes(self, words: str | None) -> None:
        decision = Decision(behavior="allow", approved=(self._change.approve(),), message=words)
        if self.chosen == "edits":
            self.queue.accept_edits(self.request_id, decision)
        else:
            self.answer(decision)

    async def action_next_mode(self) -> None:
        """Say yes, and accept edits from now on; where that is so already, go to the next mode."""
        if isinstance(self.focused, Input | TextArea):
            return
        if "edits" in self._offered:
            self.action_pick("edits")
        else:
            await super().action_next_mode()

    def action_cycle(self, step: int) -> None:
        if self.place.count == 1 and step > 0 and not isinstance(self.focused, Input | TextArea):
            self.action_with_words()  # what Tab does where there is no other question to go to
        else:
            super().action_cycle(step)

    def action_with_words(self) -> None:
        """Open the field for what is said with the answer that the cursor is on."""
        self.open_words(is_yes=self.chosen in _YES)
        self._show_keys()

    def answer_with_words(self, words: str | None) -> None:
        if self.is_yes:
            self._say_yes(words)
        else:
            super().answer_with_words(words)

    def back_to_choices(self) -> None:
        super().back_to_choices()
        self._show_keys()

    @on(AnswerChoice.Picked)
    def _picked(self, message: AnswerChoice.Picked) -> None:
        self.action_pick(list(_KEYS)[message.number - 1])

    def action_scroll_body(self, step: int) -> None:
        body = self.query_one("#body", DiffBody)
        body.scroll_relative(y=step * max(1, body.size.height - 1), animate=False)
