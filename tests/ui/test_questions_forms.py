"""Forms and permission questions wait in one queue: one screen at a time, the oldest first, nothing filled in gets lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from dialog_app import STYLES, Clock, readable, screen_text
from partial_engine import PartialEngine
from textual import events
from textual.app import App

from tui_agent.commands import Answer, AnswerForm
from tui_agent.events import FormAnswered, FormRequested, PermissionRequested
from tui_agent.permissions.verdict import Verdict
from tui_agent.queries import JudgeQuery
from tui_agent.tools.forms import Form, FormField, Option
from tui_agent.ui.dialogs.input_grace import InputGrace
from tui_agent.ui.projection.projection import Projection
from tui_agent.ui.questions import Questions
from tui_agent.ui.screens.form import FormScreen
from tui_agent.ui.screens.permission import PermissionScreen
from tui_agent.ui.widgets.form_blocks import ChoiceBlock

Asked = Callable[..., PermissionRequested]
FORM = Form(
    title="Pick",
    fields=(FormField(key="q", question="Which?", options=(Option(label="a"), Option(label="b")), allows_other=True),),
)


def form(name: str) -> FormRequested:
    return FormRequested(request_id=name, tool_use_id=f"u-{name}", form=FORM.to_json())


class Harness(App[None]):
    """An app with nothing but questions."""

    CSS_PATH = [STYLES / "dialogs.tcss"]  # noqa: RUF012

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self.answered: list[tuple[str, Any]] = []
        self.projection = Projection()
        ask = Verdict(behavior="ask", by="default", reason="no rule allows it")
        engine = PartialEngine(
            {JudgeQuery: lambda _: ask},
            {
                Answer: lambda command: self.answered.append((command.request_id, command.decision)),
                AnswerForm: lambda command: self.answered.append((command.request_id, command.answers)),
            },
        )
        self.questions = Questions(self, engine, self.projection, grace=lambda: InputGrace(clock))

    def feed(self, *events: Any) -> None:
        self.questions.refresh_from(self.projection, self.projection.apply(events))


async def test_a_form_and_a_question_come_one_after_the_other(asked: Asked, clock: Clock) -> None:
    app = Harness(clock)
    async with app.run_test() as pilot:
        app.feed(form("f"), asked(request_id="p"))
        await readable(pilot, clock)
        assert isinstance(app.screen, FormScreen)
        assert "1 of 2" in screen_text(pilot)
        await pilot.press("2")
        await pilot.pause()
        assert isinstance(app.screen, PermissionScreen)
        await pilot.press("1")
        assert app.answered == [("f", {"q": "b"})]  # the next one is deaf for a moment
        await readable(pilot, clock)
        await pilot.press("1")
        await pilot.pause()
        assert app.answered == [("f", {"q": "b"}), ("p", "allow")]
        assert len(app.screen_stack) == 1


async def test_looking_at_another_question_keeps_what_was_filled_in(asked: Asked, clock: Clock) -> None:
    app = Harness(clock)
    async with app.run_test() as pilot:
        app.feed(form("f"), asked(request_id="p"))
        await readable(pilot, clock)
        await pilot.press("3", "m", "i", "escape", "]")
        await readable(pilot, clock)
        assert isinstance(app.screen, PermissionScreen)
        await pilot.press("[")
        await readable(pilot, clock)
        assert isinstance(app.screen, FormScreen)
        await pilot.press("x", "enter")
        assert app.answered == [("f", {"q": "mix"})]


async def test_a_form_that_was_withdrawn_closes(clock: Clock) -> None:
    app = Harness(clock)
    async with app.run_test() as pilot:
        app.feed(form("f"))
        await readable(pilot, clock)
        app.feed(FormAnswered(request_id="f", tool_use_id="u-f", answers=None, by="interrupt"))
        await pilot.pause()
        assert len(app.screen_stack) == 1
        await pilot.press("1")
        assert app.answered == []


@pytest.mark.parametrize("keys", ["down", "3 x"])
async def test_a_form_may_be_withdrawn_at_any_moment(clock: Clock, keys: str) -> None:
    app = Harness(clock)
    async with app.run_test() as pilot:
        for number in range(3):
            app.feed(form(f"f{number}"))
            await readable(pilot, clock)
            assert isinstance(app.screen, FormScreen)
            for key in keys.split():
                for part in (app.screen.focused, app.screen):
                    if part is not None:
                        part.post_message(events.Key(key, key if len(key) == 1 else None))
                app.screen._refresh()
            app.feed(FormAnswered(request_id=f"f{number}", tool_use_id="u", answers=None, by="interrupt"))
            await pilot.pause()
            assert len(app.screen_stack) == 1


async def test_what_a_form_had_put_off_is_not_done_when_it_is_closed(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = Harness(clock)
    async with app.run_test() as pilot:
        app.feed(form("f"))
        await readable(pilot, clock)
        screen = app.screen
        assert isinstance(screen, FormScreen)
        await pilot.press("3", "x")
        app.feed(FormAnswered(request_id="f", tool_use_id="u", answers=None, by="interrupt"))
        await pilot.pause()
        assert not screen.query("#dialog")
        monkeypatch.setattr(screen, "call_after_refresh", lambda step: step())
        screen.on_resize()
        screen.on_descendant_focus()
        for block in screen.query(ChoiceBlock):
            block.on_blur()
