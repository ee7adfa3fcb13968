"""A form on the screen: what a tool asks the user, one question after the other or all on one sheet.

Questions that are all choices come one a page, with tabs and, where there are several, a last page to look them over before
they are sent. A form with texts in it is one sheet. What is filled in is kept by the draft, so that looking at another waiting
question in between loses nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical, VerticalScroll
from textual.content import Content
from textual.types import CSSPathType
from textual.widget import Widget
from textual.widgets import Input, Static

from tui_agent.text import clean, clean_line
from tui_agent.tools.forms import LONGEST_WORDS
from tui_agent.ui.dialogs.dialog_box import DialogBox
from tui_agent.ui.dialogs.form_text import AGAIN, WORDS_KEYS, answers_so_far, keys_for, tabs, worded
from tui_agent.ui.dialogs.input_grace import InputGrace
from tui_agent.ui.dialogs.question import QuestionQueue, QueuePosition, WaitingScreen
from tui_agent.ui.form_draft import FormDraft
from tui_agent.ui.render_style import render_state
from tui_agent.ui.styles_path import style_sheet
from tui_agent.ui.widgets.field import Field
from tui_agent.ui.widgets.form_blocks import ChoiceBlock, FieldBlock, SendRow, TextBlock
from tui_agent.ui.widgets.key_line import KeyLine
from tui_agent.ui.widgets.view_widget import ViewWidget
from tui_agent.viewkit.code import CodeView

__all__ = ["FormScreen"]

_BESIDE: Final = 90  # columns from which a preview stands beside the options


class FormPage(Vertical):
    """What is seen at once of a form: some of its fields, or with none all answers to look over."""

    def __init__(self, *blocks: FieldBlock) -> None:
        super().__init__(*blocks)
        self.blocks: Final = blocks


class Pages(VerticalScroll, inherit_bindings=False):
    """What is round the pages, and scrolls. The keys that would scroll it choose answers."""


class FormScreen(WaitingScreen):
    """One form. The answers go to the queue; the queue closes the screen."""

    CSS_PATH: ClassVar[CSSPathType | None] = [style_sheet("dialogs"), style_sheet("forms")]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "Up"),
        Binding("down", "move(1)", "Down"),
        Binding("1", "pick(0)", "Choose the first answer, 2 the second, and so on"),
        *(Binding(str(number), f"pick({number - 1})", show=False) for number in range(2, 10)),
        Binding("space", "mark", "Mark, where several answers are allowed"),
        Binding("enter", "take", "Choose and continue; send"),
        Binding("tab", "go(1)", "Next question or field"),
        Binding("shift+tab", "go(-1)", "Previous question or field"),
        Binding("right", "turn(1)", "Next question", show=False),
        Binding("left", "turn(-1)", "Previous question", show=False),
        Binding("w", "words", "Reply in your own words instead"),
        Binding("escape", "close", "Close without an answer"),
        Binding("right_square_bracket", "cycle(1)", "Next waiting question", show=False),
        Binding("left_square_bracket", "cycle(-1)", "Previous", show=False),
        Binding("pageup", "scroll_page(-1)", "Scroll up"),
        Binding("pagedown", "scroll_page(1)", "Scroll down"),
    ]

    def __init__(
        self,
        request_id: str,
        draft: FormDraft,
        queue: QuestionQueue,
        *,
        place: QueuePosition | None = None,
        grace: InputGrace | None = None,
    ) -> None:
        super().__init__(request_id, queue, place=place or QueuePosition(), grace=grace or InputGrace())
        self._draft = draft
        self._form = draft.form
        self._is_sheet = not all(field.options for field in self._form.fields)
        self._is_closing = False  # Esc was pressed once and something would be lost
        self._pages: list[FormPage] = []
        self._written: dict[str, Content] = {}

    # --- what there is -----------------------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        self._pages = self._make_pages()
        with DialogBox(classes="-sheet" if self._is_sheet else None):
            yield Static(id="tabs")
            with Container(id="main"):
                with Pages(id="page", can_focus=False):
                    if self._form.about:
                        yield Static(Content(clean(self._form.about).strip()), id="about")
                    yield from self._pages
                    yield Static(id="review")
                    yield SendRow("Send")
                preview = ViewWidget(id="preview")
                preview.can_focus = False
                yield preview
            words = Field(id="words", placeholder="type it, then Enter · Esc goes back")
            words.max_length = LONGEST_WORDS
            yield words
            yield KeyLine()

    def _make_pages(self) -> list[FormPage]:
        blocks: list[FieldBlock] = [
            (ChoiceBlock if field.options else TextBlock)(field, self._draft, lambda: self.grace.is_open)
            for field in self._form.fields
        ]
        if self._is_sheet:
            return [FormPage(*blocks)]
        pages = [FormPage(block) for block in blocks]
        return pages if len(pages) == 1 else [*pages, FormPage()]

    def on_mount(self) -> None:
        self.query_one("#dialog").border_title = Content(clean_line(self._form.title, 60))
        self.query_one("#words").display = False
        self.query_one("#tabs").display = len(self._pages) > 1
        # What a field says of its answer makes the page longer, a moment after it was said.
        self.watch(self.query_one("#page"), "virtual_size", self._keep_cursor_in_sight)
        self.refresh_place()
        self._show_page()

    def refresh_place(self) -> None:
        self.query_one("#dialog").border_subtitle = self.place.words()

    @property
    def _page(self) -> FormPage:
        return self._pages[self._draft.page]

    @property
    def _is_review(self) -> bool:
        return not self._page.blocks

    @property
    def _block(self) -> FieldBlock | None:
        """The block that keys are about."""
        focused = self.focused
        found = (
            next((node for node in focused.ancestors_with_self if isinstance(node, FieldBlock)), None)
            if focused
            else None
        )
        return found if found in self._page.blocks else None

    # --- what is seen ------------------------------------------------------------------------------------------------

    def _show_page(self) -> None:
        """Show the page the user is on, its first field ready."""
        for page in self._pages:
            page.display = page is self._page and not self._is_review
        review = self.query_one("#review", Static)
        review.display = self._is_review
        if self._is_review:
            review.update(answers_so_far(self._draft))
        send = self.query_one(SendRow)
        send.display = self._is_review or self._is_sheet
        self.query_one("#page").scroll_home(animate=False)
        self._focus(send if self._is_review else self._page.blocks[0].stop)

    def _focus(self, stop: Widget) -> None:
        self.set_focus(stop, scroll_visible=False)
        self._refresh()

    def _refresh(self) -> None:
        """Bring tabs, preview and keys up to date with what the user did."""
        self._is_closing = False
        for choice in self.query(ChoiceBlock):
            choice.show()
        self._show_tabs()
        block = self._block
        options = block.field.options if isinstance(block, ChoiceBlock) else ()
        preview = self.query_one("#preview", ViewWidget)
        has_preview = any(option.preview for option in options)
        if isinstance(block, ChoiceBlock) and has_preview:
            view = CodeView(block.preview or " ", has_numbers=False)
            if view != preview.view:
                preview.show(view, render_state(self.app))
                preview.scroll_home(animate=False)
        self.query_one("#main").set_class(self.app.size.width >= _BESIDE, "-beside")
        self.query_one("#dialog").set_class(has_preview, "-with-preview")
        self._write("#keys", Content(self._keys()))
        self._later(self._fit)

    def _show_tabs(self) -> None:
        if len(self._pages) > 1:
            self._write("#tabs", tabs(self._draft, self.query_one("#tabs").size.width))

    def _write(self, selector: str, words: Content) -> None:
        """Put words into a line, unless they are there: each update lays the form out anew."""
        if self._written.get(selector) != words:
            self._written[selector] = words
            self.query_one(selector, Static).update(words)

    def _keys(self) -> str:
        if self.query_one("#words").display:
            return WORDS_KEYS
        block = self._block
        return keys_for(self._draft, block.field if block is not None else None, is_sheet=self._is_sheet)

    def _later(self, step: Callable[[], None]) -> None:
        """Do something once what was changed has its place; by then the queue may have closed the form."""
        self.call_after_refresh(lambda: step() if self._is_up else None)

    @property
    def _is_up(self) -> bool:
        """Whether the queue has not closed the form; what belongs to one that is closed goes piece by piece."""
        return self in self.app.screen_stack

    def _fit(self) -> None:
        """Give the page what room there is, so that what stands round it stays in sight, and the cursor in it."""
        dialog, main = self.query_one("#dialog"), self.query_one("#main")
        frame = dialog.outer_size.height - dialog.size.height
        others = [child for child in dialog.children if child is not main and child.display]
        around = sum(child.outer_size.height + child.styles.margin.height for child in others)
        room = max(1, self.size.height - frame - around)
        page, preview = self.query_one("#page"), self.query_one("#preview")
        is_stacked = preview.display and not main.has_class("-beside")
        below = min(preview.virtual_size.height + 2, room // 2) if is_stacked else 0
        page.styles.max_height = max(1, room - below)
        preview.styles.max_height = max(1, below if is_stacked else room)
        self._keep_cursor_in_sight()

    def _keep_cursor_in_sight(self) -> None:
        self._later(self._scroll_to_cursor)

    def _scroll_to_cursor(self) -> None:
        block = self._block
        part = block.part if block is not None else self.focused
        if part is not None and part.is_attached:
            part.scroll_visible(animate=False)

    def on_resize(self) -> None:
        self._later(self._refresh)

    # --- what the user does ----------------------------------------------------------------------------------------

    def action_move(self, step: int) -> None:
        """Go to the next answer; past the last one of a sheet's choice, to the next field."""
        block = self._block
        if block is not None and block.move(step):
            self._focus(block.stop)
        elif self._is_sheet:
            self.action_go(step)
        elif isinstance(block, ChoiceBlock):
            block.go_to(0 if step > 0 else block.rows - 1)
            self._focus(block.stop)

    def action_go(self, step: int) -> None:
        """Go to the next field of a sheet, or to the next question."""
        if not self._is_sheet:
            self.action_turn(step)
            return
        stops = [*self._page.blocks, self.query_one(SendRow)]
        here = self._block or self.query_one(SendRow)
        target = stops[(stops.index(here) + step) % len(stops)]
        self._focus(target.stop if isinstance(target, FieldBlock) else target)

    def action_turn(self, step: int) -> None:
        """Go to the next page, round and round."""
        self.action_show_page((self._draft.page + step) % len(self._pages))

    def action_show_page(self, number: int) -> None:
        if self._draft.page != number:
            self._draft.page = number
            self._show_page()

    def action_pick(self, number: int) -> None:
        """Take the answer with this digit, or mark it where several can be. On the last page: go back to that question."""
        if self._is_review:
            if number < len(self._pages) - 1:
                self.action_show_page(number)
            return
        block = self._block
        if not isinstance(block, ChoiceBlock) or number >= block.rows:
            return
        block.go_to(number)
        self._focus(block.stop)
        if block.mark():
            self._refresh()
            if not block.field.is_multiple and not self._is_sheet:
                self._go_on(block)

    def action_mark(self) -> None:
        block = self._block
        if isinstance(block, ChoiceBlock):
            block.mark()
            self._refresh()
        elif block is None:
            self.action_take()

    def action_take(self) -> None:
        """Take the answer under the cursor and go on; on the row that sends, send."""
        if not self.grace.is_open:  # Enter in a field comes past `check_action`
            return
        block = self._block
        if block is None:
            self._send()
            return
        if isinstance(block, ChoiceBlock) and not block.is_at_own and not block.field.is_multiple:
            block.mark()
        self._go_on(block)

    def _go_on(self, block: FieldBlock) -> None:
        """Leave a field for what comes next, once its answer holds."""
        problem = self._draft.problem(block.field)
        block.show_problem(worded(problem, block.field))
        if problem:
            self._refresh()
        elif self._is_sheet:
            self.action_go(1)
        elif len(self._pages) == 1:
            self._send()
        else:
            unanswered = [n for n, field in enumerate(self._form.fields) if self._draft.problem(field)]
            later = [number for number in unanswered if number > self._draft.page]
            self.action_show_page((later or unanswered or [len(self._pages) - 1])[0])

    def _send(self) -> None:
        """Hand the answers over, or go to the first that does not hold."""
        for page in self._pages:
            for block in page.blocks:
                block.show_problem(worded(self._draft.problem(block.field), block.field))
        wrong = next((field for field in self._form.fields if self._draft.problem(field)), None)
        if wrong is None:
            self._answer()
            return
        for number, page in enumerate(self._pages):
            for block in page.blocks:
                if block.field is wrong:
                    self.action_show_page(number)
                    self._focus(block.stop)

    def _answer(self) -> None:
        if self.grace.is_open:
            self.queue.answer_form(self.request_id, self._draft.answers())

    def action_close(self) -> None:
        """Leave the field one is in; else close the form, asking again where something would be lost."""
        words = self.query_one("#words")
        block = self._block
        if words.display:
            words.display = False
            self._show_page()
        elif isinstance(block, ChoiceBlock) and block.is_at_own and block.field.allows_other:
            block.go_to(len(block.field.options) - 1)
            self._focus(block.stop)
        elif self._draft.is_touched and not self._is_closing:
            self._is_closing = True
            self._write("#keys", Content(AGAIN))
        else:
            self.queue.answer_form(self.request_id, None)

    def action_words(self) -> None:
        """Open the field for what the user says in place of answers."""
        if self._form.takes_words:
            field = self.query_one("#words", Field)
            field.display = True
            self._focus(field)

    def action_scroll_page(self, step: int) -> None:
        preview, page = self.query_one("#preview"), self.query_one("#page")
        part = preview if preview.display and preview.max_scroll_y else page
        part.scroll_relative(y=step * max(1, part.size.height - 1), animate=False)

    @on(ChoiceBlock.Picked)
    def _picked(self, message: ChoiceBlock.Picked) -> None:
        if self.grace.is_open:  # a click comes past `check_action`
            message.block.go_to(message.number)
            self._focus(message.block.stop)
            self.action_pick(message.number)

    @on(SendRow.Pressed)
    def _pressed(self) -> None:
        if self.grace.is_open:
            self._send()

    @on(Input.Changed)
    def _changed(self) -> None:
        self._is_closing = False
        if self._is_up:
            self._show_tabs()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if event.input.id != "words":
            self.action_take()
        elif event.value.strip() and self.grace.is_open:
            self.queue.answer_form(self.request_id, FormDraft.instead(event.value))

    def on_descendant_focus(self) -> None:
        """A field was clicked: keys and preview are about it now."""
        self._later(self._refresh)
