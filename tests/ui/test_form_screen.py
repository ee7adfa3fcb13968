"""The form screen, driven as a user would."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from dialog_app import Clock, DialogApp, FakeQueue, readable, screen_text
from textual import events
from textual.app import App
from textual.screen import Screen
from textual.widgets import Input

from tui_agent.tools.forms import WORDS, Answers, Form, FormField, Option
from tui_agent.ui.dialogs.input_grace import InputGrace
from tui_agent.ui.dialogs.question import QueuePosition
from tui_agent.ui.form_draft import FormDraft
from tui_agent.ui.screens.form import FormScreen
from tui_agent.ui.widgets.form_blocks import OptionRow, SendRow

COLOUR = FormField(
    key="Which colour?",
    question="Which colour?",
    header="Colour",
    options=(Option(label="red", description="warm"), Option(label="blue"), Option(label="green")),
    allows_other=True,
)
SIZES = FormField(
    key="Which sizes?",
    question="Which sizes?",
    header="Sizes",
    options=(Option(label="S"), Option(label="M"), Option(label="L")),
    is_multiple=True,
    allows_other=True,
)
NAME = FormField(key="name", question="Name", max_length=10)
MAIL = FormField(key="mail", question="E-mail", check="email", is_required=False)
Dialog = Callable[..., DialogApp]


@pytest.fixture
def dialog(queue: FakeQueue, grace: InputGrace) -> Dialog:
    def make(*fields: FormField, place: QueuePosition | None = None, **more: Any) -> DialogApp:
        form = Form(**{"title": "Ask", "fields": fields, "takes_words": True} | more)
        return DialogApp(FormScreen("f", FormDraft(form), queue, place=place, grace=grace))

    return make


async def given(app: DialogApp, clock: Clock, keys: str, size: tuple[int, int] = (80, 24)) -> str:
    """Press keys once they count, and return what the screen shows then."""
    async with app.run_test(size=size) as pilot:
        await readable(pilot, clock)
        await pilot.press(*keys.split())
        await pilot.pause()
        return screen_text(pilot)


async def answers(field: FormField, sequences: list[str], size: tuple[int, int] = (80, 24)) -> list[Answers | None]:
    """Fill the same form in by each of the sequences of keys, in one app, and return what was answered."""
    app: App[None] = DialogApp(Screen())
    given_answers: list[Answers | None] = []
    async with app.run_test(size=size) as pilot:
        for keys in sequences:
            clock, queue = Clock(), FakeQueue()
            form = Form(title="Ask", fields=(field,), takes_words=True)
            app.push_screen(FormScreen("f", FormDraft(form), queue, grace=InputGrace(clock)))
            await readable(pilot, clock)
            await pilot.press(*keys.split())
            assert len(queue.forms) == 1, keys
            given_answers.append(queue.forms[0][1])
            app.pop_screen()
            await pilot.pause()
    return given_answers


@pytest.mark.parametrize("size", [(120, 40), (40, 10), (20, 5)])
async def test_the_keys_are_the_same_at_every_size(size: tuple[int, int]) -> None:
    assert await answers(COLOUR, ["up up down up enter"], size) == [{"Which colour?": "green"}]


async def test_each_way_to_choose_gives_its_answer() -> None:
    expected = {
        "1": "red",
        "up up enter": "green",
        "space down enter": "blue",
        "4 t e a l enter": "teal",
        "down down down 1 2 enter": "12",
        "4 t e a l up space enter": "green",
        "4 t escape escape 2": "blue",
    }
    assert await answers(COLOUR, list(expected)) == [{"Which colour?": answer} for answer in expected.values()]


async def test_several_answers_are_marked_and_then_sent() -> None:
    expected = {
        "3 1 enter": ["S", "L"],
        "1 1 2 enter": ["M"],
        "space down space enter": ["S", "M"],
        "4 x l enter": ["xl"],
    }
    assert await answers(SIZES, list(expected)) == [{"Which sizes?": answer} for answer in expected.values()]


async def test_enter_without_a_mark_says_what_is_missing(dialog: Dialog, queue: FakeQueue, clock: Clock) -> None:
    shown = await given(dialog(SIZES), clock, "enter")
    assert queue.forms == []
    assert "An answer is needed. Space marks one." in shown


async def test_several_questions_are_looked_over_before_they_are_sent(
    dialog: Dialog, queue: FakeQueue, clock: Clock
) -> None:
    app = dialog(COLOUR, SIZES)
    async with app.run_test(size=(80, 24)) as pilot:
        await readable(pilot, clock)
        await pilot.press("2")
        await pilot.pause()
        assert "[☐ Sizes]" in screen_text(pilot)
        assert queue.forms == []
        await pilot.press("3", "enter")
        await pilot.pause()
        assert "→ blue" in screen_text(pilot)
        assert "→ L" in screen_text(pilot)
        await pilot.press("1", "3")  # back to the first question, another answer, and on to the end again
        await pilot.pause()
        assert "→ green" in screen_text(pilot)
        assert queue.forms == []
        await pilot.press("enter")
    assert queue.forms == [("f", {"Which colour?": "green", "Which sizes?": ["L"]})]


async def test_sending_with_a_question_open_goes_to_it(dialog: Dialog, queue: FakeQueue, clock: Clock) -> None:
    shown = await given(dialog(COLOUR, SIZES), clock, "1 tab enter")
    assert queue.forms == []
    assert "[☐ Sizes]" in shown
    assert "An answer is needed." in shown


async def test_one_can_go_round_the_questions(dialog: Dialog, clock: Clock) -> None:
    shown = await given(dialog(COLOUR, SIZES), clock, "tab tab tab shift+tab right left left right")
    assert "[Send]" in shown


async def test_escape_closes_without_an_answer(dialog: Dialog, queue: FakeQueue, clock: Clock) -> None:
    await given(dialog(COLOUR), clock, "escape")
    assert queue.forms == [("f", None)]


async def test_escape_asks_again_where_something_would_be_lost(dialog: Dialog, queue: FakeQueue, clock: Clock) -> None:
    app = dialog(SIZES)
    async with app.run_test(size=(80, 24)) as pilot:
        await readable(pilot, clock)
        await pilot.press("1", "escape")
        await pilot.pause()
        assert "Esc again closes this" in screen_text(pilot)
        await pilot.press("down", "escape")
        assert queue.forms == []
        await pilot.press("escape")
    assert queue.forms == [("f", None)]


async def test_words_go_in_the_place_of_answers(dialog: Dialog, queue: FakeQueue, clock: Clock) -> None:
    await given(dialog(COLOUR, SIZES), clock, "1 w escape w n o t space r e d enter")
    assert queue.forms == [("f", {WORDS: "not red"})]


async def test_the_field_for_words_says_what_it_is_for(dialog: Dialog, clock: Clock) -> None:
    assert "enter sends this instead of an answer" in await given(dialog(COLOUR), clock, "w n o")


async def test_a_form_that_takes_no_words_has_no_field_for_them(dialog: Dialog, queue: FakeQueue, clock: Clock) -> None:
    await given(dialog(COLOUR, takes_words=False), clock, "w x enter")
    assert queue.forms == [("f", {"Which colour?": "red"})]


async def test_keys_before_the_form_could_be_read_do_nothing(dialog: Dialog, queue: FakeQueue, clock: Clock) -> None:
    app = dialog(COLOUR)
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press("1", "enter", "escape", "w")
        await pilot.click(OptionRow)
        assert queue.forms == []
        await readable(pilot, clock)
        await pilot.press("1")
    assert queue.forms == [("f", {"Which colour?": "red"})]


async def test_what_was_typed_for_the_prompt_is_in_no_field(dialog: Dialog, queue: FakeQueue, clock: Clock) -> None:
    app = dialog(NAME, MAIL)
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press("x", "y", "enter")
        await readable(pilot, clock)
        await pilot.press("A", "d", "a", "enter", "enter", "enter")
    assert queue.forms == [("f", {"name": "Ada"})]


async def test_a_click_takes_an_answer_and_another_one_sends(dialog: Dialog, queue: FakeQueue, clock: Clock) -> None:
    app = dialog(NAME, SIZES)
    async with app.run_test(size=(80, 24)) as pilot:
        await readable(pilot, clock)
        await pilot.press("A")
        await pilot.click(list(app.screen.query(OptionRow))[1])
        await pilot.click(SendRow)
        await pilot.pause()
    assert queue.forms == [("f", {"name": "A", "Which sizes?": ["M"]})]


async def test_a_click_on_a_tab_goes_to_its_question(dialog: Dialog, clock: Clock) -> None:
    app = dialog(COLOUR, SIZES)
    async with app.run_test(size=(80, 24)) as pilot:
        await readable(pilot, clock)
        await pilot.click("#tabs", offset=(15, 0))
        await pilot.pause()
        assert "[☐ Sizes]" in screen_text(pilot)


async def test_words_too_long_to_be_taken_cannot_be_put_in(dialog: Dialog, clock: Clock) -> None:
    app = dialog(COLOUR)
    async with app.run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("w")
        app.screen.query_one("#words", Input).post_message(events.Paste("x" * 10_001))
        await pilot.pause()
        assert app.screen.query_one("#words", Input).value == ""


async def test_a_click_on_a_choice_of_one_answers_it(dialog: Dialog, queue: FakeQueue, clock: Clock) -> None:
    app = dialog(COLOUR)
    async with app.run_test(size=(80, 24)) as pilot:
        await readable(pilot, clock)
        await pilot.click(list(app.screen.query(OptionRow))[2])
        await pilot.pause()
    assert queue.forms == [("f", {"Which colour?": "green"})]


@pytest.mark.parametrize("size", [(80, 24), (40, 10)])
async def test_a_sheet_is_filled_in_from_the_top_and_says_what_is_wrong(
    dialog: Dialog, queue: FakeQueue, clock: Clock, size: tuple[int, int]
) -> None:
    app = dialog(NAME, MAIL, SIZES, takes_words=False)
    async with app.run_test(size=size) as pilot:
        await readable(pilot, clock)
        await pilot.press("enter")
        await pilot.pause()
        assert "An answer is" in screen_text(pilot)
        await pilot.press("A", "enter", "a", "@", "enter")
        await pilot.pause()
        assert "That is not an" in screen_text(pilot)
        await pilot.press("b", ".", "c", "enter", "2", "enter")
        assert queue.forms == []
        await pilot.press("enter")
    assert queue.forms == [("f", {"name": "A", "mail": "a@b.c", "Which sizes?": ["M"]})]


async def test_sending_a_sheet_early_goes_to_what_is_missing(dialog: Dialog, queue: FakeQueue, clock: Clock) -> None:
    shown = await given(dialog(NAME, MAIL), clock, "shift+tab enter A enter")
    assert queue.forms == []
    assert "An answer is needed" not in shown
    await given(dialog(NAME, MAIL), clock, "A up enter")
    assert queue.forms == [("f", {"name": "A"})]


async def test_text_that_is_too_long_is_refused(dialog: Dialog, queue: FakeQueue, clock: Clock) -> None:
    shown = await given(dialog(NAME), clock, " ".join("elevenchars") + " enter enter")
    assert queue.forms == []
    assert "At most 10 characters fit." in shown


async def test_foreign_text_draws_nothing_but_itself(dialog: Dialog, queue: FakeQueue, clock: Clock) -> None:
    hostile = "\x1b]52;c;aGFjaw==\x07\x9b31m[@click=app.quit]x[/]\u202eevil\x00"
    field = FormField(
        key=hostile,
        question=hostile,
        header=hostile[:12],
        options=(Option(label=hostile, description=hostile, preview=hostile), Option(label="b")),
    )
    shown = await given(dialog(field, COLOUR, title=hostile, about=hostile), clock, "1 1 enter", (100, 30))
    assert queue.forms == [("f", {hostile: hostile, "Which colour?": "red"})]
    assert "\x1b" not in shown
    assert "\u202e" not in shown


async def test_a_long_question_leaves_the_keys_and_the_cursor_in_sight(dialog: Dialog, clock: Clock) -> None:
    long = FormField(
        key="q", question="So many words. " * 60, header="q", options=(Option(label="yes"), Option(label="n" * 90))
    )
    shown = await given(dialog(long), clock, "down", (60, 20))
    assert "❯ 2" in shown
    assert "esc close" in shown


async def test_the_preview_is_that_of_the_option_under_the_cursor(dialog: Dialog, clock: Clock) -> None:
    field = FormField(
        key="q",
        question="Which?",
        options=(Option(label="a", preview="picture of a"), Option(label="b", preview="picture of b")),
    )
    assert "picture of a" in await given(dialog(field), clock, "down up", (120, 30))


async def test_a_queue_is_named_and_can_be_walked(dialog: Dialog, queue: FakeQueue, clock: Clock) -> None:
    shown = await given(dialog(COLOUR, place=QueuePosition(1, 2)), clock, "]")
    assert "1 of 2" in shown
    assert queue.steps == [1]


async def test_what_is_filled_in_is_still_there_when_the_form_comes_back(queue: FakeQueue, clock: Clock) -> None:
    draft = FormDraft(Form(title="Ask", fields=(COLOUR, SIZES)))
    first: Answers = {}
    for keys in ("4 t e a l enter", "1 enter enter"):
        app = DialogApp(FormScreen("f", draft, queue, grace=InputGrace(clock)))
        await given(app, clock, keys)
        first = draft.answers()
        assert first["Which colour?"] == "teal"
    assert queue.forms == [("f", {"Which colour?": "teal", "Which sizes?": ["S"]})]


async def test_the_end_of_a_sentence_typed_for_the_prompt_ends_up_in_no_field(
    dialog: Dialog, queue: FakeQueue, clock: Clock
) -> None:
    async with dialog(NAME, takes_words=False).run_test() as pilot:
        await pilot.pause()
        for key in (*"and", "enter", *"more", "enter"):
            clock.now += 0.3
            await pilot.press(key)
        assert queue.forms == []
        clock.pass_guard()
        await pilot.press(*"Ada", "enter", "enter")
    assert queue.forms == [("f", {"name": "Ada"})]


async def test_pasted_controls_stay_out(dialog: Dialog, queue: FakeQueue, clock: Clock) -> None:
    app = dialog(NAME, takes_words=False)
    async with app.run_test() as pilot:
        await readable(pilot, clock)
        app.screen.query_one("GuardedField", Input).post_message(events.Paste("A\x1b[31m\nda"))
        await pilot.pause()
        await pilot.press("enter", "enter")
    assert queue.forms == [("f", {"name": "A da"})]


async def test_an_answer_that_wraps_for_want_of_one_column_leaves_the_keys_whole(dialog: Dialog, clock: Clock) -> None:
    words = "x" * 50 + " " + "y" * 12  # one column wider than its room: the column that is kept for a scrollbar
    field = FormField(key="which", question="Which?", header="Which", options=(Option(label="A", description=words),))
    seen = await given(dialog(field, SIZES), clock, "")
    assert "y" * 12 in seen
    assert words not in seen
    assert "esc close" in seen
